"""The loop asks and gives each call its key."""
import json

from openai import OpenAI
from shop import approved, payments


def refund(order_id: str, amount_cents: int, idempotency_key: str):
    return payments.refund(order_id, amount_cents, idempotency_key)


HANDLERS = {"refund": refund}


def answer(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            if not approved(call):
                raise PermissionError(call.function.name)
            arguments = json.loads(call.function.arguments)
            result = HANDLERS[call.function.name](**arguments, idempotency_key=call.id)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
