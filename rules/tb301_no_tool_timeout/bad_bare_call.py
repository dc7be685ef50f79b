"""A table of tools, called as they are."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages: list, tools: list, handlers: dict) -> str:
    for _ in range(8):
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))  # expect: TB301
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
