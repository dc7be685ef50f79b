"""The tool sends the mail until it hears that it went."""
import json

from openai import OpenAI
from shop import mailer


def send_email(to: str, text: str):
    for _ in range(3):  # expect: TB802
        try:
            return mailer.send_email(to, text)
        except OSError:
            continue
    return None


HANDLERS = {"send_email": send_email}


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
