"""A handler inside a tool loop that makes the same request again, with nothing that counts how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, passes
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Cell, Point
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.verdicts import Fault

_CHANGES = ("set", "grow", "move", "shrink")
_NO_FAILED_REQUEST = frozenset(
    (
        *("KeyError", "IndexError", "LookupError", "ValueError", "TypeError", "AttributeError", "JSONDecodeError"),
        *("StopIteration", "StopAsyncIteration", "EOFError", "KeyboardInterrupt", "CancelledError", "ValidationError"),
    )
)
"""What a handler takes that is another matter than a service which does not answer."""
_TELLING = frozenset(["print", "debug", "info", "warning", "error", "exception", "critical", "log", "echo"])


def handlers(case: Case) -> dict[Point, Fault]:
    """The handlers of a tool loop from which the turn that failed is asked again for as long as it fails, in order."""
    if case.kind != "tool-loop" or case.graph.truncated or not isinstance(case.node, (ir.While, ir.For)):
        return {}
    if isinstance(case.node, ir.For) and case.node.is_async:
        return {}
    if any(test.leaves and not test.rearmed for test in case.time_tests):
        return {}
    out: dict[Point, Fault] = {}
    for handler, turn, _ in case.graph.caught:
        if turn in case.turns and handler not in out and _takes_failed_requests(case, handler):
            if _asks_again(case, handler, turn):
                assert isinstance(handler.node, ir.Handler)
                place = case.tools.program.place(handler.frame.function.module, handler.node.header)
                related = (Step(place_of(case, turn), "this is asked again"),)
                out[handler] = Fault("unbounded-retry", place, (("call", _callee(turn)),), related=related)
    return {each: out[each] for each in sorted(out, key=lambda p: (p.node.span, p.number))}


def changing(case: Case) -> list[Point]:
    """The points in the handlers of a retry that change what it asks."""
    inputs = {cell for turn in case.turns if turn.turn is not None for cell in _request(case, turn)}
    handlers = [p for p in case.finder.ordered if p.kind == "handler" and isinstance(p.node, ir.Handler)]
    return [p for each in handlers for p in _changed_in(case, each) if p.cell in inputs]


def _callee(turn: Point) -> str:
    return turn.turn.callee if turn.turn is not None else ""


def _takes_failed_requests(case: Case, handler: Point) -> bool:
    """Whether a handler of the loop's own function takes what a service raises that does not answer."""
    node = handler.node
    if not isinstance(node, ir.Handler) or handler.frame.caller is not None or handler not in case.finder.inside:
        return False
    if node.type is None:
        return True
    if case.builder.raised(node.type, handler.frame).project:
        return False  # a signal of the project's own
    return not _NO_FAILED_REQUEST.issuperset(case.builder.handler_names(node, handler.frame))


def _asks_again(case: Case, handler: Point, turn: Point) -> bool:
    """Whether a pass goes from the failed turn over the handler to the next one, with nothing changed or counted."""
    inputs = _request(case, turn)
    if _is_told_elsewhere(case, handler, inputs):
        return False
    persons = [p for p in case.finder.ordered if p.kind == "person"]
    answered = [target for label, target in turn.to if label != "raise"]
    avoided = [*persons, *answered, *(p for p in _changed_in(case, handler) if p.cell in inputs)]
    if not passes(case.graph, [[turn], [handler]], avoided):
        return False
    return not any(_ends(case, bound, turn, handler, avoided) for bound in case.bounds)


def _ends(case: Case, bound: Bound, turn: Point, handler: Point, avoided: Iterable[Point]) -> bool:
    """Whether a bound counts each pass over the handler and is compared on each, or may count it."""
    stages = [[turn], [handler]]
    if not (bound.leaves or case.finder.leaves_unchanged(bound)) or not case.finder.finite(bound):
        return False
    if passes(case.graph, stages, [*avoided, *bound.tests, *bound.guards]):
        return False
    if not passes(case.graph, stages, [*avoided, *bound.moves]):
        return True
    # A step that only a success counts is a fault of its own, told by the cap.
    return case.finder.stands_on_all([bound])


def _request(case: Case, turn: Point) -> set[Cell]:
    """What a turn asks with: its arguments, and the client and the model that it asks."""
    found: set[Cell] = set()
    assert turn.turn is not None
    pending = [(node, turn.frame) for node in ir.walk(turn.turn.call)]
    for inner in turn.frame.stack():
        if inner.call is not None and inner.caller is not None:
            pending += [(node, inner.caller) for node in ir.walk(inner.call)]
    for node, frame in pending:
        cell = case.builder.cell(node, frame) if isinstance(node, (ir.Name, ir.Attr)) else None
        if cell is None or cell in found:
            continue
        found.add(cell)
        for change in case.finder.changes(cell, "set", "grow"):
            if change.value is not None:
                pending += [(part, change.value_frame or change.frame) for part in ir.walk(change.value)]
    return found


def _changed_in(case: Case, handler: Point) -> Iterator[Point]:
    """The points in the body of a handler, and in the helpers that it calls, that change something."""
    span = handler.node.span
    for point in case.finder.ordered:
        if point.kind in _CHANGES and point.cell is not None:
            node: ir.Node | None = point.node
            for frame in point.frame.stack():
                if frame is handler.frame:
                    if node is not None and span[:2] <= node.span[:2] and node.span[2:] <= span[2:]:
                        yield point
                    break
                node = frame.call


def _is_told_elsewhere(case: Case, handler: Point, inputs: set[Cell]) -> bool:
    """Whether what a handler leaves behind may change the request on the way to it: a mark that a test reads, or an
    object of the request that is handed to code that nobody knows.
    """
    left = {p.cell for p in _changed_in(case, handler)}
    counted = {cell for bound in case.bounds for cell in bound.cells}
    if any(p.kind == "test" and p.cell in left - counted for p in case.finder.ordered):
        return True
    assert isinstance(handler.node, ir.Handler)
    for node in ir.walk_all(handler.node.body):
        if isinstance(node, ir.Call) and last_name(node.func) not in _TELLING:
            spoken = [arg.value for arg in node.args]
            spoken += [node.func.base] if isinstance(node.func, ir.Attr) else []
            if any(isinstance(e, (ir.Name, ir.Attr)) and case.builder.cell(e, handler.frame) in inputs for e in spoken):
                if not case.tools.program.targets(node, handler.frame.function):
                    return True
    return False
