"""Three failures in a row raise a signal that takes the conversation back; the for still counts."""
import json

from openai import OpenAI


class Rewind(Exception):
    pass


class Agent:
    def __init__(self, tools, handlers):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.failures = 0

    def step(self, messages):
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        message = reply.choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            result = self.handlers[call.function.name](**json.loads(call.function.arguments))
            if "error" in result:
                self.failures += 1
                if self.failures >= 3:
                    raise Rewind("try another way")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
        return None if message.tool_calls else message.content

    def run(self, messages):
        for _ in range(8):
            try:
                answer = self.step(messages)
            except Rewind as signal:
                del messages[2:]
                messages.append({"role": "user", "content": str(signal)})
                self.failures = 0
                continue
            if answer is not None:
                return answer
        raise RuntimeError("step budget exceeded")
