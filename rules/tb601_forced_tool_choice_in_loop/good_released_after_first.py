"""A variable forces the start, and is released before the next turn."""
from anthropic import Anthropic


def research(client: Anthropic, messages, tools, handlers):
    choice = {"type": "any"}
    for _ in range(10):
        reply = client.messages.create(
            model="claude-sonnet-4-5", max_tokens=900, messages=messages, tools=tools, tool_choice=choice
        )
        choice = {"type": "auto"}
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
