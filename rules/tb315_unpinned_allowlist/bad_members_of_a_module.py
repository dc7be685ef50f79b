"""Every function of the module is a tool, the next one too."""
import inspect
import json

from openai import OpenAI

import toolbox

TOOLS = {name: member for name, member in inspect.getmembers(toolbox, inspect.isfunction)}  # expect: TB315


def work(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
