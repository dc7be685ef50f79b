"""A helper compares when the tools have run."""
import json

from openai import OpenAI

client = OpenAI()
class StepLimit(Exception):
    pass


class Budget:
    def __init__(self, limit):
        self.limit = limit
        self.used = 0

    def spend(self):
        self.used += 1
        if self.used > self.limit:  # expect: TB103
            raise StepLimit(self.used)


def answer(messages, tools, handlers):
    budget = Budget(8)
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        budget.spend()
