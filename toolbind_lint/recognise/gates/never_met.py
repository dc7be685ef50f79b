"""An exit test that no reply can meet: a reason that the interface does not have, a list that is never None."""

from __future__ import annotations

from toolbind_lint.catalogue import Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.owned import is_inner
from toolbind_lint.recognise.gates.reasons import Reply, spoken_rows, way
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CALLS, FINISH, key_read
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault


def faults(case: Case) -> list[Fault]:
    """The test that should end the loop and can't, where a finished reply without calls leaves by no other way."""
    turns = [t for t in case.turns if not is_inner(case, t)]
    if case.kind != "tool-loop" or not turns or case.graph.truncated:
        return []
    suspects = [p for p in case.finder.ordered if _would_leave(case, p)]
    if not suspects:
        return []
    rows = spoken_rows(case)
    for point in suspects:
        value = _never(case, point, rows)
        if value and not any(_leaves(case, turn, row, rows) for turn in turns for row in (rows or (None,))):
            return [Fault("never-met", place_of(case, point), (("value", value), ("call", _text(point))))]
    return []


def _text(point: Point) -> str:
    return text_of(point.node) if isinstance(point.node, ir.Compare) else ""


def _would_leave(case: Case, point: Point) -> bool:
    """Whether one way of a comparison leaves the loop, and the other does not."""
    if point.kind != "test" or not isinstance(point.node, ir.Compare):
        return False
    onward = [case.finder.goes_on(t) for _, t in point.to]
    return any(onward) and not all(onward)


def _never(case: Case, point: Point, rows: list[Row]) -> str:
    """What a test waits for in vain, or an empty text."""
    node, function = point.node, point.frame.function
    assert isinstance(node, ir.Compare)
    label = _fixed(case, point, rows)
    if label is None or any(not case.finder.goes_on(t) for way_, t in point.to if way_ == label):
        return ""
    if FINISH in case.tools.roles.of(node.left, function):
        return ", ".join(sorted(str(v) for v in _texts(node)))
    return "None"


def _fixed(case: Case, point: Point, rows: list[Row]) -> str | None:
    """The one way that a test can go, whatever the reply."""
    node, function = point.node, point.frame.function
    if not isinstance(node, ir.Compare):
        return None
    roles = case.tools.roles.of(node.left, function)
    equal = "false" if node.op in {"==", "is", "in"} else "true"
    if node.op not in {"==", "is", "in", "!=", "is not", "not in"}:
        return None
    if FINISH in roles:
        read = [r for r in rows if _words(case, node.left, function) & {*r.all("finish")}]
        texts = _texts(node)
        spoken = {v for r in read for k in ("finish-final", "finish-calls", "finish-cut") for v in r.all(k)}
        closed = bool(read) and all(r.flags.get("finish-closed", False) for r in read)
        return equal if closed and texts and not texts & spoken else None
    if (
        CALLS in roles
        and isinstance(node.right, ir.Const)
        and node.right.value is None
        and node.op
        in {
            "is",
            "is not",
            "==",
            "!=",
        }
    ):
        return equal if _is_always_list(case, node.left, function) else None
    return None


def _words(case: Case, expr: ir.Expr, function: Function) -> set[str]:
    """The keys by which a value is read, through a name."""
    word = key_read(expr)[1]
    if word or not isinstance(expr, ir.Name):
        return {word} - {""}
    return {key_read(value)[1] for value, _ in case.tools.program.values(expr, function)} - {""}


def _texts(node: ir.Compare) -> set[str]:
    consts = [n for n in ir.walk(node.right) if isinstance(n, ir.Const)]
    return {n.value for n in consts if isinstance(n.value, str)}


def _is_always_list(case: Case, expr: ir.Expr, function: Function) -> bool:
    """Whether a value is a list whatever the reply: a comprehension, a display, ``calls or []``."""
    if not isinstance(expr, ir.Name):
        return False
    values = list(case.tools.program.lookup(expr.id, function))
    return bool(values) and all(b.kind == "assign" and _is_list(b.value) for b in values)


def _is_list(value: ir.Expr | None) -> bool:
    if isinstance(value, ir.Comp):
        return value.kind in {"list", "set", "dict"}
    if isinstance(value, ir.Bool):
        return value.op == "or" and _is_list(value.right)
    if isinstance(value, ir.Call):
        return isinstance(value.func, ir.Name) and value.func.id in {"list", "sorted", "tuple"}
    return isinstance(value, ir.Seq)


def _leaves(case: Case, turn: Point, row: Row | None, rows: list[Row]) -> bool:
    """Whether a finished reply without calls may leave the loop, bounds apart."""
    bounds = frozenset(t for b in case.bounds for t in b.tests) | frozenset(t.point for t in case.time_tests)
    reply = None if row is None else Reply(row, (*row.all("finish-final"), "")[0], calls=False)
    seen: set[Point] = set()
    stack = [t for label, t in turn.to if label != "raise"]
    while stack:
        point = stack.pop()
        if point in seen or point is case.head:
            continue
        seen.add(point)
        if not case.finder.goes_on(point):
            return True
        if point in bounds:
            # Which way it goes says nothing of the reply.
            stack.extend(t for label, t in point.to if case.finder.goes_on(t))
            continue
        answer = None
        if point.kind == "test":
            answer = _fixed(case, point, rows) or (way(case, point, reply) if reply is not None else None)
        for label, target in point.to:
            if label == "raise" or (answer is not None and label in {"true", "false"} and label != answer):
                continue
            if label == "next" and point is not case.head and _over_calls(case, point):
                continue
            stack.append(target)
    return False


def _over_calls(case: Case, point: Point) -> bool:
    node = point.node
    return isinstance(node, ir.For) and CALLS in case.tools.roles.of(node.iter, point.frame.function)
