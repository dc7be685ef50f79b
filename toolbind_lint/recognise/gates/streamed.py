"""Streams that tell no usage under a token budget that waits for it."""

from __future__ import annotations

import re

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.owned import is_inner
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame, Point
from toolbind_lint.recognise.spending import words
from toolbind_lint.verdicts import Fault

MAX_DEEP = 5

_TOLD = re.compile(r"(^|_)usage(_|$)|^(prompt|completion|input|output|total)_tokens$")


def faults(case: Case, budgets: list[Bound]) -> list[Fault]:
    """The streamed turn whose usage a budget adds up, although nothing asks for it."""
    counting = [b for b in budgets if b.leaves and _is_told(case, b)]
    if not counting:
        return []
    out: list[Fault] = []
    for point in case.turns:
        if not is_inner(case, point) and _is_silent(case, point):
            shown = Step(place_of(case, counting[0].tests[0]), "the budget that its usage should count for")
            assert point.turn is not None and point.turn.row is not None
            words_ = (("param", point.turn.row.one("asks-usage")), ("call", point.turn.callee))
            out.append(Fault("stream-without-usage", place_of(case, point), words_, related=(shown,)))
    return list({f.place: f for f in out}.values())


def _is_silent(case: Case, point: Point) -> bool:
    """Whether a turn is streamed and does not ask for its usage, as far as all of its arguments can be seen."""
    turn = point.turn
    if turn is None or turn.row is None or not turn.row.one("asks-usage"):
        return False
    asked, stream = turn.row.one("asks-usage"), turn.row.one("stream")
    program = case.tools.program
    given: dict[str, ir.Expr] = {a.name: a.value for a in turn.call.args if a.name}
    for arg in turn.call.args:
        if arg.star == "**":
            displays = list(program.displays(arg.value, turn.function))
            if not displays or any(k is None for d, _ in displays for k, _ in d.items):
                return False
            for display, _ in displays:
                given.update({str(k.value): v for k, v in display.items if isinstance(k, ir.Const)})
            if _is_put(arg.value, asked, case, point):
                return False
    if asked in given or any(a.name and a.name.startswith("extra_") for a in turn.call.args):
        return False
    value = given.get(stream)
    return value is not None and _is_true(case, value, point)


def _is_put(holder: ir.Expr, key: str, case: Case, point: Point) -> bool:
    """Whether a key is put into a table after it was made, anywhere in the functions of the loop."""
    for frame in case.graph.frames:
        for node in frame.function.nodes:
            if isinstance(node, ir.Const) and node.value == key:
                return True
            if isinstance(node, ir.Arg) and node.name == key:
                return True
    return False


def _is_true(case: Case, value: ir.Expr, point: Point) -> bool:
    if isinstance(value, ir.Const):
        return value.value is True
    assert point.turn is not None
    found = [v for v, _ in case.tools.program.values(value, point.turn.function)]
    return bool(found) and all(isinstance(v, ir.Const) and v.value is True for v in found)


def _is_told(case: Case, bound: Bound) -> bool:
    """Whether what moves a counter is usage that replies tell, and no estimate of the project's own."""
    moves = [m for m in bound.moves if m.value is not None]
    return bool(moves) and any(_reads_usage(case, m.value, m.value_frame or m.frame, 0) for m in moves)


def _reads_usage(case: Case, expr: ir.Expr | None, frame: Frame, depth: int) -> bool:
    if expr is None or depth > MAX_DEEP:
        return False
    if any(_TOLD.search(word) for word in words(expr) if word):
        return True
    for node in ir.walk(expr):
        if not isinstance(node, (ir.Name, ir.Attr)):
            continue
        if isinstance(node, ir.Name) and frame.caller is not None and node.id in frame.arguments:
            if _reads_usage(case, frame.arguments[node.id], frame.caller, depth + 1):
                return True
        cell = case.builder.cell(node, frame)
        for change in case.finder.changes(cell, "set") if cell is not None else ():
            if change.value is not expr and _reads_usage(case, change.value, change.value_frame or frame, depth + 1):
                return True
    return False
