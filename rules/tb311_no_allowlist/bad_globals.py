"""The module's own names are the table, its imports among them."""
import os
import subprocess

from anthropic import Anthropic

client = Anthropic()


def disk_usage(path):
    return str(os.stat(path).st_size)


def restart(service):
    return subprocess.run(["systemctl", "restart", service], capture_output=True, text=True, timeout=30).stdout


def operate(messages, tools):
    for _ in range(6):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                text = globals()[block.name](**block.input)  # expect: TB311
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": text})
        if not results:
            return reply
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
