"""The exit: can a reply end the loop, and does every reply either end it or lead to a dispatch?"""

from __future__ import annotations

from toolbind_lint.facts import Place
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates import after_cap, cut_calls, cut_replies, ends, forced, last_turn, never_met
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.gates.reasons import Reply, reply_rows, way
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.roles import CALL, CALLS, REPLY
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
    faults.extend(never_met.faults(case))
    faults.extend(ends.faults(case))
    beside = (*ends.anonymous(case), *last_turn.faults(case), *cut_calls.faults(case))
    if faults:
        return Verdict("exit", "leaks", tuple(faults), (), beside)
    state: State = "held" if any(p in case.finder.inside for p in case.graph.exits) else "unknown"
    return Verdict("exit", state, (), (), beside)


# ---- a reply that neither leaves nor dispatches


def _spins(case: Case) -> Fault | None:
    """A pass that a cut reply without calls can make: no exit, no dispatch, and nothing said to the model."""
    for row in reply_rows(case):
        for reason in row.all("finish-cut")[:1]:
            reply = Reply(row, reason, calls=False)
            walk = _pass_with(case, reply)
            if walk is not None:
                words = (("value", reason), ("call", ""))
                at = _leaving_test(case, reply)
                return Fault("spins", at or header(case), words, witness_steps(case, walk))
    return None


def _leaving_test(case: Case, reply: Reply) -> Place | None:
    """The first test of the reply that lets other replies leave."""
    found = [
        p for p in case.finder.inside if p.kind == "test" and way(case, p, reply) is not None and _is_of_reply(case, p)
    ]
    leaving = [p for p in found if any(not case.finder.goes_on(t) for _, t in p.to)]
    first = min(leaving or found, key=lambda p: (p.frame.number, p.node.span), default=None)
    return place_of(case, first) if first is not None else None


def _is_of_reply(case: Case, point: Point) -> bool:
    """Whether a test is about the reason or the text of a reply, not about its calls."""
    node = point.node.left if isinstance(point.node, ir.Compare) else point.node
    return CALLS not in case.tools.roles.of(node, point.frame.function)  # type: ignore[arg-type]


def _pass_with(case: Case, reply: Reply) -> list[Point] | None:
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
        answer = way(case, point, reply) if turned and point.kind == "test" else None
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
