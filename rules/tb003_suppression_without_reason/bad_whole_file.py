"""A file is excused from a group of rules, and nobody knows why."""
# toolbind: ignore-file[TB2]  # expect: TB003
from anthropic import Anthropic


def answer(client: Anthropic, messages, tools, handlers):
    for _ in range(8):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=900, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
