"""What shows that nothing ends a loop: one full pass on which nothing moves, and each exit with why it is no bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame, Point
from toolbind_lint.recognise.roles import ARGS, CALL, CALLS, CLOCK, FINISH, NAME, REPLY, RESULT, last_name

MAX_EXITS = 6


def witness_steps(case: Case, walk: Iterable[Point]) -> tuple[Step, ...]:
    """The turns and dispatches of a pass as steps: those below a helper by the call of the helper in the loop."""
    out: list[Step] = []
    for point in walk:
        if point.kind not in {"turn", "dispatch"}:
            continue
        step = _called(case, point) or Step(case.tools.program.at(point.frame.function, point.node), _name(point))
        if not out or out[-1] != step:
            out.append(step)
    return tuple(out)


def _called(case: Case, point: Point) -> Step | None:
    """The call in the loop's own body through which a point is reached; None where it stands there itself."""
    entered: Frame | None = None
    for frame in point.frame.stack():
        if frame.number == case.head.frame.number:
            break
        entered = frame
    if entered is None or entered.call is None or entered.caller is None:
        return None
    return Step(case.tools.program.at(entered.caller.function, entered.call), entered.function.node.name)


def _name(point: Point) -> str:
    if point.turn is not None:
        return last_name(point.turn.call.func) or "model"
    return last_name(getattr(point.node, "func", point.node)) or "tool"


# ---- exits that are no bounds


def exits_considered(case: Case, bounds: Iterable[Bound]) -> tuple[Step, ...]:
    """The tests by which the loop can end, each with why it does not end whatever the model says."""
    counted = {t for b in bounds for t in b.tests}
    out: dict[Place, Step] = {}
    for point in sorted(case.finder.inside, key=lambda p: (p.node.span, p.number)):
        if point.kind != "test" or point in counted or len(point.to) != 2:
            continue
        leaving = [not case.finder.goes_on(target) for _, target in point.to]
        if leaving[0] == leaving[1]:
            continue
        at = case.tools.program.at(point.frame.function, point.node)
        out.setdefault(at, Step(at, _why(case, point)))
    return tuple(list(out.values())[:MAX_EXITS])


def _why(case: Case, point: Point) -> str:
    roles = frozenset(_roles(case, point))
    if NAME in roles:
        return "leaves only when the model names a certain tool"
    if roles & {CALLS, FINISH} or (REPLY in roles and RESULT not in roles):
        return "leaves only when the model asks for no more tools"
    if roles & {ARGS, CALL}:
        return "leaves only when the model names a certain tool"
    if RESULT in roles:
        return "leaves only by what a tool returns"
    if CLOCK in roles:
        return "leaves after a time, however many steps that is"
    if point.cell is not None and not case.finder.changes(point.cell):
        return "leaves by what nothing in the loop sets"
    return "leaves now and then, and counts nothing"


def _roles(case: Case, point: Point) -> Iterator[str]:
    for node in ir.walk(point.node):
        if isinstance(node, (ir.Name, ir.Attr, ir.Subscript, ir.Call)):
            yield from case.tools.roles.of(node, point.frame.function)
