"""The default is committed; this caller replaces it by what the command line says."""
import argparse
import json

from openai import OpenAI

client = OpenAI()


def run(messages, tools, handlers, max_steps=10):
    for _ in range(max_steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")


def main(tools, handlers):
    parser = argparse.ArgumentParser()
    parser.add_argument("question")
    parser.add_argument("--steps", type=int, required=True)
    options = parser.parse_args()
    print(run([{"role": "user", "content": options.question}], tools, handlers, max_steps=options.steps))  # expect: TB102
