"""`required` on each turn: a reply without a call cannot come."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers):
    for _ in range(10):
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, tool_choice="required")  # expect: TB601
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
