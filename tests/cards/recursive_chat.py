"""A chat turn that calls itself with what the tools returned."""

import json
from datetime import datetime, timezone

from openai import OpenAI

client = OpenAI()


def now():
    return datetime.now(timezone.utc).isoformat()


def add(a, b):
    return a + b


FUNCTIONS = {"now": now, "add": add}
SPECS = [{"type": "function", "function": {"name": n, "parameters": {"type": "object"}}} for n in FUNCTIONS]


def respond(messages):
    completion = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=SPECS)
    message = completion.choices[0].message
    messages.append(message)
    if message.tool_calls:
        for call in message.tool_calls:
            function = FUNCTIONS[call.function.name]
            content = json.dumps(function(**json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        return respond(messages)
    return message.content


if __name__ == "__main__":
    print(respond([{"role": "user", "content": "What is 2 + 3, and what time is it?"}]))
