"""The token budget: is what the turns cost added up, and does the run end when too much is spent?"""

from __future__ import annotations

import re

from toolbind_lint.facts import Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.gates import streamed
from toolbind_lint.recognise.gates.cap import header, number_text, place_of, worst
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import REPLY, last_name, snake
from toolbind_lint.recognise.spending import is_budget, says_spent, words
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_MEASURED = re.compile(r"(count|estimate|encode|num|len|size|context|window)", re.IGNORECASE)
_ORDER = frozenset({"<", "<=", ">", ">="})
MAX_READ = 300


def verdict(case: Case, ceiling: int | None = None) -> Verdict:
    """How the token or cost budget of a loop stands; one above the project's ceiling bounds nothing."""
    budgets = [b for b in case.bounds if is_budget(case, b)]
    verdict = _judged(case, budgets, ceiling)
    unheard = tuple(streamed.faults(case, budgets))
    if not unheard:
        return verdict
    state = verdict.state if verdict.state in {"leaks", "missing"} else "leaks"
    return verdict._replace(state=state, faults=(*verdict.faults, *unheard))


def _judged(case: Case, budgets: list[Bound], ceiling: int | None) -> Verdict:
    off: tuple[Bound, Value] | None = None
    for budget in budgets:
        if not budget.leaves or not case.finder.finite(budget):
            continue
        value = worst(budget)
        if budget.off or _is_off(value):
            off = off or (budget, value)
            continue
        if ceiling is not None and value.number is not None and value.number > ceiling:
            note = f"A budget of {number_text(value)} lies above the project's ceiling of {ceiling}"
            at = value.trail[0].place if value.trail else place_of(case, budget.tests[0])
            return Verdict("cost", "missing", (Fault("none", at, (("note", note),), value.trail),))
        return _held(case, budget, value)
    if off is not None:
        budget, value = off
        named = (("cap", text_of(budget.cap)), ("source", text_of(budget.cap)))
        at = value.trail[0].place if value.trail else place_of(case, budget.tests[0])
        return Verdict("cost", "leaks", (Fault("off-by-default", at, named, value.trail),))
    elsewhere = _decided_elsewhere(case, frozenset(t for b in budgets for t in b.tests))
    if elsewhere is not None:
        return Verdict("cost", "unknown", (), (elsewhere,))
    return Verdict("cost", "missing", (Fault("none", header(case)),))


def _held(case: Case, budget: Bound, value: Value) -> Verdict:
    place = place_of(case, budget.tests[0])
    evidence = Evidence(place, number_text(value), f"what the turns used is compared with {text_of(budget.cap)}")
    return Verdict("cost", "held", (), (evidence,))


def _is_off(value: Value) -> bool:
    return value.origin == "absent" or (value.number is not None and value.number <= 0 and value.origin != "computed")


def _decided_elsewhere(case: Case, known: frozenset[Point]) -> Evidence | None:
    """A test of usage or cost that ends the loop, while what adds it up is not seen; for a graph that was cut, any."""
    for point in case.finder.ordered:
        if point.kind != "test" or point in known or not isinstance(point.node, ir.Compare):
            continue
        if _may_be_budget(case, point, point.node):
            return Evidence(place_of(case, point), "", f"where {text_of(point.node)} is added up is not known")
    if case.graph.truncated:
        for function in reached(case):
            for node in function.nodes:
                if isinstance(node, ir.Compare) and node.op in _ORDER and _sides(node):
                    at = case.tools.program.at(function, node)
                    return Evidence(at, "", "too large to follow whether this ends the run")
    return None


def _may_be_budget(case: Case, point: Point, node: ir.Compare) -> bool:
    if node.op not in _ORDER or all(case.finder.goes_on(t) for _, t in point.to):
        return False
    return any(not _of_one_turn(case, side, point) for side in _sides(node))


def _sides(node: ir.Compare) -> list[ir.Expr]:
    """The sides of a comparison that speak of usage or cost, and are no limit of it."""
    return [s for s in (node.left, node.right) if not isinstance(s, ir.Const) and says_spent(s)]


def _of_one_turn(case: Case, side: ir.Expr, point: Point) -> bool:
    """Whether a number is of one reply or of the conversation as it stands: neither is added up."""
    if any(word in snake(w) for w in words(side) for word in ("max", "limit", "budget", "threshold", "window")):
        return True  # the limit itself
    roles = case.tools.roles.of(side, point.frame.function)
    if REPLY in roles:
        return True
    cell = case.builder.cell(side, point.frame)
    changes = case.finder.changes(cell, "set") if cell is not None else []
    values = [side, *(c.value for c in changes if c.value is not None)]
    for value in values:
        for call in ir.walk(value):
            if isinstance(call, ir.Call) and _MEASURED.search(last_name(call.func)):
                return True
    return bool(changes) and not any(_accumulates(v) for v in values)


def _accumulates(value: ir.Expr) -> bool:
    return any(isinstance(n, ir.Call) and last_name(n.func) == "sum" for n in ir.walk(value))


def reached(case: Case) -> list[Function]:
    """The functions of a case's graph and those that they call, in the order in which they are met."""
    program = case.tools.program
    found = {f.function.key: f.function for f in case.graph.frames}
    queue = list(found.values())
    while queue and len(found) < MAX_READ:
        function = queue.pop(0)
        for call in function.calls:
            for target in program.targets(call, function):
                if target.key not in found:
                    found[target.key] = target
                    queue.append(target)
    return list(found.values())
