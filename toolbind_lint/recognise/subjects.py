"""A case with its graph -> a subject with its verdicts, envelope, witness and shape."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import Limits, ir
from toolbind_lint.recognise.bounds import Bound, passes, reach
from toolbind_lint.recognise.gates import (
    allowlist,
    cap,
    context,
    cost,
    errors,
    evidence,
    exits,
    fanout,
    finer,
    mutating,
    repeats,
    retries,
    schema,
    timeouts,
    wall,
)
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.names import names
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.recognise.unknown_calls import unknown_calls
from toolbind_lint.recognise.values import text_of
from toolbind_lint.recognise.witness import witness_steps
from toolbind_lint.verdicts import Envelope, Evidence, Fault, Subject, Verdict


def subject(case: Case, limits: Limits) -> Subject:
    """The subject of a case, its gates judged."""
    place = case.tools.program.at(case.function, case.node)
    header = case.tools.program.place(case.function.module, case.header)
    verdicts = _verdicts(case, limits)
    return Subject(
        id=f"{place.path}:{'' if place.cell is None else f'{place.cell}:'}{header.line}:{header.column}",
        kind=case.kind,
        place=place,
        header=header,
        function=case.function.node.qualname,
        label=case.function.node.qualname,
        framework=_framework(case),
        shape=_shape(case),
        verdicts=verdicts,
        envelope=_envelope(case, verdicts),
        turns=_steps(case, case.turns),
        dispatches=_steps(case, case.dispatches),
        witness=next(
            (f.trail for v in verdicts for f in v.faults if f.how in {"none", "infinite", "never-moves", "spins"}), ()
        ),
        names=names(case),
        unknown=unknown_calls(case, verdicts),
    )


def _verdicts(case: Case, limits: Limits) -> tuple[Verdict, ...]:
    if case.kind == "retry":
        return (_retry(case),)
    if case.kind == "dispatcher":
        counted = _dispatcher_cap(case)
        return (
            counted,
            wall.dispatcher_verdict(case),
            mutating.beside(case, allowlist.verdict(case)),
            timeouts.verdict(case),
            schema.verdict(case),
            errors.verdict(case),
            evidence.verdict(case),
        )
    return (
        finer.verdict(case, limits.step_ceiling),
        wall.verdict(case, limits.wall_ceiling_ms),
        mutating.beside(case, allowlist.verdict(case)),
        timeouts.verdict(case),
        schema.verdict(case),
        errors.verdict(case),
        exits.verdict(case),
        cost.verdict(case, limits.token_ceiling),
        context.verdict(case),
        evidence.verdict(case),
    )


# ---- retries


def _retry(case: Case) -> Verdict:
    header = cap.header(case)
    if case.decorator is not None:
        scope = case.function if isinstance(case.node, ir.For) else case.function.parent or case.function
        return retries.verdict(case.tools.program, case.tools.catalogue, case.decorator, scope)
    finder = case.finder
    if any(test.leaves and not test.rearmed for test in case.time_tests):
        return Verdict("cap", "held", (), (Evidence(header, "", "a deadline ends it"),))
    effective = [b for b in case.bounds if b.leaves and finder.finite(b)]
    gap = finder.uncovered([b for b in effective if finder.covers(b)])
    if gap is None:
        return Verdict("cap", "held", (), (Evidence(header, "", "counted"),))
    partly = [b for b in effective if finder.uncovered([b]) is None]
    if case.graph.truncated or (partly and not case.finder.uncovered([*effective])):
        skipped = _skipping_handler(case, partly)
        if skipped is None:
            return Verdict("cap", "unknown", (), (Evidence(header, "", "counted on some ways only"),))
    changing = repeats.changing(case)
    if changing and finder.uncovered_by([p for b in effective for p in b.tests] + changing) is None:
        return Verdict("cap", "unknown", (), (Evidence(header, "", "each try asks for something else"),))
    fault = Fault("unbounded-retry", header, (("call", _first_callee(case)),), witness_steps(case, gap))
    return Verdict("cap", "missing", (fault,))


def _skipping_handler(case: Case, bounds: list[Bound]) -> Point | None:
    """A handler that goes round again without moving the counter."""
    moves = [m for b in bounds for m in b.moves]
    for handler, _, _ in case.graph.caught:
        if passes(case.graph, [case.finder.pivots, [handler]], moves):
            return handler
    return None


def _first_callee(case: Case) -> str:
    for point in case.turns:
        if point.turn is not None:
            return point.turn.callee
        if point.dispatch is not None:
            return point.dispatch.callee
    return "the request"


# ---- a dispatcher's own counter


def _dispatcher_cap(case: Case) -> Verdict:
    """A dispatcher that compares a counter with a cap and moves it only where the tool succeeded."""
    finder = case.finder
    for point in case.dispatches:
        after = reach([t for _, t in point.to])
        for move in finder.ordered:
            if move.kind != "move" or move.op not in {"+", "-"} or move not in after or move.cell is None:
                continue
            compared = next(
                (
                    p
                    for p in finder.ordered
                    if p.cell == move.cell and isinstance(p.node, ir.Compare) and p.node.op in {"<", "<=", ">", ">="}
                ),
                None,
            )
            if not isinstance(move.value, ir.Const) or compared is None or point not in reach([compared]):
                continue
            moves = frozenset(p for p in finder.changes(move.cell, "move"))
            if compared not in reach([case.head], moves):
                continue  # counted first, then compared: nothing is free
            ways = reach([t for _, t in point.to], moves)
            out = sorted((p for p in ways if p.kind == "exit"), key=lambda p: (p.node.span, p.number))
            if out:
                related = (
                    Step(cap.place_of(case, compared), "compared here"),
                    Step(cap.place_of(case, out[0]), "left here without counting"),
                )
                words = (
                    ("counter", move.cell[-1]),
                    ("cap", text_of(compared.node) if isinstance(compared.node, ir.Compare) else ""),
                )
                first = min((m for m in moves), key=lambda p: p.node.span)
                worst = [m for m in moves if m in after]
                at = cap.place_of(case, max(worst, key=lambda p: p.node.span) if worst else first)
                return Verdict("cap", "leaks", (Fault("counts-success-only", at, words, related=related),))
            return Verdict("cap", "held", (), (Evidence(cap.place_of(case, compared), "", "counted on every way"),))
    return Verdict("cap", "not-applicable")


# ---- what a card needs besides


def _framework(case: Case) -> str:
    names = {p.turn.row.framework for p in case.turns if p.turn is not None and p.turn.row is not None}
    return ", ".join(sorted(names))


def _steps(case: Case, points: Iterable[Point]) -> tuple[Step, ...]:
    out: dict[Place, Step] = {}
    for point in points:
        place = cap.place_of(case, point)
        name = (
            point.turn.callee if point.turn is not None else point.dispatch.callee if point.dispatch is not None else ""
        )
        out.setdefault(place, Step(place, name))
    return tuple(sorted(out.values(), key=lambda s: s.place))


def _envelope(case: Case, verdicts: tuple[Verdict, ...]) -> Envelope:
    def worst(gate: str) -> str:
        verdict = next((v for v in verdicts if v.gate == gate), None)
        if verdict is None:
            return "?"
        if verdict.state == "missing":
            return "∞"
        if verdict.how in {"unpinned", "off-by-default", "counts-success-only", "changed-in-run"}:
            return "∞" if verdict.how != "unpinned" else "?"
        return next((e.value for e in verdict.evidence if e.value), "?")

    turns = worst("cap")
    return Envelope(turns, _calls(case, turns, verdicts), worst("wall"), worst("cost"))


def _calls(case: Case, turns: str, verdicts: tuple[Verdict, ...]) -> str:
    """How many calls the turns may hold: ``8`` where each holds one, ``8 × ?`` where nothing counts them."""
    if case.kind != "tool-loop" or not case.dispatches or turns in {"?", "∞"}:
        return turns if turns == "∞" else "?"
    uncounted = any(f.how == "uncounted-fan-out" for v in verdicts for f in v.beside)
    return f"{turns} × ?" if uncounted or not fanout.one_call_only(case) else turns


def _shape(case: Case) -> str:
    """The head with locals renamed in order, the callees of turns and dispatches, the kinds of the exits; no number
    of the source.
    """
    renamed: dict[str, str] = {}
    node = case.node
    if isinstance(node, ir.While):
        head = f"while {_normal(node.test, renamed)}"
    elif isinstance(node, ir.For):
        head = f"for {_normal(node.target, renamed)} in {_normal(node.iter, renamed)}"
    elif case.decorator is not None:
        head = f"@{text_of(case.decorator.func)}"
    else:
        head = "def"
    turns = sorted({_callee(p.turn.callee) for p in case.turns if p.turn is not None})
    dispatches = sorted({p.dispatch.form for p in case.dispatches if p.dispatch is not None})
    inside = case.finder.inside
    exits_ = sorted({p.op for p in case.graph.exits if p in inside and p.frame.caller is None})
    return f"{case.kind}|{head}|turns:{','.join(turns)}|dispatches:{','.join(dispatches)}|exits:{','.join(exits_)}"


def _callee(name: str) -> str:
    """The last two names of a callee: what stands before them is a local name or a client that may be renamed."""
    return ".".join(re.sub(r"\(\)|\[\]", "", name).split(".")[-2:])


def _normal(expr: ir.Node, renamed: dict[str, str]) -> str:
    if isinstance(expr, ir.Name):
        return renamed.setdefault(expr.id, f"v{len(renamed)}")
    if isinstance(expr, ir.Const):
        return "#" if isinstance(expr.value, (int, float)) and not isinstance(expr.value, bool) else repr(expr.value)
    if isinstance(expr, ir.Attr):
        return f"{_normal(expr.base, renamed)}.{expr.name}"
    if isinstance(expr, ir.Call):
        name = last_name(expr.func) if isinstance(expr.func, ir.Name) else _normal(expr.func, renamed)
        if name == "range":
            return "range()"  # a cap that gets a name is the same cap
        return f"{name}({', '.join(_normal(a.value, renamed) for a in expr.args)})"
    if isinstance(expr, (ir.Compare, ir.Bin)):
        return f"{_normal(expr.left, renamed)} {expr.op} {_normal(expr.right, renamed)}"
    if isinstance(expr, ir.Bool):
        return f"({_normal(expr.left, renamed)} {expr.op} {_normal(expr.right, renamed)})"
    if isinstance(expr, ir.Not):
        return f"not {_normal(expr.value, renamed)}"
    inner = [
        _normal(c, renamed)
        for c in ir.children(expr)
        if not isinstance(c, (ir.Generator, ir.Arg, ir.FuncDef, ir.Pattern))
    ]
    return f"{type(expr).__name__}({', '.join(inner)})"
