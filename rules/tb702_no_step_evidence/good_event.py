"""A helper makes an event of each step."""
import json
from dataclasses import dataclass

from openai import OpenAI


@dataclass
class StepStarted:
    run_id: str
    index: int
    limit: int


def answer(client: OpenAI, messages, tools, handlers, emit, run_id):
    for step in range(12):
        emit(StepStarted(run_id, step, 12))
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
