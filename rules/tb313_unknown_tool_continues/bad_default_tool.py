"""Whatever is not in the table runs the default."""
from anthropic import Anthropic


def no_such_tool(**arguments):
    return "there is no such tool"


def work(client: Anthropic, messages, tools, handlers):
    for _ in range(8):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            text = handlers.get(call.name, no_such_tool)(**call.input)  # expect: TB313
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
