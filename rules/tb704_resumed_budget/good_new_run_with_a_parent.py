"""Each attempt is a run of its own that names the one before."""
import json
import uuid

from openai import OpenAI


class OutOfSteps(Exception):
    pass


def run(client: OpenAI, run_id, messages, tools, handlers, parent=None):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](run_id, **json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise OutOfSteps(run_id)


def answer(client, messages, tools, handlers):
    parent = None
    for _ in range(3):
        run_id = uuid.uuid4().hex
        try:
            return run(client, run_id, messages, tools, handlers, parent=parent)
        except OutOfSteps:
            parent = run_id
    return None
