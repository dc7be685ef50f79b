"""A turn that must call a tool, on every pass: the model can never answer, unless a call of its own ends the loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import decided, learn, reach
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.nested import inside
from toolbind_lint.recognise.paths import Cell, Frame, Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import ARGS, NAME, RESULT
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

MAX_DEPTH = 8
MAX_STATES = 5_000
_State = tuple[Point, frozenset[tuple[Cell, object]]]


class Choice(NamedTuple):
    """A value that the choice of a turn may have, the function in which it stands, and where.

    ``path`` says under which keys of an options object it was found.
    """

    value: ir.Expr
    function: Function
    place: Place
    path: str = ""


def faults(case: Case) -> list[Fault]:
    """The turns that force a call on every pass of a loop that no call ends."""
    out = []
    for point in case.turns:
        turn = point.turn
        row = _row(case, point)
        if turn is None or row is None:
            continue
        for param in row.all("choice"):
            said = (*_nested(case, point, param), list(_choices(case, point, param)))
            choices = next((several for several in said if _all_force(case, several, param)), None)
            if choices is None:
                continue
            at = place_of(case, point)
            words = (("param", param), ("value", text_of(choices[0].value)), ("call", turn.callee))
            related = tuple(Step(c.place, "forced here") for c in choices if c.place != at)
            out.append(Fault("forced-choice", at, words, related=related))
    return [] if not out or _a_call_ends_it(case) else out


def _row(case: Case, point: Point) -> Row | None:
    """What the catalogue knows of a turn, also of one that is asked under another name."""
    if point.turn is None or point.turn.row is not None:
        return point.turn.row if point.turn is not None else None
    for meaning in case.tools.program.resolve(point.turn.call.func, point.frame.function):
        row = case.tools.catalogue.find("turn", meaning.name) if isinstance(meaning, External) else None
        if row is not None:
            return row
    return None


# ---- what the choice of a turn may be


def _choices(case: Case, point: Point, param: str) -> Iterator[Choice]:
    """All values that a turn's choice may have on a pass; none where one of them is not known."""
    assert point.turn is not None
    found = _given(case, point.turn.call, param, point.frame, point)
    if found is None:
        return
    out: list[Choice] = []
    for expr, frame in found:
        values = _values(case, expr, frame, point, 0)
        if values is None:
            return
        out += values
    yield from dict.fromkeys(out)


def _nested(case: Case, point: Point, param: str) -> Iterator[list[Choice]]:
    """The choices inside an options object, path by path; none where one of several objects does not say."""
    assert point.turn is not None
    paths = [r.one("path") for r in case.tools.catalogue.rows if r.kind == "forced-choice" and r.one("param") == param]
    for path in filter(None, dict.fromkeys(paths)):
        given = _given(case, point.turn.call, param, point.frame, point) or []
        found = [list(inside(case.tools.program, e, f.function, path.split("."))) for e, f in given]
        if all(found):
            yield [Choice(e, f, case.tools.program.at(f, e), path) for several in found for e, f in several]


def _all_force(case: Case, choices: list[Choice], param: str) -> bool:
    return bool(choices) and all(_is_forced(case, c.value, param, c.path) for c in choices)


def _given(case: Case, call: ir.Call, param: str, frame: Frame, point: Point) -> list[tuple[ir.Expr, Frame]] | None:
    """The expressions given for a parameter: by keyword, in a dict, by a ``partial``; None where they may change."""
    direct = call.keyword(param)
    if direct is not None:
        return [(direct, frame)]
    for arg in call.args:
        if arg.star == "**":
            return _splatted(case, arg.value, param, frame, point)
    for value, scope in case.tools.program.values(call.func, frame.function):
        if isinstance(value, ir.Call) and _is_partial(case, value, scope):
            inner = value.keyword(param)
            if inner is not None:
                return [(inner, frame if scope is frame.function else Frame(-1, scope, None, {}, frozenset()))]
    return None


def _is_partial(case: Case, call: ir.Call, function: Function) -> bool:
    meanings = case.tools.program.resolve(call.func, function)
    return any(isinstance(m, External) and m.name in {"functools.partial", "functools.partialmethod"} for m in meanings)


def _splatted(case: Case, value: ir.Expr, param: str, frame: Frame, point: Point) -> list[tuple[ir.Expr, Frame]] | None:
    """The value under a key of a dict that is given by ``**``, or of the keywords that a wrapper passes on."""
    cell = case.builder.cell(value, frame)
    sets = case.finder.changes((*cell, f"[{param}]"), "set") if cell is not None else []
    if sets:
        if passes_by(case, point, sets):
            return [(p.value, p.value_frame) for p in sets if p.value is not None and p.value_frame is not None]
        return None
    if isinstance(value, ir.Name) and frame.caller is not None:
        keywords = {p.name for p in frame.function.node.params if p.kind == "**"}
        if value.id in keywords:
            given = _passed(case, frame, param)
            return None if given is None else [(given, frame.caller)]
    return [
        (found, Frame(-1, scope, None, {}, frozenset()))
        for display, scope in case.tools.program.displays(value, frame.function)
        if (found := display.get(param)) is not None
    ] or None


def _passed(case: Case, frame: Frame, param: str) -> ir.Expr | None:
    """What the calls of a wrapper give by a keyword that it passes on, where all give the same."""
    assert frame.caller is not None
    caller = frame.caller.function
    given = [
        c.keyword(param)
        for c in caller.calls
        if any(t.key == frame.function.key for t in case.tools.program.targets(c, caller))
    ]
    texts = {text_of(g) for g in given}
    return given[0] if len(texts) == 1 else None


