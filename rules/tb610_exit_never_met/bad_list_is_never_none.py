"""A list of blocks is compared with None."""

import anthropic

client = anthropic.Anthropic(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = client.messages.create(model="m", max_tokens=900, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if calls is None:  # expect: TB610
            return reply
        results = []
        for block in calls:
            content = handlers[block.name](**block.input)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("step cap")
