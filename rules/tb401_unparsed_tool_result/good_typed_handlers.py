"""All tools are the project's own and build their results out of typed values."""
import json
from dataclasses import asdict, dataclass

from openai import OpenAI


@dataclass
class Sum:
    terms: int
    value: float


def add(numbers):
    return asdict(Sum(len(numbers), sum(numbers)))


def compare(left: float, right: float):
    return {"larger": "left" if left > right else "right", "difference": abs(left - right)}


HANDLERS = {"add": add, "compare": compare}


def calculate(client: OpenAI, messages, tools):
    for _ in range(6):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = HANDLERS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
