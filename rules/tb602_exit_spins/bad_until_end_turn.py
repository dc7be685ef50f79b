"""The condition waits for `end_turn`, which a truncated reply never says."""
from anthropic import Anthropic


def write(client: Anthropic, messages, tools, handlers):
    reason = None
    while reason != "end_turn":  # expect: TB602
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
        reason = reply.stop_reason
        if reason == "tool_use":
            messages.append({"role": "assistant", "content": reply.content})
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
                for block in reply.content
                if block.type == "tool_use"
            ]
            messages.append({"role": "user", "content": results})
    return reply
