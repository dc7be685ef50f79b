"""A required parameter that nobody here sets is not known, which is no fault."""
import json

import litellm


def run(messages, tools, handlers, max_steps: int):
    for _ in range(max_steps):
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            entry = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(entry)})
    raise RuntimeError("no answer")
