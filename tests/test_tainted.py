"""Where a value comes to in one function: the calls that carry it, the fields that keep it."""

from __future__ import annotations

import ast

import pytest

from toolbind_lint.tainted import parameters, said, spots


def part(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


def carried(text: str, name: str = "limit") -> dict[str, set[int | str | None]]:
    """The calls that carry something, but for the one of the name itself."""
    found: dict[str, set[int | str | None]] = {}
    for call in spots(part(text), {name}, still={"signal"}).calls:
        if call.carrying and call.name != name:
            found.setdefault(call.name, set()).update(call.carrying)
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("run(1, limit())", {"run": {1}}),
        ("run(cap=limit())", {"run": {"cap"}}),
        ("run(*limit())", {"run": {None}}),
        ("cap = limit()\n    run(cap)", {"run": {0}}),
        ("cap = limit()\n    other = cap + 1\n    run(other)", {"run": {0}}),
        ("while x:\n        run(cap)\n        cap = limit()", {"run": {0}}),
        ("limit()\n    run(1)", {}),
        ("if limit():\n        run(1)", {}),
        ("with timeout(limit()):\n        run(1)", {"timeout": {0}, "run": {None}}),
        ("wait_for(run(1), timeout=limit())", {"wait_for": {"timeout"}, "run": {None}}),
        ("start(run, limit())", {"start": {1}, "run": {None}}),
        ("start(limit)", {"start": {0}}),
        ("start(limit, 1)", {"start": {0}}),
        ("signal.alarm(limit())\n    run(1)", {"alarm": {0}, "run": {None}}),
        ("agent = make(limit())\n    agent.run(1)", {"make": {0}, "run": {"self"}}),
        ("agent.set(limit())\n    agent.run(1)", {"set": {0, "self"}, "run": {"self"}}),
        ("self.set(limit())\n    self.run(1)", {"set": {0}}),
        ("cap = limit()\n    cap = 8\n    run(2)", {}),
    ],
)
def test_it_names_the_calls_that_carry_the_value(body: str, expected: dict[str, set[int | str | None]]) -> None:
    assert carried(f"def f(x, agent):\n    {body}\n") == expected


def test_it_names_the_fields_that_keep_it() -> None:
    assert spots(part("def f(self, x):\n    self.cap = x\n    self.rest[1] = x\n    self.no = 1\n"), {"x"}).fields == {
        "cap",
        "rest",
    }


def test_a_statement_that_both_sides_have_carries_nothing_new() -> None:
    old = part("def f(x):\n    one(x)\n    with limit(3):\n        two(x)\n    three(x)\n")
    new = part("def f(x):\n    one(x)\n    with limit(4):\n        two(x)\n    three(x)\n")
    found = spots(new, None, [each for each in said(new) if each in said(old)])
    assert {call.name for call in found.calls if call.carrying} >= {"limit", "two"}
    assert {call.name for call in found.calls}.isdisjoint({"one", "three"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({0}, {"a"}),
        ({1}, {"rest"}),
        ({"b"}, {"b"}),
        ({"other"}, {"more"}),
        ({"self"}, {"self"}),
        ({None}, None),
    ],
)
def test_arguments_come_to_parameters(given: set[int | str | None], expected: set[str] | None) -> None:
    assert parameters(part("def f(self, a, *rest, b=1, **more): ..."), given, bound=True) == expected
