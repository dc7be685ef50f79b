"""Every turn must call a tool; only one of the tools ends the loop."""

import json

from anthropic import Anthropic

client = Anthropic(timeout=10, max_retries=0)


def collect(messages, tools, handlers):
    for _ in range(15):
        reply = client.messages.create(
            model="claude-sonnet-4-5", max_tokens=900, messages=messages, tools=tools, tool_choice={"type": "any"}
        )
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for block in reply.content:
            if block.type != "tool_use":
                continue
            if block.name == "submit":
                return block.input
            content = json.dumps(handlers[block.name](**block.input))
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": content})
        messages.append({"role": "user", "content": results})
    return None
