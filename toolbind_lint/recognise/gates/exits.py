"""The exit: can a reply end the loop, and does every reply either end it or lead to a dispatch?"""

from __future__ import annotations

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Place
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates import after_cap, cut_replies, ends, forced, last_turn
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.roles import CALL, CALLS, FINISH, REPLY, key_read
from toolbind_lint.recognise.witness import witness_steps
from toolbind_lint.verdicts import Fault, State, Verdict


def verdict(case: Case) -> Verdict:
    """How the exit of a loop stands."""
    faults: list[Fault] = []
    spins = _spins(case)
    if spins is not None:
        faults.append(spins)
    faults.extend(forced.faults(case))
    faults.extend(after_cap.faults(case))
    faults.extend(cut_replies.faults(case))
    faults.extend(ends.faults(case))
    beside = (*ends.anonymous(case), *last_turn.faults(case))
    if faults:
        return Verdict("exit", "leaks", tuple(faults), (), beside)
    state: State = "held" if any(p in case.finder.inside for p in case.graph.exits) else "unknown"
    return Verdict("exit", state, (), (), beside)


# ---- a reply that neither leaves nor dispatches


def _spins(case: Case) -> Fault | None:
    """A pass that a cut reply without calls can make: no exit, no dispatch, and nothing said to the model."""
    owners = {p.turn.row.framework for p in case.turns if p.turn is not None and p.turn.row is not None}
    rows = [r for r in case.tools.catalogue.rows if r.kind == "reply" and r.all("finish-cut")]
    own = [r for r in rows if r.framework in owners]
    if not own and owners:
        # A library that speaks another's interface: the one whose calls the code reads.
        nodes = (n for frame in case.graph.frames for n in frame.function.nodes)
        read = {key_read(n)[1] for n in nodes if isinstance(n, (ir.Attr, ir.Subscript, ir.Call))}
        own = [r for r in rows if read & {*r.all("calls")}]
    for row in own:
        for reason in row.all("finish-cut")[:1]:
            walk = _pass_with(case, row, reason)
            if walk is not None:
                words = (("value", reason), ("call", ""))
                at = _leaving_test(case, row, reason)
                return Fault("spins", at or header(case), words, witness_steps(case, walk))
    return None


def _leaving_test(case: Case, row: Row, reason: str) -> Place | None:
    """The first test of the reply that lets other replies leave."""
    found = [
        p
        for p in case.finder.inside
        if p.kind == "test" and _answer(case, p, row, reason) is not None and _is_of_reply(case, p)
    ]
    leaving = [p for p in found if any(not case.finder.goes_on(t) for _, t in p.to)]
    first = min(leaving or found, key=lambda p: (p.frame.number, p.node.span), default=None)
    return place_of(case, first) if first is not None else None


def _is_of_reply(case: Case, point: Point) -> bool:
    """Whether a test is about the reason or the text of a reply, not about its calls."""
    node = point.node.left if isinstance(point.node, ir.Compare) else point.node
    return CALLS not in case.tools.roles.of(node, point.frame.function)  # type: ignore[arg-type]


def _pass_with(case: Case, row: Row, reason: str) -> list[Point] | None:
    """A pass from the head to itself that a reply with that reason and no calls can take, if there is one without an
    effect.
    """
    head = case.head
    turns = frozenset(case.turns)
    effects = frozenset(
        p for p in case.finder.inside if p.kind in {"dispatch", "person", "raise", "handler"}
    ) | frozenset(case.dispatches)
    bounds = frozenset(t for b in case.bounds if b.leaves and b.kind != "range" for t in b.tests)
    tested = False
    before: dict[tuple[Point, bool], tuple[Point, bool] | None] = {(head, False): None}
    queue = [(head, False)]
    for state in queue:
        point, turned = state
        answer = _answer(case, point, row, reason) if turned and point.kind == "test" else None
        if answer is not None and _is_of_reply(case, point):
            tested = True
        for label, target in point.to:
            if label == "raise" or target in effects or target in bounds or (answer is not None and label != answer):
                continue
            if label == "next" and point is not head and turned and _iterates_calls(case, point):
                continue
            if target.kind == "grow" and _tells_the_model(case, target):
                continue
            if target is head:
                if turned and tested:
                    return _path(before, state)
                continue
            following = (target, turned or target in turns)
            if following not in before:
                before[following] = state
                queue.append(following)
    return None


def _path(before: dict[tuple[Point, bool], tuple[Point, bool] | None], state: tuple[Point, bool]) -> list[Point]:
    out: list[Point] = []
    at: tuple[Point, bool] | None = state
    while at is not None:
        out.append(at[0])
        at = before[at]
    return out[::-1]


def _iterates_calls(case: Case, point: Point) -> bool:
    node = point.node
    return isinstance(node, ir.For) and bool(
        case.tools.roles.of(node.iter, point.frame.function) & {CALLS, CALL, REPLY}
    )


def _tells_the_model(case: Case, point: Point) -> bool:
    """Whether a message other than the reply itself is added: then the next request is another one."""
    frame = point.value_frame or point.frame
    roles = case.tools.roles.of(point.value, frame.function)
    return REPLY not in roles


def _answer(case: Case, point: Point, row: Row, reason: str) -> str | None:
    """The way of a test for a reply that ended for ``reason`` and holds no calls; None where the test is about
    something else.
    """
    node, function = point.node, point.frame.function
    roles = case.tools.roles
    if isinstance(node, ir.Compare) and FINISH in roles.of(node.left, function):
        values = {n.value for n in ir.walk(node.right) if isinstance(n, ir.Const) and isinstance(n.value, str)}
        spoken = {*row.all("finish-final"), *row.all("finish-calls"), *row.all("finish-cut")}
        if not values & spoken:
            return None  # the reasons of another interface
        same = reason in values
        if node.op in {"==", "in", "is"}:
            return "true" if same else "false"
        if node.op in {"!=", "not in", "is not"}:
            return "false" if same else "true"
        return None
    if isinstance(node, (ir.Name, ir.Attr, ir.Subscript, ir.Call)):
        found = roles.of(node, function)
        if CALLS in found:
            return "false"
        if REPLY in found and isinstance(node, (ir.Attr, ir.Subscript)) and key_read(node)[1] in row.all("text"):
            return "false"
    if isinstance(node, ir.Compare) and CALLS in roles.of(node.left, function) and isinstance(node.right, ir.Const):
        if node.right.value is None:
            return "true" if node.op in {"is", "=="} else "false"
    return None
