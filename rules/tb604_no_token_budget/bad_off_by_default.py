"""The budget is checked only for a caller who gives one."""
import json

from openai import OpenAI


class SpentTooMuch(Exception):
    pass


def answer(client: OpenAI, messages, tools, handlers, token_budget=None):  # expect: TB604
    spent = 0
    for _ in range(12):
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        spent += reply.usage.total_tokens
        if token_budget is not None and spent > token_budget:
            raise SpentTooMuch(spent)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("out of steps")
