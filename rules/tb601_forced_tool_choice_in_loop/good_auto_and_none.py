"""Free to call on each turn, and not allowed to on the last."""
import json

from openai import OpenAI

MAX_STEPS = 8


def answer(client: OpenAI, messages, tools, handlers):
    for step in range(MAX_STEPS):
        reply = client.chat.completions.create(
            model="gpt-4.1",
            messages=messages,
            tools=tools,
            tool_choice="none" if step == MAX_STEPS - 1 else "auto",
        )
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return None
