"""One deadline for the whole run, compared before each turn and each tool."""
import json
import time

from openai import OpenAI

client = OpenAI()
MAX_WALL_S = 90


class OutOfTime(Exception):
    pass


def answer(messages, tools, handlers):
    deadline = time.monotonic() + MAX_WALL_S
    for _ in range(8):
        if time.monotonic() >= deadline:
            raise OutOfTime(MAX_WALL_S)
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if time.monotonic() >= deadline:
                raise OutOfTime(MAX_WALL_S)
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
