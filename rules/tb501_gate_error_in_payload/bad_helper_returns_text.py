"""A wrapper around the dispatcher turns every stop into a sentence."""
import json

from openai import OpenAI


class QuotaReached(Exception):
    pass


class Runner:
    def __init__(self, tools, handlers, quotas):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.quotas = quotas

    def _check(self, name):
        self.quotas[name] -= 1
        if self.quotas[name] < 0:
            raise QuotaReached(f"{name} has been used up")

    def _call(self, name, arguments):
        try:
            self._check(name)
            return json.dumps(self.handlers[name](**arguments))
        except QuotaReached as error:  # expect: TB501
            return str(error)

    def run(self, messages):
        for _ in range(15):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                content = self._call(call.function.name, json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
        raise RuntimeError("out of steps")
