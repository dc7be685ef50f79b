"""The helper that runs the calls runs them all."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    for _ in range(max_steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        messages += results(message.tool_calls, handlers)
    raise RuntimeError("step budget exceeded")


def results(calls, handlers):
    found = []
    for call in calls:  # expect: TB112
        result = handlers[call.function.name](**json.loads(call.function.arguments))
        found.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return found
