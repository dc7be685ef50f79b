"""The conversation is kept short by position, through the middle of calls and answers."""

import json

from openai import OpenAI

client = OpenAI()
WINDOW = 30


class Chat:
    def __init__(self, tools, handlers):
        self.tools, self.handlers = tools, handlers
        self.history = []

    def send(self, text):
        self.history.append({"role": "user", "content": text})
        for _ in range(10):
            self.history = self.history[-WINDOW:]
            message = client.chat.completions.create(model="gpt-4.1", messages=self.history, tools=self.tools).choices[0].message
            self.history.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                self.history.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        return None
