"""Usage is added up on each pass and compared with a number."""
import json

from openai import OpenAI

TOKEN_BUDGET = 60_000


def answer(client: OpenAI, messages, tools, handlers):
    spent = 0
    for _ in range(12):
        reply = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
        spent += reply.usage.total_tokens
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        if spent > TOKEN_BUDGET:
            break
    raise RuntimeError("out of steps or tokens")
