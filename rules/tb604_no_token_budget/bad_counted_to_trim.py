"""Tokens are compared with the window of the model, and then the conversation is cut."""
import json

from openai import OpenAI

WINDOW = 100_000


def shorten(messages):
    return [messages[0], {"role": "user", "content": "Earlier steps were dropped."}]


def research(client: OpenAI, messages, tools, handlers):
    used = 0
    for _ in range(30):  # expect: TB604
        if used > WINDOW:
            messages = shorten(messages)
            used = 0
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        used += reply.usage.total_tokens
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
