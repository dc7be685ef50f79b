"""A release assistant: the loop is here, its tools are next door."""

import json

from openai import OpenAI

from toolbox import Toolbox

MAX_TURNS = 12


class TurnLimitReached(Exception):
    """The run has used its turns."""


class ReleaseAgent:
    def __init__(self, model="gpt-4o", toolbox=None):
        self.client = OpenAI()
        self.model = model
        self.toolbox = toolbox or Toolbox()
        self.history = []
        self.turns = 0

    def run(self, task):
        self.turns = 0
        self.history = [{"role": "user", "content": task}]
        while True:
            message = self._ask()
            if not message.tool_calls:
                return message.content
            self._answer_calls(message.tool_calls)

    def _ask(self):
        if self.turns >= MAX_TURNS:
            raise TurnLimitReached(f"{MAX_TURNS} turns")
        self.turns += 1
        response = self.client.chat.completions.create(
            model=self.model, messages=self.history, tools=self.toolbox.schemas()
        )
        message = response.choices[0].message
        self.history.append(message)
        return message

    def _answer_calls(self, calls):
        for call in calls:
            content = self.toolbox.execute(call.function.name, json.loads(call.function.arguments))
            self.history.append({"role": "tool", "tool_call_id": call.id, "content": content})
