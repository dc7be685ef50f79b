"""Which comparisons are tests of the time, which way time takes them, and what budget they hold."""

from __future__ import annotations

from typing import Any

import pytest
from recognising import case, loop

from toolbind_lint.recognise.clocks import TimeTest
from toolbind_lint.recognise.values import text_of

CLOCKS = "import time\nfrom datetime import datetime, timedelta"


def found_in(**parts: Any) -> list[TimeTest]:
    return case(loop(module=CLOCKS, **parts)).time_tests


@pytest.mark.parametrize(
    ("before", "top", "leaves", "monotonic", "rearmed"),
    [
        ("end = time.monotonic() + 9", "if time.monotonic() > end:\n    break", True, True, False),
        ("begun = time.monotonic()", "if time.monotonic() - begun > 9:\n    raise TimeoutError", True, True, False),
        ("begun = time.time()", "if time.time() - begun > 9:\n    break", True, False, False),
        ("begun = time.monotonic()", "spent = time.monotonic() - begun\nif spent > 9:\n    break", True, True, False),
        ("begun = time.monotonic()", "if time.monotonic() - begun > 9:\n    print('late')", False, True, False),
        ("pass", "begun = time.monotonic()\nif time.monotonic() - begun > 9:\n    break", True, True, True),
        ("end = time.perf_counter() + 9", "if end < time.perf_counter():\n    return None", True, True, False),
        ("begun = datetime.now()", "if datetime.now() - begun > timedelta(seconds=9):\n    break", True, False, False),
    ],
)
def test_a_comparison_of_the_time_is_read(before: str, top: str, leaves: bool, monotonic: bool, rearmed: bool) -> None:
    found = case(
        loop(module="import time\nfrom datetime import datetime, timedelta", before=before, top=top)
    ).time_tests
    assert [(t.leaves, t.monotonic, t.rearmed) for t in found] == [(leaves, monotonic, rearmed)]


def test_the_budget_is_the_side_without_the_clock() -> None:
    text = loop(
        module="import time", before="begun = time.monotonic()", top="if time.monotonic() - begun > LIMIT:\n    break"
    )
    (found,) = case(text).time_tests
    assert text_of(found.budget) == "LIMIT"


def test_time_that_is_only_logged_is_no_test() -> None:
    text = loop(module="import time", before="begun = time.monotonic()", foot="print(time.monotonic() - begun)")
    assert case(text).time_tests == []


def test_a_deadline_in_a_helper_is_a_test() -> None:
    module = (
        "import time\nclass B:\n    def __init__(self):\n"
        "        self.end = time.monotonic() + 9\n    def check(self):\n"
        "        if time.monotonic() > self.end:\n            raise TimeoutError"
    )
    (found,) = case(loop(module=module, before="b = B()", top="b.check()")).time_tests
    assert (found.leaves, found.rearmed) == (True, False)


@pytest.mark.parametrize(
    ("before", "top", "expired"),
    [
        ("end = time.monotonic() + 9", "if time.monotonic() >= end:\n    break", "true"),
        ("end = time.monotonic() + 9", "if end <= time.monotonic():\n    break", "true"),
        ("end = time.monotonic() + 9", "if end - time.monotonic() > 0:\n    pass\nelse:\n    break", "false"),
        ("begun = time.monotonic()", "left = 9 - (time.monotonic() - begun)\nif left <= 0:\n    break", "true"),
        ("begun = time.monotonic()", "left = max(0, 9 - (time.monotonic() - begun))\nif not left:\n    break", "false"),
        ("end = time.monotonic() + 9", "if not max(0.0, end - time.monotonic()):\n    break", "false"),
    ],
)
def test_time_takes_one_way(before: str, top: str, expired: str) -> None:
    (found,) = found_in(before=before, top=top)
    assert (found.expired, found.leaves) == (expired, True)


def test_what_ends_while_there_is_time_is_no_budget() -> None:
    (found,) = found_in(before="quiet = time.monotonic() + 9", top="if time.monotonic() < quiet:\n    break")
    assert not found.leaves


def test_a_start_by_its_truth_is_no_test() -> None:
    assert found_in(before="begun = time.monotonic()", top="if begun:\n    break") == []


@pytest.mark.parametrize(
    ("before", "top", "budget"),
    [
        ("end = time.monotonic() + LIMIT", "if time.monotonic() > end:\n    break", "LIMIT"),
        ("end = time.monotonic() + LIMIT if LIMIT else None", "if end and time.monotonic() > end:\n    break", "LIMIT"),
        ("begun = time.monotonic()", "if LIMIT - (time.monotonic() - begun) <= 0:\n    break", "LIMIT"),
        ("begun = time.monotonic()", "if time.monotonic() > begun + LIMIT:\n    break", "LIMIT"),
        ("end = time.monotonic() + LIMIT", "left = end - time.monotonic()\nif left <= 0:\n    break", "LIMIT"),
        ("begun = datetime.now()", "if (datetime.now() - begun).total_seconds() > LIMIT:\n    break", "LIMIT"),
        ("end = datetime.now() + timedelta(seconds=9)", "if datetime.now() > end:\n    break", "timedelta(seconds=9)"),
    ],
)
def test_the_budget_is_found_behind_deadlines_and_differences(before: str, top: str, budget: str) -> None:
    found = next(t for t in found_in(before=before, top=top) if t.leaves)
    assert text_of(found.budget) == budget


def test_a_budget_that_only_decides_what_the_turn_offers_is_read() -> None:
    choice = 'tool_choice="none" if late else "auto"'
    ask = f"client.chat.completions.create(model='m', messages=messages, tools=tools, {choice})"
    (found,) = found_in(before="begun = time.monotonic()", top="late = time.monotonic() - begun > 60", ask=ask)
    assert (found.leaves, text_of(found.budget)) == (True, "60")
