"""Each question is a run of its own, and starts with a fresh count."""
import json

import litellm


class Helpdesk:
    MAX_STEPS = 8

    def __init__(self, tools, handlers):
        self.tools = tools
        self.handlers = handlers
        self.steps = 0

    def answer(self, question):
        self.steps = 0
        messages = [{"role": "user", "content": question}]
        while self.steps < self.MAX_STEPS:
            self.steps += 1
            message = litellm.completion(model="gpt-4.1", messages=messages, tools=self.tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                article = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(article)})
        raise RuntimeError("no answer")
