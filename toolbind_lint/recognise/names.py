"""The names of the tools of a loop or dispatcher, each where it is written: what it lets run, else what it offers."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.name_tests import guards
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import NAME, argument, last_name

MOST = 500
"""Names of one subject that are kept."""

_SETS = frozenset({"set", "frozenset", "tuple", "list", "sorted"})


def names(case: Case) -> tuple[Step, ...]:
    """The names, by place; none where they are not written in the source."""
    if case.kind == "retry":
        return ()
    found: dict[str, Step] = {}
    for step in (*_admitted(case),) or (*_offered(case),):
        found.setdefault(step.message, step)
    return tuple(sorted(found.values())[:MOST])


# ---- what may run


def _admitted(case: Case) -> Iterator[Step]:
    """Names that a test lets through; where nothing tests them, the keys of the tables that they are looked up in."""
    tested = [step for point in case.finder.ordered for step in _tested(case, point)]
    if tested:
        yield from tested
        return
    for point in case.dispatches:
        dispatch = point.dispatch
        if dispatch is None:
            continue
        lookup = dispatch.lookup
        table: ir.Expr | None = None
        if isinstance(lookup, ir.Subscript):
            table = lookup.base
        elif isinstance(lookup, ir.Call) and isinstance(lookup.func, ir.Attr):
            table = lookup.func.base
        if table is not None:
            yield from _written(case, table, dispatch.function)
            yield from _registered(case, table, dispatch.function)


def _tested(case: Case, point: Point) -> Iterator[Step]:
    """The names of ``name == "search"``, ``name in ALLOWED`` and ``case "search":``."""
    node, function = point.node, point.frame.function
    if isinstance(node, ir.Compare) and node.op in {"==", "!=", "in", "not in"}:
        if NAME not in case.tools.roles.of(node.left, function):
            return
        if node.op in {"==", "!="}:
            yield from _constant(case, node.right, function)
        elif any(guards(case, point, run, "true" if node.op == "in" else "false") for run in case.dispatches):
            yield from _written(case, node.right, function)  # of a list of what is refused the names do not count
    elif isinstance(node, ir.Match) and NAME in case.tools.roles.of(node.subject, function):
        for each in node.cases:
            yield from _patterns(case, each.pattern, function)


def _patterns(case: Case, pattern: ir.Pattern, function: Function) -> Iterator[Step]:
    if pattern.kind == "value" and pattern.value is not None:
        yield from _constant(case, pattern.value, function)
    if pattern.kind == "or":
        for part in pattern.parts:
            yield from _patterns(case, part, function)


def _constant(case: Case, expr: ir.Expr | None, function: Function) -> Iterator[Step]:
    if isinstance(expr, ir.Const) and isinstance(expr.value, str) and expr.value:
        yield Step(case.tools.program.at(function, expr), expr.value)


def _written(case: Case, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[Step]:
    """The strings of a display: the keys of a dict, the items of a set, list or tuple."""
    if depth > 4:
        return
    for value, scope in _given(case, expr, function):
        yield from _written(case, value, scope, depth + 1)
    for value, scope in case.tools.program.values(expr, function):
        if isinstance(value, ir.Seq):
            for item in value.items:
                yield from _constant(case, item, scope)
        elif isinstance(value, ir.DictE):
            for key, inner in value.items:
                if key is None:
                    yield from _written(case, inner, scope, depth + 1)
                else:
                    yield from _constant(case, key, scope)
        elif isinstance(value, ir.Bin) and value.op == "|":
            yield from _written(case, value.left, scope, depth + 1)
            yield from _written(case, value.right, scope, depth + 1)
        elif isinstance(value, ir.Call) and last_name(value.func) == "dict":
            for arg in value.args:
                if arg.name is not None:
                    yield Step(case.tools.program.at(scope, arg.value), arg.name)
        elif isinstance(value, ir.Call) and last_name(value.func) in _SETS and value.args:
            yield from _written(case, value.args[0].value, scope, depth + 1)
        elif isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name == "keys":
            yield from _written(case, value.func.base, scope, depth + 1)


def _given(case: Case, expr: ir.Expr, function: Function) -> Iterator[tuple[ir.Expr, Function]]:
    """What callers in the project give for a parameter."""
    if not isinstance(expr, ir.Name):
        return
    for binding in case.tools.program.lookup(expr.id, function):
        if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
            owner = binding.scope
            for call, caller in case.tools.program.callers(owner):
                value = argument(call, binding.node, binding.index - (1 if owner.self_name else 0))
                if value is not None:
                    yield value, caller


def _registered(case: Case, table: ir.Expr, function: Function) -> Iterator[Step]:
    """Keys that are set one by one, ``TOOLS["search"] = search``, where the table is made or in its class."""
    if isinstance(table, ir.Attr):
        scopes = [f for f in _methods(function) if f.self_name]
    else:
        module = function.module
        scopes = [module.toplevel(number) for number in range(len(module.index.statements))]
        scopes += [function]
    wanted = last_name(table)
    for scope in {scope.key: scope for scope in scopes}.values():
        for node in scope.nodes:
            if not isinstance(node, ir.Assign):
                continue
            for target in node.targets:
                if isinstance(target, ir.Subscript) and last_name(target.base) == wanted:
                    yield from _constant(case, target.index, scope)


def _methods(function: Function) -> list[Function]:
    """The methods of the class that a function belongs to."""
    cls = function.cls
    if cls is None:
        return []
    bodies = (member for member in cls.node.body if isinstance(member, ir.FuncDef))
    return [cls.module.function(body, cls.scope, cls) for body in bodies]


# ---- what is offered


def _offered(case: Case) -> Iterator[Step]:
    """The names of the tools that the turns offer: of specifications the name in them, of functions their own."""
    for given, function in given_tools(case):
        yield from _specified(case, given, function)


def given_tools(case: Case) -> Iterator[tuple[ir.Expr, Function]]:
    """What the turns are given as tools, by keyword or in a table behind ``**``; each with its function."""
    words = case.tools.catalogue.words("turn", "tools")
    for point in case.turns:
        if point.turn is None:
            continue
        function = point.turn.function
        for arg in point.turn.call.args:
            if arg.name in words:
                yield arg.value, function
            elif arg.star == "**":
                for display, scope in case.tools.program.displays(arg.value, function):
                    for word in sorted(words):
                        given = display.get(word)
                        if given is not None:
                            yield given, scope


def _specified(case: Case, given: ir.Expr, function: Function) -> Iterator[Step]:
    program = case.tools.program
    for value, scope in program.values(given, function):
        for item in value.items if isinstance(value, ir.Seq) else ():
            specs = [
                (name, inner)
                for each, inner in program.values(item, scope)
                if isinstance(each, ir.DictE) and (name := _name_in(each)) is not None
            ]
            for name, inner in specs:
                yield from _constant(case, name, inner)
            if not specs and isinstance(item, (ir.Name, ir.Attr)):
                yield Step(program.at(scope, item), last_name(item))


def _name_in(spec: ir.DictE) -> ir.Expr | None:
    """``{"name": ...}``, also one level below."""
    own = spec.get("name")
    if own is not None:
        return own
    for _, inner in spec.items:
        if isinstance(inner, ir.DictE) and inner.get("name") is not None:
            return inner.get("name")
    return None
