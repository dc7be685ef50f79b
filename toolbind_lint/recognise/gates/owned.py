"""What is a loop's own: the dispatches, results and handlers that no tool loop inside it owns."""

from __future__ import annotations

from collections.abc import Iterable

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.roles import last_name


def own_dispatches(case: Case) -> tuple[Point, ...]:
    """The dispatches of a case without those of a tool loop that stands inside it."""
    found = case.notes.get("own dispatches")
    if not isinstance(found, tuple):
        found = case.notes["own dispatches"] = tuple(p for p in case.dispatches if not is_inner(case, p))
    return found


def is_inner(case: Case, point: Point) -> bool:
    """Whether a point stands in an inner loop that comes back to a turn behind it: that loop is judged by itself."""
    data = case.notes.get("loops over data")
    if not isinstance(data, frozenset):
        data = case.notes["loops over data"] = frozenset(
            p.loop for p in case.graph.points if isinstance(p.node, ir.For) and _is_no_loop(p, p.node)
        )
    for number in point.loops:
        if number == case.head.loop or number in data:
            continue
        turns = frozenset(t for t in case.turns if number in t.loops)
        asked = turns & _within([point], number) if turns else turns
        # Behind the tool the same loop asks again, and runs the tool again.
        if asked and point in _within(asked, number):
            return True
    return False


def _is_no_loop(head: Point, node: ir.For) -> bool:
    """Whether a ``for`` is over data: the calls of a reply, the chunks of a stream, what a generator gives."""
    counted = {"range", "count", "cycle", "repeat", "trange"}
    return head.loop >= 0 and not any(
        isinstance(n, ir.Call) and last_name(n.func) in counted for n in ir.walk(node.iter)
    )


def _within(starts: Iterable[Point], number: int) -> set[Point]:
    """What is reached behind some points without leaving a loop and without an exception."""
    seen: set[Point] = set()
    stack = [t for start in starts for label, t in start.to if label != "raise"]
    while stack:
        here = stack.pop()
        if here not in seen and number in here.loops:
            seen.add(here)
            stack.extend(t for label, t in here.to if label != "raise")
    return seen
