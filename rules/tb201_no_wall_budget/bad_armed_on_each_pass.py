"""The deadline is set inside the loop, so it is always half a minute away."""
import json
import time

import litellm


def monitor(messages, tools, handlers):
    for _ in range(40):  # expect: TB201
        deadline = time.monotonic() + 30
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if time.monotonic() > deadline:
                raise TimeoutError("this step took more than 30 s")
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
