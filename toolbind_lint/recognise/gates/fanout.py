"""Calls of one turn that nothing counts: the turns have a cap, and each may hold any number of calls."""

from __future__ import annotations

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CALLS, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_ORDER = frozenset({"<", "<=", ">", ">=", "!=", "=="})


def fault(case: Case) -> Fault | None:
    """The loop over the calls of a reply that runs them all, however many there are."""
    for dispatch in case.dispatches:
        source = _all_of(case, dispatch)
        if source is None or _of_inner_loop(case, dispatch) or one_call_only(case) or _counted(case):
            continue
        node, function = source
        if _measured(case, function):
            continue
        return Fault("uncounted-fan-out", case.tools.program.at(function, node), (("call", text_of(node)),))
    return None


def _of_inner_loop(case: Case, dispatch: Point) -> bool:
    """Whether a loop inside this one makes turns of its own around a dispatch: then it answers for its calls."""
    inner = dispatch.loops[len(case.head.loops) :]
    return any(number in point.loops for point in case.finder.inside if point.kind == "turn" for number in inner)


def _all_of(case: Case, dispatch: Point) -> tuple[ir.Expr, Function] | None:
    """The calls that a loop or comprehension around a dispatch, or around the call of its helper, goes through."""
    inner: ir.Node = dispatch.node
    for frame in dispatch.frame.stack():
        function = frame.function
        for node in function.nodes:
            iterated = _iterated(node)
            if iterated is None or node is case.node or not _within(inner, node):
                continue
            if CALLS in case.tools.roles.of(iterated, function) and not _cut(case, iterated, function):
                return iterated, function
        if frame.caller is None:
            break
        call = next((c for c in frame.caller.function.calls if _runs(case, c, frame.caller.function, function)), None)
        if call is None:
            break
        inner = call
    return None


def _runs(case: Case, call: ir.Call, scope: Function, function: Function) -> bool:
    if last_name(call.func) != function.node.name:
        return False
    return any(t.key == function.key for t in case.tools.program.targets(call, scope))


def _iterated(node: ir.Node) -> ir.Expr | None:
    if isinstance(node, ir.For):
        return node.iter
    return node.generators[0].iter if isinstance(node, ir.Comp) else None


def _within(inner: ir.Node, outer: ir.Node) -> bool:
    return outer.span[:2] <= inner.span[:2] and inner.span[2:] <= outer.span[2:]


def _cut(case: Case, expr: ir.Expr, function: Function, depth: int = 0) -> bool:
    """Whether a collection is a slice of another."""
    if depth > 4:
        return False
    for node in ir.walk(expr):
        if isinstance(node, ir.Slice) or (isinstance(node, ir.Call) and last_name(node.func) == "islice"):
            return True
        if isinstance(node, ir.Name):
            values = [b.value for b in case.tools.program.lookup(node.id, function) if b.kind == "assign"]
            if any(v is not None and v is not expr and _cut(case, v, function, depth + 1) for v in values):
                return True
    return False


def one_call_only(case: Case) -> bool:
    """Whether each turn asks for one call at most."""
    rows = [r for r in case.tools.catalogue.rows if r.kind == "single-call"]
    for point in case.turns:
        if point.turn is None:
            return False
        if not any(_asks_for_one(case, point, row.one("param"), row.one("key"), row.one("value")) for row in rows):
            return False
    return bool(case.turns)


def _asks_for_one(case: Case, point: Point, param: str, key: str, value: str) -> bool:
    assert point.turn is not None
    function = point.frame.function
    given = [point.turn.call.keyword(param)]
    for arg in point.turn.call.args:
        if arg.star == "**":
            given += [d.get(param) for d, _ in case.tools.program.displays(arg.value, function)]
    for expr in given:
        if expr is None:
            continue
        inner = expr.get(key) if key and isinstance(expr, ir.DictE) else expr
        for found, _ in case.tools.program.values(inner, function) if inner is not None else ():
            if isinstance(found, ir.Const) and str(found.value).lower() == value:
                return True
    return False


def _counted(case: Case) -> bool:
    """Whether a bound of the loop moves with each call."""
    own = len(case.head.loops)
    return any(b.kind == "counter" and any(len(p.loops) > own for p in b.moves) for b in case.bounds)


def _measured(case: Case, function: Function) -> bool:
    """Whether the number of calls is compared with anything: ``if len(calls) > 5``."""
    functions = {f.function.key: f.function for f in case.graph.frames}
    functions[function.key] = function
    for scope in functions.values():
        for node in scope.nodes:
            if not isinstance(node, ir.Compare) or node.op not in _ORDER:
                continue
            for side, other in ((node.left, node.right), (node.right, node.left)):
                if not isinstance(side, ir.Call) or last_name(side.func) != "len" or not side.args:
                    continue
                zero = isinstance(other, ir.Const) and other.value in (0, 1)
                if CALLS in case.tools.roles.of(side.args[0].value, scope) and not zero:
                    return True
    return False
