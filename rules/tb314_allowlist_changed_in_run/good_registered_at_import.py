"""The decorator writes while the module is imported, not while a run goes on."""
import json

from openai import OpenAI

HANDLERS = {}


def tool(function):
    HANDLERS[function.__name__] = function
    return function


@tool
def add(a, b):
    return a + b


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
