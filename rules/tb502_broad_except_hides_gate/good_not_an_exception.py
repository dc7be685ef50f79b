"""The stop is a BaseException, which `except Exception` does not catch."""
import json

from openai import OpenAI


class BudgetExceeded(BaseException):
    pass


class Budget:
    def __init__(self, limit=10):
        self.limit = limit
        self.used = 0

    def spend(self):
        self.used += 1
        if self.used > self.limit:
            raise BudgetExceeded(f"all {self.limit} tool calls are used")


def answer(client: OpenAI, messages, tools, handlers):
    budget = Budget()
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                budget.spend()
                content = json.dumps(handlers[call.function.name](**json.loads(call.function.arguments)))
            except Exception:
                content = "The tool failed."
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
