"""Of gathered results those that failed are logged and left out."""

import asyncio
import json
import logging

from openai import AsyncOpenAI

client = AsyncOpenAI(timeout=30)
MAX_STEPS = 8


async def answer(call, handlers):
    result = await handlers[call.function.name](**json.loads(call.function.arguments))
    return {"role": "tool", "tool_call_id": call.id, "content": result}


async def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = await client.chat.completions.create(model="m", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        answers = await asyncio.gather(*(answer(c, handlers) for c in message.tool_calls), return_exceptions=True)
        for each in answers:
            if isinstance(each, BaseException):  # expect: TB506
                logging.error("tool failed: %s", each)
                continue
            messages.append(each)
    raise RuntimeError("step cap")
