"""The tables and sets that stand between a name and a dispatch: who fills them, and when."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.name_tests import NameTests, guards
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame, Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.tables import Source, Tables
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_HOWS = {
    "server": "whole-server",
    "pattern": "pattern",
    "introspection": "unpinned",
    "environment": "unpinned",
    "file": "unpinned",
    "remote": "unpinned",
}
_SAID = {
    "introspection": "whatever `{}` finds",
    "environment": "the environment (`{}`)",
    "file": "a file that is not committed (`{}`)",
    "remote": "what `{}` fetches",
}


def filled(case: Case, tests: NameTests, point: Point, dispatch: Dispatch) -> Fault | None:
    """The fault of a dispatch whose every table and set is filled by something else than the source or a caller."""
    tables = Tables(case.tools.program, case.tools.catalogue, case.tools.roles)
    worst: list[Source] = []
    for expr, frame in sets_of(case, tests, point, dispatch):
        foreign = [s for s in _sources(tables, expr, frame) if s.origin in _HOWS]
        if not foreign:
            return None
        worst = worst or foreign
    if not worst:
        return None
    source = min(worst, key=lambda s: (list(_HOWS).index(s.origin), s.place))
    words = [("call", source.text), ("value", text_of(dispatch.key))]
    if source.origin in _SAID:
        words.append(("source", _SAID[source.origin].format(source.text)))
    related = (Step(place_of(case, point), "looked up and run here"),)
    return Fault(_HOWS[source.origin], source.place, tuple(words), related=related)


def _sources(tables: Tables, expr: ir.Expr, frame: Frame) -> tuple[Source, ...]:
    """The sources of a set as one activation sees it: a parameter is what this caller gave."""
    while isinstance(expr, ir.Name) and frame.caller is not None and expr.id not in frame.rebound:
        given = frame.arguments.get(expr.id)
        if given is None:
            break
        expr, frame = given, frame.caller
    return tables.sources(expr, frame.function)


def sets_of(case: Case, tests: NameTests, point: Point, dispatch: Dispatch) -> tuple[tuple[ir.Expr, Frame], ...]:
    """The table of a lookup, and the sets of the tests on the way."""
    key = ("sets", point.number, id(dispatch.node))
    found = case.notes.get(key)
    if not isinstance(found, tuple):
        found = case.notes[key] = tuple(_sets_of(case, tests, point, dispatch))
    return found


def _sets_of(case: Case, tests: NameTests, point: Point, dispatch: Dispatch) -> Iterator[tuple[ir.Expr, Frame]]:
    frame = next((f for f in point.frame.stack() if f.function.key == dispatch.function.key), point.frame)
    table = table_of(case, dispatch)
    if table is not None:
        expr, function = table
        yield expr, next((f for f in case.graph.frames if f.function.key == function.key), frame)
    for test_point in case.finder.ordered:
        if test_point.kind == "lookup" and isinstance(test_point.node, ir.Subscript):
            if dispatch.lookup is not test_point.node and dispatch.form not in {"table", "chain"}:
                yield test_point.node.base, test_point.frame
        test = tests.test(test_point) if test_point.kind == "test" else None
        if test is None or test.kind != "exact" or not guards(case, test_point, point, test.admits):
            continue
        if test.among is not None:
            yield test.among, test_point.frame
        elif dispatch.form not in {"table", "chain"}:
            found = _found_in(case, test.node, test_point.frame.function)
            if found is not None:
                yield found, test_point.frame


def table_of(case: Case, dispatch: Dispatch) -> tuple[ir.Expr, Function] | None:
    """The table or list in which a dispatch finds its tool, with the function in which that stands."""
    if dispatch.form != "table":
        return None
    lookup = dispatch.lookup
    if isinstance(lookup, ir.Subscript):
        owner = _owner(case, lookup, dispatch)
        return lookup.base, owner
    if isinstance(lookup, ir.Call) and isinstance(lookup.func, ir.Attr):
        return lookup.func.base, _owner(case, lookup, dispatch)
    node = dispatch.node
    if isinstance(node, ir.Call):
        found = _picked_from(case, node.func, dispatch.function)
        if found is not None:
            return found
    return None


def _owner(case: Case, lookup: ir.Node, dispatch: Dispatch) -> Function:
    """The function in which a lookup stands."""
    for frame in case.graph.frames:
        span = frame.function.node.span
        if frame.function.key == dispatch.function.key or not span[0] <= lookup.span[0] <= span[2]:
            continue
        if any(n is lookup for n in frame.function.nodes):
            return frame.function
    return dispatch.function


def _picked_from(case: Case, expr: ir.Expr, function: Function) -> tuple[ir.Expr, Function] | None:
    """The collection out of which a tool was picked by its name."""
    pending: list[tuple[ir.Expr, Function]] = [(expr, function)]
    for _ in range(24):
        if not pending:
            return None
        top, scope = pending.pop(0)
        if isinstance(top, (ir.Attr, ir.Subscript)):
            pending.append((top.base, scope))
        elif isinstance(top, (ir.Await, ir.Walrus)):
            pending.append((top.value, scope))
        elif isinstance(top, ir.Comp):
            return top.generators[0].iter, scope
        elif isinstance(top, ir.Name):
            for binding in case.tools.program.lookup(top.id, scope):
                if binding.kind == "element" and binding.value is not None:
                    return binding.value, binding.scope
                if binding.value is not None:
                    pending.append((binding.value, binding.scope))
        elif isinstance(top, ir.Call):
            targets = case.tools.program.targets(top, scope)
            for target in targets:
                pending.extend((value, target) for value in target.returned)
            if not targets:
                pending.extend((a.value, scope) for a in top.args[:1])
    return None


def _found_in(case: Case, node: ir.Node, function: Function) -> ir.Expr | None:
    """The table of ``tool = TABLE.get(name)`` behind a test of ``tool``."""
    if isinstance(node, ir.Compare):
        node = node.left
    if not isinstance(node, (ir.Name, ir.Call, ir.Subscript)):
        return None
    _, _, lookup = case.tools.roles.looked_up(node, function)
    if isinstance(lookup, ir.Subscript):
        return lookup.base
    if isinstance(lookup, ir.Call) and isinstance(lookup.func, ir.Attr):
        return lookup.func.base
    return None
