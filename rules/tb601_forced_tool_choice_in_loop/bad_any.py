"""Anthropic's `any` says the same."""
from anthropic import AsyncAnthropic


async def research(client: AsyncAnthropic, messages, tools, handlers):
    for _ in range(10):
        reply = await client.messages.create(model="claude-sonnet-4-5", max_tokens=900, messages=messages, tools=tools, tool_choice={"type": "any"})  # expect: TB601
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            text = await handlers[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
