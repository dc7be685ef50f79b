"""A timeout around the loop ends model and tools alike."""
import asyncio
import json

from openai import AsyncOpenAI


async def assist(client: AsyncOpenAI, messages, tools, handlers):
    async with asyncio.timeout(120):
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
