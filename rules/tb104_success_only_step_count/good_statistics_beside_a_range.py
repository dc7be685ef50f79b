"""The `for` bounds the loop; the second counter is a statistic of what went well."""
import json

from openai import OpenAI


def ingest(client: OpenAI, messages, tools, handlers):
    succeeded = 0
    for _ in range(10):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            try:
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
                succeeded += 1
            except KeyError:
                content = "no such tool"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return succeeded
