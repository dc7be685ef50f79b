"""Broken JSON of a tool is repaired until it parses."""
import json

import json_repair
from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            raw = handlers[call.function.name](**json.loads(call.function.arguments))
            data = json_repair.loads(raw)  # expect: TB402
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(data)})
    raise RuntimeError("out of steps")
