"""A countdown is a bound like any other."""
from anthropic import Anthropic


def tidy(client: Anthropic, messages, tools, handlers):
    left = 20
    while left:
        left -= 1
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
                    for call in calls
                ],
            }
        )
    raise RuntimeError("gave up after 20 steps")
