"""The count stands behind a call that raises out to a handler which loops again."""
import json

from openai import OpenAI


class ToolFailure(Exception):
    pass


class Operator:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.steps = 0

    def run(self, messages):
        while self.steps < 12:
            try:
                done = self._step(messages)
            except ToolFailure:
                messages.append({"role": "user", "content": "The tool failed. Try another way."})
                continue
            if done:
                return messages
        raise RuntimeError("12 steps used")

    def _step(self, messages):
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        message = reply.choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            result = self.handlers[call.function.name](**json.loads(call.function.arguments))
            if result is None:
                raise ToolFailure(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        self.steps += 1  # expect: TB104
        return not message.tool_calls
