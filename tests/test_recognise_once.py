"""A branch that a loop takes once is no way round for a person."""

from __future__ import annotations

import pytest
from recognising import subjects

HEAD = """\
import json

from openai import OpenAI

client = OpenAI()


def bounded(messages, tools, table):
    for _ in range(5):
        message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            seen = table[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": seen})


def talk(tools, table, first=None, more=()):
    messages = []
    while True:
        if %s:
            text = first
            %s
        else:
            text = input("> ")
        messages.append({"role": "user", "content": text})
        print(bounded(messages, tools, table))
"""


def told(text: str) -> list[tuple[str, str]]:
    return [(s.kind, s.function) for s in subjects(text) if s.kind == "tool-loop"]


@pytest.mark.parametrize(
    ("test", "off"), [("first", "first = None"), ("first is not None", "first = None"), ("first", "first = ''")]
)
def test_after_a_first_request_that_is_given_each_pass_waits_for_a_person(test: str, off: str) -> None:
    assert told(HEAD % (test, off)) == [("tool-loop", "bounded")]


@pytest.mark.parametrize(
    ("test", "off"), [("first", "print(text)"), ("first", "first = more.pop()"), ("more", "first = None")]
)
def test_a_branch_that_may_be_taken_again_is_a_way_round(test: str, off: str) -> None:
    assert told(HEAD % (test, off)) == [("tool-loop", "bounded"), ("tool-loop", "talk")]
