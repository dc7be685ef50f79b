"""The handler of the bound sets it back and runs on."""
import json

from openai import OpenAI


class OutOfSteps(Exception):
    pass


class Agent:
    def __init__(self, tools, handlers):
        self.client, self.tools, self.handlers = OpenAI(), tools, handlers

    def start(self, messages):
        self.steps = 0
        return self.run(messages)

    def answer(self, messages):
        try:
            return self.start(messages)
        except OutOfSteps:
            self.steps = 0  # expect: TB704
            return self.run(messages)

    def run(self, messages):
        while True:
            if self.steps >= 8:
                raise OutOfSteps("run ended")
            self.steps += 1
            message = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
