"""The limit around the run is whatever the caller left out."""
import asyncio
import json


async def run(client, messages: list, tools: list, handlers: dict, timeout: float | None = None) -> str:
    return await asyncio.wait_for(answer(client, messages, tools, handlers), timeout)  # expect: TB203


async def answer(client, messages: list, tools: list, handlers: dict) -> str:
    for _ in range(8):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = await handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
