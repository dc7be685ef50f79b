"""The step is paid for before the tool runs."""
import json

from openai import OpenAI

client = OpenAI()
MAX_STEPS = 10


def repair(messages, tools, handlers):
    steps = 0
    while steps < MAX_STEPS:
        steps += 1
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except ValueError:
                content = json.dumps({"error": "invalid arguments"})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
