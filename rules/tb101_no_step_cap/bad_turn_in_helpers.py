"""Turn and dispatch stand in methods; the loop shows neither."""
import json

from openai import OpenAI


class Clerk:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.history = []

    def handle(self, request):
        self.history.append({"role": "user", "content": request})
        message = self._ask()
        while message.tool_calls:  # expect: TB101
            self._work_off(message.tool_calls)
            message = self._ask()
        return message.content

    def _ask(self):
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=self.history, tools=self.tools)
        self.history.append(reply.choices[0].message)
        return reply.choices[0].message

    def _work_off(self, calls):
        for call in calls:
            value = self.handlers[call.function.name](**json.loads(call.function.arguments))
            self.history.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(value)})
