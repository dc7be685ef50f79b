"""A run that has ended stays ended."""
import json

from openai import OpenAI


class OutOfSteps(Exception):
    pass


def run(client: OpenAI, run_id, messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](run_id, **json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise OutOfSteps(run_id)


def answer(client, run_id, messages, tools, handlers):
    try:
        return run(client, run_id, messages, tools, handlers)
    except OutOfSteps:
        return None
