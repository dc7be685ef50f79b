"""The model may ask for one call a turn."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    for _ in range(max_steps):
        message = client.chat.completions.create(
            model="gpt-4.1", messages=messages, tools=tools, parallel_tool_calls=False
        ).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")
