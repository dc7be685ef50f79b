"""The depth is handed on, and compared before anything else."""
import json

from openai import OpenAI

client = OpenAI()
MAX_DEPTH = 7


def converse(messages, tools, handlers, depth=0):
    if depth >= MAX_DEPTH:
        raise RecursionError(f"no answer after {MAX_DEPTH} turns")
    message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        return message.content
    for call in message.tool_calls:
        result = handlers[call.function.name](**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return converse(messages, tools, handlers, depth + 1)
