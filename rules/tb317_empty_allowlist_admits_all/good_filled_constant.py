"""The set is written down and is never empty."""
import json

from openai import OpenAI

ALLOWED = frozenset({"search", "fetch"})


def work(client: OpenAI, messages, tools, backend):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if ALLOWED and call.function.name not in ALLOWED:
                raise LookupError(call.function.name)
            result = getattr(backend, call.function.name)(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
