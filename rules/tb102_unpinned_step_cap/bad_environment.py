"""The number of steps is read from the environment, where nobody reviews it."""
import json
import os

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers):
    for _ in range(int(os.environ["AGENT_MAX_STEPS"])):  # expect: TB102
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
