"""The field is read in the helper that each pass calls."""
import json

from openai import OpenAI


class StepLimit(Exception):
    pass


class Agent:
    def __init__(self, tools, handlers, max_steps=8):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.max_steps = max_steps

    def check(self, used):
        if used >= self.max_steps:
            raise StepLimit(used)

    def run(self, messages):
        used = 0
        while True:
            self.check(used)
            used += 1
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
