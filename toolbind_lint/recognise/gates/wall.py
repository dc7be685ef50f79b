"""The wall-clock budget: does anything end the whole run after a time, whatever its tools and turns do?"""

from __future__ import annotations

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import header, number_text, place_of, source_text, written
from toolbind_lint.recognise.limits import Limit
from toolbind_lint.recognise.loops import Case, Tools
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict


def verdict(case: Case) -> Verdict:
    """How the wall-clock budget of a loop stands."""
    rearmed: Evidence | None = None
    for test in case.time_tests:
        at = place_of(case, test.point)
        if not test.leaves:
            continue
        if test.rearmed:
            rearmed = Evidence(at, "", "armed again on each pass")
            continue
        return _judged(case, test.budget, test.frame.function, at, test.monotonic)
    enclosing = case.tools.limits.enclosing(case.function, case.node)
    if enclosing:
        return enclosed(case.tools, enclosing)
    if case.graph.truncated:
        return Verdict("wall", "unknown", (), (Evidence(header(case), "", "too large to follow every path"),))
    if rearmed is not None:
        related = (Step(rearmed.place, "compared here with a start that each pass sets anew"),)
        return Verdict("wall", "missing", (Fault("re-armed-each-pass", header(case), related=related),))
    return Verdict("wall", "missing", (Fault("none", header(case)),))


def _judged(case: Case, budget: ir.Expr | None, function: Function, at: Place, monotonic: bool) -> Verdict:
    faults: list[Fault] = []
    evidence = [Evidence(at, "", "the time is compared with a budget")]
    if budget is not None and not isinstance(budget, ir.Const):
        values = case.tools.values.alternatives(budget, function)
        off = [v for v in values if v.origin == "absent" or v.number == 0]
        loose = [v for v in values if v.pinned is False]
        finite = [v for v in values if v.number is not None]
        if loose:
            words = (("cap", number_text(loose[0])), ("source", source_text(loose[0])))
            faults.append(Fault("unpinned", at, words, loose[0].trail))
        elif off:
            faults.append(Fault("off-by-default", at, (("cap", text_of(budget)),), off[0].trail))
        elif finite:
            said = f"the time is compared with {text_of(budget)}"
            evidence[0] = Evidence(at, number_text(finite[0]), said, written(finite[0]))
    if not monotonic:
        faults.append(Fault("not-monotonic", at))
    return Verdict("wall", "leaks" if faults else "held", tuple(faults), tuple(evidence))


def enclosed(tools: Tools, limits: tuple[Limit, ...]) -> Verdict:
    """A limit around a loop or run, or around all that leads to it."""
    first = limits[0]
    at = tools.program.at(first.function, first.call)
    evidence = (Evidence(at, _number(first), text_of(first.call) if isinstance(first.call, ir.Call) else "a limit"),)
    for limit in limits:
        loose = limit.unpinned
        place = tools.program.at(limit.function, limit.call)
        if loose is not None:
            words = (("cap", number_text(loose)), ("source", source_text(loose)))
            return Verdict("wall", "leaks", (Fault("unpinned", place, words, loose.trail),), evidence)
        if limit.off:
            trail = next((v.trail for v in limit.values if v.origin in {"absent", "infinite"}), ())
            fault = Fault("off-by-default", place, (("cap", text_of(limit.value)),), trail)
            return Verdict("wall", "leaks", (fault,), evidence)
    return Verdict("wall", "held", (), evidence)


def _number(limit: Limit) -> str:
    return next((number_text(v) for v in limit.values if v.number is not None), "")
