"""A module-level count."""
import json

from openai import OpenAI

client = OpenAI()
steps = 0


def answer(messages, tools, handlers, max_steps=8):
    global steps
    while True:  # expect: TB703
        if steps >= max_steps:
            raise RuntimeError("step budget exceeded")
        steps += 1
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
