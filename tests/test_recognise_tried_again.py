"""Loops that try one request until it works, around a turn and its tools: a retry, though tools are run in it."""

from __future__ import annotations

import pytest
from recognising import subjects

HEAD = """\
from openai import OpenAI

client = OpenAI()


class Agent:
    def __init__(self, tools, handlers):
        self.tools = tools
        self.handlers = handlers
        self.notes = []

    def ask(self, prompt):
        asked = [{"role": "user", "content": prompt}]
        return client.chat.completions.create(model="m", messages=asked, tools=self.tools).choices[0].message

    def run_tools(self, reply):
        for call in reply.tool_calls:
            self.notes.append(self.handlers[call.function.name](call.function.arguments))

    def text(self):
        return "\\n".join(map(str, self.notes))

"""
TRIED = """\
    def step(self, prompt):
        attempt = 0
        success = False
        while attempt < 3 and not success:
            try:
                reply = self.ask(prompt)
                self.notes.append(reply.content)
                self.run_tools(reply)
                success = True
            except Exception as error:
                print(error)
                attempt += 1
        return success
"""
ON = """\
    def run(self, prompt):
        rounds = 0
        done = False
        while rounds < 9 and not done:
            try:
                reply = self.ask(prompt + self.text())
                self.run_tools(reply)
                done = not reply.tool_calls
            except Exception as error:
                self.notes.append(str(error))
            rounds += 1
"""
TOLD = """\
    def run(self, prompt):
        rounds = 0
        done = False
        while rounds < 9 and not done:
            try:
                reply = self.ask(prompt + self.text())
                self.run_tools(reply)
                done = True
            except ValueError as error:
                self.notes.append(str(error))
            rounds += 1
"""


@pytest.mark.parametrize(("body", "kind"), [(TRIED, "retry"), (ON, "tool-loop"), (TOLD, "tool-loop")])
def test_what_goes_round_only_out_of_a_handler(body: str, kind: str) -> None:
    found = [s.kind for s in subjects({"agent.py": HEAD + body}) if s.kind in {"retry", "tool-loop"}]
    assert found == [kind]
