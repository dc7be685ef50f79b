"""All that the server lists is offered, and all that is asked for is called."""
import json

from mcp import ClientSession
from openai import AsyncOpenAI


async def chat(client: AsyncOpenAI, session: ClientSession, messages):
    listing = await session.list_tools()
    tools = [
        {"type": "function", "function": {"name": tool.name, "parameters": tool.inputSchema}}
        for tool in listing.tools
    ]
    for _ in range(10):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = await session.call_tool(call.function.name, json.loads(call.function.arguments))  # expect: TB311
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result.content[0].text})
    raise RuntimeError("out of steps")
