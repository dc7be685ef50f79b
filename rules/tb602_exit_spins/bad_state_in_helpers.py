"""The helper sets `done` for one reason only."""
import json

from openai import OpenAI


class Desk:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.done = False

    def run(self, messages):
        while not self.done:
            self.turn(messages)
        return messages

    def turn(self, messages):
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        choice = reply.choices[0]
        if choice.finish_reason == "tool_calls":
            messages.append(choice.message)
            for call in choice.message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        elif choice.finish_reason == "stop":  # expect: TB602
            messages.append(choice.message)
            self.done = True
