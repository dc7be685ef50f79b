"""Each call is a step."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_calls=20):
    calls = 0
    while calls < max_calls:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            calls += 1
            if calls > max_calls:
                raise RuntimeError("call budget exceeded")
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("call budget exceeded")
