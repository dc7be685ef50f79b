"""`in` on a string is a substring test: "a" is in it, and so is "read,write"."""
import json

import litellm

ALLOWED = "read_page,write_note,search"


def work(messages, tools, registry):
    for _ in range(8):
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name not in ALLOWED:  # expect: TB312
                raise LookupError(call.function.name)
            result = registry[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
