"""A set of exact names, and the error names the miss."""
import json

from openai import OpenAI

ALLOWED = frozenset({"get_item", "list_items", "find_item"})


def browse(client: OpenAI, messages, tools, catalogue):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            name = call.function.name.strip()
            if name not in ALLOWED:
                raise LookupError(name)
            result = getattr(catalogue, name)(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
