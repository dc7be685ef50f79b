"""A budget object is charged before each turn and raises when it is spent."""
import json
from dataclasses import dataclass

import litellm


class BudgetExceeded(Exception):
    pass


@dataclass
class StepBudget:
    limit: int = 9
    used: int = 0

    def charge(self):
        if self.used >= self.limit:
            raise BudgetExceeded(f"{self.used} of {self.limit} steps")
        self.used += 1


def investigate(messages, tools, handlers):
    budget = StepBudget()
    while True:
        budget.charge()
        message = litellm.completion(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            hit = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(hit)})
