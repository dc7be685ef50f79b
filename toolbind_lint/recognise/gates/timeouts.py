"""The tool timeout: is each dispatch under a limit that acts while the tool runs?"""

from __future__ import annotations

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CLOCK
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict


def verdict(case: Case) -> Verdict:
    """How the tool timeout of a loop or dispatcher stands."""
    if not case.dispatches:
        return Verdict("tool-timeout", "not-applicable")
    if all(p.dispatch is not None and "tool-timeout" in p.dispatch.proves for p in case.dispatches):
        at = place_of(case, case.dispatches[0])
        return Verdict("tool-timeout", "held", (), (Evidence(at, "", "held by configuration"),))
    for point in case.dispatches:
        found = _post_hoc(case, point)
        if found is not None:
            return Verdict("tool-timeout", "missing", (found,))
    return Verdict("tool-timeout", "unknown")


def _post_hoc(case: Case, dispatch: Point) -> Fault | None:
    """``started = now(); run(); if now() - started > limit``: measured around the dispatch and judged after it."""
    frame = dispatch.frame
    function = frame.function
    if not isinstance(dispatch.node, ir.Call):
        return None
    before = _armed(function.node.body, dispatch.node, case, function)
    if not before:
        return None
    after = reach([t for label, t in dispatch.to if label != "raise"], frozenset({case.head}), raising=False)
    for point in sorted(after, key=lambda p: p.number):
        node = point.node
        if point.kind != "test" or not isinstance(node, ir.Compare) or point.frame is not frame:
            continue
        if node.span[:2] < dispatch.node.span[:2] or CLOCK not in case.tools.roles.of(node, function):
            continue
        names = {n.id for n in ir.walk(node) if isinstance(n, ir.Name)} | _behind(node, case, point)
        if names & before and _judges(case, point):
            words = (("call", text_of(dispatch.node)), ("value", text_of(node)))
            return Fault(
                "post-hoc",
                place_of(case, dispatch),
                words,
                related=(Step(place_of(case, point), "the time is judged here"),),
            )
    return None


def _behind(node: ir.Node, case: Case, point: Point) -> set[str]:
    """The names behind a name of the comparison: ``elapsed = now() - started``."""
    out: set[str] = set()
    for name in ir.walk(node):
        if isinstance(name, ir.Name):
            for binding in case.tools.program.lookup(name.id, point.frame.function):
                if binding.value is not None:
                    out |= {n.id for n in ir.walk(binding.value) if isinstance(n, ir.Name)}
    return out


def _armed(body: tuple[ir.Stmt, ...], dispatch: ir.Node, case: Case, function: Function) -> set[str]:
    """Names that are set from the clock in the same run of statements as the dispatch, shortly before it."""
    for block in _blocks(body):
        position = next((i for i, s in enumerate(block) if _holds(s, dispatch)), None)
        if position is None:
            continue
        names = {
            t.id
            for stmt in block[:position]
            if isinstance(stmt, ir.Assign) and CLOCK in case.tools.roles.of(stmt.value, function)
            for t in stmt.targets
            if isinstance(t, ir.Name)
        }
        if names:
            return names
    return set()


def _blocks(body: tuple[ir.Stmt, ...]) -> list[tuple[ir.Stmt, ...]]:
    """All runs of statements below a body, innermost last to first."""
    out = [body]
    for stmt in body:
        for part in ("body", "orelse", "final"):
            inner = getattr(stmt, part, ())
            if inner and not isinstance(stmt, (ir.FuncDef, ir.ClassDef)):
                out = _blocks(inner) + out
        for handler in getattr(stmt, "handlers", ()):
            out = _blocks(handler.body) + out
        for case in getattr(stmt, "cases", ()):
            out = _blocks(case.body) + out
    return out


def _holds(stmt: ir.Stmt, node: ir.Node) -> bool:
    return any(n is node for n in ir.walk(stmt))


def _judges(case: Case, point: Point) -> bool:
    """Whether a test does more than log on its way: it raises, returns, leaves, or makes a message."""
    passes = frozenset({point, *(p for p in case.graph.points if p.kind in {"iter", "head"})})
    inner = reach([t for label, t in point.to if label == "true"], passes, raising=False)
    other = reach([t for label, t in point.to if label == "false"], passes, raising=False)
    return any(p.kind in {"raise", "exit", "set", "grow", "move"} for p in inner - other)
