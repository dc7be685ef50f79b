"""The cap is a setting on a server: raised with one click, for everyone."""
import json

import httpx
from openai import OpenAI

client = OpenAI()


def serve(messages, tools, handlers):
    limit = httpx.get("https://settings.example.com/agent").json()["max_steps"]  # expect: TB102
    for _ in range(limit):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
