"""The membership test is in a helper that raises."""
import json

from openai import OpenAI

PERMITTED = {"read_invoice", "list_invoices"}


class UnknownTool(Exception):
    pass


def require_permitted(name):
    if name not in PERMITTED:
        raise UnknownTool(name)


def bookkeeping(client: OpenAI, messages, tools, ledger):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            require_permitted(call.function.name)
            result = getattr(ledger, call.function.name)(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
