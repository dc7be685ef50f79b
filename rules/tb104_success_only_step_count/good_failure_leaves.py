"""A failure ends the run, so nothing that it leaves uncounted goes on."""
import json

from openai import OpenAI

client = OpenAI()


def migrate(messages, tools, handlers):
    steps = 0
    while steps < 30:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        steps += 1
    raise RuntimeError("30 steps used")
