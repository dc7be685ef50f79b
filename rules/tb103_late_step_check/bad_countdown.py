"""A countdown that has to go below zero."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, left=8):
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        left -= 1
        if left < 0:  # expect: TB103
            raise RuntimeError("step budget exceeded")
