"""The else of the loop asks again."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    for _ in range(max_steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    else:
        message = client.chat.completions.create(  # expect: TB106
            model="gpt-4.1", messages=messages, tools=tools
        ).choices[0].message
    return message.content