def passes_by(case: Case, point: Point, sets: list[Point]) -> bool:
    """Whether a pass can't come to a point without coming by one of others first."""
    return point not in reach([case.head], frozenset(sets))


def _values(case: Case, expr: ir.Expr, frame: Frame, point: Point, depth: int) -> list[Choice] | None:
    """The constants that an expression may stand for when a turn is made; None where that is not known."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(expr, (ir.Const, ir.DictE)):
        return [Choice(expr, frame.function, case.tools.program.at(frame.function, expr))]
    if isinstance(expr, ir.IfExp):
        sides = [_values(case, side, frame, point, depth + 1) for side in (expr.body, expr.orelse)]
        return None if sides[0] is None or sides[1] is None else sides[0] + sides[1]
    if not isinstance(expr, (ir.Name, ir.Attr)):
        return None
    cell = case.builder.cell(expr, frame)
    changes = case.finder.changes(cell) if cell is not None else []
    if changes:
        if any(p.kind != "set" or p.value is None for p in changes) or not passes_by(case, point, changes):
            return None
        return _all(case, [(p.value, p.value_frame or p.frame) for p in changes if p.value], point, depth)
    if isinstance(expr, ir.Name):
        if frame.caller is not None and expr.id in frame.arguments and expr.id not in frame.rebound:
            return _values(case, frame.arguments[expr.id], frame.caller, point, depth + 1)
        param = next((p for p in frame.function.node.params if p.name == expr.id), None)
        if param is not None and expr.id not in frame.rebound:
            if param.default is None or frame.caller is None:
                return None
            return _values(case, param.default, _outside(frame), point, depth + 1)
    found = list(case.tools.program.values(expr, frame.function))
    return _all(case, [(v, Frame(-1, s, None, {}, frozenset())) for v, s in found], point, depth) if found else None


def _outside(frame: Frame) -> Frame:
    return Frame(-1, frame.function.parent or frame.function, None, {}, frozenset())


def _all(case: Case, exprs: list[tuple[ir.Expr, Frame]], point: Point, depth: int) -> list[Choice] | None:
    out: list[Choice] = []
    for expr, frame in exprs:
        found = _values(case, expr, frame, point, depth + 1)
        if found is None:
            return None
        out += found
    return out


def _is_forced(case: Case, value: ir.Expr, param: str, path: str) -> bool:
    return any(
        _forces(value, row)
        for row in case.tools.catalogue.rows
        if row.kind == "forced-choice" and row.one("param") == param and row.one("path") == path
    )


def _forces(value: ir.Expr, row: Row) -> bool:
    if isinstance(value, ir.Const) and isinstance(value.value, str):
        return value.value in row.all("values")
    if isinstance(value, ir.Attr):
        return bool(row.one("path")) and value.name in row.all("values")  # a member of an enumeration
    if isinstance(value, ir.DictE):
        kind = value.get("type")
        return (
            row.flags.get("any-dict", False)
            or (isinstance(kind, ir.Const) and kind.value in row.all("types"))
            or any(value.get(key) is not None for key in row.all("keys"))
        )
    return False


# ---- a call that ends the loop


def _a_call_ends_it(case: Case) -> bool:
    """Whether a branch on the called name, on a call's arguments or on what a tool returned leaves the loop."""
    for point in case.finder.inside:
        if point.kind == "test" and _about_a_call(case, point) and len(point.to) == 2:
            ways = [_leaves(case, target, point) for _, target in point.to]
            if ways[0] != ways[1]:
                return True
    return False


def _about_a_call(case: Case, point: Point) -> bool:
    roles = case.tools.roles
    named = (ir.Name, ir.Attr, ir.Subscript, ir.Call)
    return any(
        roles.of(n, point.frame.function) & {NAME, RESULT, ARGS} for n in ir.walk(point.node) if isinstance(n, named)
    )


def _going(case: Case) -> frozenset[tuple[Cell, object]]:
    """What the flags say while the loop goes on: the opposite of what ends it."""
    out: set[tuple[Cell, object]] = set()
    for point in case.finder.inside:
        if point.kind == "test" and point.cell in case.graph.flags and isinstance(point.node, (ir.Name, ir.Attr)):
            leaving = [label for label, target in point.to if target not in case.graph.returning]
            if len(leaving) == 1 and point.cell is not None:
                out.add((point.cell, leaving[0] == "false"))
    cells = [cell for cell, _ in out]
    return frozenset(pair for pair in out if cells.count(pair[0]) == 1)


def _leaves(case: Case, start: Point, test: Point) -> bool:
    """Whether the loop can end from one way of a test without another turn, by no bound and no exception.

    The next call of the same reply, which comes by the test again, does not count.
    """
    flags = case.graph.flags
    spent = {t for b in case.bounds for t in b.reached}
    seen: set[_State] = set()
    stack: list[_State] = [(start, _going(case))]
    while stack and len(seen) < MAX_STATES:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        point, known = state
        if point.kind == "turn" or point is test:
            continue
        if point.kind == "exit" and point.op != "raise":
            return True
        known = learn(point, known, flags)
        answer = decided(point, dict(known)) if known and point.kind == "test" else None
        for label, target in point.to:
            if label == "raise" or (point.kind == "iter" and label == "done" and point is case.head):
                continue
            if answer is not None and label in {"true", "false"} and label != answer:
                continue
            if target in spent and point.kind == "test" and any(point in b.tests for b in case.bounds):
                continue
            stack.append((target, known))
    return False
