"""Inside a tool loop a handler waits and asks again, and the step cap never sees it."""
import time

from anthropic import Anthropic, RateLimitError

MAX_STEPS = 20


def run(client: Anthropic, messages, tools, table):
    steps = 0
    while True:
        try:
            reply = client.messages.create(
                model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools
            )
        except RateLimitError:  # expect: TB108
            time.sleep(20)
            continue
        if steps >= MAX_STEPS:
            raise RuntimeError("out of steps")
        steps += 1
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        messages.append({"role": "assistant", "content": reply.content})
        for call in calls:
            answer = {"type": "tool_result", "tool_use_id": call.id, "content": table[call.name](**call.input)}
            messages.append({"role": "user", "content": [answer]})
