"""A whole call is spelled out with the name in it, and evaluated."""
import json

import litellm


def calculate(messages, tools):
    for _ in range(5):
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            value = eval(f"{call.function.name}(**arguments)")  # expect: TB311
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(value)})
    raise RuntimeError("out of steps")
