"""A block around the calls of a turn ends whatever hangs."""
import asyncio
import json

from openai import AsyncOpenAI


async def answer(client: AsyncOpenAI, messages: list, tools: list, handlers: dict) -> str:
    for _ in range(8):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        async with asyncio.timeout(60):
            for call in message.tool_calls:
                result = await handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
