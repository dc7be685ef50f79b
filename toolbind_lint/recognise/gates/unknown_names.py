"""A tool name that nobody knows must end the run: where a miss is answered, defaulted or swallowed instead."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.name_walk import Miss, Walk
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_TEXT_CALLS = frozenset({"json.dumps", "builtins.str", "builtins.repr"})


def faults(case: Case, walk: Walk) -> list[Fault]:
    """One fault for each place at which a miss is turned into more conversation."""
    out: dict[Place, Fault] = {}
    for miss in sorted(walk.misses, key=lambda m: m.at.number):
        if case.kind == "dispatcher" and not _answers(case, miss):
            continue
        fault = _fault(case, miss)
        out.setdefault(fault.place, fault)
    return list(out.values())


def _fault(case: Case, miss: Miss) -> Fault:
    at = _place(case, miss.at)
    words = [("value", _name(miss)), ("note", _note(miss))]
    related = []
    for point, said in ((miss.origin, "the name is not found here"), (miss.raised, "raised here")):
        if point is not None and point is not miss.at:
            related.append(Step(_place(case, point), said))
    return Fault("unknown-goes-on", at, tuple((k, v) for k, v in words if v), related=tuple(related))


def _place(case: Case, point: Point) -> Place:
    node = point.node
    if isinstance(node, ir.Handler):
        return case.tools.program.place(point.frame.function.module, node.header)
    return place_of(case, point)


def _name(miss: Miss) -> str:
    """The expression that holds the name, as written."""
    node = miss.origin.node
    if isinstance(node, ir.Subscript):
        return text_of(node.index)
    if miss.origin.dispatch is not None:
        return text_of(miss.origin.dispatch.key)
    if isinstance(node, ir.Compare) and node.op in {"in", "not in"}:
        return text_of(node.left)
    return ""


def _note(miss: Miss) -> str:
    node = miss.at.node
    if isinstance(node, ir.Handler):
        return f"`{'except' if node.type is None else 'except ' + text_of(node.type)}` takes the miss"
    if miss.at.dispatch is not None and miss.at.kind == "dispatch":
        if miss.at.dispatch.form == "server":
            return "the server answers it with an error"
        return "the lookup has a default"
    return ""


# ---- a dispatcher on its own: what it gives back


def _answers(case: Case, miss: Miss) -> bool:
    """Whether a dispatcher answers a miss in words for the model; what else it gives back may well end the run."""
    left = miss.left
    if left is None:
        return False
    if left.op == "end" or left.value is None:
        dispatch = miss.origin.dispatch
        return (dispatch is not None and dispatch.form == "chain") or any(
            p.dispatch is not None and p.dispatch.form == "chain" for p in case.dispatches
        )
    frame = left.value_frame or left.frame
    return any(_is_words(value, scope, case) for value, scope in _values(left.value, frame.function, case))


def _values(expr: ir.Expr, function: Function, case: Case) -> Iterator[tuple[ir.Expr, Function]]:
    yield expr, function
    yield from case.tools.program.values(expr, function)


def _is_words(expr: ir.Expr, function: Function, case: Case, depth: int = 0) -> bool:
    if isinstance(expr, ir.Await):
        return _is_words(expr.value, function, case, depth)
    if isinstance(expr, (ir.FString, ir.DictE)):
        return True
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, str) and bool(expr.value)
    if isinstance(expr, ir.Bin):
        return _is_words(expr.left, function, case, depth) or _is_words(expr.right, function, case, depth)
    if isinstance(expr, ir.Seq):
        return expr.kind == "list" and any(_is_words(i, function, case, depth) for i in expr.items)
    if not isinstance(expr, ir.Call) or depth > 2:
        return False
    if isinstance(expr.func, ir.Attr) and expr.func.name == "format":
        return True
    for meaning in case.tools.program.resolve(expr.func, function):
        if isinstance(meaning, External):
            made = last_name(expr.func)[:1].isupper() and not meaning.name.startswith("builtins.")
            return meaning.name in _TEXT_CALLS or made
    return any(
        _is_words(value, target, case, depth + 1)
        for target in case.tools.program.targets(expr, function)
        for value in target.returned
    )
