"""A job that was ended by its bound and is continued by an operator's click."""

import json

from openai import OpenAI

client = OpenAI(timeout=15, max_retries=1)


class StepsExceeded(Exception):
    pass


class Job:
    def __init__(self, run_id, messages, tools, handlers):
        self.run_id, self.messages, self.tools, self.handlers = run_id, messages, tools, handlers
        self.turns = 0

    def begin(self):
        self.turns = 0
        return self.work()

    def resume(self):
        self.turns = 0
        return self.work()

    def work(self):
        while self.turns < 10:
            self.turns += 1
            reply = client.chat.completions.create(model="gpt-4.1", messages=self.messages, tools=self.tools)
            message = reply.choices[0].message
            self.messages.append(message)
            if reply.choices[0].finish_reason == "length":
                raise StepsExceeded(self.run_id)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls[:4]:
                result = self.handlers[call.function.name](**json.loads(call.function.arguments))
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)[:8000]})
        raise StepsExceeded(self.run_id)
