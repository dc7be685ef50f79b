"""A call that does not parse goes round by `continue`, past the count."""
import json

import litellm


def extract(messages, tools, handlers, max_steps=8):
    step = 0
    while step < max_steps:
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        call = message.tool_calls[0]
        try:
            arguments = json.loads(call.function.arguments)
        except json.JSONDecodeError:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "arguments are no JSON"})
            continue
        row = handlers[call.function.name](**arguments)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(row)})
        step += 1  # expect: TB104
    raise RuntimeError("no result")
