"""No code is named, so everything is hidden that will ever stand here."""
import json

import litellm


def answer(messages, tools, handlers):
    # toolbind: ignore  # expect: TB003
    while True:
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
