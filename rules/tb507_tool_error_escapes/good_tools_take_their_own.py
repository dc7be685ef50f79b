"""The tools of the table take what they raise."""

import json

from openai import OpenAI
from weather import lookup

client = OpenAI(timeout=30)
MAX_STEPS = 8


def weather(city):
    try:
        return lookup(city)
    except Exception:
        return "no weather"


HANDLERS = {"weather": weather}


def run(messages, tools):
    for _ in range(MAX_STEPS):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            content = HANDLERS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("step cap")
