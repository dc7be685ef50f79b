"""The step cap: does every pass to a turn stand under a finite number that is committed with the code?"""

from __future__ import annotations

import math
from collections.abc import Iterable

from toolbind_lint.facts import Place, Step, Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, cycle, passes
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CLOCK, argument, dotted, last_name
from toolbind_lint.recognise.spending import is_budget
from toolbind_lint.recognise.values import text_of
from toolbind_lint.recognise.witness import exits_considered, witness_steps
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_FAILURE_WORDS = ("error", "fail", "invalid", "exception", "malformed", "unparsed", "retry")


def verdict(case: Case, ceiling: int) -> Verdict:
    """How the step cap of a loop stands."""
    if case.graph.truncated:
        return Verdict("cap", "unknown", (), (Evidence(header(case), "", "too large to follow every path"),))
    effective = _effective(case)
    faults = (*(f for b in effective for f in _changed(case, b)), *_moved_deadlines(case))
    counted = _counted(case, effective)
    gap = case.finder.uncovered(counted)
    if gap is None:
        return _held(case, counted, ceiling, faults)
    counting = _counted_on_success(case, effective, counted)
    if counting is not None:
        return Verdict("cap", "leaks", (counting, *faults))
    unknown = _may_end_elsewhere(case, gap)
    if unknown is not None:
        return Verdict("cap", "unknown", (), (unknown,))
    return Verdict("cap", "missing", (_none(case, gap), *faults))


def _effective(case: Case) -> list[Bound]:
    """The finite bounds whose cap ends the loop, whatever their counters do."""
    finder = case.finder
    return [
        b
        for b in case.bounds
        if finder.finite(b)
        and not is_budget(case, b)
        and (b.leaves or finder.leaves_unchanged(b))
        # One that only some passes come by can help another; deep inside helpers it is a check of something else.
        and (b.tests[0].frame.caller is None or finder.stands_on_all([b]))
    ]


def _counted(case: Case, effective: list[Bound]) -> list[Bound]:
    """Of the effective bounds those whose counters move on every pass."""
    good = [b for b in effective if case.finder.covers(b)]
    # A bound whose counter is set back only now and then still bounds the other passes: that is its own fault.
    rest = [b for b in effective if b not in good and _covers_but_reset(case, b)]
    return good + [b for b in rest if any(f.how for f in _changed(case, b))]


def holding(case: Case) -> list[Bound]:
    """The bounds that together end the loop, those first that do so alone; none where nothing does."""
    counted = _counted(case, _effective(case))
    if case.graph.truncated or case.finder.uncovered(counted) is not None:
        return []
    return [b for b in counted if case.finder.stands_on_all([b])] or counted


def ends_without(case: Case, points: Iterable[Point]) -> bool:
    """Whether a finite number of steps ends every pass that does not come by some points."""
    counted = [
        b
        for b in _effective(case)
        if not passes(case.graph, [case.finder.pivots, (*b.tests, *b.guards)], [*b.moves, *points])
        and not case.finder.reset_passes(b)
    ]
    tests = [p for b in counted for p in (*b.tests, *b.guards)]
    return bool(counted) and case.finder.uncovered_by([*tests, *points]) is None


def header(case: Case) -> Place:
    """The place of the subject's header."""
    return case.tools.program.place(case.function.module, case.header)


def place_of(case: Case, point: Point, node: ir.Node | None = None) -> Place:
    """The place of a point."""
    return case.tools.program.at(point.frame.function, node or point.node)


# ---- held, and in which way not quite


def _held(case: Case, bounds: list[Bound], ceiling: int, faults: tuple[Fault, ...]) -> Verdict:
    alone = [b for b in bounds if case.finder.stands_on_all([b])] or bounds
    judged = [(_weight(b, ceiling), number, b) for number, b in enumerate(alone)]
    _, _, best = min(judged, key=lambda row: (row[0], row[1]))
    fault = _value_fault(case, best, ceiling)
    evidence = tuple(_evidence(case, b) for _, _, b in sorted(judged, key=lambda row: (row[0], row[1])))
    overridden = _overridden(case, best) if fault is None else []
    everything = ((fault,) if fault is not None else ()) + tuple(overridden) + faults
    if everything:
        return Verdict("cap", "leaks", everything, evidence)
    if _is_unknown(best):
        return Verdict("cap", "unknown", (), evidence)
    return Verdict("cap", "held", (), evidence)


