"""What still runs once the cap is spent: one more turn with its tools on offer, or one more dispatch."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, reach
from toolbind_lint.recognise.gates.cap import holding, place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import Turn
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault


def faults(case: Case) -> list[Fault]:
    """The turns and dispatches that come behind a spent cap."""
    out: dict[Place, Fault] = {}
    for bound in holding(case):
        for place, callee in (*_inside(case, bound), *_behind(case, bound)):
            related = (Step(place_of(case, bound.tests[0]), "the cap is spent here"),)
            words = (("call", callee), ("cap", text_of(bound.cap)))
            out.setdefault(place, Fault("turn-after-cap", place, words, related=related))
    return list(out.values())


# ---- in the loop itself


def _inside(case: Case, bound: Bound) -> Iterator[tuple[Place, str]]:
    """Turns and dispatches between the test, at its cap, and the end of the loop."""
    if not bound.leaves:
        return
    test = bound.tests[0]
    after = reach(bound.reached, frozenset({case.head}), raising=False)
    turns = sorted((p for p in after if p.kind == "turn"), key=lambda p: p.number)
    for point in turns:
        if _offers(case, point):
            yield place_of(case, point), text_of(getattr(point.node, "func", None))
    if turns or bound.kind == "range" or test not in reach([case.head], frozenset(case.turns)):
        return  # behind a turn the calls of that turn are still to be run
    for point in case.dispatches:
        if point in after:
            yield place_of(case, point), text_of(getattr(point.node, "func", None))


def _offers(case: Case, point: Point) -> bool:
    """Whether a turn puts tools on offer whatever was set on the way to it."""
    turn = point.turn
    if turn is None or turn.row is None or turn.tools != "yes":
        return False
    function = point.frame.function
    for name in (*turn.row.all("tools"), *turn.row.all("choice")):
        value = turn.call.keyword(name)
        cell = case.builder.cell(value, point.frame)
        if cell is not None and case.finder.changes(cell):
            return False
        if isinstance(value, (ir.IfExp, ir.Bool)):
            return False
    return not _switched_off(turn, function)


def _switched_off(turn: Turn, function: Function) -> bool:
    """Whether the choice of a turn is that no tool may be called."""
    assert turn.row is not None
    for name in turn.row.all("choice"):
        value = turn.call.keyword(name)
        if isinstance(value, ir.DictE):
            value = value.get("type")
        if isinstance(value, ir.Const) and str(value.value).lower() == "none":
            return True
    return False


# ---- behind the loop


def _behind(case: Case, bound: Bound) -> Iterator[tuple[Place, str]]:
    """Turns that follow the loop, with the same conversation and the same tools, where the cap leads there."""
    if not isinstance(case.node, (ir.While, ir.For)):
        return
    after = reach(bound.reached, frozenset({case.head}), raising=False)
    if not any(p.kind == "exit" and p.op == "end" for p in after):
        return
    function = case.function
    for stmt in _following(function.node.body, case.node):
        for call in _calls(stmt):
            if _asks_again(case, call):
                yield case.tools.program.at(function, call), text_of(call.func)
                continue
            turn = case.tools.roles.turn(call, function)
            if turn is None or turn.row is None or turn.tools != "yes" or _switched_off(turn, function):
                continue
            if any(_alike(turn, p.turn) for p in case.turns if p.turn is not None and p.frame.caller is None):
                yield case.tools.program.at(function, call), text_of(call.func)


def _asks_again(case: Case, call: ir.Call) -> bool:
    """Whether a call runs the helper that makes the loop's turn, with the same arguments."""
    program = case.tools.program
    given = sorted(text_of(a.value) for a in call.args)
    for point in case.turns:
        frame = point.frame
        if frame.caller is None or frame.caller.caller is not None or not _offers(case, point):
            continue
        receiver = frame.function.self_name
        passed = sorted(text_of(v) for name, v in frame.arguments.items() if name != receiver)
        if given == passed and any(t.key == frame.function.key for t in program.targets(call, case.function)):
            return True
    return False


def _following(body: tuple[ir.Stmt, ...], loop: ir.Node) -> Iterator[ir.Stmt]:
    """The statements of a function that run after a loop in it, up to the next one that leaves for certain."""
    for number, stmt in enumerate(body):
        if not any(n is loop for n in ir.walk(stmt)):
            continue
        for inner in _blocks(stmt):
            yield from _following(inner, loop)
        for later in body[number + 1 :]:
            yield later
            if isinstance(later, (ir.Return, ir.Raise, ir.Jump)):
                return
        return


def _blocks(stmt: ir.Stmt) -> Iterator[tuple[ir.Stmt, ...]]:
    if isinstance(stmt, ir.If):
        yield from (stmt.body, stmt.orelse)
    elif isinstance(stmt, ir.With):
        yield stmt.body
    elif isinstance(stmt, ir.Try):
        yield from (stmt.body, stmt.orelse)


def _calls(stmt: ir.Stmt) -> Iterator[ir.Call]:
    """The calls of a statement, but for those of a loop: they are the business of that loop."""
    if isinstance(stmt, (ir.While, ir.For)):
        return
    for node in ir.walk(stmt):
        if isinstance(node, ir.Call):
            yield node


def _alike(one: Turn, other: Turn) -> bool:
    """Whether two turns are given the same conversation and the same tools."""
    if one.row is None or other.row is None or one.row is not other.row:
        return False
    names = (*one.row.all("tools"), *one.row.all("messages"))
    return all(text_of(one.call.keyword(n)) == text_of(other.call.keyword(n)) for n in names)
