"""The deadline is that of the request that failed; a pass that succeeds never looks at it."""
import json
import time

from openai import OpenAI, RateLimitError


def answer(client: OpenAI, messages, tools, handlers):
    give_up = time.monotonic() + 30
    for _ in range(12):  # expect: TB201
        try:
            reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        except RateLimitError:
            if time.monotonic() > give_up:
                raise
            continue
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
