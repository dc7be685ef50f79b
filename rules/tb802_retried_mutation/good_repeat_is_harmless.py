"""A role that is revoked twice is revoked."""
import json

from openai import OpenAI
from shop import accounts
from tenacity import retry, stop_after_attempt


@retry(stop=stop_after_attempt(3))
def revoke_access(user_id: str):
    return accounts.revoke_access(user_id)


HANDLERS = {"revoke_access": revoke_access}


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
