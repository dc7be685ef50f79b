"""Thirty seconds for each tool, however little of the minute is left."""
import asyncio
import json
import time

from openai import AsyncOpenAI

client = AsyncOpenAI(timeout=20, max_retries=0)


async def answer(messages: list, tools: list, handlers: dict) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            work = handlers[call.function.name](**json.loads(call.function.arguments))
            result = await asyncio.wait_for(work, timeout=30)  # expect: TB304
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise TimeoutError("wall clock")
