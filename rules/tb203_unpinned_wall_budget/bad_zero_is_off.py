"""Zero is the default, and means that the run may take any time."""
import json
import time


def answer(client, messages: list, tools: list, handlers: dict, wall_limit: int = 0) -> str:
    started = time.monotonic()
    for _ in range(8):
        if 0 < wall_limit <= time.monotonic() - started:  # expect: TB203
            return "out of time"
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
