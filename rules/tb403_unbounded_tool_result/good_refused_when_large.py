"""What is too large raises, and the tool's failure is answered."""
import json

from openai import OpenAI


class ResultTooLarge(Exception):
    pass


class Tools:
    def __init__(self, handlers, largest=10_000):
        self.handlers = handlers
        self.largest = largest

    def call(self, name, arguments):
        text = json.dumps(self.handlers[name](**arguments))
        size = len(text.encode())
        if size > self.largest:
            raise ResultTooLarge(f"{name}: {size} bytes")
        return text


def answer(client: OpenAI, messages, tools, toolbox: Tools):
    for _ in range(12):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = toolbox.call(call.function.name, json.loads(call.function.arguments))
            except ResultTooLarge:
                content = "The result is too large; ask for less."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("out of steps")
