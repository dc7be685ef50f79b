"""The test stands at the foot of an endless loop, where every pass comes by."""
import json

import litellm

TURN_LIMIT = 12


def review(messages, tools, handlers):
    turn = 0
    while True:
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            note = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(note)})
        turn += 1
        if turn >= TURN_LIMIT:
            break
    return None
