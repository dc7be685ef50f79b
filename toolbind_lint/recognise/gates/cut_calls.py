"""Calls of a reply that was cut off: are they run although nobody reads why the reply ended?"""

from __future__ import annotations

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.owned import is_inner, own_dispatches
from toolbind_lint.recognise.gates.reasons import Reply, spoken_rows, way
from toolbind_lint.recognise.handlers import HandlerFinder
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import ARGS, CALL, CALLS, FINISH, NAME, last_name
from toolbind_lint.verdicts import Fault

MAX_BELOW = 40


def faults(case: Case) -> list[Fault]:
    """The dispatch to which a reply comes that was cut off at the output limit."""
    rows = spoken_rows(case)
    turns = [t for t in case.turns if not is_inner(case, t)]
    dispatches = [d for d in own_dispatches(case) if _is_called_for(case, d)]
    if not rows or not turns or not dispatches or case.graph.truncated:
        return []
    functions = list({f.function.key: f.function for f in case.graph.frames}.values())
    if _reads_cut(case, functions, {v for r in rows for v in r.all("finish-cut")}):
        return []
    parsed = _parses(case, functions, dispatches)
    if parsed == "answered" or (parsed == "nowhere" and _as_text(case, rows)):
        return []
    for row in rows:
        reply = Reply(row, row.all("finish-cut")[0], calls=True)
        for turn in turns:
            reached = _reached(case, turn, reply)
            hit = next((d for d in sorted(dispatches, key=lambda p: (p.node.span, p.number)) if d in reached), None)
            if hit is not None:
                asked = Step(place_of(case, turn), "the reply comes from here")
                called = hit.dispatch is not None and isinstance(hit.dispatch.node, ir.Call)
                words = (("value", reply.reason), ("call", hit.dispatch.callee if hit.dispatch and called else ""))
                return [Fault("truncated-dispatch", place_of(case, hit), words, related=(asked,))]
    return []


def _is_called_for(case: Case, point: Point) -> bool:
    """Whether a dispatch runs a call that a reply holds as such, and not one that is read out of its text."""
    dispatch = point.dispatch
    if dispatch is None:
        return False
    roles = case.tools.roles
    given: list[ir.Expr | None] = [dispatch.key]
    if isinstance(dispatch.node, ir.Call):
        given += [a.value for a in dispatch.node.args]
    return any(roles.of(g, dispatch.function) & {NAME, ARGS, CALL} for g in given)


def _reads_cut(case: Case, functions: list[Function], cut: set[str]) -> bool:
    """Whether the code speaks of a reason for which replies are cut, or hands the reason to code of its own."""
    roles = case.tools.roles
    for function in functions:
        for node in function.nodes:
            if isinstance(node, ir.Const) and node.value in cut:
                return True
            if isinstance(node, ir.Attr) and node.name in cut:
                return True
            if isinstance(node, ir.Compare) and FINISH in roles.of(node.left, function):
                if not any(isinstance(n, ir.Const) for n in ir.walk(node.right)):
                    return True
            if isinstance(node, ir.Call) and any(FINISH in roles.of(a.value, function) for a in node.args):
                if case.tools.program.targets(node, function):
                    return True
    return False


def _parses(case: Case, functions: list[Function], dispatches: list[Point]) -> str:
    """What becomes of arguments that can't be parsed: ``answered``, ``raised``, or ``nowhere`` where none are."""
    below = {f.key: f for f in functions}
    finder = HandlerFinder(case.tools.program)
    queue = list(functions)
    for point in dispatches:
        assert point.dispatch is not None
        handlers = finder.of(point.dispatch)
        queue.extend(handlers.functions if handlers is not None else ())
        if isinstance(point.dispatch.node, ir.Call):
            queue.extend(case.tools.program.targets(point.dispatch.node, point.dispatch.function))
    answer = "nowhere"
    while queue and len(below) < MAX_BELOW:
        function = queue.pop(0)
        below.setdefault(function.key, function)
    for function in below.values():
        for node in function.nodes:
            if not isinstance(node, ir.Call) or not _is_parse(case, node, function):
                continue
            if not any(case.tools.roles.of(a.value, function) & {ARGS, CALL, CALLS} for a in node.args):
                continue
            if _is_guarded(case, node, function):
                return "answered"
            answer = "raised"
    return answer


def _is_parse(case: Case, call: ir.Call, function: Function) -> bool:
    catalogue = case.tools.catalogue
    if isinstance(call.func, ir.Attr) and call.func.name in catalogue.words("parse", "names"):
        return True
    names = [m.name for m in case.tools.program.resolve(call.func, function) if isinstance(m, External)]
    if any(catalogue.find("parse", n) for n in names):
        return True
    targets = case.tools.program.targets(call, function)
    return any(word in last_name(call.func) for word in ("parse", "valid")) and bool(targets)


def _is_guarded(case: Case, call: ir.Call, function: Function) -> bool:
    """Whether a handler takes what a parse raises: in the function itself, or around it on the way of the loop."""
    for node in function.nodes:
        if isinstance(node, ir.Try) and node.handlers and any(n is call for n in ir.walk_all(node.body)):
            return True
    targets = case.tools.program.targets(call, function)
    if any(isinstance(n, ir.Try) and n.handlers for t in targets for n in t.nodes):
        return True
    return any(s.node is call for _, s, _ in case.graph.caught)


def _as_text(case: Case, rows: list[Row]) -> bool:
    """Whether arguments come as text here, so that whoever runs the tool must parse them."""
    return not any("input" in r.all("args") for r in rows)


def _reached(case: Case, turn: Point, reply: Reply) -> set[Point]:
    """What a reply can come to before the next pass."""
    seen: set[Point] = set()
    stack = [t for label, t in turn.to if label != "raise"]
    turns = set(case.turns)
    while stack:
        point = stack.pop()
        if point in seen or point is case.head or point in turns:
            continue
        seen.add(point)
        answer = way(case, point, reply) if point.kind == "test" else None
        for label, target in point.to:
            if label == "raise" or (answer is not None and label in {"true", "false"} and label != answer):
                continue
            stack.append(target)
    return seen
