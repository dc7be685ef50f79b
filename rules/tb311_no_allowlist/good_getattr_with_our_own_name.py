"""The attribute is named by the project's table; the model only picks a key."""
import json

from openai import OpenAI

METHODS = {"search": "search_index", "count": "count_hits"}


def query(client: OpenAI, messages, tools, index):
    for _ in range(6):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            method = getattr(index, METHODS[call.function.name])
            result = method(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
