"""A person types the next question; the run behind it is bounded."""
import json

from openai import OpenAI

client = OpenAI()


def run(messages, tools, handlers):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return "(stopped after 8 steps)"


def main(tools, handlers):
    messages = []
    while True:
        line = input("> ")
        if line == "quit":
            break
        messages.append({"role": "user", "content": line})
        print(run(messages, tools, handlers))
