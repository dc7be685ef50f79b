"""Two codes are named, and one of them hides nothing."""
import litellm
import json


def answer(messages, tools, handlers):
    while True:  # toolbind: ignore[TB101, TB602] the worker is killed after ten minutes  # expect: TB002
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
