"""A result that does not parse is an error with a code."""
import json

from openai import OpenAI
from pydantic import BaseModel, ValidationError


class Quote(BaseModel):
    symbol: str
    price: float


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            raw = handlers[call.function.name](**json.loads(call.function.arguments))
            try:
                content = Quote.model_validate_json(raw).model_dump_json()
            except ValidationError:
                content = json.dumps({"error": "schema_invalid", "tool": call.function.name})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
