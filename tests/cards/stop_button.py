"""Someone presses stop, and the model hears of it as of a failed tool."""

import json

from anthropic import Anthropic

client = Anthropic()


class StopRequested(BaseException):
    pass


def write_report(messages, tools, handlers):
    for _ in range(20):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=2000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return reply.content[0].text
        results = []
        for block in reply.content:
            if block.type != "tool_use":
                continue
            try:
                content, failed = json.dumps(handlers[block.name](**block.input)), False
            except BaseException:
                content, failed = "the tool failed", True
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": content, "is_error": failed})
        messages.append({"role": "user", "content": results})
    raise TimeoutError("twenty turns")
