"""A counter from itertools numbers the steps and limits nothing."""
import itertools

from anthropic import AsyncAnthropic


async def research(client: AsyncAnthropic, messages, tools, handlers):
    for step in itertools.count(1):  # expect: TB101
        reply = await client.messages.create(
            model="claude-sonnet-4-5", max_tokens=4096, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            text = await handlers[call.name](**call.input)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": f"[{step}] {text}"})
        messages.append({"role": "user", "content": results})
