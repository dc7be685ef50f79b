"""Calls that ask a model, known by what is done with their reply: it names a tool and its arguments in two fields.

The tool is picked by the one and run with the other, and what it gives goes into what the same call is given next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import External, Function, Program

MAX_STEPS = 8

_NAMES = re.compile(r"(?:^|_)(?:tool|function|action)(?:_?name)?$")
_ARGUMENTS = re.compile(r"(?:^|_)(?:args|arguments|inputs?|params|parameters|kwargs)(?:_|$)")
_PASSED = frozenset({"json.loads", "typing.cast", "copy.deepcopy", "builtins.dict", "builtins.list", "builtins.str"})
_READ = frozenset({"get", "pop", "model_dump", "dict", "to_dict", "json", "strip", "copy", "items", "values"})

Origins = dict[int, tuple[ir.Call, str]]
"""The calls from which a value comes, by identity, each with the field in which it stood."""


def asked(function: Function, program: Program) -> Iterator[ir.Call]:
    """The calls in the loops of a function whose reply picks a tool and gives its arguments, and that get its result
    back.
    """
    for loop in function.nodes:
        if not isinstance(loop, (ir.While, ir.For)):
            continue
        calls = {id(n): n for n in ir.walk(loop) if isinstance(n, ir.Call)}
        for run in calls.values():
            for ask in _picks(run, function, program):
                if id(ask) in calls and ask is not run and _is_fed(ask, run, loop):
                    yield ask


def _picks(run: ir.Call, function: Function, program: Program) -> Iterator[ir.Call]:
    """The calls whose reply says which tool a call runs, and with what."""
    given = [a.value for a in run.args]
    key = _key(run.func)
    targets = program.targets(run, function) if key is None else ()
    if key is None and not targets:
        return
    for value in (each for target in targets for each in _read_apart(run, target)):
        yield from (call for call, _ in _origins(value, function, program).values())
    for name in (key,) if key is not None else given:
        named = {i: c for i, (c, word) in _origins(name, function, program).items() if _NAMES.search(word)}
        for value in given if named else ():
            for each, (call, word) in _origins(value, function, program).items():
                if value is not name and each in named and _ARGUMENTS.search(word):
                    yield call


def _read_apart(run: ir.Call, target: Function) -> Iterator[ir.Expr]:
    """The arguments of a call of which the function that it runs reads a tool's name and its arguments."""
    fields: dict[str, list[str]] = {}
    for node in target.nodes:
        base, word = _field(node)
        if isinstance(base, ir.Name):
            fields.setdefault(base.id, []).append(word)
    params = [p.name for p in target.node.params if p.name != target.self_name]
    for number, arg in enumerate(run.args):
        name = arg.name or (params[number] if number < len(params) and not arg.star else "")
        words = fields.get(name, []) if name in params else []
        if any(_NAMES.search(w) for w in words) and any(_ARGUMENTS.search(w) for w in words):
            yield arg.value


def _key(func: ir.Expr) -> ir.Expr | None:
    """``k`` of ``table[k](…)``, ``table[k].run(…)`` and ``table.get(k)(…)``."""
    if isinstance(func, ir.Attr):
        func = func.base
    if isinstance(func, ir.Subscript) and not isinstance(func.index, ir.Const):
        return func.index
    if isinstance(func, ir.Call) and isinstance(func.func, ir.Attr) and func.func.name == "get" and func.args:
        return func.args[0].value
    return None


def _field(node: ir.Node) -> tuple[ir.Expr | None, str]:
    """``(x, "k")`` of ``x.k``, ``x["k"]`` and ``x.get("k")``, the field in small letters and parted by ``_``."""
    base: ir.Expr | None = None
    word: object = ""
    if isinstance(node, ir.Attr):
        base, word = node.base, node.name
    elif isinstance(node, ir.Subscript) and isinstance(node.index, ir.Const):
        base, word = node.base, node.index.value
    elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in {"get", "pop"}:
        key = node.args[0].value if node.args else None
        base, word = node.func.base, key.value if isinstance(key, ir.Const) else ""
    if not isinstance(word, str) or not word:
        return None, ""
    return base, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()


