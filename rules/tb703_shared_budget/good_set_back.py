"""Each run sets the count back."""
import json

from openai import OpenAI


class Agent:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.steps = 0

    def run(self, messages):
        self.steps = 0
        while True:
            if self.steps >= 8:
                raise RuntimeError("step budget exceeded")
            self.steps += 1
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
