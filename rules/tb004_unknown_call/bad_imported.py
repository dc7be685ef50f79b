"""An imported function runs what the model asks for."""
import json

from acme.toolkit import run_tool
from openai import OpenAI

client = OpenAI()


def answer(messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = run_tool(call.function.name, json.loads(call.function.arguments))  # expect: TB004
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")
