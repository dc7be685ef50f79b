"""The results of the gather are looked through, and a stop is raised again."""
import asyncio
import time

from anthropic import AsyncAnthropic


class DeadlineExceeded(Exception):
    pass


async def execute(handlers, call, deadline):
    if time.monotonic() > deadline:
        raise DeadlineExceeded(call.name)
    return await handlers[call.name](**call.input)


async def research(client: AsyncAnthropic, messages, tools, handlers):
    deadline = time.monotonic() + 90
    while True:
        reply = await client.messages.create(
            model="claude-sonnet-4-5", max_tokens=2048, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        tasks = [execute(handlers, call, deadline) for call in calls]
        outputs = await asyncio.gather(*tasks, return_exceptions=True)
        results = []
        for call, output in zip(calls, outputs):
            if isinstance(output, DeadlineExceeded):
                raise output
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": str(output)})
        messages.append({"role": "user", "content": results})
