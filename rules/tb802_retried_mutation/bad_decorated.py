"""A decorator repeats the payment."""
import json

from openai import OpenAI
from shop import payments
from tenacity import retry, stop_after_attempt


@retry(stop=stop_after_attempt(3))  # expect: TB802
def pay(invoice: str, amount_cents: int):
    return payments.pay(invoice, amount_cents)


HANDLERS = {"pay": pay}


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
