"""A slow tool pushes the deadline out."""
import json
import time

import litellm


def gather_quotes(messages, tools, handlers):
    deadline = time.monotonic() + 60
    for _ in range(20):
        if time.monotonic() > deadline:
            raise TimeoutError("60 seconds used")
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            quote = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(quote)})
            if quote.get("pending"):
                deadline += 30  # expect: TB105
    raise RuntimeError("20 steps used")
