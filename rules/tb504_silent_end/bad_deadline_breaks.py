"""The deadline ends the loop like an answer does."""
import json
import time

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    deadline = time.monotonic() + 60
    while True:  # expect: TB504
        if time.monotonic() > deadline:
            break
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return messages
