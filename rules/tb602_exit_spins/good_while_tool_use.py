"""The loop goes on for `tool_use` alone, so every other reason leaves it."""
from anthropic import Anthropic


def write(client: Anthropic, messages, tools, handlers):
    reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
    while reply.stop_reason == "tool_use":
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
            for block in reply.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
    return reply
