"""The pass that goes past the cap has run its tools already."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    steps = 0
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        steps += 1
        if steps > max_steps:  # expect: TB103
            raise RuntimeError("step budget exceeded")
