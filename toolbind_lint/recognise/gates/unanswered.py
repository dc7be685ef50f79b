"""Calls of a reply that get no answer on some way to the next turn: the provider rejects such a transcript.

A pass through the body of the ``for`` over the calls that says nothing, a way that leaves the ``for`` early, an
exception that leaves it, or only the first of the calls run at all.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import BoundFinder, decided, learn, reach
from toolbind_lint.recognise.gates.fanout import one_call_only
from toolbind_lint.recognise.gates.owned import is_inner, own_dispatches
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Cell, Point
from toolbind_lint.recognise.program import ClassRef, Function
from toolbind_lint.recognise.roles import CALL, CALLS, NAME, REPLY, RESULT, key_read, last_name
from toolbind_lint.recognise.transcript import Speech, build
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

MAX_STATES = 20_000
MAX_PLACES = 4

_BROAD = frozenset({"Exception", "BaseException"})

Known = frozenset[tuple[Cell, str]]
"""What the last assignment on a way made of a cell: ``none``, ``false`` or ``true``."""


class State(NamedTuple):
    """Where a walk stands. ``phase`` is open (this call has no answer yet), done (it has one), left (a call stays
    without one). ``sure`` says that the item is known to be a call.
    """

    point: Point
    phase: str
    sure: bool
    known: Known
    flags: frozenset[tuple[Cell, object]]


def faults(case: Case) -> list[Fault]:
    """The places from which a call without an answer comes to the next turn, one fault for each."""
    dispatches = own_dispatches(case)
    if case.kind != "tool-loop" or not dispatches or case.graph.truncated:
        return []
    speech = Speech(case)
    if not speech.names_calls([f.function for f in case.graph.frames]):
        return []
    first = _only_first(case, speech)
    if first is not None:
        return [first]
    return list(_Walk(case, speech).faults())


class _Walk:
    """The ways through the loops over calls of one case."""

    def __init__(self, case: Case, speech: Speech) -> None:
        self.case = case
        self.speech = speech
        self.roles = case.tools.roles
        self.program = case.tools.program
        self.graph, self.builder = build(case)
        own = {id(t.turn.call) for t in case.turns if t.turn is not None and not is_inner(case, t)}
        self.turns = frozenset(p for p in self.graph.points if p.turn is not None and id(p.turn.call) in own)
        self.inside = reach([self.graph.head]) if self.graph.head is not None else set()
        self.finder = BoundFinder(
            self.graph, self.builder.cell, case.tools.program, case.tools.roles, case.tools.values
        )
        self.stores = [p for p in self.graph.points if p in self.inside and speech.stores_reply(p)]
        self.stored = frozenset(p.cell for p in self.stores if p.cell is not None)
        self.kept = self._transcript()
        self._says: dict[Point, bool] = {}
        self._loops: dict[int, list[Point]] | None = None
        self._answered_in: dict[frozenset[Cell], frozenset[int]] = {}
        self._cells: dict[Point, frozenset[Cell]] = {}

    def _transcript(self) -> frozenset[Cell]:
        """The cells that hold what the model is sent."""
        found = {p.cell for p in self.stores}
        for turn in self.turns:
            assert turn.turn is not None
            found |= {self.builder.cell(a.value, turn.frame) for a in turn.turn.call.args}
        return frozenset(c for c in found if c is not None)

    def faults(self) -> Iterator[Fault]:
        """One fault for each place that lets a call go without an answer."""
        if self.graph.truncated or not self.turns:
            return
        seen: set[int] = set()
        heads = [p for p in self.graph.points if p in self.inside and self._is_over_calls(p)]
        for head in heads:
            for place, walk in self._skips(head):
                if id(place.node) not in seen:
                    seen.add(id(place.node))
                    yield self._fault(place, walk, head)
        if not heads:
            for point in self.graph.points:
                if point in self.inside and point.kind == "dispatch" and self._is_stored_before(point):
                    for place, walk in self._raises(point):
                        if id(place.node) not in seen:
                            seen.add(id(place.node))
                            yield self._fault(place, walk, point)

    def _fault(self, place: Point, walk: list[Point], head: Point) -> Fault:
        node = place.node
        span = node.header if isinstance(node, (ir.Handler, ir.For)) else node.span
        at = self.program.place(place.frame.function.module, span)
        turn = next((p for p in reversed(walk) if p in self.turns), None)
        words = (("at", _says_where(place)),)
        related = []
        if turn is not None:
            shown = self.program.place(turn.frame.function.module, turn.node.span)
            related.append(Step(shown, "the next turn is sent the call without an answer"))
        if place is not head and isinstance(head.node, ir.For):
            shown = self.program.place(head.frame.function.module, head.node.header)
            related.append(Step(shown, "goes through the calls of the reply"))
        return Fault("unanswered-call", at, words, related=tuple(related))

    # ---- which loops go through the calls

    def _is_over_calls(self, point: Point) -> bool:
        node = point.node
        if point.kind not in {"iter", "head"} or not isinstance(node, ir.For) or node is self.case.node:
            return False
        found = self.roles.of(node.iter, point.frame.function)
        body = [p for p in self.inside if point.loop in p.loops and p is not point]
        if any(p in self.turns for p in body) or not any(self._answers(p) for p in body):
            return False
        if self._is_gathered(node, found):
            return True
        return bool(found & {CALLS, REPLY}) and self._runs_tools(node, point, body)

    def _runs_tools(self, node: ir.For, head: Point, body: list[Point]) -> bool:
        if any(p.kind == "dispatch" for p in body):
            return True
        inner = {id(n) for n in ir.walk_all(node.body)}
        return any(id(d.node) in inner for d in self.roles.dispatches_in(head.frame.function))

    def _is_gathered(self, node: ir.For, roles: frozenset[str]) -> bool:
        """Whether a ``for`` goes through what the tools of a reply gave, exceptions among them."""
        if CALLS in roles:
            return False
        names = {n.id for n in ir.walk(node.target) if isinstance(n, ir.Name)}
        for inner in ir.walk_all(node.body):
            if isinstance(inner, ir.Call) and last_name(inner.func) == "isinstance" and len(inner.args) == 2:
                subject = inner.args[0].value
                if isinstance(subject, ir.Name) and subject.id in names:
                    return bool({last_name(n) for n in ir.walk(inner.args[1].value)} & _BROAD)
        return False

    # ---- walking

    def _skips(self, head: Point) -> Iterator[tuple[Point, list[Point]]]:
        """The places in the body of a ``for`` that let its call go, each with a way from there to a turn."""
        assert isinstance(head.node, ir.For)
        sure = bool(self.roles.of(head.node.iter, head.frame.function) & {CALLS}) or self._is_gathered(
            head.node, self.roles.of(head.node.iter, head.frame.function)
        )
        starts = [State(t, "open", sure, frozenset(), frozenset()) for label, t in head.to if label in {"next", ""}]
        blocked: set[tuple[Point, Point]] = set()
        for _ in range(MAX_PLACES):
            walk = self._walk(starts, head, blocked)
            if walk is None:
                return
            place, edge = self._place(walk, head)
            if place is None:
                return
            yield place, [s.point for s in walk]
            if edge is None:
                return
            blocked.add(edge)

    def _raises(self, point: Point) -> Iterator[tuple[Point, list[Point]]]:
        """The handlers that take what a dispatch raises and go on without an answer."""
        for label, target in point.to:
            if label == "raise" and target.kind == "handler" and self._takes_tools(target, point):
                walk = self._walk([State(target, "left", True, frozenset(), frozenset())], None, set())
                if walk is not None:
                    yield target, [s.point for s in walk]

    def _walk(self, starts: list[State], head: Point | None, blocked: set[tuple[Point, Point]]) -> list[State] | None:
        """A way from the body of a ``for`` to the next turn on which a call stays without an answer."""
        before: dict[State, State | None] = dict.fromkeys(starts)
        queue = list(starts)
        collected = self._collected(head)
        for state in queue:
            for following in self._steps(state, head, blocked, collected):
                if following in before:
                    continue
                before[following] = state
                if following.phase == "left" and following.point in self.turns:
                    return _back(before, following)
                if len(before) > MAX_STATES:
                    return None
                queue.append(following)
        return None

    def _steps(
        self, state: State, head: Point | None, blocked: set[tuple[Point, Point]], collected: frozenset[Cell]
    ) -> Iterator[State]:
        point, phase, sure = state.point, state.phase, state.sure
        flags = learn(point, state.flags, self.graph.flags)
        known = self._learned(point, state.known)
        within = head is not None and head.loop in point.loops
        if self._answers(point):
            if phase == "open" and within:
                phase = "done"
            elif phase == "left" and not within and not self._is_of(point, collected):
                return
        if phase == "left" and not within and (self._mends(point) or point.loop in self._answering(collected)):
            return
        allowed = self._allowed(point, known, dict(flags))
        for label, target in point.to:
            if (
                label == "none"
                or (point, target) in blocked
                or (allowed is not None and label in {"true", "false"} and label != allowed)
            ):
                continue
            now_sure, now = sure, phase
            if phase != "left" and head is not None:
                if label in {"true", "false"} and point.kind == "test":
                    kind = self._about_item(point, label)
                    if kind == "no":
                        continue
                    now_sure = sure or kind == "yes"
                if target is head:
                    if phase == "done" or not now_sure:
                        continue
                    now = "left"
                elif head.loop not in target.loops:
                    if label == "raise" and not self._leaves_by(phase, point, target, head):
                        continue
                    if not now_sure:
                        continue
                    now = "left"
            elif phase == "left" and target is head and head is not None:
                continue
            if point is head and phase == "left" and label == "next":
                continue
            yield State(target, now, now_sure, known, flags)

    def _leaves_by(self, phase: str, point: Point, target: Point, head: Point) -> bool:
        """Whether an exception that leaves the ``for`` is one that a call may raise before it is answered."""
        if phase != "open" or target.kind != "handler" or not self._is_stored_before(head):
            return False
        return self._takes_tools(target, point)

    def _takes_tools(self, handler: Point, source: Point) -> bool:
        """Whether a handler takes what a tool may raise, and not only the errors of a library that is asked here."""
        node = handler.node
        if not isinstance(node, ir.Handler):
            return False
        if source.kind == "raise":
            return True
        names = self.builder.handler_names(node, handler.frame)
        return not names or any(isinstance(getattr(builtins, n, None), type) or n == "JSONDecodeError" for n in names)

    def _is_stored_before(self, point: Point) -> bool:
        """Whether the reply is in the transcript by the time that its calls are run."""
        return any(point in reach([s], self.turns, raising=False) and not self._inside(point, s) for s in self.stores)

    def _inside(self, head: Point, point: Point) -> bool:
        return isinstance(head.node, ir.For) and head.loop in point.loops

    # ---- what a point says and a test decides

    def _answers(self, point: Point) -> bool:
        if point not in self._says:
            self._says[point] = self.speech.answers(point)
        return self._says[point]

    def _collected(self, head: Point | None) -> frozenset[Cell]:
        """The lists that the body of a ``for`` fills: adding them later answers only what is in them."""
        if head is None:
            return frozenset()
        filled = {p.cell for p in self.graph.points if p.kind == "say" and head.loop in p.loops}
        fresh = {p.cell for p in self.graph.points if p.kind == "set" and head.loop not in p.loops}
        return frozenset(c for c in filled & fresh - self.kept if c is not None)

    def _answering(self, collected: frozenset[Cell]) -> frozenset[int]:
        """The loops over something in whose body calls may be answered: they make a pass for each."""
        if collected not in self._answered_in:
            self._answered_in[collected] = self._loops_answering(collected)
        return self._answered_in[collected]

    def _loops_answering(self, collected: frozenset[Cell]) -> frozenset[int]:
        if self._loops is None:
            said = [p for p in self.graph.points if self._answers(p)]
            own = self.case.head.loops
            self._loops = {n: [p for p in said if n in p.loops] for p in said for n in p.loops if n not in own}
        over = {p.loop for p in self.graph.points if p.loop >= 0 and isinstance(p.node, ir.For)}
        return frozenset(
            n for n, said in self._loops.items() if n in over and not all(self._is_of(p, collected) for p in said)
        )

    def _mends(self, point: Point) -> bool:
        """Whether a point makes the transcript anew, shortens it or hands it to who may mend it."""
        if point.kind == "shrink":
            return True
        if point.kind == "set" and point.cell in self.kept:
            return point.cell in self.stored or not self.stored or self._is_made_over(point)
        if point.kind != "say" or point.value is None:
            return False
        if point.op == "put" and point.cell in self.kept:
            return True
        if point.op != "hand":
            return False
        frame = point.value_frame or point.frame
        given = point.value.items if isinstance(point.value, ir.Seq) else (point.value,)
        return any(self.builder.cell(g, frame) in self.kept for g in given if isinstance(g, (ir.Name, ir.Attr)))

    def _is_made_over(self, point: Point) -> bool:
        """Whether what a turn is given is made of the transcript by other code, which may mend it."""
        frame = point.value_frame or point.frame
        for node in ir.walk(point.value) if point.value is not None else ():
            if isinstance(node, ir.Call):
                given = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
                if any(self.builder.cell(g, frame) in self.stored for g in given):
                    return True
        return False

    def _is_of(self, point: Point, collected: frozenset[Cell]) -> bool:
        """Whether a point says only what the body of the ``for`` put together."""
        if point.cell in collected:
            return True
        if point.value is None:
            return False
        if point not in self._cells:
            frame = point.value_frame or point.frame
            cells = (self.builder.cell(n, frame) for n in ir.walk(point.value) if isinstance(n, (ir.Name, ir.Attr)))
            self._cells[point] = frozenset(cell for cell in cells if cell is not None)
        return not self._cells[point].isdisjoint(collected)

    def _learned(self, point: Point, known: Known) -> Known:
        if point.kind != "set" or point.cell is None:
            return known
        kept = frozenset(pair for pair in known if pair[0] != point.cell)
        truth = self._truth(point.value, (point.value_frame or point.frame).function)
        return kept | {(point.cell, truth)} if truth and len(kept) < 6 else kept

    def _truth(self, value: ir.Expr | None, function: Function) -> str:
        if isinstance(value, ir.Const):
            return "none" if value.value is None else "true" if value.value else "false"
        if isinstance(value, (ir.DictE, ir.Seq)):
            return "true" if value.items else "false"
        if isinstance(value, ir.FString):
            return "true"
        if isinstance(value, ir.Call) and any(
            isinstance(m, ClassRef) for m in self.program.resolve(value.func, function)
        ):
            return "true"
        return ""

    def _allowed(self, point: Point, known: Known, flags: dict[Cell, object]) -> str | None:
        if point.kind != "test":
            return None
        by_flag = decided(point, flags) if flags else None
        if by_flag is not None or point.cell is None:
            return by_flag
        truth = dict(known).get(point.cell, "")
        node = point.node
        if not truth:
            return None
        if isinstance(node, ir.Compare):
            if not isinstance(node.right, ir.Const) or node.right.value is not None:
                return None
            same = truth == "none"
            if node.op in {"is", "=="}:
                return "true" if same else "false"
            return ("false" if same else "true") if node.op in {"is not", "!="} else None
        if isinstance(node, (ir.Name, ir.Attr, ir.Subscript)):
            return "true" if truth == "true" else "false"
        return None

    def _about_item(self, point: Point, label: str) -> str:
        """What a way of a test says of the item: ``yes`` it is a call, ``no`` it is none or needs no answer, or
        nothing.
        """
        node, function = point.node, point.frame.function
        if isinstance(node, ir.Compare):
            return self._compared(node, function, label == "true")
        if isinstance(node, ir.Call) and last_name(node.func) == "isinstance" and len(node.args) == 2:
            return self._classed(node, function, label == "true")
        found = (
            self.roles.of(node, function)
            if isinstance(node, (ir.Name, ir.Attr, ir.Subscript, ir.Call))
            else frozenset()
        )
        _, word = key_read(node) if isinstance(node, (ir.Attr, ir.Subscript, ir.Call)) else (None, "")
        if word and (CALL in found or word in self.roles.one_call_words):
            return "yes" if label == "true" else "no"
        if found & {CALL, CALLS, NAME} and RESULT not in found and label == "false" and not isinstance(node, ir.Call):
            return "no"  # a piece of a stream without a name
        if isinstance(node, ir.Call) and last_name(node.func) == "hasattr":
            return "yes" if label == "true" else "no"
        return ""

    def _compared(self, node: ir.Compare, function: Function, holds: bool) -> str:
        holder, word = key_read(node.left)
        same = node.op in {"==", "in", "is"}
        if not same and node.op not in {"!=", "not in", "is not"}:
            return ""
        if word == "type" and holder is not None and self.roles.of(holder, function) & {CALL, REPLY, CALLS}:
            values = {n.value for n in ir.walk(node.right) if isinstance(n, ir.Const)}
            called = bool(values & self.roles.call_types) or bool(values & self.roles.inside_words)
            return "yes" if (same == holds) == called else "no"
        if node.op in {"in", "not in"} and (word == "id" or word.endswith("_id")) and same == holds:
            return "no"  # it is among those that have an answer, or are none of these
        if isinstance(node.right, ir.Const) and node.right.value is None and same == holds:
            found = self.roles.of(node.left, function)
            if found & {CALL, NAME} and RESULT not in found:
                return "no"
        return ""

    def _classed(self, node: ir.Call, function: Function, holds: bool) -> str:
        subject = node.args[0].value
        names = {last_name(n) for n in ir.walk(node.args[1].value)}
        if names & _BROAD:
            return ""
        if not self.roles.of(subject, function) & {CALL, REPLY, CALLS}:
            return ""
        called = bool(names & self.roles.call_classes) or any("Tool" in n or "Call" in n for n in names)
        return "yes" if called == holds else "no"

    # ---- where it stands

    def _place(self, walk: list[State], head: Point) -> tuple[Point | None, tuple[Point, Point] | None]:
        """What lets the call go: the last handler or test on the way through the body, and the edge to close there."""
        body = [n for n, s in enumerate(walk) if s.phase != "left"]
        end = body[-1] + 1 if body else 0
        for number in range(min(end, len(walk) - 1), -1, -1):
            point = walk[number].point
            if point.kind == "handler" and number + 1 < len(walk):
                return point, (walk[number - 1].point, point) if number else None
            if point.kind == "test" and number < end and number + 1 < len(walk):
                return point, (point, walk[number + 1].point)
        return head, None


def _back(before: dict[State, State | None], state: State) -> list[State]:
    out: list[State] = []
    at: State | None = state
    while at is not None:
        out.append(at)
        at = before[at]
    return out[::-1]


def _says_where(place: Point) -> str:
    node = place.node
    if isinstance(node, ir.Handler):
        return "where this handler takes over"
    if isinstance(node, ir.For):
        return "in this loop over the calls"
    return "on one way of this test"


# ---- only the first


def _only_first(case: Case, speech: Speech) -> Fault | None:
    """A loop that runs ``calls[0]`` of a reply that it stores whole, while nothing holds a turn to one call."""
    if one_call_only(case):
        return None
    functions = list({f.function.key: f.function for f in case.graph.frames}.values())
    roles = case.tools.roles
    for function in functions:
        for node in function.nodes:
            iterated = (
                node.iter
                if isinstance(node, ir.For)
                else node.generators[0].iter
                if isinstance(node, ir.Comp)
                else None
            )
            if iterated is not None and node is not case.node and roles.of(iterated, function) & {CALLS}:
                return None
            if isinstance(node, ir.Call) and last_name(node.func) == "len" and node.args:
                if CALLS in roles.of(node.args[0].value, function):
                    return None
            if isinstance(node, ir.Assign) and any(key_read(t)[1] in roles.calls_words for t in node.targets):
                return None  # the reply is cut to the calls that are answered
    walk = _Walk(case, speech)
    if not walk.stores:
        return None
    for function in functions:
        for node in function.nodes:
            if not isinstance(node, ir.Subscript) or not isinstance(node.index, ir.Const) or node.index.value != 0:
                continue
            if CALLS in roles.of(node.base, function) and CALL in roles.of(node, function):
                at = case.tools.program.at(function, node)
                return Fault("unanswered-call", at, (("at", "for all but the first"), ("call", text_of(node))))
    return None
