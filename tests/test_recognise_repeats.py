"""Handlers inside tool loops that ask again: which of them nothing counts."""

from __future__ import annotations

import pytest
from recognising import ASK, at, loop, stands, subject


def tried(handler: str, *, takes: str = "Exception", head: str = "while True:", **parts: str) -> str:
    """A tool loop whose turn stands in a ``try`` with one handler; ``parts`` as in ``loop``."""
    body = "\n".join(f"    {line}" for line in handler.splitlines())
    top = f"try:\n    answer = {ASK}\nexcept {takes}:\n{body}\n" + parts.pop("top", "")
    text = loop(head, top=top, ask="answer", **parts)  # type: ignore[arg-type]
    return "import json, time\nfrom openai import OpenAI, RateLimitError\n" + text


def told(text: str) -> list[str]:
    """Where an unbounded retry is told of the tool loop."""
    verdict = subject(text, "tool-loop").verdict("cap")
    return [at(fault, text) for fault in verdict.beside if fault.how == "unbounded-retry"]


UNCOUNTED = {
    "waits and goes round": "time.sleep(5)\ncontinue",
    "only goes round": "continue",
    "says so": "print('again', messages)\ncontinue",
    "counts to wait longer": "n += 1\ntime.sleep(2 ** n)\ncontinue",
}


@pytest.mark.parametrize("handler", UNCOUNTED.values(), ids=UNCOUNTED)
@pytest.mark.parametrize("takes", ["Exception", "RateLimitError", "(TimeoutError, ConnectionError)"])
def test_a_handler_that_asks_again_without_end_is_told(handler: str, takes: str) -> None:
    assert told(tried(handler, takes=takes, before="n = 0")) == [f"except {takes}:"]


def test_a_step_cap_that_stands_behind_the_request_does_not_end_it() -> None:
    text = tried("continue", before="n = 0", top="if n >= 8:\n    raise RuntimeError('steps')\nn += 1")
    cap = subject(text, "tool-loop").verdict("cap")
    assert (cap.state, cap.how, [at(fault, text) for fault in cap.faults]) == (
        "leaks",
        "unbounded-retry",
        ["except Exception:"],
    )


QUIET = {
    "leaves": tried("raise"),
    "leaves after n": tried("n += 1\nif n > 3:\n    raise\ncontinue", before="n = 0"),
    "a range": tried("continue", head="for _ in range(8):"),
    "counted in front": tried("continue", before="n = 0", head="while (n := n + 1) < 9:"),
    "counted on success, told as that": tried("continue", before="n = 0", head="while n < 9:", top="n += 1"),
    "a deadline": tried("continue", before="end = time.monotonic() + 9", head="while time.monotonic() < end:"),
    "the model is told": tried("messages.append({'role': 'user', 'content': 'go on'})\ncontinue"),
    "the history is cut": tried("messages = messages[1:]\ncontinue"),
    "handed to a library": tried("compact(messages)\ncontinue", module="from library import compact"),
    "another client": tried("client = OpenAI(base_url='other')\ncontinue", before="client = OpenAI()"),
    "no failed request": tried("continue", takes="json.JSONDecodeError"),
    "a person is asked": tried("input('again?')\ncontinue"),
    "a mark that changes the request": tried(
        "cut = True\ncontinue", before="cut = False", head="while True:", foot="if cut:\n    messages.pop(0)"
    ),
    "a signal of the project's": tried(
        "continue", takes="Again", module="class Again(Exception):\n    pass\ndef check():\n    raise Again()"
    ),
}


@pytest.mark.parametrize("text", QUIET.values(), ids=QUIET)
def test_a_handler_that_ends_or_changes_what_it_asks_is_none(text: str) -> None:
    assert told(text) == []


def test_it_is_told_once_and_names_the_request() -> None:
    text = tried("time.sleep(5)\ncontinue", takes="RateLimitError")
    (fault,) = [f for f in subject(text, "tool-loop").verdict("cap").beside if f.how == "unbounded-retry"]
    assert dict(fault.words)["call"] == "openai.OpenAI().chat.completions.create"
    assert [step.message for step in fault.related] == ["this is asked again"]


@pytest.mark.parametrize(
    ("handler", "state"),
    {
        "if len(messages) < 4:\n                    raise\n                messages = messages[2:]": "unknown",
        "messages.pop(0)": "unknown",
        "if n:\n                    messages.pop(0)": "missing unbounded-retry",
        "print(messages)": "missing unbounded-retry",
    }.items(),
)
def test_a_retry_that_asks_for_something_else_each_time_is_not_known_to_have_no_end(handler: str, state: str) -> None:
    text = f"""
    from openai import OpenAI

    client = OpenAI()

    def ask(messages, tools, n):
        while True:
            try:
                return {ASK}
            except Exception:
                {handler}
    """
    assert stands(text, "cap", "retry") == state
