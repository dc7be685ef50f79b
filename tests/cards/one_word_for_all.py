"""Steps and time end in the same anonymous way."""

import json
import time

from openai import OpenAI

client = OpenAI(timeout=10, max_retries=0)


def plan(messages, tools, handlers):
    started = time.monotonic()
    steps = 0
    while True:
        steps += 1
        if steps > 8:
            raise Exception("stopped")
        if time.monotonic() - started > 60:
            raise Exception("stopped")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name not in handlers:
                raise KeyError(call.function.name)
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
