"""Each result is parsed against the model of its tool."""
import json

from openai import OpenAI
from pydantic import BaseModel


class Weather(BaseModel):
    degrees: float
    summary: str


class Stock(BaseModel):
    symbol: str
    price: float


SHAPES = {"weather": Weather, "stock": Stock}


def parse(name, raw):
    return SHAPES[name].model_validate_json(raw[:2000])


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            raw = handlers[call.function.name](**json.loads(call.function.arguments))
            result = parse(call.function.name, raw)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result.model_dump_json()})
    raise RuntimeError("out of steps")
