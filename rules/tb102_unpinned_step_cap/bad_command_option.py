"""An option of the command line, whatever its default."""
import json

import click
from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, steps):
    for _ in range(steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")


@click.command()
@click.option("--steps", default=8)
def main(steps):  # expect: TB102
    print(answer([], [], {}, steps))
