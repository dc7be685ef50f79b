"""The limit is around the call and cancels it."""
import asyncio
import json

from openai import AsyncOpenAI


async def assist(client: AsyncOpenAI, messages, tools, handlers):
    for _ in range(8):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            try:
                result = await asyncio.wait_for(handlers[call.function.name](**arguments), timeout=15)
            except asyncio.TimeoutError:
                result = {"error": "the tool was too slow"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
