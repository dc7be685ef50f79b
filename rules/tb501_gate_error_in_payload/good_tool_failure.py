"""A tool that fails is the model's business, by whatever name it is caught."""
import json

from openai import OpenAI


class OrderNotFound(Exception):
    pass


def find_order(number):
    if not number.isdigit():
        raise OrderNotFound(number)
    return {"number": number, "state": "sent"}


HANDLERS = {"find_order": find_order}


def support(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = json.dumps(HANDLERS[call.function.name](**json.loads(call.function.arguments)))
            except OrderNotFound as error:
                content = f"There is no order {error}."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
