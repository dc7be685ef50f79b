"""The server is asked for whatever name came, and its refusal is one more tool result."""
from anthropic import AsyncAnthropic
from mcp import ClientSession


async def chat(client: AsyncAnthropic, session: ClientSession, messages, tools):
    for _ in range(8):
        reply = await client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            result = await session.call_tool(call.name, call.input)  # expect: TB313
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": result.content})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
