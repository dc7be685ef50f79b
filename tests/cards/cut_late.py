"""The size of a result is looked at when it has been read and written out again."""

import json

import litellm

LIMIT = 2_000


def ask(messages, tools, registry):
    left = 7
    while left > 0:
        left -= 1
        reply = litellm.completion(model="gpt-4.1", messages=messages, tools=tools, timeout=30)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return {"answer": message.content, "reason": reply.choices[0].finish_reason}
        for call in message.tool_calls:
            found = json.loads(registry[call.function.name](**json.loads(call.function.arguments)))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)[:LIMIT]})
    return {"answer": None, "reason": "steps"}
