"""One prefix that the provider adds is taken off; the rest must match exactly."""
from anthropic import Anthropic


def work(client: Anthropic, messages, tools, handlers):
    for _ in range(8):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            name = call.name.removeprefix("functions.")
            if name not in handlers:
                raise LookupError(name)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": handlers[name](**call.input)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
