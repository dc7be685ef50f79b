"""A chain of comparisons with literals is a list of exact names."""
from anthropic import Anthropic


def run_tool(name, arguments, desk):
    if name == "open_ticket":
        return desk.open(**arguments)
    elif name == "close_ticket":
        return desk.close(**arguments)
    raise LookupError(name)


def support(client: Anthropic, messages, tools, desk):
    for _ in range(7):
        reply = client.messages.create(model="claude-haiku-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run_tool(call.name, call.input, desk)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
