"""Deep research over whatever tools a server offers, for very many rounds."""

import asyncio

from anthropic import AsyncAnthropic
from mcp import ClientSession

client = AsyncAnthropic()

MAX_ROUNDS = 400


async def research(session: ClientSession, topic: str) -> str:
    listed = await session.list_tools()
    tools = [{"name": t.name, "description": t.description, "input_schema": t.inputSchema} for t in listed.tools]
    messages = [{"role": "user", "content": topic}]
    for _ in range(MAX_ROUNDS):
        reply = await client.messages.create(model="claude-opus-4-1", max_tokens=8000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                outcome = await asyncio.wait_for(session.call_tool(block.name, block.input), timeout=60)
                text = "".join(part.text for part in outcome.content if part.type == "text")
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": text[:50_000]})
        if not results:
            return reply.content[-1].text
        messages.append({"role": "user", "content": results})
    raise RuntimeError("rounds exceeded")


async def main(session: ClientSession, topic: str) -> str:
    return await asyncio.wait_for(research(session, topic), timeout=3600)
