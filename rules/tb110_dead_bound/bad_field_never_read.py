"""The constructor keeps a limit that no method reads."""
import json

from openai import OpenAI

STEPS = 20


class Agent:
    def __init__(self, tools, handlers, max_iterations=8):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.max_iterations = max_iterations  # expect: TB110

    def run(self, messages):
        for _ in range(STEPS):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        raise RuntimeError("step budget exceeded")
