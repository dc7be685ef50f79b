"""The word of another provider stands beside a test that is met."""

import json

from openai import OpenAI

client = OpenAI(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
        choice = reply.choices[0]
        messages.append(choice.message)
        if choice.finish_reason == "end_turn":
            return choice.message.content
        if not choice.message.tool_calls:
            return choice.message.content
        for call in choice.message.tool_calls:
            content = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("step cap")
