"""What grows is the record of what was called."""
import json

from openai import OpenAI


def work(client: OpenAI, messages, tools, handlers):
    counts = {}
    called = set()
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            counts[call.function.name] = counts.get(call.function.name, 0) + 1
            called.add(call.function.name)
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
