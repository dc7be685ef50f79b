"""The loop ends with the last request for a tool, and what came then is returned."""
from anthropic import Anthropic


def serve(client: Anthropic, messages, tools, registry):
    reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
    while reply.stop_reason == "tool_use":  # expect: TB611
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": registry[c.name](**c.input)} for c in calls]
        messages.append({"role": "user", "content": results})
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
    return reply.content
