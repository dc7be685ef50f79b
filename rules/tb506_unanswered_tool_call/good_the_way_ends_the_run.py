"""A way without an answer leads out of the run."""

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
        for call in message.tool_calls:
            if call.function.name not in handlers:
                raise KeyError(call.function.name)
            if call.function.name == "finish":
                return call.function.arguments
            content = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("step cap")
