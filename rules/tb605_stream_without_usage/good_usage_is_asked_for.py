"""The stream is asked for its usage."""

import json

from openai import OpenAI

client = OpenAI(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers, budget=60_000):
    spent = 0
    for _ in range(MAX_STEPS):
        stream = client.chat.completions.create(
            model="m", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
        )
        text, calls = "", {}
        for chunk in stream:
            if chunk.usage:
                spent += chunk.usage.total_tokens
            if not chunk.choices:
                continue
            delta = chunk.choices[0].delta
            text += delta.content or ""
            for part in delta.tool_calls or []:
                call = calls.setdefault(part.index, {"id": "", "function": {"name": "", "arguments": ""}})
                call["id"] += part.id or ""
                call["function"]["name"] += part.function.name or ""
                call["function"]["arguments"] += part.function.arguments or ""
        if spent > budget:
            raise RuntimeError("token budget")
        if not calls:
            return text
        messages.append({"role": "assistant", "content": text, "tool_calls": list(calls.values())})
        for call in calls.values():
            content = handlers[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    raise RuntimeError("step cap")
