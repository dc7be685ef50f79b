"""What is deleted with consent is deleted once, however often it is asked for."""
import json

from openai import OpenAI
from shop import accounts


def delete_user(user_id: str):
    if input(f"delete {user_id}? ") != "yes":
        return {"deleted": None}
    return accounts.delete_user(user_id)


HANDLERS = {"delete_user": delete_user}


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
