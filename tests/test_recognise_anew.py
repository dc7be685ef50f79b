"""A loop around runs of an object that it makes anew is no tool loop of its own."""

from __future__ import annotations

import pytest
from recognising import subjects

HEAD = """\
import json

from openai import OpenAI

client = OpenAI()


class Agent:
    def __init__(self, task, notes=()):
        self.messages = [{"role": "user", "content": task}, *notes]

    def run(self, tools, table):
        for _ in range(5):
            message = client.chat.completions.create(model="m", messages=self.messages, tools=tools).choices[0].message
            self.messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                seen = table[call.function.name](**json.loads(call.function.arguments))
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": seen})


def several(task, tools, table):
    found = []
    agent = Agent(task)
    for number in range(9):
"""
ANEW = {
    "votes": "agent = Agent(task)\nfound.append(agent.run(tools, table))",
    "a failed run": "other = Agent(task)\ntry:\n    return other.run(tools, table)\nexcept ValueError:\n    continue",
}
SAME = {
    "one object": "found.append(agent.run(tools, table))",
    "what was found goes in": "other = Agent(task, notes=found)\nfound.append(other.run(tools, table))",
    "the next task is the last answer": "other = Agent(task)\ntask = other.run(tools, table)",
}


def loops(body: str) -> list[str]:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines()) + "    return found\n"
    return [s.function for s in subjects(text) if s.kind == "tool-loop"]


@pytest.mark.parametrize("body", ANEW.values(), ids=ANEW.keys())
def test_each_pass_is_another_run(body: str) -> None:
    assert loops(body) == ["Agent.run"]


@pytest.mark.parametrize("body", SAME.values(), ids=SAME.keys())
def test_what_goes_on_with_the_last_answer_is_a_loop(body: str) -> None:
    assert loops(body) == ["Agent.run", "several"]
