"""The tool takes money from an account that the module keeps."""
import json

from openai import OpenAI

BALANCES = {"a": 100}


def withdraw(account: str, amount: int):  # expect: TB801
    BALANCES[account] -= amount
    return BALANCES[account]


HANDLERS = {"withdraw": withdraw}


def answer(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = HANDLERS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
