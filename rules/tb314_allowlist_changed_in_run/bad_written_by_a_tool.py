"""One of the tools adds to the table that it stands in."""
import json

from openai import OpenAI

HANDLERS = {}


def remember_macro(name, steps):
    HANDLERS[name] = lambda: steps  # expect: TB314
    return {"saved": name}


HANDLERS = {"remember_macro": remember_macro}


def work(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = HANDLERS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
