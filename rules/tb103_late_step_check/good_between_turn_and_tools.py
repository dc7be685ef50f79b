"""Tested behind the turn, before the tools that it gates."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_rounds=8):
    rounds = 0
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        rounds += 1
        if rounds > max_rounds:
            raise RuntimeError("step budget exceeded")
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
