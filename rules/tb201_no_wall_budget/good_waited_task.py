"""The run is a task, and its caller waits two minutes for it."""
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
        for call in message.tool_calls:
            result = await handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")


async def serve(client: AsyncOpenAI, messages, tools, handlers, progress):
    task = asyncio.create_task(answer(client, messages, tools, handlers))
    await progress.put("started")
    return await asyncio.wait_for(task, timeout=120)
