"""The model's arguments are repaired; the tool's result is not."""
import json

import json_repair
from openai import OpenAI


def arguments_of(call):
    try:
        return json.loads(call.function.arguments)
    except json.JSONDecodeError:
        return json_repair.loads(call.function.arguments)


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**arguments_of(call))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
