"""The token budget: what adds up what turns used and ends the run, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest
from recognising import at, loop, stands, subject, verdict

H = "for _ in range(8):"
ADD = "spent += reply.usage.total_tokens\n"
LEAVE = "if not message.tool_calls:\n    return message.content"


def spending(test: str, *, add: str = ADD, before: str = "spent = 0", **parts: Any) -> str:
    """A capped loop that adds up usage behind its turn and then does something."""
    return loop(parts.pop("head", H), before=before, leave=f"{add}{test}\n{LEAVE}", **parts)


HELD = {
    "break": spending("if spent > 9000:\n    break"),
    "return": spending("if spent >= 9000:\n    return None"),
    "raise": spending("if spent > 9000:\n    raise RuntimeError(spent)"),
    "constant": spending("if spent > BUDGET:\n    break", module="BUDGET = 9000"),
    "default": spending("if spent > budget:\n    break", params="budget=9000"),
    "condition": spending("", head="while spent < 9000:"),
    "countdown": spending("if left < 0:\n    break", add="left -= reply.usage.total_tokens\n", before="left = 9000"),
    "cost": spending("if cost > 2.5:\n    break", add="cost += price_of(reply)\n", before="cost = 0.0"),
    "two kinds of tokens": spending(
        "if read + written > 9000:\n    break",
        add="read += reply.usage.prompt_tokens\nwritten += reply.usage.completion_tokens\n",
        before="read = written = 0",
    ),
    "through a name": spending("if spent > 9000:\n    break", add="used = reply.usage.total_tokens\nspent += used\n"),
    "flag": spending("over = spent > 9000\nif over:\n    break"),
    "while True": spending("if spent > 9000:\n    break", head="while True:"),
    "helper": spending(
        "charge(meter, reply.usage.total_tokens)",
        add="",
        before="meter = Meter()",
        module=(
            "class Meter:\n    def __init__(self):\n        self.sum = 0\n"
            "def charge(meter, amount):\n    meter.sum += amount\n"
            "    if meter.sum > 9000:\n        raise RuntimeError('spent')"
        ),
    ),
}
NONE = {
    "nothing": loop(H),
    "printed": spending("print(spent)"),
    "compared and printed": spending("if spent > 9000:\n    print('much')"),
    "told to the model": spending("if spent > 9000:\n    messages.append({'role': 'user', 'content': 'hurry'})"),
    "trimmed": spending("if spent > 9000:\n    messages = messages[:1]\n    spent = 0"),
    "one reply": loop(H, leave=f"if reply.usage.total_tokens > 9000:\n    break\n{LEAVE}"),
    "size of the conversation": loop(H, top="if count_tokens(messages) > 9000:\n    break"),
    "size of the conversation in a name": loop(H, top="tokens = count_tokens(messages)\nif tokens > 9000:\n    break"),
    "infinite": spending("if spent > float('inf'):\n    break"),
    "limit of one reply": loop(H, ask="client.chat.completions.create(messages=messages, tools=tools, max_tokens=900)"),
    "steps": loop("while True:", before="n = 0", top="n += 1\nif n > 8:\n    break"),
}
OFF = {
    "None": spending("if budget is not None and spent > budget:\n    break", params="budget=None"),
    "zero": spending("if budget and spent > budget:\n    break", params="budget=0"),
    "zero, compared": spending("if 0 < budget < spent:\n    break", params="budget=0"),
    "field": spending(
        "if limits.cost is not None and spent > limits.cost:\n    break",
        module="class Limits:\n    cost = None\nlimits = Limits()",
    ),
}


@pytest.mark.parametrize("text", HELD.values(), ids=HELD.keys())
def test_what_is_added_up_and_ends_the_run_is_a_budget(text: str) -> None:
    assert stands(text, "cost") == "held"


@pytest.mark.parametrize("text", NONE.values(), ids=NONE.keys())
def test_what_does_not_end_the_run_is_none(text: str) -> None:
    assert stands(text, "cost") == "missing none"


@pytest.mark.parametrize("text", OFF.values(), ids=OFF.keys())
def test_a_budget_that_nobody_asked_for_is_off_by_default(text: str) -> None:
    assert stands(text, "cost") == "leaks off-by-default"


def test_a_sum_that_is_kept_elsewhere_is_not_known() -> None:
    text = loop(H, params="tracker", leave=f"if tracker.total_cost > 5:\n    break\n{LEAVE}")
    assert stands(text, "cost") == "unknown"


def test_a_budget_shows_its_number() -> None:
    found = verdict(HELD["constant"], "cost")
    assert [(e.value, e.message) for e in found.evidence] == [("9000", "what the turns used is compared with BUDGET")]
    assert subject(HELD["constant"]).envelope.tokens == "9000"


def test_a_missing_budget_stands_at_the_header() -> None:
    (fault,) = verdict(NONE["nothing"], "cost").faults
    assert at(fault, NONE["nothing"]) == H
    assert subject(NONE["nothing"]).envelope.tokens == "∞"


def test_a_budget_of_tokens_is_no_step_cap() -> None:
    assert stands(HELD["while True"], "cap") == "missing none"
