"""A bounded loop that records nothing of its steps."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):  # expect: TB702
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
