"""The number stands in the condition, beside the question to the reply."""
from anthropic import Anthropic


def summarise(client: Anthropic, messages, tools, handlers, max_steps: int = 10):
    steps = 0
    reply = client.messages.create(model="claude-haiku-4-5", max_tokens=1024, messages=messages, tools=tools)
    while reply.stop_reason == "tool_use" and steps < max_steps:
        steps += 1
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
            for block in reply.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
        reply = client.messages.create(model="claude-haiku-4-5", max_tokens=1024, messages=messages, tools=tools)
    return reply
