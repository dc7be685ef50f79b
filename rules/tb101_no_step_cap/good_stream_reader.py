"""The loop reads one streamed reply to its end and collects its calls."""
from openai import OpenAI


def read_turn(client: OpenAI, messages, tools):
    stream = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools, stream=True)
    text, calls = "", {}
    for chunk in stream:
        delta = chunk.choices[0].delta
        text += delta.content or ""
        for part in delta.tool_calls or []:
            call = calls.setdefault(part.index, {"id": part.id, "name": part.function.name, "arguments": ""})
            call["arguments"] += part.function.arguments or ""
    return text, list(calls.values())
