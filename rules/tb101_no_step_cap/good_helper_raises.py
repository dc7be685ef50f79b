"""The bound stands in the method that the loop calls for each turn."""
import json

from openai import OpenAI


class TurnLimit(Exception):
    pass


class Analyst:
    def __init__(self, tools, handlers, max_turns=15):
        self.client = OpenAI()
        self.tools = tools
        self.handlers = handlers
        self.max_turns = max_turns
        self.turns = 0

    def analyse(self, messages):
        self.turns = 0
        while True:
            message = self._next(messages)
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                table = self.handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(table)})

    def _next(self, messages):
        if self.turns >= self.max_turns:
            raise TurnLimit(f"{self.turns} turns used")
        self.turns += 1
        reply = self.client.chat.completions.create(model="gpt-4.1", messages=messages, tools=self.tools)
        return reply.choices[0].message
