"""The wall-clock budget: does anything end the whole run after a time, whatever its tools and turns do?

A test of the time counts where it ends the loop, stands on every pass, and remembers a start that no pass sets anew. A
limit around the loop, or around all that leads to it, counts as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Place, Step, Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import passes, reach
from toolbind_lint.recognise.clocks import TimeTest
from toolbind_lint.recognise.gates import turns
from toolbind_lint.recognise.gates.cap import header, number_text, place_of, source_text, written
from toolbind_lint.recognise.limits import Limit
from toolbind_lint.recognise.loops import Case, Tools
from toolbind_lint.recognise.paths import Frame, Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CLOCK
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

MAX_FUNCTIONS = 300
NEAR = 2
"""How many calls down from a loop its own budget may be tested; further down time is that of providers and tools."""


def verdict(case: Case, ceiling_ms: int | None = None) -> Verdict:
    """How the wall-clock budget of a loop stands; ``ceiling_ms`` is the longest that the project allows."""
    own = _own(case)
    enclosing = case.tools.limits.enclosing(case.function, case.node)
    around = enclosed(case.tools, enclosing) if enclosing else None
    if own is not None and own.state == "held":
        found = own
    elif around is not None and (own is None or around.state == "held"):
        jumping = tuple(f for f in own.faults if f.how == "not-monotonic") if own is not None else ()
        found = Verdict("wall", "leaks" if jumping else around.state, (*around.faults, *jumping), around.evidence)
    else:
        found = own or _nothing(case)
    seconds = _seconds(case, enclosing)
    if ceiling_ms is not None and seconds is not None and seconds * 1000 > ceiling_ms and not _off(found):
        at = found.evidence[0].place if found.evidence else header(case)
        words = (("cap", _number_text(seconds)), ("ceiling", str(ceiling_ms)))
        found = found._replace(state="leaks", faults=(*found.faults, Fault("too-long", at, words)))
    waiting = tuple(turns.faults(case, seconds, enclosed=around is not None))
    if waiting and found.state != "unknown":
        state = "leaks" if found.state == "held" else found.state
        found = found._replace(state=state, faults=(*found.faults, *waiting))
    return found


def dispatcher_verdict(case: Case) -> Verdict:
    """Of a dispatcher only that the time by which it refuses a call is read from a clock that cannot jump."""
    for test in case.time_tests:
        ways = [any(p.kind == "dispatch" for p in reach([t])) for _, t in test.point.to]
        if True in ways and False in ways:
            at = place_of(case, test.point)
            said = Evidence(at, "", "the time is compared before the tool runs")
            if test.monotonic:
                return Verdict("wall", "held", (), (said,))
            return Verdict("wall", "leaks", (Fault("not-monotonic", at, _read(test)),), (said,))
    return Verdict("wall", "not-applicable")


def _off(found: Verdict) -> bool:
    return any(f.how in {"none", "re-armed-each-pass", "off-by-default", "unpinned"} for f in found.faults)


# ---- what the loop tests itself


def _own(case: Case) -> Verdict | None:
    """What the tests of the loop itself amount to; None where they are no bound of the run."""
    tests = [t for t in case.time_tests if t.leaves and not t.rearmed]
    if not tests:
        return _beside(case)
    pivots = case.finder.pivots
    points = {p for t in tests for p in (t.point, *_guards(case, t))} | _entered(case, tests)
    best = next((t for t in tests if not passes(case.graph, [pivots], {t.point, *_guards(case, t)})), tests[0])
    at = place_of(case, best.point)
    faults: list[Fault] = []
    if passes(case.graph, [pivots], points):
        if not passes(case.graph, [pivots, [t.point for t in tests]], raising=False):
            return None  # met only on the way out of a failure
        faults.append(Fault("checked-once", at, (("value", "some passes come to no test of it"),)))
    budget = _budget_values(case, best)
    fault = _value_fault(best, at, budget)
    faults = ([fault] if fault is not None else []) + faults
    jumping = next((t for t in tests if not t.monotonic), None)
    if jumping is not None:
        faults.append(Fault("not-monotonic", place_of(case, jumping.point), _read(jumping)))
    finite = [v for v in budget if v.number is not None]
    said = f"the time is compared with {text_of(best.budget)}" if best.budget is not None else ""
    evidence = Evidence(
        at,
        number_text(finite[0]) if finite else "",
        said or "the time is compared with a budget",
        written(finite[0]) if finite else None,
    )
    return Verdict("wall", "leaks" if faults else "held", tuple(faults), (evidence,))


def _guards(case: Case, test: TimeTest) -> list[Point]:
    """Tests that skip the comparison while the budget is off, or nothing was started."""
    cells = _cells_of_budget(case, test)
    pending: list[tuple[ir.Node, Frame, int]] = [(test.point.node, test.point.frame, 0)]
    while pending:
        expr, frame, depth = pending.pop()
        for node in ir.walk(expr):
            if isinstance(node, (ir.Name, ir.Attr)) and (cell := case.builder.cell(node, frame)) is not None:
                cells.add(cell)
                for change in case.finder.changes(cell, "set") if depth < 3 else ():
                    if change.value is not None and change.value_frame is not None:
                        pending.append((change.value, change.value_frame, depth + 1))
    blocked = frozenset({case.head, *case.finder.pivots} - {test.point})
    out = list(case.finder.guards(test.point, frozenset(cells)))
    for point in case.finder.ordered:
        if point.kind == "test" and point.cell in cells and point is not test.point:
            ways = [test.point in reach([t], blocked) for _, t in point.to]
            if True in ways and False in ways:
                out.append(point)
    return out


def _cells_of_budget(case: Case, test: TimeTest) -> set[tuple[str, ...]]:
    frames = [f for f in case.graph.frames if f.function.key == test.scope.key]
    out = set()
    for frame in frames[:1]:
        for node in ir.walk(test.budget) if test.budget is not None else ():
            if isinstance(node, (ir.Name, ir.Attr)) and (cell := case.builder.cell(node, frame)) is not None:
                out.add(cell)
    return out


def _entered(case: Case, tests: list[TimeTest]) -> set[Point]:
    """The heads of inner loops that test the time on each pass of theirs (the chunks of a stream)."""
    points = frozenset(t.point for t in tests)
    inner = {number for p in points for number in p.loops[len(case.head.loops) :]}
    heads = [p for p in case.finder.inside if p.kind in {"head", "iter"} and p.loop in inner and p is not case.head]
    return {h for h in heads if h not in reach([t for label, t in h.to if label != "done"], points)}


def _budget_values(case: Case, test: TimeTest) -> tuple[Value, ...]:
    if test.budget is None or isinstance(test.budget, ir.Const):
        return case.tools.values.alternatives(test.budget, test.scope) if test.budget is not None else ()
    return case.tools.values.alternatives(test.budget, test.scope)


def _value_fault(test: TimeTest, at: Place, values: tuple[Value, ...]) -> Fault | None:
    if isinstance(test.budget, ir.Const):
        return None
    loose = next((v for v in values if v.pinned is False), None)
    if loose is not None:
        words = (("cap", number_text(loose)), ("source", source_text(loose)))
        return Fault("unpinned", at, words, loose.trail)
    off = next((v for v in values if v.origin in {"absent", "infinite"} or (v.number or 0) < 0 or v.number == 0), None)
    if off is not None:
        return Fault("off-by-default", at, (("cap", text_of(test.budget)), ("value", off.text)), off.trail)
    return None


def _read(test: TimeTest) -> tuple[tuple[str, str], ...]:
    return (("value", text_of(test.point.node) if isinstance(test.point.node, ir.Compare) else ""),)


def _beside(case: Case) -> Verdict | None:
    """A deadline that is compared before the loop, or behind it, and never inside."""
    function = case.function
    if case.kind != "tool-loop" or function.toplevel or case.node is function.node:
        return None
    start, end = case.node.span[:2], case.node.span[2:]
    for stmt in function.nodes:
        if not isinstance(stmt, ir.If) or not (stmt.span[2:] <= start or stmt.span[:2] >= end):
            continue
        if not stmt.body or not isinstance(stmt.body[-1], ir.Raise) or not isinstance(stmt.test, ir.Compare):
            continue
        sides = (stmt.test.left, stmt.test.right)
        if all(CLOCK not in case.tools.roles.of(s, function) for s in sides):
            continue
        if any(_is_deadline(n, function, case) for s in sides for n in ir.walk(s)):
            at = case.tools.program.at(function, stmt.test)
            where = "before the loop" if stmt.span[2:] <= start else "behind the loop"
            return Verdict("wall", "leaks", (Fault("checked-once", at, (("value", f"only {where}"),)),))
    return None


def _is_deadline(node: ir.Node, function: Function, case: Case) -> bool:
    """Whether a name holds a deadline or start of this function: a parameter, or set from the clock before the loop."""
    if not isinstance(node, ir.Name):
        return False
    bindings = case.tools.program.locals(function).get(node.id, ())
    if any(b.kind == "parameter" for b in bindings):
        return any(word in node.id.lower() for word in ("deadline", "expire", "until"))
    return any(
        b.kind == "assign" and b.span[:2] < case.node.span[:2] and CLOCK in case.tools.roles.of(b.value, b.scope)
        for b in bindings
    )


# ---- around the loop


def enclosed(tools: Tools, limits: tuple[Limit, ...]) -> Verdict:
    """A limit around a loop or run, or around all that leads to it."""
    first = limits[0]
    at = tools.program.at(first.function, first.call)
    number = next((v for v in first.values if v.number is not None), None)
    said = text_of(first.call) if isinstance(first.call, (ir.Call, ir.Name, ir.Attr)) else "a limit"
    evidence = (
        Evidence(at, number_text(number) if number else "", said, written(number) if number is not None else None),
    )
    for limit in limits:
        loose = limit.unpinned
        place = tools.program.at(limit.function, limit.call)
        if loose is not None:
            words = (("cap", number_text(loose)), ("source", source_text(loose)))
            return Verdict("wall", "leaks", (Fault("unpinned", place, words, loose.trail),), evidence)
        if limit.off:
            off = next(v for v in limit.values if v.origin in {"absent", "infinite"})
            fault = Fault("off-by-default", place, (("cap", text_of(limit.value)), ("value", off.text)), off.trail)
            return Verdict("wall", "leaks", (fault,), evidence)
    return Verdict("wall", "held", (), evidence)


def _seconds(case: Case, limits: tuple[Limit, ...]) -> float | None:
    """The longest that the run may take by its own tests and the limits around it; None where that is not known."""
    found: list[float] = []
    for test in case.time_tests:
        if test.leaves and not test.rearmed:
            numbers = [v.number for v in _budget_values(case, test)]
            if numbers and all(n is not None and 0 < n < 1e9 for n in numbers):
                found.append(max(n for n in numbers if n is not None))
    outer = [limit.seconds for limit in limits]
    if outer and all(s is not None for s in outer):
        found.append(max(s for s in outer if s is not None))
    return min(found) if found else None


def _number_text(seconds: float) -> str:
    return str(int(seconds)) if seconds == int(seconds) else str(seconds)


# ---- nothing


def _nothing(case: Case) -> Verdict:
    if case.graph.truncated and _reads_clock(case):
        return Verdict("wall", "unknown", (), (Evidence(header(case), "", "too large to follow every path"),))
    for test in case.time_tests:
        if test.leaves and test.rearmed:
            at = place_of(case, test.point)
            related = (Step(at, "compared here with a start that each pass sets anew"),)
            return Verdict("wall", "missing", (Fault("re-armed-each-pass", header(case), related=related),))
    if not case.turns:
        return Verdict("wall", "missing", (Fault("none", header(case)),))
    rearmed = next(_timed_turns(case), None)
    if rearmed is not None:
        related = (Step(case.tools.program.at(rearmed.function, rearmed.call), "this limit starts anew on each pass"),)
        words = (("value", text_of(rearmed.call) if isinstance(rearmed.call, ir.Call) else ""),)
        return Verdict("wall", "missing", (Fault("re-armed-each-pass", header(case), words, related=related),))
    return Verdict("wall", "missing", (Fault("none", header(case)),))


def _timed_turns(case: Case) -> Iterator[Limit]:
    """Timers inside the loop that hold a whole pass, turn and dispatch, and start anew on each."""
    limits = case.tools.limits
    for outer in case.function.nodes:
        if not isinstance(outer, ir.With) or not _within(outer, case.node):
            continue
        body = outer.body[0] if outer.body else outer
        for limit in limits.around(body, case.function):
            if _within(limit.call, outer) and _holds_pass(outer, case):
                yield limit


def _within(node: ir.Node, outer: ir.Node) -> bool:
    return outer.span[:2] <= node.span[:2] and node.span[2:] <= outer.span[2:] and node is not outer


def _holds_pass(outer: ir.With, case: Case) -> bool:
    """Whether both the turns and the dispatches of a loop run inside a block of its own function."""

    def inside(point: Point) -> bool:
        frame, node = point.frame, point.node
        while frame.caller is not None and frame.call is not None:
            node, frame = frame.call, frame.caller
        return outer.span[:2] <= node.span[:2] and node.span[2:] <= outer.span[2:]

    return all(inside(p) for p in (*case.turns, *case.dispatches))


def _reads_clock(case: Case) -> bool:
    """Whether the time is compared in what a loop does itself, or a few calls down."""
    program, roles = case.tools.program, case.tools.roles
    seen: set[str] = set()
    inside = [n for n in case.function.nodes if _within(n, case.node)]
    pending: list[tuple[list[ir.Node], Function, int]] = [(inside, case.function, 0)]
    while pending:
        nodes, function, depth = pending.pop()
        for node in nodes:
            if isinstance(node, ir.Compare) and CLOCK in roles.of(node, function):
                return True
            if isinstance(node, ir.Call) and depth < NEAR:
                for target in program.targets(node, function):
                    if target.key not in seen:
                        seen.add(target.key)
                        pending.append((list(target.nodes), target, depth + 1))
        if len(seen) > MAX_FUNCTIONS:
            return True
    return False
