"""The time is looked at when the work is done."""
import json
import time


def answer(client, messages: list, tools: list, handlers: dict) -> str:
    started = time.monotonic()
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    if time.monotonic() - started > 60:  # expect: TB205
        raise TimeoutError("wall clock")
    return message.content
