"""A delay doubles and a page number grows in the loop; neither limits it."""
import json
import time

from openai import OpenAI


def watch(client: OpenAI, messages, tools, handlers):
    delay, page = 1, 0
    for _ in range(10):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            events = handlers[call.function.name](page=page, **json.loads(call.function.arguments))
            page += 1
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(events)})
        time.sleep(delay)
        delay *= 2
    raise RuntimeError("nothing happened")
