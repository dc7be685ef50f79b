"""The check is real, and off for every caller who does not ask for it."""
import json

import litellm


def investigate(messages, tools, handlers, max_steps=None):  # expect: TB102
    step = 0
    while True:
        if max_steps is not None and step >= max_steps:
            raise RuntimeError(f"stopped after {step} steps")
        step += 1
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            hit = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(hit)})
