"""A function of the project checks what must be there and raises."""
import json

from anthropic import Anthropic

REQUIRED = {"search": ("hits", "total"), "fetch": ("url", "text")}


class SchemaInvalid(Exception):
    pass


def checked(name, raw):
    if len(raw) > 20_000:
        raise SchemaInvalid(name)
    data = json.loads(raw)
    missing = [key for key in REQUIRED[name] if key not in data]
    if missing:
        raise SchemaInvalid(f"{name}: {missing}")
    return data


def serve(client: Anthropic, messages, tools, registry):
    for _ in range(10):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            data = checked(call.name, registry[call.name](**call.input))
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(data)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
