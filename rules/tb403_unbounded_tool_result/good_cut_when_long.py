"""A helper cuts what is longer than the limit, and says so."""
from anthropic import Anthropic

LIMIT = 6000


def shorten(text):
    if len(text) > LIMIT:
        text = text[:LIMIT] + f"\n[{len(text) - LIMIT} more characters]"
    return text


def serve(client: Anthropic, messages, tools, registry):
    for _ in range(10):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            output = registry[call.name](**call.input)
            text = shorten(str(output))
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
