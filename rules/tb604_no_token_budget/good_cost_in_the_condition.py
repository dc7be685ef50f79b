"""The loop goes on while money is left."""
import json

import litellm


def answer(messages, tools, handlers, limit=0.50):
    cost = 0.0
    while cost < limit:
        reply = litellm.completion(model="gpt-4.1", messages=messages, tools=tools)
        cost += litellm.completion_cost(reply)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError(f"more than {limit} spent")
