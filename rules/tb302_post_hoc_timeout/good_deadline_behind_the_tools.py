"""Behind the tools the run's own deadline is compared, which was set before the loop."""
import json
import time

from openai import OpenAI


def answer(client: OpenAI, messages: list, tools: list, handlers: dict) -> str:
    deadline = time.monotonic() + 120
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        if time.monotonic() > deadline:
            raise TimeoutError("wall clock")
    raise RuntimeError("out of steps")
