"""The gates stand around the call."""
import asyncio
import json

from acme.toolkit import run_tool
from openai import OpenAI

client = OpenAI()
ALLOWED = frozenset({"search", "fetch"})


async def answer(messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name not in ALLOWED:
                raise LookupError(call.function.name)
            result = await asyncio.wait_for(run_tool(call.function.name, json.loads(call.function.arguments)), 20)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")
