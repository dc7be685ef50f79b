"""The environment picks the model; the cap beside it is committed."""
import json
import os

from openai import OpenAI

MODEL = os.environ["OPENAI_MODEL"]
MAX_TOKENS = int(os.getenv("MAX_TOKENS", "2000"))
MAX_STEPS = 8


def answer(client: OpenAI, messages, tools, handlers):
    for _ in range(MAX_STEPS):
        reply = client.chat.completions.create(model=MODEL, messages=messages, tools=tools, max_tokens=MAX_TOKENS)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
