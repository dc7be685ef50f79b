"""`suppress(Exception)` is the same handler in one line."""
import contextlib
import json

from openai import OpenAI

ALLOWED = {"note", "remind"}


class UnknownTool(Exception):
    pass


def dispatch(handlers, name, arguments):
    if name not in ALLOWED:
        raise UnknownTool(name)
    return handlers[name](**arguments)


def assist(client: OpenAI, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            content = "no result"
            with contextlib.suppress(Exception):  # expect: TB502
                content = dispatch(handlers, call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
