"""A countdown of tokens, with a flag that the loop reads."""
from anthropic import Anthropic


def serve(client: Anthropic, messages, tools, handlers):
    tokens_left = 40_000
    for _ in range(10):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        tokens_left -= reply.usage.input_tokens + reply.usage.output_tokens
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return {"status": "done", "reply": reply}
        empty = tokens_left <= 0
        if empty:
            return {"status": "out of tokens", "reply": None}
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](**c.input)} for c in calls]
        messages.append({"role": "user", "content": results})
    return {"status": "out of steps", "reply": None}
