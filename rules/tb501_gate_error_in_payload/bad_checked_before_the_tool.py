"""A helper beside the tool asks the budget first; its refusal is answered like any result."""
import json

from openai import OpenAI


class BudgetSpent(Exception):
    pass


class Agent:
    def __init__(self, tools, handlers, limit):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.left = limit

    def _spend(self):
        if self.left <= 0:
            raise BudgetSpent("no calls left")
        self.left -= 1

    def _prepare(self, name, arguments):
        try:
            self._spend()
        except BudgetSpent as error:  # expect: TB501
            return arguments, f"{name} is refused: {error}"
        return arguments, None

    def run(self, messages):
        for _ in range(15):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                arguments, refusal = self._prepare(call.function.name, json.loads(call.function.arguments))
                if refusal:
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": refusal})
                    continue
                content = json.dumps(self.handlers[call.function.name](**arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        raise RuntimeError("out of steps")
