"""Everything is parsed, and the text that is written from it is cut."""
import json

from openai import OpenAI
from pydantic import BaseModel


class Page(BaseModel):
    title: str
    text: str


def browse(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            raw = handlers[call.function.name](**json.loads(call.function.arguments))
            content = Page.model_validate_json(raw).model_dump_json()[:4000]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})  # expect: TB404
    raise RuntimeError("out of steps")
