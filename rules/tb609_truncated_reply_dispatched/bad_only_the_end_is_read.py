"""Only the finished reply is told apart; one that is cut off goes to the tools."""

import anthropic

client = anthropic.Anthropic(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = client.messages.create(model="m", max_tokens=900, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason == "end_turn":
            return reply
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                content = handlers[block.name](**block.input)  # expect: TB609
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("step cap")
