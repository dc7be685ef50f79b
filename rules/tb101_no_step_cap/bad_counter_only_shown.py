"""The steps are counted for the log and compared with nothing."""
import json

from openai import AsyncOpenAI


async def triage(client: AsyncOpenAI, messages, tools, handlers):
    step = 0
    while True:  # expect: TB101
        step += 1
        print(f"step {step} of at most 20")
        reply = await client.chat.completions.create(model="gpt-4.1-mini", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if message.tool_calls is None:
            return message.content, step
        for call in message.tool_calls:
            ticket = await handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(ticket)})
