"""A tool's return value ends the loop, however the turn was forced."""
import json

import litellm

DONE = object()


def fill_form(messages, tools, handlers):
    for _ in range(15):
        message = litellm.completion(
            model="gpt-4.1", messages=messages, tools=tools, tool_choice="required"
        ).choices[0].message
        messages.append(message)
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            if result is DONE:
                return messages
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("form not submitted in 15 steps")
