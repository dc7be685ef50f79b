"""Only a reply that ends with "stop" leaves; the gate's own error is told to the model."""

import json

from openai import OpenAI

client = OpenAI(timeout=10, max_retries=0)


class CallBudgetExceeded(Exception):
    pass


def spend(calls):
    if calls >= 12:
        raise CallBudgetExceeded(calls)
    return calls + 1


def run(messages, tools, handlers):
    calls = 0
    while True:
        choice = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0]
        messages.append(choice.message)
        if choice.finish_reason == "stop":
            return choice.message.content
        for call in choice.message.tool_calls or []:
            try:
                calls = spend(calls)
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except CallBudgetExceeded as error:
                content = json.dumps({"error": str(error)})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
