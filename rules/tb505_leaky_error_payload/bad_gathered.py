"""Exceptions come back among the results, and their text goes on."""
import asyncio
import json

from openai import AsyncOpenAI


async def answer(client: AsyncOpenAI, messages, tools, handlers):
    for _ in range(12):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        calls = [handlers[c.function.name](**json.loads(c.function.arguments)) for c in message.tool_calls]
        results = await asyncio.gather(*calls, return_exceptions=True)
        for call, result in zip(message.tool_calls, results):
            if isinstance(result, Exception):  # expect: TB505
                result = f"error: {result}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
    raise RuntimeError("out of steps")
