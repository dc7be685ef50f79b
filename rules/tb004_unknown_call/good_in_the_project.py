"""The function that runs the tools is there to be read."""
import json

from openai import OpenAI

client = OpenAI()


def answer(messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = run_tool(handlers, call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RuntimeError("step budget exceeded")


def run_tool(handlers, name, arguments):
    return handlers[name](**arguments)
