"""A regular expression decides which methods the model may call."""
import json
import re

from openai import OpenAI

READ_ONLY = re.compile(r"(get|list|find)_\w+")


def browse(client: OpenAI, messages, tools, catalogue):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            name = call.function.name
            if not READ_ONLY.fullmatch(name):  # expect: TB312
                raise LookupError(name)
            result = getattr(catalogue, name)(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
