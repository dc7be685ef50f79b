"""What was not run is answered behind the loop over the calls."""

import json

from openai import OpenAI

client = OpenAI(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        answered = set()
        for call in message.tool_calls:
            if call.function.name not in handlers:
                break
            content = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            answered.add(call.id)
        for call in message.tool_calls:
            if call.id not in answered:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "not run"})
    raise RuntimeError("step cap")
