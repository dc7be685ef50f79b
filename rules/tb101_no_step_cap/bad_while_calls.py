"""The condition asks the reply, so the reply decides."""
from anthropic import Anthropic

client = Anthropic()


def plan_trip(messages, tools, handlers):
    reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=2048, messages=messages, tools=tools)
    while reply.stop_reason == "tool_use":  # expect: TB101
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                output = handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=2048, messages=messages, tools=tools)
    return reply.content[0].text
