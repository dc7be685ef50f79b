"""The deadline of the whole run is compared before each turn; it is no tool's limit."""
import json
import time

import litellm


def investigate(messages, tools, handlers):
    deadline = time.monotonic() + 60
    for _ in range(9):
        if time.monotonic() > deadline:
            raise TimeoutError("60 s used")
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            hit = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(hit)})
    raise RuntimeError("9 steps used")
