"""The committed number is a default, and the environment outbids it."""
import os

from anthropic import Anthropic

MAX_TURNS = int(os.getenv("MAX_TURNS", "20"))  # expect: TB102


def tidy(client: Anthropic, messages, tools, handlers):
    turn = 0
    while turn < MAX_TURNS:
        turn += 1
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
    raise RuntimeError(f"stopped after {turn} turns")
