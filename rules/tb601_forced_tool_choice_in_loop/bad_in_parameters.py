"""The choice travels in a dictionary of parameters that never changes."""
import json

import litellm


def translate(messages, tools, handlers):
    params = {"model": "gpt-4.1", "tools": tools, "tool_choice": "required"}
    for _ in range(8):
        message = litellm.completion(messages=messages, **params).choices[0].message  # expect: TB601
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
