"""The handler of the budget's own error raises the budget and carries on."""
import json

from openai import OpenAI


class StepLimit(Exception):
    pass


class Worker:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.limit = 8
        self.used = 0

    def turn(self, messages):
        if self.used >= self.limit:
            raise StepLimit(self.used)
        self.used += 1
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        return reply.choices[0].message

    def run(self, messages):
        while True:
            try:
                message = self.turn(messages)
            except StepLimit:
                self.limit *= 2  # expect: TB105
                continue
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
