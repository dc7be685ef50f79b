"""The limit around the run is an hour, where the project allows a minute."""
# settings: wall-ceiling-ms = 60000
import asyncio
import json

LIMIT_S = 3600


async def run(client, messages: list, tools: list, handlers: dict) -> str:
    async with asyncio.timeout(LIMIT_S):  # expect: TB206
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
