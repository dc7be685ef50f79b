"""Step and cap are printed."""
import json

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers, max_steps=12):
    for step in range(max_steps):  # expect: TB702
        print(f"step {step + 1} of {max_steps}")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
