"""Every tenth pass looks at the clock."""
import json
import time


def answer(client, messages: list, tools: list, handlers: dict) -> str:
    deadline = time.monotonic() + 60
    for step in range(80):
        if step % 10 == 0 and time.monotonic() > deadline:  # expect: TB205
            raise TimeoutError("wall clock")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
