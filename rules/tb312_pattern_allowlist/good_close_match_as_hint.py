"""A close match fills the error's text and runs nothing."""
import difflib
import json

import litellm


class UnknownTool(Exception):
    pass


def work(messages, tools, registry):
    for _ in range(8):
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            name = call.function.name
            if name not in registry:
                nearest = difflib.get_close_matches(name, registry, n=1)
                raise UnknownTool(f"{name}, perhaps {nearest}")
            result = registry[name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
