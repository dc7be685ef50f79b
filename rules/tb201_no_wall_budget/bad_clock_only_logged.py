"""The elapsed time is measured, printed, and compared with nothing."""
import time

from anthropic import Anthropic


def sort_mail(client: Anthropic, messages, tools, handlers):
    started = time.monotonic()
    for step in range(10):  # expect: TB201
        reply = client.messages.create(model="claude-haiku-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
        print(f"step {step} after {time.monotonic() - started:.1f} s")
    raise RuntimeError("out of steps")
