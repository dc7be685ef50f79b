"""All calls of the reply at once."""
import asyncio
import json

from openai import AsyncOpenAI

client = AsyncOpenAI()


async def answer(messages, tools, handlers, max_steps=8):
    for _ in range(max_steps):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        messages += await asyncio.gather(*(run(call, handlers) for call in message.tool_calls))  # expect: TB112
    raise RuntimeError("step budget exceeded")


async def run(call, handlers):
    result = await handlers[call.function.name](**json.loads(call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)}
