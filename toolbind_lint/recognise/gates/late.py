"""A cap that is tested behind what it should gate: the loop runs one pass more than the number says."""

from __future__ import annotations

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, passes, reach
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_BEFORE_CAP = frozenset({">=", "<", "==", "!=", "<=", ">"})


def faults(case: Case, bounds: list[Bound]) -> list[Fault]:
    """The bounds that let one pass too many run, where no other bound is in time."""
    late = [(b, over) for b in bounds if (over := _passes_over(case, b)) is not None]
    if len(late) < len(bounds):
        return []  # another bound ends the loop in time
    out = []
    for bound, gated in late:
        words = (("cap", text_of(bound.cap)), ("counter", (bound.moves[0].cell or ("",))[-1]))
        related = (Step(place_of(case, gated), "this has run once more by then"),)
        out.append(Fault("late", place_of(case, bound.tests[0]), words, related=related))
    return out


def _passes_over(case: Case, bound: Bound) -> Point | None:
    """The turn or dispatch that runs once more than the cap allows; None where none does, or where it is not known."""
    if (
        bound.kind != "counter"
        or len(bound.tests) != 1
        or case.graph.consumed is not None
        or not isinstance(case.node, (ir.While, ir.For))
    ):
        return None
    test = bound.tests[0]
    gated = _gated(case, test)
    if gated is None:
        return None
    start = _start(case, bound)
    if start is None or not _by_one(bound):
        return None
    node = _comparison(case, test)
    if node is None:
        return None
    counted = _counted_before(case, bound, test)
    if counted is None:
        return None
    # In pass k the counter stands at start + k where it is moved before the test, else at start + k - 1; the loop
    # ends once it has reached the cap (or, with a strict comparison, gone past it).
    over = (0 if counted else 1) + (1 if _strict(bound, node) else 0) - start
    return gated if over > 0 else None


def _gated(case: Case, test: Point) -> Point | None:
    """The last thing that every pass does before it comes to the test: the dispatch, or the turn of a loop without
    one.
    """
    wanted = case.dispatches or case.turns
    ahead = reach([case.head], frozenset({test}))
    behind = reach([t for _, t in test.to], frozenset({case.head}))
    for point in reversed(wanted):
        if point not in ahead or point in behind or (point.loops != test.loops and len(test.loops) > len(point.loops)):
            return None
    return wanted[-1] if wanted else None


def _by_one(bound: Bound) -> bool:
    return bool(bound.moves) and all(
        p.kind == "move" and p.op in {"+", "-"} and isinstance(p.value, ir.Const) and p.value.value == 1
        for p in bound.moves
    )


def _start(case: Case, bound: Bound) -> int | None:
    """By how much the counter is ahead at the start: a count from 1 has used one step before the first pass."""
    if any(p.op == "-" for p in bound.moves):
        return 0 if bound.cap is not bound.tests[0].node else None
    counter = next((t for t in _counters(bound)), None)
    if counter is None:
        return None
    values = case.tools.values.alternatives(counter, bound.tests[0].frame.function)
    numbers = {v.number for v in values if v.number is not None}
    start = next(iter(numbers)) if len(numbers) == 1 else None
    return int(start) if start is not None and start == int(start) else None


def _counters(bound: Bound) -> list[ir.Expr]:
    """The side of the comparison that is the counter."""
    node = bound.tests[0].node
    if not isinstance(node, ir.Compare):
        return []
    return [side for side in (node.left, node.right) if side is not bound.cap and isinstance(side, (ir.Name, ir.Attr))]


def _comparison(case: Case, test: Point) -> ir.Compare | None:
    return test.node if isinstance(test.node, ir.Compare) and test.node.op in _BEFORE_CAP else None


def _strict(bound: Bound, node: ir.Compare) -> bool:
    """Whether the loop ends only past the cap: ``if n > cap``, ``while n <= cap``, ``if left < 0``."""
    leaving = next((label for label, target in bound.tests[0].to if target in bound.reached), "true")
    return node.op in {"<", ">"} if leaving == "true" else node.op in {"<=", ">="}


def _counted_before(case: Case, bound: Bound, test: Point) -> bool | None:
    """Whether each pass moves the counter before it comes to the test (None where some do and some do not)."""
    moves = frozenset(bound.moves)
    first = test in reach([case.head], moves)
    if not first:
        return True
    after = passes(case.graph, [[test]], moves)
    return None if after or any(test in reach([t for _, t in m.to], frozenset({case.head})) for m in moves) else False
