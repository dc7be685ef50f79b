"""The lookup stands inside the `try` that is meant for the tool's own failures."""
import json

from openai import OpenAI


class Desk:
    def __init__(self, handlers, tools):
        self.client = OpenAI()
        self.handlers = handlers
        self.tools = tools

    def _run(self, call):
        try:
            return json.dumps(self.handlers[call.function.name](**json.loads(call.function.arguments)))
        except Exception:  # expect: TB313
            return "The tool failed."

    def answer(self, messages):
        for _ in range(10):
            reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": self._run(call)})
        raise RuntimeError("out of steps")
