"""The comparison stands behind the await that may never come back."""
import json
import time

from openai import AsyncOpenAI

TOOL_LIMIT_S = 15


async def assist(client: AsyncOpenAI, messages, tools, handlers):
    for _ in range(8):
        reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            started = time.monotonic()
            result = await handlers[call.function.name](**json.loads(call.function.arguments))  # expect: TB302
            if time.monotonic() - started > TOOL_LIMIT_S:
                result = {"error": "the tool was too slow"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
