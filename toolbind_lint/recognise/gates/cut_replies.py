"""Replies that were cut off at the token limit and are taken for the answer all the same."""

from __future__ import annotations

from toolbind_lint.catalogue import Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.gates.owned import is_inner
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CALLS, FINISH, REPLY
from toolbind_lint.verdicts import Fault


def faults(case: Case) -> list[Fault]:
    """The exit that returns a reply as the answer while nobody reads the reason for which the reply ended."""
    rows = _rows(case)
    turns = [t for t in case.turns if not is_inner(case, t)]
    if not rows or not turns or case.graph.truncated or _reads_reason(case, rows):
        return []
    for point in sorted(case.graph.exits, key=lambda p: (p.node.span, p.number)):
        if point.op == "return" and point in case.finder.inside and _is_reply(case, point):
            return [Fault("truncated-answer", place_of(case, point), _words(rows))]
    leaving = [p for p in case.finder.ordered if _asks_for_calls(case, p)]
    if leaving:
        return [Fault("truncated-answer", place_of(case, leaving[0]), _words(rows))]
    if isinstance(case.node, ir.While) and CALLS in case.tools.roles.of(case.node.test, case.function):
        return [Fault("truncated-answer", header(case), _words(rows))]
    return []


def _rows(case: Case) -> list[Row]:
    owners = {p.turn.row.framework for p in case.turns if p.turn is not None and p.turn.row is not None}
    rows = [r for r in case.tools.catalogue.rows if r.kind == "reply" and r.all("finish-cut")]
    return [r for r in rows if r.framework in owners]


def _words(rows: list[Row]) -> tuple[tuple[str, str], ...]:
    return (("value", rows[0].all("finish-cut")[0]),)


def _reads_reason(case: Case, rows: list[Row]) -> bool:
    """Whether a test reads the reason of a reply, and not only whether it asks for tools."""
    cut = {v for r in rows for v in r.all("finish-cut")}
    said = cut | {v for r in rows for v in r.all("finish-final")}
    functions: dict[str, Function] = {f.function.key: f.function for f in case.graph.frames}
    for function in functions.values():
        for node in function.nodes:
            if isinstance(node, ir.Const) and node.value in cut:
                return True
            if isinstance(node, ir.Compare) and FINISH in case.tools.roles.of(node.left, function):
                if any(isinstance(n, ir.Const) and n.value in said for n in ir.walk(node.right)):
                    return True
                if not any(isinstance(n, ir.Const) for n in ir.walk(node.right)):
                    return True
            if isinstance(node, ir.Call) and any(FINISH in case.tools.roles.of(a.value, function) for a in node.args):
                if case.tools.program.targets(node, function):
                    return True
    return False


def _is_reply(case: Case, point: Point) -> bool:
    frame = point.value_frame or point.frame
    return point.value is not None and REPLY in case.tools.roles.of(point.value, frame.function)


def _asks_for_calls(case: Case, point: Point) -> bool:
    """A test for calls, or for the reason that there are some, one way of which leaves the loop."""
    if point.kind != "test" or all(case.finder.goes_on(t) for _, t in point.to):
        return False
    node = point.node.left if isinstance(point.node, ir.Compare) else point.node
    roles = case.tools.roles.of(node, point.frame.function)  # type: ignore[arg-type]
    return bool(roles & {CALLS, FINISH})
