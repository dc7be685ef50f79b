"""A stop is answered and ends the run."""
import json

from openai import OpenAI


class StopRequested(Exception):
    """The user pressed stop."""


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except StopRequested:
                return {"status": "stopped"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
