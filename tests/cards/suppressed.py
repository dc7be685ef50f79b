"""A nightly clean-up whose scheduler ends it. The reasons stand in the source."""

import json

from openai import OpenAI

client = OpenAI()
TOOLS = [{"type": "function", "function": {"name": "delete_temp", "parameters": {"type": "object"}}}]


def delete_temp(path):
    return {"deleted": path}


def clean(report):
    messages = [{"role": "user", "content": report}]
    # toolbind: ignore[TB101, TB201] the cron job is killed after ten minutes
    while True:
        message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name != "delete_temp":
                raise LookupError(call.function.name)
            # toolbind: ignore[TB311] only one tool exists
            result = delete_temp(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def clean_quickly(report):
    messages = [{"role": "user", "content": report}]
    for _ in range(5):  # toolbind: ignore[TB201]
        message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if call.function.name != "delete_temp":
                raise LookupError(call.function.name)
            result = delete_temp(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("not finished in five steps")
