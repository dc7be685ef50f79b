"""Joined by `or`, the limit alone cannot end the loop."""
import json

import litellm


def book(messages, tools, handlers, max_steps=8):
    step, pending = 0, True
    while step < max_steps or pending:  # expect: TB101
        step += 1
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        pending = bool(message.tool_calls)
        for call in message.tool_calls or []:
            booking = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(booking)})
    return messages
