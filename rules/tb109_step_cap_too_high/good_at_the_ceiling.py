"""A hundred turns are just allowed."""
import json

import litellm

MAX_TURNS = 10 * 10


def explore(messages, tools, handlers):
    for _ in range(MAX_TURNS):
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of turns")
