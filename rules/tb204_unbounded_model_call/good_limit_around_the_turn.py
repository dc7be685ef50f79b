"""A limit around each turn ends it, whatever the client would wait."""
import asyncio
import json
import time

from openai import AsyncOpenAI

client = AsyncOpenAI()


async def answer(messages: list, tools: list, handlers: dict) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        async with asyncio.timeout(30):
            reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = await handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise TimeoutError("wall clock")
