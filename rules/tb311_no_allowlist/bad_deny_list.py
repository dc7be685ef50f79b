"""A list of forbidden names leaves open everything that nobody thought of."""
import json

from openai import OpenAI

FORBIDDEN = {"delete_account", "close"}


def serve(client: OpenAI, messages, tools, backend):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name in FORBIDDEN:
                raise PermissionError(call.function.name)
            result = getattr(backend, call.function.name)(**json.loads(call.function.arguments))  # expect: TB311
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
