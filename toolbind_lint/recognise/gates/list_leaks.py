"""Lists of names that are there and do not hold: written during the run, shown to the model only, open when empty."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.name_tests import NameTests, guards
from toolbind_lint.recognise.gates.tool_tables import sets_of, table_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.names import given_tools
from toolbind_lint.recognise.paths import Cell, Frame
from toolbind_lint.recognise.program import Function, FunctionRef
from toolbind_lint.recognise.roles import NAME
from toolbind_lint.recognise.tables import Tables, members, puts
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault


def faults(case: Case, tests: NameTests) -> Iterator[Fault]:
    """The faults of the lists of a case."""
    yield from _written(case, tests)
    yield from _empty(case)
    yield from _only_offered(case, tests)


# ---- written during the run


def _written(case: Case, tests: NameTests) -> Iterator[Fault]:
    tables: dict[Cell, tuple[ir.Expr, Frame]] = {}
    for point in case.dispatches:
        if point.dispatch is not None:
            for expr, frame in sets_of(case, tests, point, point.dispatch):
                cell = case.builder.cell(expr, frame)
                if cell is not None and not _made_anew(case, cell):
                    tables.setdefault(cell, (expr, frame))
    if not tables:
        return
    for frame, function, nodes in _running(case, tables):
        for put in puts(function, lambda e, f=frame: case.builder.cell(e, f) in tables):  # type: ignore[misc]
            if id(put.node) in nodes:
                words = (("value", text_of(put.table)),)
                yield Fault("written-in-run", case.tools.program.at(function, put.node), words)


def _made_anew(case: Case, cell: Cell) -> bool:
    """Whether a table is built on each pass, or by each call: then filling it changes nothing that lasts."""
    if cell[0].startswith("frame ") and cell[0] != "frame 0":
        return True
    if case.kind == "dispatcher":
        return cell[0].startswith("frame ") and not any(p.name == cell[1] for p in case.function.node.params)
    return bool(case.finder.changes(cell, "set"))


def _running(case: Case, tables: dict[Cell, tuple[ir.Expr, Frame]]) -> Iterator[tuple[Frame, Function, frozenset[int]]]:
    """The functions that run within a pass, with the nodes of them that do; the tools of the tables among them."""
    seen: set[str] = set()
    for frame in case.graph.frames:
        function = frame.function
        if frame.caller is None and case.kind == "tool-loop" and isinstance(case.node, (ir.While, ir.For)):
            yield frame, function, frozenset(id(n) for n in ir.walk(case.node))
        elif function.key not in seen:
            seen.add(function.key)
            yield frame, function, frozenset(id(n) for n in function.nodes)
    for expr, frame in tables.values():
        for display, scope in case.tools.program.displays(expr, frame.function):
            for _, value in display.items:
                for meaning in case.tools.program.resolve(value, scope):
                    if isinstance(meaning, FunctionRef) and meaning.function.key not in seen:
                        tool = meaning.function
                        seen.add(tool.key)
                        yield Frame(-1, tool, None, {}, frozenset()), tool, frozenset(id(n) for n in tool.nodes)


# ---- open when empty


def _empty(case: Case) -> Iterator[Fault]:
    """``if allowed and name not in allowed``: an empty set, which was to admit nothing, is not asked."""
    seen: set[str] = set()
    for frame in case.graph.frames:
        function = frame.function
        if function.key in seen:
            continue
        seen.add(function.key)
        for node in function.nodes:
            found = _skips_when_empty(node)
            if found is None:
                continue
            asked, test = found
            if NAME in case.tools.roles.of(test.left, function) and _may_be_empty(case, asked, function):
                at = case.tools.program.at(function, node.test if isinstance(node, ir.If) else node)
                yield Fault("empty-admits-all", at, (("value", text_of(asked)),))


def _skips_when_empty(node: ir.Node) -> tuple[ir.Expr, ir.Compare] | None:
    """The set and the membership test that is made only where the set is not empty."""
    if isinstance(node, ir.Bool):
        op, left = ("not in", node.left) if node.op == "and" else ("in", None)
        if node.op == "or" and isinstance(node.left, ir.Not):
            left = node.left.value
        if isinstance(left, ir.Bool) and left.op == node.op:
            left = left.right
        right = node.right
        if isinstance(right, ir.Not) and isinstance(right.value, ir.Compare):
            turned = {"in": "not in", "not in": "in"}.get(right.value.op, "")
            right = ir.Compare(right.value.span, turned, right.value.left, right.value.right)
        if isinstance(right, ir.Compare) and right.op == op and _same(left, right.right):
            return right.right, right
    if isinstance(node, ir.If) and not node.orelse and len(node.body) == 1 and isinstance(node.body[0], ir.If):
        inner = node.body[0].test
        if isinstance(inner, ir.Compare) and inner.op == "not in" and _same(node.test, inner.right):
            return inner.right, inner
    return None


def _same(asked: ir.Expr | None, among: ir.Expr) -> bool:
    plain = isinstance(asked, (ir.Name, ir.Attr, ir.Subscript))
    return plain and isinstance(among, (ir.Name, ir.Attr, ir.Subscript)) and text_of(asked) == text_of(among)


def _may_be_empty(case: Case, expr: ir.Expr, function: Function) -> bool:
    """Whether a set is not always the same filled display."""
    values = [v for v, _ in case.tools.program.values(expr, function)]
    filled = [v for v in values if _items(v)]
    return not filled or len(filled) < len(values)


def _items(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Call) and len(expr.args) == 1:
        expr = expr.args[0].value
    return isinstance(expr, (ir.Seq, ir.DictE)) and bool(expr.items)


# ---- shown to the model only


def _only_offered(case: Case, tests: NameTests) -> Iterator[Fault]:
    """What is offered is filtered by a set; the table that names are looked up in holds all, and nothing else asks."""
    offered = list(_filters(case))
    if not offered:
        return
    tables = Tables(case.tools.program, case.tools.catalogue, case.tools.roles)
    for point in case.dispatches:
        dispatch = point.dispatch
        if dispatch is None or dispatch.form != "table":
            continue
        found = table_of(case, dispatch)
        if found is None or any(_guarding(case, tests, point)):
            continue
        table, owner = found
        for whole, among, function in offered:
            if text_of(among) == text_of(table) or not _overlap(tables, (table, owner), (whole, function)):
                continue
            at = case.tools.program.at(owner, dispatch.lookup) if dispatch.lookup is not None else place_of(case, point)
            related = (Step(case.tools.program.at(function, among), "filters what is offered"),)
            words = (("value", text_of(dispatch.key)), ("source", text_of(among)))
            yield Fault("offered-only", at, words, related=related)
            break


def _guarding(case: Case, tests: NameTests, dispatch: object) -> Iterator[bool]:
    for point in case.finder.inside:
        test = tests.test(point) if point.kind == "test" else None
        if test is not None and test.among is not None:
            if any(d is dispatch and guards(case, point, d, test.admits) for d in case.dispatches):
                yield True


def _overlap(tables: Tables, one: tuple[ir.Expr, Function], other: tuple[ir.Expr, Function]) -> bool:
    """Whether a table is filled from the same place as another, unfiltered."""
    first = {s.place for s in tables.sources(*one)}
    return bool(first) and first == {s.place for s in tables.sources(*other)}


def _filters(case: Case) -> Iterator[tuple[ir.Expr, ir.Expr, Function]]:
    """The collection and the set of each ``[spec(t) for t in TOOLS if t.name in ALLOWED]`` that a turn offers."""
    pending = list(given_tools(case))
    seen: set[int] = set()
    while pending and len(seen) < 60:
        expr, function = pending.pop(0)
        if id(expr) in seen:
            continue
        seen.add(id(expr))
        if isinstance(expr, ir.Comp):
            for generator in expr.generators:
                names = {n.id for n in ir.walk(generator.target) if isinstance(n, ir.Name)}
                for test in generator.ifs:
                    among = members(test, names)
                    if among is not None and not isinstance(among, ir.Seq):
                        yield generator.iter, among, function
                pending.append((generator.iter, function))
        elif isinstance(expr, ir.Call):
            targets = case.tools.program.targets(expr, function)
            for target in targets:
                pending.extend((value, target) for value in target.returned)
            if not targets:
                pending.extend((a.value, function) for a in expr.args[:1])
        else:
            if isinstance(expr, ir.Name):
                for binding in case.tools.program.lookup(expr.id, function):
                    if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
                        for call, caller in case.tools.program.callers(binding.scope)[:4]:
                            given = call.keyword(binding.node.name) or call.positional(
                                binding.index - (1 if binding.scope.self_name else 0)
                            )
                            if given is not None:
                                pending.append((given, caller))
            pending.extend((v, s) for v, s in case.tools.program.values(expr, function) if v is not expr)
