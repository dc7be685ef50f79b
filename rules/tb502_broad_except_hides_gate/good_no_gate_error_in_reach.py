"""As broad as can be, and nothing that it covers says 'stop'."""
import json

from openai import OpenAI

HANDLERS = {"roll": lambda sides: {"rolled": 1 + hash(str(sides)) % sides}}


def play(client: OpenAI, messages, tools):
    for _ in range(10):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(HANDLERS[call.function.name](**json.loads(call.function.arguments)))
            except Exception:
                content = "The dice fell off the table."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
