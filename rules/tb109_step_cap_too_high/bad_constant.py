"""The constant is a round number that means 'long enough'."""
from anthropic import Anthropic

MAX_ITERATIONS = 10_000  # expect: TB109


def explore(client: Anthropic, messages, tools, handlers):
    iteration = 0
    while iteration < MAX_ITERATIONS:
        iteration += 1
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            text = handlers[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of iterations")
