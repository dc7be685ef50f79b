"""Loops whose next request holds only what the calls of the last reply gave, and calls that are handed on whole."""

from __future__ import annotations

import pytest
from recognising import subjects

HEAD = """\
import json

from lab import registry, shelf
from openai import OpenAI

client = OpenAI()


def agent(tools, table, goal, rows):
    response = client.responses.create(model="m", input=goal, tools=tools)
"""
ANSWERS = """\
        outputs = []
        for item in response.output:
            if item.type == "function_call":
                seen = table[item.name](**json.loads(item.arguments))
                outputs.append({"type": "function_call_output", "call_id": item.call_id, "output": seen})
        if not outputs:
            break
        response = client.responses.create(model="m", input=outputs, previous_response_id=response.id, tools=tools)
"""
HANDED = """\
def agent(tools, goal):
    messages = [{"role": "user", "content": goal}]
    while True:
        message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            seen = %s
            messages.append({"role": "tool", "tool_call_id": call.id, "content": seen})
"""


def kinds(text: str) -> list[tuple[str, str]]:
    return [(s.kind, s.function) for s in subjects(text)]


@pytest.mark.parametrize("head", ["while True", "for _ in range(5)"])
def test_a_list_of_answers_that_is_made_anew_on_each_pass_feeds_the_next_turn(head: str) -> None:
    assert kinds(HEAD + f"    {head}:\n" + ANSWERS) == [("tool-loop", "agent")]


def test_over_data_each_list_of_answers_is_another_run() -> None:
    assert ("tool-loop", "agent") not in kinds(HEAD + "    for row in rows:\n" + ANSWERS)


@pytest.mark.parametrize(
    "run",
    [
        "registry.dispatch(call)",
        "registry.execute_tool(call)",
        "perform(call.function.name, **json.loads(call.function.arguments))",
    ],
)
def test_a_call_that_is_handed_on_to_what_nobody_knows_is_a_dispatch(run: str) -> None:
    assert kinds("\n".join(HEAD.splitlines()[:6]) + "\n\n" + HANDED % run) == [("tool-loop", "agent")]


@pytest.mark.parametrize(
    "told",
    [
        "shelf.from_call(call.function.name, json.loads(call.function.arguments))",
        "record_cls(name=call.function.name, arguments=json.loads(call.function.arguments))",
        "shelf.describe(call)",
    ],
)
def test_what_makes_a_record_of_a_call_runs_nothing(told: str) -> None:
    assert kinds("\n".join(HEAD.splitlines()[:6]) + "\n\n" + HANDED % told) == []


def test_a_helper_that_is_told_its_names_runs_nothing_of_the_models() -> None:
    told = """
        def watch(box):
            def wrapped(owner, func_name):
                run = getattr(owner, func_name)
                def wrapper(*args, **kwargs):
                    return run(*args, **kwargs)
                return wrapper
            box.add = wrapped(box, "add")
            box.put = wrapped(box, "put")
    """
    assert kinds(told) == []