def _is_unknown(bound: Bound) -> bool:
    return not any(v.pinned for v in bound.values)


def worst(bound: Bound) -> Value:
    """The alternative that a message should name: what is not pinned, then what is off, then the largest number."""
    for value in bound.values:
        if value.pinned is False:
            return value
    for value in bound.values:
        if _off(value):
            return value
    numbers = [v for v in bound.values if v.number is not None]
    return max(numbers, key=lambda v: v.number or 0) if numbers else bound.values[0]


def _off(value: Value) -> bool:
    return value.origin == "absent" or (value.number is not None and value.number <= 0 and value.origin != "computed")


def _weight(bound: Bound, ceiling: int) -> int:
    """Lighter is better evidence."""
    value = worst(bound)
    if bound.off:
        return 4
    if value.pinned is False:
        return 3
    if _off(value) and (bound.guards or value.origin == "absent"):
        return 4
    if value.number is not None and value.number > ceiling:
        return 1
    return 2 if _is_unknown(bound) else 0


def _value_fault(case: Case, bound: Bound, ceiling: int) -> Fault | None:
    value = worst(bound)
    words = {"cap": number_text(value), "source": source_text(value), "value": value.text}
    trail = value.trail
    weight = _weight(bound, ceiling)
    at = value.trail[0].place if value.trail else place_of(case, bound.tests[0])
    related = (Step(place_of(case, bound.tests[0]), "the loop is bounded by it here"),)
    if weight == 4:
        return Fault("off-by-default", at, tuple(words.items()), trail, related)
    if weight == 3:
        return Fault("unpinned", at, tuple(words.items()), trail, related)
    if weight == 1:
        return Fault("too-high", at, (*words.items(), ("ceiling", str(ceiling))), trail, related)
    return None


def number_text(value: Value) -> str:
    """A number as a person writes it, or the expression."""
    if value.number is None:
        return value.text
    return (
        "∞"
        if math.isinf(value.number)
        else str(int(value.number))
        if value.number == int(value.number)
        else str(value.number)
    )


def source_text(value: Value) -> str:
    """Where an unpinned value comes from, in words."""
    if value.origin == "environment":
        said = value.trail[-1].message if value.trail else ""
        return said if said.startswith(("environment", "settings")) else f"the environment ({value.text})"
    if value.origin == "argument":
        return f"an argument ({value.text})"
    kinds = {"file": "a file", "remote": "another service"}
    return f"{kinds.get(value.origin, value.origin)} ({value.text})"


def written(value: Value) -> Place | None:
    """Where a value is committed: of one that is read from a file, the line in that file."""
    return value.trail[-1 if value.origin == "file" else 0].place if value.trail else None


def _evidence(case: Case, bound: Bound) -> Evidence:
    value = worst(bound)
    how = {"range": "as many passes as", "counter": "compared with", "size": "its size compared with"}[bound.kind]
    message = f"{how} {text_of(bound.cap)}"
    if value.number is not None and value.text != text_of(bound.cap):
        source = value.text if value.origin == "file" else value.origin
        message += f" = {number_text(value)} ({source})"
    number = number_text(value) if value.number is not None else ""
    return Evidence(place_of(case, bound.tests[0]), number, message, written(value))


# ---- changed in the run


def _covers_but_reset(case: Case, bound: Bound) -> bool:
    """Whether a bound would hold if nothing set its counter back, and some pass does not."""
    finder = case.finder
    stages = [finder.pivots, (*bound.tests, *bound.guards)]
    if passes(case.graph, stages, bound.moves):
        return False
    return passes(case.graph, [finder.pivots, bound.moves], bound.resets)


