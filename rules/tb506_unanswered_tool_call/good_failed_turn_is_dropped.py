"""The handler around the turn takes the half turn out of the transcript."""

import json

from openai import OpenAI

client = OpenAI(timeout=30)
MAX_STEPS = 8


def run(messages, tools, handlers):
    for _ in range(MAX_STEPS):
        before = len(messages)
        try:
            reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        except Exception:
            del messages[before:]
            messages.append({"role": "user", "content": "That failed. Try something else."})
    raise RuntimeError("step cap")
