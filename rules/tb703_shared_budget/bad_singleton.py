"""One budget for the process."""
import json

from openai import OpenAI


class Budget:
    def __init__(self, limit):
        self.limit = limit
        self.used = 0


BUDGET = Budget(8)


class Agent:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers

    def run(self, messages):
        while True:  # expect: TB703
            if BUDGET.used >= BUDGET.limit:
                raise RuntimeError("step budget exceeded")
            BUDGET.used += 1
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
