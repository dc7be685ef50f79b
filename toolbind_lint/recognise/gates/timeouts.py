"""The tool timeout: is each dispatch under a limit that acts while the tool runs?

A limit may stand around the dispatch, around a call that leads to it, in the dispatch itself, or in every handler that
it can reach. What then does not end with the wait, or leaves children behind, is told beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.gates import leftovers
from toolbind_lint.recognise.gates.cap import number_text, place_of
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.limits import Limit
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import CLOCK, dotted
from toolbind_lint.recognise.values import text_of
from toolbind_lint.recognise.waits import Survey, Wait
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_ORDER = ("post-hoc", "none", "off-by-default", "does-not-kill", "misses-children", "left-running", "not-clamped")


class Standing(NamedTuple):
    """How one dispatch stands: ``state`` is held, off, none or unknown."""

    point: Point
    state: str
    limit: Limit | None = None
    evidence: Evidence | None = None
    survey: Survey | None = None
    related: tuple[Step, ...] = ()
    limits: tuple[Limit, ...] = ()


def verdict(case: Case) -> Verdict:
    """How the tool timeout of a loop or dispatcher stands: the weakest of its dispatches."""
    if not own_dispatches(case):
        return Verdict("tool-timeout", "not-applicable")
    standings = [_standing(case, point) for point in _named(case)]
    faults: list[Fault] = []
    for one in standings:
        if one.state == "none":
            late = _post_hoc(case, one.point)
            if late is not None:
                faults.append(late)
                break
    if not faults:
        faults.extend(_missing(case, standings))
    faults.extend(_weaknesses(case, standings))
    faults.sort(key=lambda f: (_ORDER.index(f.how), f.place))
    evidence = tuple(dict.fromkeys(s.evidence for s in standings if s.evidence is not None))
    if faults:
        grave = any(f.how in {"post-hoc", "none"} for f in faults)
        return Verdict("tool-timeout", "missing" if grave else "leaks", tuple(faults), evidence)
    if any(s.state == "unknown" for s in standings):
        return Verdict("tool-timeout", "unknown", (), evidence)
    return Verdict("tool-timeout", "held", (), evidence)


# ---- one dispatch


def _named(case: Case) -> list[Point]:
    """The dispatches that the model names; where there are such, a function that is only given something of a call
    (a hook, a printer) is none. Of one call that stands in several frames the first.
    """
    asked = {id(t.node) for t in case.turns}
    own = own_dispatches(case)
    points = [p for p in own if p.dispatch is not None and id(p.dispatch.node) not in asked]
    strong = [p for p in points if not _incidental(case, p)]
    unique: dict[int, Point] = {}
    for point in strong or points or own:
        key = id(point.dispatch.node) if point.dispatch is not None else id(point.node)
        if key not in unique or not list(limits_of(case, point)):
            unique[key] = point
    return list(unique.values())


def _incidental(case: Case, point: Point) -> bool:
    dispatch = point.dispatch
    assert dispatch is not None
    if dispatch.form == "handed-on":
        return not _own_name(dispatch)
    if dispatch.form != "fixed" or not isinstance(dispatch.node, ir.Call):
        return False
    chains = [p.dispatch.node for p in case.dispatches if p.dispatch is not None and p.dispatch.form == "chain"]
    if any(c.span[:2] <= dispatch.node.span[:2] and dispatch.node.span[2:] <= c.span[2:] for c in chains):
        return False  # what a branch on the name runs
    return bool(case.tools.program.targets(dispatch.node, dispatch.function))


def _only_computes(case: Case, point: Point) -> bool:
    """Whether a function that is only given something of a call waits for nothing: it counts or formats."""
    dispatch = point.dispatch
    assert dispatch is not None
    if dispatch.form != "fixed" or not isinstance(dispatch.node, ir.Call) or any(a.star for a in dispatch.node.args):
        return False
    survey = case.tools.waits.survey(case.tools.program.targets(dispatch.node, dispatch.function))
    return bool(survey.functions) and not survey.waits and not survey.files


def _own_name(dispatch: Dispatch) -> bool:
    """Whether a call into unknown code says that it runs something."""
    name = dispatch.callee.rpartition(".")[2].lower()
    return any(word in name for word in ("run", "exec", "call", "invoke", "dispatch", "tool"))


def _standing(case: Case, point: Point) -> Standing:
    dispatch = point.dispatch
    assert dispatch is not None
    at = place_of(case, point, dispatch.node)
    if "tool-timeout" in dispatch.proves:
        return Standing(point, "held", None, Evidence(at, "", "held by configuration"))
    around = tuple(limits_of(case, point))
    if around:
        return _limited(case, point, _best(around))._replace(limits=around)
    own = _own(case, point)
    if own is not None and own.limit is not None:
        return _limited(case, point, own.limit, Survey((own,), files=False, cut=False))
    hidden = own is None and (_handed_away(case, point) or _only_computes(case, point))
    if dispatch.form == "declared" or hidden:
        said = f"whether {dispatch.callee} limits the time of a tool is not known"
        return Standing(point, "unknown", None, Evidence(at, "", said))
    if own is not None:
        return Standing(point, "none")
    return _by_handlers(case, point, at)


def _best(limits: tuple[Limit, ...]) -> Limit:
    """Of several limits around one tool the one that is on and ends the work, the nearest of those."""
    return min(enumerate(limits), key=lambda row: (row[1].off, not row[1].kills, row[0]))[1]


def _limited(case: Case, point: Point, limit: Limit, survey: Survey | None = None) -> Standing:
    at = case.tools.program.at(limit.function, limit.call)
    if limit.off:
        related = (Step(at, f"limited here, with {text_of(limit.value)} that is None by default"),)
        return Standing(point, "off", limit, None, survey, related)
    numbers = [v for v in limit.values if v.number is not None]
    value = number_text(numbers[0]) if numbers else ""
    return Standing(point, "held", limit, Evidence(at, value, _said(limit)), survey)


def _said(limit: Limit) -> str:
    return f"ended by {text_of(limit.call)}" if isinstance(limit.call, ir.Call) else "ended by a limit around it"


def limits_of(case: Case, point: Point) -> Iterator[Limit]:
    """The limits around a dispatch or turn, nearest first: in its function, around the calls that lead to it from the
    loop, and around the loop.
    """
    finder = case.tools.limits
    frame = point.frame
    node: ir.Node = point.dispatch.node if point.dispatch is not None else point.node
    while True:
        yield from finder.around(node, frame.function)
        if frame.caller is None:
            break
        yield from finder.decorated(frame.function)
        if frame.call is None:
            return
        node, frame = frame.call, frame.caller
    yield from finder.enclosing(case.function, case.node if case.kind == "tool-loop" else node)


def _own(case: Case, point: Point) -> Wait | None:
    """The dispatch as a call that may itself carry a limit: a request to a server, a command."""
    dispatch = point.dispatch
    assert dispatch is not None
    if not isinstance(dispatch.node, ir.Call) or dispatch.form not in {"server", "fixed"}:
        return None
    wait, below, _ = case.tools.waits.judge(dispatch.node, dispatch.function)
    return wait if wait is not None and not below and wait.state != "unknown" else None


def _handed_away(case: Case, point: Point) -> bool:
    """Whether a dispatch goes to code that nobody knows: no function of the project, no library."""
    dispatch = point.dispatch
    assert dispatch is not None
    if dispatch.form != "handed-on" or not isinstance(dispatch.node, ir.Call):
        return False
    program = case.tools.program
    if program.targets(dispatch.node, dispatch.function):
        return False
    return not any(isinstance(m, External) for m in program.resolve(dispatch.node.func, dispatch.function))


def _by_handlers(case: Case, point: Point, at: Place) -> Standing:
    """Whether every handler that a dispatch can reach carries its own limit, or cannot hang."""
    dispatch = point.dispatch
    assert dispatch is not None
    handlers = case.tools.handlers.of(dispatch)
    if handlers is None:
        return Standing(point, "none")
    waits = case.tools.waits
    survey = waits.survey_calls(handlers.calls) if handlers.calls else waits.survey(handlers.functions)
    free = survey.of("unlimited")
    limited = survey.of("limited")
    related = tuple(
        Step(case.tools.program.at(w.function, w.call), f"{_name(w)} may wait without end") for w in free[:3]
    )
    if free or survey.of("off"):
        return Standing(point, "none", None, None, survey, related)
    if limited and (survey.of("unknown") or survey.cut):
        return Standing(point, "unknown", None, Evidence(at, "", "not all that its handlers call is known"), survey)
    if limited:
        return Standing(point, "held", None, Evidence(at, "", "every handler ends its own waits"), survey)
    if survey.files and not survey.of("unknown") and not survey.cut:
        return Standing(point, "held", None, Evidence(at, "", "its handlers touch local files only"), survey)
    return Standing(point, "none", None, None, survey)


def _name(wait: Wait) -> str:
    return dotted(wait.call.func) or "a call"


# ---- what is missing


def _missing(case: Case, standings: list[Standing]) -> list[Fault]:
    bare = [s for s in standings if s.state == "none"]
    off = [s for s in standings if s.state == "off"]
    limits = [s.limit for s in standings if s.limit is not None]
    finder = case.tools.limits
    left = [
        s
        for s in bare
        if s.point.dispatch is None or not finder.otherwise(s.point.dispatch.node, s.point.dispatch.function, limits)
    ]
    if left:
        first = left[0]
        more = tuple(Step(place_of(case, s.point), "nor is this one") for s in left[1:4])
        return [Fault("none", place_of(case, first.point), _words(first), related=(*first.related, *more))]
    if off:
        first = off[0]
        assert first.limit is not None
        words = (*_words(first), ("value", text_of(first.limit.value)))
        trail = next((v.trail for v in first.limit.values if v.origin in {"absent", "infinite"}), ())
        return [Fault("off-by-default", place_of(case, first.point), words, trail, first.related)]
    return []


def _words(standing: Standing) -> tuple[tuple[str, str], ...]:
    dispatch = standing.point.dispatch
    assert dispatch is not None
    return (("call", text_of(dispatch.node)),) if isinstance(dispatch.node, ir.Call) else ()


# ---- limits that do not do all


def _weaknesses(case: Case, standings: list[Standing]) -> Iterator[Fault]:
    """What the limits leave running, and what they do not look at; each place once."""
    found: dict[tuple[str, Place], Fault] = {}
    for one in standings:
        faults: list[Fault] = list(leftovers.forgotten(case, one.point))
        if one.limit is not None and one.survey is None:
            faults.extend(leftovers.of_limit(case, one.point, one.limit))
        if one.limit is not None and one.state == "held":
            faults.extend(leftovers.not_clamped(case, one.point, one.limits or (one.limit,)))
        if one.survey is not None:
            faults.extend(leftovers.of_survey(case.tools, one.survey))
        for fault in faults:
            found.setdefault((fault.how, fault.place), fault)
    # What goes on running because nobody holds it is not also told as running on behind its wait.
    left = {place for how, place in found if how == "left-running"}
    yield from (f for (how, place), f in found.items() if how != "does-not-kill" or place not in left)


# ---- judged too late


def _post_hoc(case: Case, dispatch: Point) -> Fault | None:
    """``started = now(); run(); if now() - started > limit``: measured around the dispatch and judged after it."""
    frame = dispatch.frame
    function = frame.function
    if not isinstance(dispatch.node, ir.Call):
        return None
    before = _armed(function.node.body, dispatch.node, case, function)
    if frame.caller is None and case.kind == "tool-loop":
        # What is set before the loop is the deadline of the run.
        cells = {n: case.builder.cell(ir.Name(dispatch.node.span, n), frame) for n in before}
        before = {n for n, cell in cells.items() if cell is not None and case.finder.changes(cell, "set")}
    if not before:
        return None
    after = reach([t for label, t in dispatch.to if label != "raise"], frozenset({case.head}), raising=False)
    for point in sorted(after, key=lambda p: p.number):
        node = point.node
        if point.kind != "test" or not isinstance(node, ir.Compare) or point.frame is not frame:
            continue
        if node.span[:2] < dispatch.node.span[:2] or CLOCK not in case.tools.roles.of(node, function):
            continue
        names = {n.id for n in ir.walk(node) if isinstance(n, ir.Name)} | _behind(node, case, point)
        if names & before and _judges(case, point):
            words = (("call", text_of(dispatch.node)), ("value", text_of(node)))
            return Fault(
                "post-hoc",
                place_of(case, dispatch),
                words,
                related=(Step(place_of(case, point), "the time is judged here"),),
            )
    return None


def _behind(node: ir.Node, case: Case, point: Point) -> set[str]:
    """The names behind a name of the comparison: ``elapsed = now() - started``."""
    out: set[str] = set()
    for name in ir.walk(node):
        if isinstance(name, ir.Name):
            for binding in case.tools.program.lookup(name.id, point.frame.function):
                if binding.value is not None:
                    out |= {n.id for n in ir.walk(binding.value) if isinstance(n, ir.Name)}
    return out


def _armed(body: tuple[ir.Stmt, ...], dispatch: ir.Node, case: Case, function: Function) -> set[str]:
    """Names that are set from the clock in the same run of statements as the dispatch, shortly before it."""
    for block in _blocks(body):
        position = next((i for i, s in enumerate(block) if _holds(s, dispatch)), None)
        if position is None:
            continue
        names = {
            t.id
            for stmt in block[:position]
            if isinstance(stmt, ir.Assign) and CLOCK in case.tools.roles.of(stmt.value, function)
            for t in stmt.targets
            if isinstance(t, ir.Name)
        }
        if names:
            return names
    return set()


def _blocks(body: tuple[ir.Stmt, ...]) -> list[tuple[ir.Stmt, ...]]:
    """All runs of statements below a body, innermost last to first."""
    out = [body]
    for stmt in body:
        for part in ("body", "orelse", "final"):
            inner = getattr(stmt, part, ())
            if inner and not isinstance(stmt, (ir.FuncDef, ir.ClassDef)):
                out = _blocks(inner) + out
        for handler in getattr(stmt, "handlers", ()):
            out = _blocks(handler.body) + out
        for case in getattr(stmt, "cases", ()):
            out = _blocks(case.body) + out
    return out


def _holds(stmt: ir.Stmt, node: ir.Node) -> bool:
    return any(n is node for n in ir.walk(stmt))


def _judges(case: Case, point: Point) -> bool:
    """Whether a test does more than log on its way: it raises, returns, leaves, or makes a message."""
    passes = frozenset({point, *(p for p in case.graph.points if p.kind in {"iter", "head"})})
    inner = reach([t for label, t in point.to if label == "true"], passes, raising=False)
    other = reach([t for label, t in point.to if label == "false"], passes, raising=False)
    return any(p.kind in {"raise", "exit", "set", "grow", "move"} for p in inner - other)
