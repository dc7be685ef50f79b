"""Tools that are handed to what runs them, and names that are cut before they are looked up."""

from __future__ import annotations

import pytest

from toolbind_lint.config import Settings
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory

LOOP = """\
import json
from concurrent.futures import ThreadPoolExecutor

from openai import OpenAI

client = OpenAI()
METHODS = {{"read": "read_note"}}


def one(call, handlers):
    return handlers[call.function.name](**json.loads(call.function.arguments))


def run(messages, tools, handlers, notes):
    pool = ThreadPoolExecutor()

    def single(call):
        return handlers[call.function.name](**json.loads(call.function.arguments))

    while True:
        message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
{body}
"""

EACH = "        for call in message.tool_calls:\n            result = {run}\n            messages.append(result)\n"
ARGUMENTS = "(**json.loads(call.function.arguments))"


def found(body: str) -> set[str]:
    files = {"agent.py": LOOP.format(body=body).encode()}
    report = lint(Memory(files), ["agent.py"], Settings({"profile": "strict"}))
    assert not report.crashes
    return {finding.code for finding in report.shown}


@pytest.mark.parametrize(
    "run",
    [
        "handlers[call.function.name.split('__')[-1]]" + ARGUMENTS,
        "handlers[call.function.name.replace('-', '_')]" + ARGUMENTS,
        "pool.submit(one, call, handlers).result()",
    ],
    ids=["prefix cut", "dashes replaced", "submitted"],
)
def test_the_loop_around_is_found(run: str) -> None:
    assert found(EACH.format(run=run)) >= {"TB101", "TB201"}


def test_a_loop_whose_tools_run_in_a_pool_is_found() -> None:
    assert found("        messages.extend(pool.map(single, message.tool_calls))") >= {"TB101", "TB201"}


def test_a_method_picked_by_a_table_of_ours_is_no_code_by_name() -> None:
    ours = "getattr(notes, METHODS[call.function.name])" + ARGUMENTS
    theirs = "getattr(notes, call.function.name)" + ARGUMENTS
    assert "TB311" not in found(EACH.format(run=ours))
    assert "TB311" in found(EACH.format(run=theirs))


def test_the_range_of_an_inner_loop_bounds_the_outer_one_not() -> None:
    body = """\
        for _ in range(5):
            message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                break
            for call in message.tool_calls:
                messages.append(one(call, handlers))
        else:
            return messages
"""
    assert "TB101" in found(body)


BEFORE = """\
def run_tools(tool_calls, tools, limit=None):
    used = 0
    for call in tool_calls:
        if limit is not None:
            used += 1
            if used > limit:
                continue
        yield tools[call.function.name](**call.function.arguments)
"""


def test_a_dispatcher_that_counts_before_it_compares_counts_everything() -> None:
    files = {"dispatch.py": BEFORE.encode()}
    report = lint(Memory(files), ["dispatch.py"], Settings({"profile": "strict"}))
    assert [subject.kind for subject in report.subjects] == ["dispatcher"]
    assert "TB104" not in {finding.code for finding in report.shown}


WRAPPED = """\
import json
from abc import ABC, abstractmethod


class Provider(ABC):
    @abstractmethod
    def invoke(self, **options): ...

    def _invoke_again(self, **options):
        for _ in range(3):
            try:
                return self.invoke(**options)
            except OSError:
                continue
        raise ConnectionError

    def _fill(self, messages, answer, tools):
        answer.update(self._invoke_again(messages=messages, tools=tools))

    def respond(self, messages, tools, handlers):
        while True:
            answer = {}
            self._fill(messages=messages, answer=answer, tools=tools)
            messages.append(answer)
            if not answer.get("tool_calls"):
                return answer
            for call in answer["tool_calls"]:
                result = handlers[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
"""


def test_a_turn_behind_a_wrapper_of_an_abstract_method_is_found() -> None:
    report = lint(Memory({"provider.py": WRAPPED.encode()}), ["provider.py"], Settings({"profile": "strict"}))
    (found,) = [subject for subject in report.subjects if subject.kind == "tool-loop"]
    assert [step.message for step in found.turns] == ["self._invoke_again"]
    assert {finding.code for finding in report.shown} >= {"TB101", "TB201"}
