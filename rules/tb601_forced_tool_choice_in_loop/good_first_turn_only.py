"""The first turn is forced, the others are free."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers):
    for step in range(10):
        choice = "required" if step == 0 else "auto"
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, tool_choice=choice)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
