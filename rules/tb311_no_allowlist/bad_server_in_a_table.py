"""The server's tools are poured into a table first; whatever it offers is in there."""
import json

from mcp import ClientSession
from openai import AsyncOpenAI


async def chat(client: AsyncOpenAI, session: ClientSession, messages):
    listing = await session.list_tools()  # expect: TB311
    table = {tool.name: session.call_tool for tool in listing.tools}
    specs = [{"type": "function", "function": {"name": tool.name}} for tool in listing.tools]
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