def _origins(expr: ir.Expr, function: Function, program: Program) -> Origins:
    """The calls from which a value or a field was read, through names, texts that were loaded and parts of parts."""
    found: Origins = {}
    pending = [(expr, "", 0)]
    while pending:
        node, word, depth = pending.pop()
        if depth > MAX_STEPS:
            continue
        base, read = _field(node)
        if isinstance(node, (ir.Await, ir.Walrus, ir.Starred)):
            pending.append((node.value, word, depth + 1))
        elif isinstance(node, ir.Bool):
            pending.extend((side, word, depth + 1) for side in (node.left, node.right))
        elif base is not None:
            pending.append((base, word or read, depth + 1))
        elif isinstance(node, ir.Subscript):
            pending.append((node.base, word, depth + 1))
        elif isinstance(node, ir.Name):
            for binding in program.lookup(node.id, function):
                if binding.scope.key == function.key and binding.value is not None:
                    if binding.kind in {"assign", "element", "context"}:
                        pending.append((binding.value, word, depth + 1))
        elif isinstance(node, ir.Call):
            passed = _passed(node, function, program)
            if passed is not None:
                pending.append((passed, word, depth + 1))
            else:
                found[id(node)] = (node, word)
    return found


def _passed(call: ir.Call, function: Function, program: Program) -> ir.Expr | None:
    """What a call reads, or only hands on."""
    known = {m.name for m in program.resolve(call.func, function) if isinstance(m, External)}
    if call.args and (known & _PASSED or "builtins.getattr" in known):
        return call.args[0].value
    return call.func.base if isinstance(call.func, ir.Attr) and call.func.name in _READ else None


def _is_fed(ask: ir.Call, run: ir.Call, loop: ir.While | ir.For) -> bool:
    """Whether what a run gives is put, in a loop, into something that is given to a call."""
    inputs = {place for arg in ask.args for place in _places(arg.value)}
    results: set[str] = set()
    sets = [n for n in ir.walk(loop) if isinstance(n, (ir.Assign, ir.Aug)) and n.value is not None]
    for _ in range(3):
        for node in sets:
            places = {_place(t) for t in _targets(node)} - {""}
            if node.value is not None and not any(n is ask for n in ir.walk(node.value)):
                if places & inputs:
                    inputs |= set(_places(node.value))
                if _holds(node.value, run, results):
                    results |= places
    for node in sets:
        if node.value is not None and _holds(node.value, run, results):
            if any(_place(_whole(t)) in inputs for t in _targets(node)):
                return True
    for call in (n for n in ir.walk(loop) if isinstance(n, ir.Call)):
        if isinstance(call.func, ir.Attr) and call.func.name in ir.GROW and _place(_whole(call.func.base)) in inputs:
            if any(_holds(a.value, run, results) for a in call.args):
                return True
    return False


def _whole(expr: ir.Expr) -> ir.Expr:
    """``a`` of ``a[k]["n"]``."""
    while isinstance(expr, ir.Subscript):
        expr = expr.base
    return expr


def _targets(node: ir.Assign | ir.Aug) -> tuple[ir.Expr, ...]:
    return node.targets if isinstance(node, ir.Assign) else (node.target,)


def _holds(expr: ir.Expr, run: ir.Call, results: set[str]) -> bool:
    return any(n is run or (isinstance(n, (ir.Name, ir.Attr)) and _place(n) in results) for n in ir.walk(expr))


def _places(expr: ir.Expr) -> Iterator[str]:
    """The names, and the attributes of names, from which an expression is made."""
    for node in ir.walk(expr):
        if isinstance(node, (ir.Name, ir.Attr)) and _place(node):
            yield _place(node)


def _place(expr: ir.Expr) -> str:
    """``a`` and ``a.b``; empty for anything else, and for an object itself."""
    if isinstance(expr, ir.Name):
        return expr.id if expr.id not in {"self", "cls"} else ""
    if isinstance(expr, ir.Attr) and isinstance(expr.base, ir.Name):
        return f"{expr.base.id}.{expr.name}"
    return ""
