"""The caller gives the whole run a minute."""
import asyncio

from anthropic import AsyncAnthropic


async def sort_mail(client: AsyncAnthropic, messages, tools, handlers):
    for _ in range(10):
        reply = await client.messages.create(
            model="claude-haiku-4-5", max_tokens=1024, messages=messages, tools=tools
        )
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


async def main(client, messages, tools, handlers):
    return await asyncio.wait_for(sort_mail(client, messages, tools, handlers), timeout=60)
