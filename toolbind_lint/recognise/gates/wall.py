"""The wall-clock budget: does anything end the whole run after a time, whatever its tools and turns do?"""

from __future__ import annotations

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import header, number_text, place_of, source_text, written
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

MAX_CALLERS = 4


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
    enclosing = _enclosing(case.function, case.node, case, 0)
    if enclosing is not None:
        return Verdict("wall", "held", (), (enclosing,))
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


def _enclosing(function: Function, node: ir.Node, case: Case, depth: int) -> Evidence | None:
    """A timer around the loop: a ``with`` in its function, a timed call of its function, or one around a caller."""
    tools = case.tools
    for outer in _around(function.node.body, node):
        for context, _ in outer.items:
            call = context if isinstance(context, ir.Call) else None
            if call is not None and _timer(call, function, case, "with"):
                return Evidence(
                    tools.program.at(function, context), text_of(call.args[0].value) if call.args else "", text_of(call)
                )
    limited = _limited(function, case)
    if limited is not None:
        return limited
    for call, scope in _timed_calls(function, case):
        return Evidence(tools.program.at(scope, call), "", text_of(call.func))
    if depth >= MAX_CALLERS or function.toplevel:
        return None
    callers = tools.program.callers(function)
    if not callers:
        return None
    found = [_enclosing(caller, call, case, depth + 1) for call, caller in callers]
    return found[0] if all(f is not None for f in found) else None


def _limited(function: Function, case: Case) -> Evidence | None:
    """A decorator of a job system that ends the function after a time."""
    tools = case.tools
    for decorator in function.node.decorators:
        call = decorator if isinstance(decorator, ir.Call) else None
        for meaning in tools.program.resolve(call.func if call is not None else decorator, function.parent or function):
            row = tools.catalogue.find("enclosing-limit", meaning.name) if isinstance(meaning, External) else None
            if row is None:
                continue
            if row.flags.get("by-default", False):
                return Evidence(tools.program.at(function, decorator), "", text_of(decorator))
            for arg in call.args if call is not None else ():
                named = arg.name in row.all("param") or ("0" in row.all("param") and arg.name is None)
                if named and not (isinstance(arg.value, ir.Const) and not arg.value.value):
                    return Evidence(tools.program.at(function, decorator), text_of(arg.value), text_of(decorator))
    return None


def _around(body: tuple[ir.Stmt, ...], node: ir.Node) -> list[ir.With]:
    """The ``with`` statements of a body inside which a node stands."""
    out = []
    for stmt in ir.walk_all(body):
        if (
            isinstance(stmt, ir.With)
            and stmt.span[:2] <= node.span[:2]
            and node.span[2:] <= stmt.span[2:]
            and stmt is not node
        ):
            out.append(stmt)
    return out


def _timer(call: ir.Call, function: Function, case: Case, form: str) -> bool:
    for meaning in case.tools.program.resolve(call.func, function):
        if isinstance(meaning, External):
            row = case.tools.catalogue.find("timer", meaning.name)
            if row is not None and row.one("form") == form:
                limit = call.args[0].value if call.args else None
                return not (isinstance(limit, ir.Const) and limit.value is None)
    return False


def _timed_calls(function: Function, case: Case) -> list[tuple[ir.Call, Function]]:
    """``wait_for(loop(), timeout=…)``: the calls of a function that are an argument of a timer."""
    out = []
    for call, caller in case.tools.program.callers(function):
        for node in caller.nodes:
            if isinstance(node, ir.Call) and any(call is n for a in node.args for n in ir.walk(a.value)):
                if _timer(node, caller, case, "call"):
                    out.append((node, caller))
    callers = case.tools.program.callers(function)
    return out if out and len(out) >= len(callers) else []
