"""The caller may ask for a thousand steps; the lower number counts."""
import json

from openai import OpenAI

client = OpenAI()


def explore(messages, tools, handlers, wanted=1000):
    for _ in range(min(wanted, 40)):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
