"""The elapsed time is compared in a method of the budget."""
import json
import time

import litellm


class BudgetExceeded(Exception):
    pass


class Budget:
    def __init__(self, seconds=45.0):
        self.seconds = seconds
        self.started = time.monotonic()

    def check(self):
        if time.monotonic() - self.started > self.seconds:
            raise BudgetExceeded(f"{self.seconds} s used")


def investigate(messages, tools, handlers):
    budget = Budget()
    for _ in range(9):
        budget.check()
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            budget.check()
            hit = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(hit)})
    raise BudgetExceeded("9 steps used")
