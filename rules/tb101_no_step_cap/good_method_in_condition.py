"""The condition is a method, and the number is compared in there."""
import json

from openai import OpenAI


class Session:
    STEP_LIMIT = 25

    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.step = 0
        self.done = False

    def may_go_on(self):
        return not self.done and self.step < self.STEP_LIMIT

    def run(self, messages):
        while self.may_go_on():
            self.step += 1
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            self.done = not message.tool_calls
            for call in message.tool_calls or []:
                page = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(page)})
        return messages
