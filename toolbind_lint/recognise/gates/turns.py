"""How long one turn of a model may take: limits on the call, its client and around it, and what the SDK does itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.limits import Limit, given
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.nested import inside
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.waits import made_by
from toolbind_lint.verdicts import Fault


class Patience(NamedTuple):
    """How long a request may take: seconds of one attempt and how often it is tried again.

    ``seconds`` is None where there is no limit; ``source`` says whose number it is (``call``, ``client``,
    the SDK's name); ``known`` is False where the number can't be seen.
    """

    seconds: float | None
    retries: int
    source: str
    known: bool = True


def faults(case: Case, budget: float | None, *, enclosed: bool) -> Iterator[Fault]:
    """The turns of a loop that may take longer than the run, or have no end at all; ``budget`` in seconds."""
    told: set[int] = set()
    for point in case.turns:
        turn = point.turn
        if turn is None or turn.row is None or id(turn.call) in told:
            continue
        told.add(id(turn.call))
        if enclosed or any(_ends_turn(limit) for limit in _around(case, point)):
            continue
        fault = _judge(case, point, budget)
        if fault is not None:
            yield fault
            return


def _judge(case: Case, point: Point, budget: float | None) -> Fault | None:
    assert point.turn is not None
    turn = point.turn
    patience = patience_of(case, turn.call, turn.function)
    if patience is None or not patience.known:
        return None
    at = place_of(case, point)
    words = {"call": turn.callee, "source": patience.source}
    implicit = patience.source not in {"the call", "the client"}
    if patience.seconds is None:
        words["value"] = f"{patience.source} waits without end" if implicit else f"no limit is set on {patience.source}"
        return Fault("one-turn-unbounded", at, tuple(words.items()))
    effective = patience.seconds * (patience.retries + 1)
    times = f" × {patience.retries + 1}" if patience.retries else ""
    said = f"{_text(patience.seconds)} s{times}"
    if budget is not None and effective > budget:
        relies = (
            f"it relies on {patience.source}'s default of {said}" if implicit else f"{said} set on {patience.source}"
        )
        words.update({"value": f"{relies}, more than the {_text(budget)} s of the run", "cap": _text(budget)})
        return Fault("one-turn-unbounded", at, tuple(words.items()))
    if implicit and _streams(case, point):
        words["value"] = f"the stream relies on {patience.source}'s default of {said} for each piece"
        return Fault("one-turn-unbounded", at, tuple(words.items()))
    return None


def _around(case: Case, point: Point) -> Iterator[Limit]:
    """The limits inside the loop that stand around a turn."""
    finder = case.tools.limits
    frame, node = point.frame, point.node
    while True:
        yield from finder.around(node, frame.function)
        if frame.caller is None or frame.call is None:
            return
        yield from finder.decorated(frame.function)
        node, frame = frame.call, frame.caller


def _ends_turn(limit: Limit) -> bool:
    return not limit.off


def _streams(case: Case, point: Point) -> bool:
    """Whether a reply comes in pieces, and nothing looks at the time between them."""
    assert point.turn is not None
    row = point.turn.row
    if row is None or not row.one("stream"):
        return False
    value, scope = _keyword(case, point.turn.call, (row.one("stream"),), point.turn.function)
    if value is None:
        return False
    values = case.tools.values.alternatives(value, scope)
    if not any(v.number == 1 for v in values):
        return False
    return not any(t.leaves or _inside_reading(t.point.loops, case) for t in case.time_tests)


def _inside_reading(loops: tuple[int, ...], case: Case) -> bool:
    return len(loops) > len(case.head.loops)


def _keyword(case: Case, call: ir.Call, names: tuple[str, ...], function: Function) -> tuple[ir.Expr | None, Function]:
    """What a call gives for one of some parameters, through ``**params`` and inside an options object as well."""
    value = given(call, names)
    if value is not None:
        return value, function
    for name in names:
        head, _, path = name.partition(".")
        outer = call.keyword(head) if path else None
        if outer is not None:
            for inner, scope in inside(case.tools.program, outer, function, path.split(".")):
                return inner, scope
    for arg in call.args:
        if arg.star == "**":
            for display, place in case.tools.program.displays(arg.value, function):
                found = next((v for n in names if (v := display.get(n)) is not None), None)
                if found is not None:
                    return found, place
    return None, function


def patience_of(case: Case, call: ir.Call, function: Function) -> Patience | None:
    """How long a request of a call may take; None where nothing is known of its SDK."""
    turn = case.tools.roles.turn(call, function)
    rows = _sdk(case, turn.row.framework if turn is not None and turn.row is not None else "")
    if not rows:
        return None
    makers = list(made_by(case.tools.limits, call.func, function))
    row = next((r for r in rows if any(_is_client(case, c, f, r) for c, f in makers)), rows[0])
    name = row.framework
    seconds: float | None = None
    source = name
    known = True
    value, scope = _keyword(case, call, row.all("limit"), function)
    if value is None and any(a.star == "**" for a in call.args):
        known = _splats_seen(case, call, function)
    clients = [(c, f) for c, f in makers if _is_client(case, c, f, row)]
    if value is not None:
        source = "the call"
    else:
        for made, place in clients:
            value, scope = _keyword(case, made, row.all("limit"), place)
            if value is not None:
                source = "the client"
                break
        if value is None and any(a.star for c, _ in clients for a in c.args):
            known = False
    if value is None and not clients and not _module_level(case, call, function, row):
        known = False  # a client that comes from elsewhere is its maker's business
    if value is not None:
        values = case.tools.values.alternatives(value, scope)
        numbers = [v.number for v in values if v.number is not None]
        if any(v.origin in {"absent", "infinite"} for v in values):
            seconds = None if not _absent_means_default(row) else _number(row.one("default"))
        elif numbers and len(numbers) == len(values):
            seconds = max(numbers) / (1000 if row.one("unit") == "ms" else 1)
        else:
            return Patience(None, 0, source, known=False)
    else:
        seconds = _number(row.one("default"))
    return Patience(seconds, _retries(case, call, clients, row, function), source, known)


def _absent_means_default(row: Row) -> bool:
    return row.flags.get("none-is-default", False)


def _splats_seen(case: Case, call: ir.Call, function: Function) -> bool:
    return all(list(case.tools.program.displays(a.value, function)) for a in call.args if a.star == "**")


def _retries(case: Case, call: ir.Call, clients: list[tuple[ir.Call, Function]], row: Row, function: Function) -> int:
    for made, place in ((call, function), *clients):
        value, scope = _keyword(case, made, row.all("retries"), place)
        if value is not None:
            values = case.tools.values.alternatives(value, scope)
            numbers = [v.number for v in values if v.number is not None]
            return int(max(numbers)) if numbers else 0
    return int(_number(row.one("default-retries")) or 0)


def _sdk(case: Case, framework: str) -> list[Row]:
    return [r for r in case.tools.catalogue.rows if r.kind == "model-timeout" and r.framework == framework]


def _is_client(case: Case, call: ir.Call, function: Function, row: Row) -> bool:
    return any(
        isinstance(m, External) and m.name in row.all("client") for m in case.tools.program.resolve(call.func, function)
    )


def _module_level(case: Case, call: ir.Call, function: Function, row: Row) -> bool:
    """Whether a request is made through the package itself, so that no client was made."""
    return any(
        isinstance(m, External) and "()" not in m.name and m.name.split(".")[0] in case.tools.catalogue.roots
        for m in case.tools.program.resolve(call.func, function)
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(seconds: float) -> str:
    return str(int(seconds)) if seconds == int(seconds) else str(seconds)