def _changed(case: Case, bound: Bound) -> list[Fault]:
    """``max_steps += 5`` and ``steps = 0`` while the loop runs."""
    finder = case.finder
    out: list[Fault] = []
    if bound.kind == "range" or not case.finder.stands_on_all([bound]):
        return out
    for cell in sorted(bound.cap_cells - bound.cells):
        for point in finder.changes(cell, "set", "move"):
            if passes(case.graph, [finder.pivots, [point]]):
                words = (("counter", cell[-1]), ("cap", text_of(bound.cap)))
                out.append(Fault("changed-in-run", place_of(case, point), words, related=_at_test(case, bound)))
    if bound.kind == "counter" and _covers_but_reset(case, bound):
        for point in bound.resets:
            if passes(case.graph, [finder.pivots, [point]]):
                words = (("counter", (point.cell or ("",))[-1]), ("cap", text_of(bound.cap)))
                out.append(Fault("changed-in-run", place_of(case, point), words, related=_at_test(case, bound)))
    return out


def _moved_deadlines(case: Case) -> list[Fault]:
    """``deadline += 30`` while the loop runs."""
    out: list[Fault] = []
    for test in case.time_tests:
        if not test.leaves or not isinstance(test.point.node, ir.Compare):
            continue
        for node in ir.walk(test.point.node):
            if not isinstance(node, (ir.Name, ir.Attr)) or CLOCK not in case.tools.roles.of(node, test.frame.function):
                continue
            cell = case.builder.cell(node, test.frame)
            for point in case.finder.changes(cell, "move") if cell is not None else ():
                words = (
                    ("counter", cell[-1] if cell else ""),
                    ("cap", text_of(test.point.node)),
                    ("value", text_of(node)),
                )
                fault = Fault(
                    "changed-in-run",
                    place_of(case, point),
                    words,
                    related=(Step(place_of(case, test.point), "compared here"),),
                )
                if fault not in out:
                    out.append(fault)
    return out


def _overridden(case: Case, bound: Bound) -> list[Fault]:
    """Calls of the project that replace the committed default of the cap by a number that is not committed."""
    tools = case.tools
    function = bound.cap_frame.function
    out: list[Fault] = []
    for owner, name in _parameters(case, bound.cap, function):
        for number, param in enumerate(owner.node.params):
            if param.name != name or param.default is None:
                continue
            for call, caller in tools.program.callers(owner):
                value = argument(call, param, number - (1 if owner.self_name else 0))
                if value is None:
                    continue
                for found in tools.values.alternatives(value, caller):
                    if found.pinned is False:
                        words = (("cap", number_text(found)), ("source", source_text(found)), ("value", found.text))
                        related = (Step(place_of(case, bound.tests[0]), "the loop is bounded by it here"),)
                        out.append(Fault("unpinned", tools.program.at(caller, value), words, found.trail, related))
                        break
    return out


def _parameters(case: Case, cap: ir.Expr, function: Function) -> Iterable[tuple[Function, str]]:
    """The parameters that a cap is: itself, or what the constructor stores in a field."""
    program = case.tools.program
    if isinstance(cap, ir.Name):
        for binding in program.lookup(cap.id, function):
            if binding.kind == "parameter":
                yield binding.scope, cap.id
    elif isinstance(cap, ir.Attr):
        for base in program.resolve(cap.base, function):
            for binding in program.fields(base, cap.name):
                if binding.kind == "assign" and isinstance(binding.value, ir.Name):
                    for inner in program.lookup(binding.value.id, binding.scope):
                        if inner.kind == "parameter":
                            yield inner.scope, binding.value.id


def _at_test(case: Case, bound: Bound) -> tuple[Step, ...]:
    return (Step(place_of(case, bound.tests[0]), f"compared here with {text_of(bound.cap)}"),)


# ---- counted on success only


