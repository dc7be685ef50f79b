"""The reasons for which a reply ends: which interface the code reads, and which way its tests go for a given reply."""

from __future__ import annotations

from typing import NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.roles import CALLS, FINISH, REPLY, key_read


class Reply(NamedTuple):
    """A reply as tests see it: the interface that it comes by, why it ended, and whether it holds calls."""

    row: Row
    reason: str
    calls: bool


def reply_rows(case: Case) -> list[Row]:
    """The interfaces by which the replies of a loop come, as far as they name their reasons."""
    owners = {p.turn.row.framework for p in case.turns if p.turn is not None and p.turn.row is not None}
    rows = [r for r in case.tools.catalogue.rows if r.kind == "reply" and r.all("finish-cut")]
    own = [r for r in rows if r.framework in owners]
    if not own and owners:
        # A library that speaks another's interface: the one whose calls the code reads.
        read = _read(case)
        own = [r for r in rows if read & {*r.all("calls")}]
    return own


def spoken_rows(case: Case) -> list[Row]:
    """Of several interfaces of one library those of which the code reads most."""
    rows = reply_rows(case)
    if len(rows) < 2:
        return rows
    read = _read(case)
    known = [len(read & {*r.all("finish"), *r.all("calls"), *r.all("one-call"), *r.all("inside")}) for r in rows]
    return [r for r, number in zip(rows, known, strict=True) if number == max(known)]


def _read(case: Case) -> set[str]:
    """The keys and attributes that the functions of a loop read."""
    nodes = (n for frame in case.graph.frames for n in frame.function.nodes)
    return {key_read(n)[1] for n in nodes if isinstance(n, (ir.Attr, ir.Subscript, ir.Call))}


def way(case: Case, point: Point, reply: Reply) -> str | None:
    """The way that a test goes for a reply; None where the test is about something else."""
    node, function = point.node, point.frame.function
    roles, row = case.tools.roles, reply.row
    held, free = ("true", "false") if reply.calls else ("false", "true")
    if isinstance(node, ir.Compare) and FINISH in roles.of(node.left, function):
        values = {n.value for n in ir.walk(node.right) if isinstance(n, ir.Const) and isinstance(n.value, str)}
        spoken = {*row.all("finish-final"), *row.all("finish-calls"), *row.all("finish-cut")}
        if not values & spoken:
            return None  # the reasons of another interface
        same = reply.reason in values
        if node.op in {"==", "in", "is"}:
            return "true" if same else "false"
        if node.op in {"!=", "not in", "is not"}:
            return "false" if same else "true"
        return None
    if isinstance(node, (ir.Name, ir.Attr, ir.Subscript, ir.Call)):
        found = roles.of(node, function)
        if CALLS in found:
            return held
        if REPLY in found and isinstance(node, (ir.Attr, ir.Subscript)) and key_read(node)[1] in row.all("text"):
            return None if reply.calls else "false"
    if isinstance(node, ir.Compare) and CALLS in roles.of(node.left, function) and isinstance(node.right, ir.Const):
        if node.right.value is None:
            return free if node.op in {"is", "=="} else held
    return None
