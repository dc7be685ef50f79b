"""The loop tries each tool three times."""
import json

from openai import OpenAI
from shop import payments


def refund(order_id: str, amount_cents: int):
    return payments.refund(order_id, amount_cents)


HANDLERS = {"refund": refund}


def answer(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            for _ in range(3):  # expect: TB802
                try:
                    result = HANDLERS[call.function.name](**json.loads(call.function.arguments))
                    break
                except ConnectionError:
                    result = {"error": "unreachable"}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
