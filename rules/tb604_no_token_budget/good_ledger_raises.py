"""A ledger is charged on each pass, and raises when it is used up."""
import json

from openai import OpenAI


class LedgerEmpty(Exception):
    pass


class Ledger:
    def __init__(self, allowance=80_000):
        self.allowance = allowance
        self.charged = 0

    def charge(self, amount):
        self.charged += amount
        if self.charged > self.allowance:
            raise LedgerEmpty(self.charged)


class Clerk:
    def __init__(self, client: OpenAI, tools, handlers):
        self.client = client
        self.tools = tools
        self.handlers = handlers

    def ask(self, messages, ledger):
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        ledger.charge(reply.usage.total_tokens)
        return reply.choices[0].message

    def run(self, messages):
        ledger = Ledger()
        for _ in range(20):
            message = self.ask(messages, ledger)
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("out of steps")
