"""A table that is built from the same list on each pass is no other table."""
import json

from openai import OpenAI


def work(client: OpenAI, messages, tools, functions):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            handlers = {}
            for function in functions:
                handlers[function.__name__] = function
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
