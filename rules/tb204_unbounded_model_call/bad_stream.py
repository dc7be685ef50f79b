"""The reply comes in pieces, and only the wait for each piece is limited."""
import json

from anthropic import Anthropic

client = Anthropic()


def answer(messages: list, tools: list, handlers: dict) -> list:
    for _ in range(8):
        blocks = []
        stream = client.messages.create(  # expect: TB204
            model="claude", max_tokens=2048, messages=messages, tools=tools, stream=True
        )
        for event in stream:
            if event.type == "content_block_start":
                blocks.append(event.content_block)
        calls = [b for b in blocks if b.type == "tool_use"]
        if not calls:
            return blocks
        results = []
        for call in calls:
            content = json.dumps(handlers[call.name](**call.input))
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": content})
        messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    raise RuntimeError("out of steps")
