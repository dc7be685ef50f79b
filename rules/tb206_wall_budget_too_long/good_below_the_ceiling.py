"""A minute, where the project allows two."""
# settings: wall-ceiling-ms = 120000
import json
import time


def answer(client, messages: list, tools: list, handlers: dict) -> str:
    deadline = time.monotonic() + 60
    for _ in range(8):
        if time.monotonic() > deadline:
            raise TimeoutError("wall clock")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
