"""What a card shows of a loop that nothing ends, of one that ends, and of one that is no tool loop."""

from __future__ import annotations

import pytest
from recognising import ASK, loop, sources, subject

from toolbind_lint.config import Settings
from toolbind_lint.findings import Report
from toolbind_lint.lint import lint
from toolbind_lint.report import Options
from toolbind_lint.report.cards import render, why_silent, worst_case
from toolbind_lint.snapshot import Memory

HELPED = """\
import json
from openai import OpenAI
client = OpenAI()
class Agent:
    def _ask(self, messages):
        return client.chat.completions.create(model="m", messages=messages, tools=self.tools).choices[0].message
    def _run_tool(self, call):
        return self.handlers[call.function.name](**json.loads(call.function.arguments))
    def run(self, messages):
        while True:
            message = self._ask(messages)
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({"role": "tool", "content": self._run_tool(call)})
"""


FINISH = "if message.tool_calls[0].function.name == 'finish':\n    break"
WAITS = """\
while True:
    messages.append(input())
    reply = client.chat.completions.create(model='m', messages=messages, tools=tools)
    messages.append(reply)"""


def report(text: str) -> Report:
    data = {path: body.encode() for path, body in sources(text).items()}
    return lint(Memory(data), list(data), Settings({"profile": "strict"}))


def test_a_pass_goes_by_the_calls_in_the_loop() -> None:
    assert [(s.place.line, s.message) for s in subject(HELPED).witness] == [(11, "_ask"), (16, "_run_tool")]
    assert "10 -> 11 _ask -> 16 _run_tool -> 10 whenever the reply holds a call" in render(report(HELPED), Options())


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ("", "leaves only when the model asks for no more tools"),
        ("if stop.requested:\n    break", "leaves by what nothing in the loop sets"),
        (
            "if message.tool_calls[0].function.name == 'finish':\n    break",
            "leaves only when the model names a certain tool",
        ),
        ("if result == 'done':\n    break", "leaves only by what a tool returns"),
        ("n += 1\nif n > 5:\n    print(n)", "compared here, and the loop goes on either way"),
    ],
)
def test_each_exit_is_considered(extra: str, why: str) -> None:
    found = subject(loop(before="n = 0", params="stop", foot=extra))
    (fault,) = found.verdict("cap").faults
    assert why in [step.message for step in fault.related]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (loop(), "turns ∞ · calls ∞ · time ∞ · tokens ∞"),
        (loop("for _ in range(8):"), "≤ 8 turns · ≤ 8 × ? calls · time ∞ · tokens ∞"),
        (
            loop(
                "for _ in range(8):",
                ask=ASK.replace(")", ", parallel_tool_calls=False)"),
            ),
            "≤ 8 turns · ≤ 8 calls · time ∞ · tokens ∞",
        ),
        (
            loop(
                "for _ in range(8):",
                module="import time",
                before="end = time.monotonic() + 4 * 3600",
                top="if time.monotonic() > end:\n    raise RuntimeError",
            ),
            "≤ 8 turns · ≤ 8 × ? calls · ≤ 4 h · tokens ∞",
        ),
    ],
)
def test_the_worst_case_is_what_the_bounds_allow(text: str, said: str) -> None:
    assert worst_case(subject(text).envelope) == said


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "while True:\n    a = client.chat.completions.create(model='m', messages=messages)\n    messages.append(a)",
            "it asks a model, and runs no tool that the model names",
        ),
        (
            WAITS,
            "it waits for a person or for the next request on each pass that asks the model, or ends there",
        ),
        (
            "reply = client.chat.completions.create(model='m', messages=messages, tools=tools)\n"
            "for call in reply.choices[0].message.tool_calls:\n    print(call)",
            "it goes through the parts of one reply: that is the dispatch",
        ),
    ],
)
def test_a_loop_that_is_none_says_why(body: str, why: str) -> None:
    indented = "\n".join(f"    {line}" for line in body.split("\n"))
    text = f"from openai import OpenAI\nclient = OpenAI()\ndef run(messages, tools):\n{indented}\n"
    line = 1 + next(number for number, row in enumerate(text.split("\n")) if row.lstrip().startswith(("while", "for")))
    said = why_silent(report(text), "agent.py", line)
    assert f"agent.py:{line} is a loop, and none of these: {why}" in said


def test_nothing_found_is_not_nothing_there() -> None:
    text = render(report("x = 1\n"), Options())
    assert text == "Found no tool loops, agent runs or dispatchers\n"
