"""The server is asked and waited for, as long as it takes."""
from anthropic import AsyncAnthropic
from mcp import ClientSession


async def research(session: ClientSession, client: AsyncAnthropic, messages: list, tools: list) -> str:
    for _ in range(10):
        reply = await client.messages.create(model="claude", max_tokens=2048, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason != "tool_use":
            return reply.content[0].text
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                found = await session.call_tool(block.name, block.input)  # expect: TB301
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": found.content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
