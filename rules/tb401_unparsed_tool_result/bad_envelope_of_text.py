"""A class around the text says nothing about the text."""
import json
from dataclasses import dataclass

from openai import OpenAI


@dataclass
class ToolAnswer:
    name: str
    text: str

    def message(self, call_id):
        return {"role": "tool", "tool_call_id": call_id, "content": self.text[:2000]}


class Desk:
    def __init__(self, client: OpenAI, tools, handlers):
        self.client = client
        self.tools = tools
        self.handlers = handlers

    def use(self, name, arguments):
        return ToolAnswer(name, self.handlers[name](**arguments))  # expect: TB401

    def run(self, messages):
        for _ in range(9):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                answer = self.use(call.function.name, json.loads(call.function.arguments))
                messages.append(answer.message(call.id))
        raise RuntimeError("out of steps")
