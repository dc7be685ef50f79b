"""A new plan sets the count back to zero, and the model makes the plans."""
from anthropic import Anthropic

MAX_STEPS = 12


def carry_out(client: Anthropic, messages, tools, handlers):
    steps = 0
    while steps < MAX_STEPS:
        steps += 1
        reply = client.messages.create(model="claude-opus-4-1", max_tokens=2048, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            text = handlers[call.name](**call.input)
            if call.name == "update_plan":
                steps = 0  # expect: TB105
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("plan not finished")
