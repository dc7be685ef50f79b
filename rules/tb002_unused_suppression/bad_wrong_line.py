"""The comment stands two lines above the loop, where it reaches nothing."""
from anthropic import Anthropic


def answer(client: Anthropic, messages, tools, handlers):
    # toolbind: ignore[TB101] the worker is killed after ten minutes  # expect: TB002
    passes = 0
    while True:
        passes += 1
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=900, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply, passes
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
