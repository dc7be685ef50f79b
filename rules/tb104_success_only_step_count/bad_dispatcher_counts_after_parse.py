"""A dispatcher that charges the step when the result has passed its schema."""
import json


class BudgetExceeded(Exception):
    pass


class SchemaInvalid(Exception):
    pass


class Gatekeeper:
    def __init__(self, tools, max_steps=20):
        self.tools = tools
        self.max_steps = max_steps
        self.used = 0

    def dispatch(self, name, arguments):
        if self.used >= self.max_steps:
            raise BudgetExceeded(f"{self.max_steps} steps")
        raw = self.tools[name](**arguments)
        data = json.loads(raw)
        if "result" not in data:
            raise SchemaInvalid(name)
        self.used += 1  # expect: TB104
        return data
