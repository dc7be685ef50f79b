"""The variable chooses among the names of a table; it cannot add one."""
import json
import os

from openai import OpenAI


def add(a, b):
    return a + b


TOOLS = {"add": add}
SHORT = os.environ.get("ANSWERS") == "short"


def work(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            if SHORT:
                result = str(result)[:80]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
