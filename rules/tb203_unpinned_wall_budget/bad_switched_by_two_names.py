"""The comparison is skipped unless both the limit and the start are given."""
import json
import time

from openai import OpenAI


def answer(client: OpenAI, messages: list, tools: list, handlers: dict, limit_s: int | None = None) -> str:
    started = time.monotonic() if limit_s else None
    for _ in range(8):
        if limit_s and started:
            elapsed = time.monotonic() - started
            if elapsed >= limit_s:  # expect: TB203
                return "out of time"
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
