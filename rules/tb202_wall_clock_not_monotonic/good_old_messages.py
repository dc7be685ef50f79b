"""What is compared with the time of day is the age of a cache, and ends nothing."""
import json
import time


def answer(client, messages: list, tools: list, handlers: dict, cached_at: float = 0) -> str:
    for _ in range(8):
        if time.time() - cached_at > 3600:
            cached_at = time.time()
            messages.append({"role": "system", "content": "the catalogue is stale"})
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
