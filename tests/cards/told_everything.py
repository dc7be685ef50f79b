"""The model is told of every failure, with its trace, and of keys that have expired."""

import json
import traceback

from openai import AuthenticationError, OpenAI

client = OpenAI(timeout=10, max_retries=0)


def converse(messages, tools, table):
    for _ in range(9):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                text = json.dumps(table[call.function.name](**json.loads(call.function.arguments)))
            except AuthenticationError as error:
                text = f"not allowed: {error.code}"
            except Exception:
                text = traceback.format_exc()
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
    raise TimeoutError("nine turns")
