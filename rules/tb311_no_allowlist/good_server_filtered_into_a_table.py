"""Of the server's tools only those with a listed name come into the table."""
import json

from mcp import ClientSession
from openai import AsyncOpenAI

ALLOWED = frozenset({"search", "fetch"})


async def chat(client: AsyncOpenAI, session: ClientSession, messages):
    listing = await session.list_tools()
    chosen = [tool for tool in listing.tools if tool.name in ALLOWED]
    table = {tool.name: session.call_tool for tool in chosen}
    specs = [{"type": "function", "function": {"name": tool.name}} for tool in chosen]
    for _ in range(8):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=specs)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = await table[call.function.name](call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result.content)})
    raise RuntimeError("out of steps")
