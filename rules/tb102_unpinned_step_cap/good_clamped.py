"""The environment may ask for fewer steps; the committed number decides the most."""
import json
import os

from openai import OpenAI

client = OpenAI()
MAX_STEPS = 12


def answer(messages, tools, handlers):
    steps = min(int(os.environ.get("AGENT_STEPS", MAX_STEPS)), MAX_STEPS)
    for _ in range(steps):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError(f"no answer after {steps} steps")
