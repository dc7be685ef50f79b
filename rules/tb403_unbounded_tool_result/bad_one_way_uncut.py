"""Text is cut, and everything else is not."""
import json

from openai import OpenAI


def as_text(result):
    if isinstance(result, str):
        return result[:4000]
    return json.dumps(result)


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))  # expect: TB403
            messages.append({"role": "tool", "tool_call_id": call.id, "content": as_text(result)})
    raise RuntimeError("out of steps")
