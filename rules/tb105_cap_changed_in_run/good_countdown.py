"""Here the number that moves is the count, and it only falls."""
from anthropic import Anthropic


def carry_out(client: Anthropic, messages, tools, handlers):
    steps_left = 12
    while steps_left > 0:
        steps_left -= 1
        reply = client.messages.create(model="claude-opus-4-1", max_tokens=2048, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("plan not finished")