def _counted_on_success(case: Case, effective: list[Bound], good: list[Bound]) -> Fault | None:
    finder = case.finder
    for bound in effective:
        if bound in good or not bound.moves or bound.kind == "size":
            continue
        tests = (*bound.tests, *bound.guards)
        if not finder.stands_on_all([*good, bound]):
            continue
        if not passes(case.graph, [finder.pivots, tests, bound.moves], bound.resets):
            continue
        free = cycle(case.graph, [finder.pivots, tests], bound.moves)
        if free is None:
            continue
        if passes(case.graph, [finder.pivots, tests], bound.moves, raising=False) and not _after_failure(free):
            continue
        move = bound.moves[0]
        words = (("counter", (move.cell or ("it",))[-1]), ("cap", text_of(bound.cap)))
        trail = witness_steps(case, free)
        return Fault("counts-success-only", place_of(case, move), words, trail, _at_test(case, bound))
    return None


def _after_failure(walk: Iterable[Point]) -> bool:
    """Whether a pass takes a handler, or the way of a test that names a failure."""
    for point in walk:
        if point.kind == "handler":
            return True
        if point.kind == "test":
            names = {last_name(n).lower() for n in ir.walk(point.node) if isinstance(n, (ir.Name, ir.Attr))}
            if any(word in name for name in names for word in _FAILURE_WORDS):
                return True
            if (
                isinstance(point.node, ir.Compare)
                and isinstance(point.node.right, ir.Const)
                and point.node.right.value is None
            ):
                return True
    return False


# ---- nothing


def _none(case: Case, gap: list[Point]) -> Fault:
    finder = case.finder
    trail = witness_steps(case, gap)
    related: list[Step] = []
    how = "none"
    words: dict[str, str] = {}
    for bound in case.bounds:
        at = place_of(case, bound.tests[0])
        if bound.leaves and not finder.finite(bound) and finder.stands_on_all([bound]):
            how = "infinite"
            value = worst(bound)
            words.update({"cap": text_of(bound.cap), "value": value.text})
            related.extend(value.trail)
        elif not bound.leaves:
            related.append(Step(at, "compared here, and the loop goes on either way"))
        elif not bound.moves or not passes(case.graph, [finder.pivots, bound.moves]):
            related.append(Step(at, "compared here, and nothing moves it"))
        else:
            related.append(Step(at, "compared here, and not on every pass"))
    if how == "none":
        stuck = _never_moves(case)
        if stuck is not None:
            how = "never-moves"
            related.append(stuck)
            words["counter"] = stuck.message
    related.extend(exits_considered(case, case.bounds))
    return Fault(how, header(case), tuple(words.items()), trail, tuple(related))


def _never_moves(case: Case) -> Step | None:
    """A comparison with a number that would end the loop, of something that the loop never moves."""
    for point in case.finder.ordered:
        node = point.node
        if point.kind != "test" or not isinstance(node, ir.Compare) or node.op not in {"<", "<=", ">", ">="}:
            continue
        if point.cell is None or case.finder.changes(point.cell, "move", "grow", "iter", "set"):
            continue
        values = case.tools.values.alternatives(node.left, point.frame.function)
        numbers = [v for v in values if v.number is not None and v.pinned]
        if numbers and len(numbers) == len(values) and case.finder.uncovered_by([point]) is None:
            return Step(place_of(case, point), dotted(node.left) or text_of(node.left))
    return None


def _may_end_elsewhere(case: Case, gap: list[Point]) -> Evidence | None:
    """A call on the pass that nobody can read and whose answer decides whether the loop goes on."""
    for point in gap:
        node = point.node
        if point.kind != "test":
            continue
        call = _asked(node)
        if call is None:
            continue
        out = [t for _, t in point.to]
        if all(case.finder.goes_on(t) for t in out):
            continue
        if case.finder.answers_for_itself(call, point):
            continue
        return Evidence(place_of(case, point), "", f"whether {text_of(call)} ever ends the loop is not known")
    return None


def _asked(node: ir.Node) -> ir.Call | None:
    inner = node.value if isinstance(node, ir.Await) else node
    return inner if isinstance(inner, ir.Call) else None
