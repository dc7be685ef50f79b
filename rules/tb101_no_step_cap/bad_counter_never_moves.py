"""The counter is compared on each pass and stays at zero."""
import json

import litellm

MAX_ROUNDS = 6


def reconcile(messages, tools, handlers):
    rounds = 0
    while rounds < MAX_ROUNDS:  # expect: TB101
        reply = litellm.completion(model="gpt-4.1", messages=messages, tools=tools)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            row = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(row)})
    raise RuntimeError("no agreement")
