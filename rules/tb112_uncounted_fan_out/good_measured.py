"""A reply with too many calls ends the run."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers, max_steps=8):
    for _ in range(max_steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        if len(message.tool_calls) > 5:
            raise RuntimeError("too many calls in one turn")
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")
