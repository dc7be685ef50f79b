"""Results are parsed, and what does not parse goes in all the same."""

import json

from openai import OpenAI
from pydantic import BaseModel, ValidationError

client = OpenAI()


class Hits(BaseModel):
    titles: list[str]


def parse(raw: str) -> str:
    try:
        return Hits.model_validate_json(raw).model_dump_json()
    except ValidationError:
        return raw


def look_up(messages, tools, handlers, max_turns=5):
    for _ in range(max_turns):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            raw = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": parse(raw[:4000])})
    raise RuntimeError("max turns")
