"""What is left of the budget, as a duration that runs out."""
import json
from datetime import datetime, timedelta, timezone

from openai import OpenAI


def answer(client: OpenAI, messages, tools, handlers):
    started = datetime.now(timezone.utc)
    for _ in range(12):
        left = timedelta(minutes=2) - (datetime.now(timezone.utc) - started)
        if left.total_seconds() <= 0:
            raise TimeoutError("wall clock")
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
