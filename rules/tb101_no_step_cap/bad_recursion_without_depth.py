"""The function calls itself for the next turn and hands no depth on."""
import json

from openai import AsyncOpenAI

client = AsyncOpenAI()


async def converse(messages, tools, handlers):  # expect: TB101
    reply = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
    message = reply.choices[0].message
    messages.append(message)
    if not message.tool_calls:
        return message.content
    for call in message.tool_calls:
        result = await handlers[call.function.name](**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return await converse(messages, tools, handlers)
