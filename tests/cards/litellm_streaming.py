"""A streaming assistant over litellm whose cap an operator sets from outside."""

import json
import os

import litellm

TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


def weather(city: str) -> dict:
    return {"city": city, "celsius": 21}


def stream_turn(messages):
    chunks = []
    for chunk in litellm.completion(model="gpt-4o", messages=messages, tools=TOOLS, stream=True):
        delta = chunk.choices[0].delta
        if delta.content:
            print(delta.content, end="", flush=True)
        chunks.append(chunk)
    return litellm.stream_chunk_builder(chunks, messages=messages).choices[0].message


def converse(prompt):
    messages = [{"role": "user", "content": prompt}]
    for _ in range(int(os.environ.get("ASSISTANT_STEPS", "20"))):
        message = stream_turn(messages)
        messages.append(message.model_dump())
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            match call.function.name:
                case "weather":
                    result = weather(**json.loads(call.function.arguments))
                case other:
                    raise LookupError(other)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("steps exceeded")
