"""Where a tool name leads that nobody has listed: one walk through a case with every test of the name decided.

An unlisted name equals no literal, is in no set and finds nothing in a table; a pattern it may match or not, as the
walk is told. What it reaches all the same, nothing keeps it from; a miss after which the loop makes another pass does
not end the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import decided
from toolbind_lint.recognise.gates import name_tests
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Cell, Point

MAX_STATES = 40_000
_CODE = frozenset({"attribute", "namespace", "code"})
_UNSEEN = frozenset({"handed-on", "callback", "declared"})

_Known = tuple[tuple[Cell, object], ...]


class Miss(NamedTuple):
    """The name was not found: ``at`` is where that is decided or caught last, ``origin`` what the name failed first.

    ``raised`` is the ``raise`` between the two, where there is one; ``left`` the exit of a dispatcher behind it.
    """

    at: Point
    origin: Point
    raised: Point | None = None
    left: Point | None = None


class Walk(NamedTuple):
    """What an unlisted name meets.

    ``reached`` are the dispatches that it comes to, each with the pattern test that it passed last (or None);
    ``misses`` those behind which the loop goes round again (a dispatcher: returns); ``raises`` the points that raise
    because of the name alone.
    """

    reached: dict[Point, Point | None]
    misses: tuple[Miss, ...]
    raises: frozenset[Point]


class _State(NamedTuple):
    point: Point
    miss: Miss | None
    fresh: bool
    pattern: Point | None
    known: _Known


class Walker:
    """Walks one case. ``matching`` says that the name matches every pattern that it is tested by; with ``lookups`` it
    is found in every table, so that only tests hold it back.
    """

    def __init__(self, case: Case, *, matching: bool = False, lookups: bool = False) -> None:
        self.case = case
        self.matching = matching
        self.lookups = lookups
        self.tests = name_tests.NameTests(case)
        self.roles = case.tools.roles
        self.cells = frozenset(p.cell for p in case.graph.points if p.kind == "test" and p.cell is not None)
        self.reached: dict[Point, Point | None] = {}
        self.misses: dict[Point, Miss] = {}
        self.raises: set[Point] = set()

    def walk(self) -> Walk:
        """The walk from the head of the case."""
        start = _State(self.case.head, None, False, None, ())
        seen = {start}
        queue = [start]
        for state in queue:
            for following in self._steps(state):
                if self._ends(following):
                    continue
                if following not in seen and len(seen) < MAX_STATES:
                    seen.add(following)
                    queue.append(following)
        return Walk(self.reached, tuple(self.misses.values()), frozenset(self.raises))

    def _ends(self, state: _State) -> bool:
        """Whether a pass is over, noting a miss that did not end the run."""
        point = state.point
        if self.case.kind == "dispatcher":
            if point.kind == "exit" and point.op != "raise" and state.miss is not None:
                self.misses.setdefault(state.miss.at, state.miss._replace(left=point))
            return point.kind == "exit"
        if point is self.case.head or point.kind == "again":
            if state.miss is not None:
                self.misses.setdefault(state.miss.at, state.miss)
            return True
        return False

    def _steps(self, state: _State) -> Iterator[_State]:
        point = state.point
        if point.kind == "test":
            yield from self._tested(state)
        elif point.kind == "lookup" and not self.lookups:
            yield from self._raised(state, Miss(point, point))
        elif point.kind == "dispatch" and point.dispatch is not None:
            yield from self._dispatched(state)
        elif point.kind == "raise":
            if state.fresh:
                self.raises.add(point)
            yield from self._left(state)
        else:
            onward = state
            if point.kind == "set":
                known = self._learn(point, state.known)
                onward = state if known is state.known else state._replace(known=known)
            elif state.fresh and point.kind in {"turn", "iter", "head"}:
                onward = state._replace(fresh=False)
            yield from self._along(onward, "raise")

    def _along(self, state: _State, but: str) -> Iterator[_State]:
        """Over every edge of a point but those of one label."""
        point, miss, fresh, pattern, known = state
        for label, target in point.to:
            if label != but:
                yield _State(target, miss, fresh, pattern, known)

    def _left(self, state: _State) -> Iterator[_State]:
        """Over a ``raise``: one that the name alone leads to carries its miss to the handler."""
        if state.miss is None or state.fresh:
            yield from self._raised(state, state.miss._replace(raised=state.point) if state.miss is not None else None)
            return
        for _, target in state.point.to:
            yield state._replace(point=target)

    def _raised(self, state: _State, miss: Miss | None) -> Iterator[_State]:
        """Out of a point to the handlers that take what it raises."""
        for label, target in state.point.to:
            if label != "raise" and state.point.kind != "raise":
                continue
            taken = miss
            if miss is not None and target.kind == "handler":
                taken = miss._replace(at=target)
            yield state._replace(point=target, miss=taken)

    def _tested(self, state: _State) -> Iterator[_State]:
        point = state.point
        answer = decided(point, dict(state.known)) if state.known else None
        onward = state
        if answer is None:
            test = self.tests.test(point)
            if test is None:
                onward = state._replace(fresh=False) if state.fresh else state
            elif test.kind == "pattern":
                if self.matching:
                    onward = state._replace(pattern=point, fresh=False)
                answer = test.admits if self.matching else _other(test.admits)
            else:
                answer = _other(test.admits)
                if test.gate:
                    onward = state._replace(miss=Miss(point, point), fresh=True)
        _, miss, fresh, pattern, known = onward
        for label, target in point.to:
            if answer is None or label == answer:
                yield _State(target, miss, fresh, pattern, known)

    def _dispatched(self, state: _State) -> Iterator[_State]:
        point = state.point
        dispatch = point.dispatch
        assert dispatch is not None
        self.reached.setdefault(point, state.pattern)
        if dispatch.form in _CODE or (dispatch.form == "table" and not self.lookups):
            lookup = dispatch.lookup
            given = isinstance(lookup, ir.Call) and lookup.positional(1)
            if dispatch.form == "table" and given and not _is_none(given):
                yield from self._onward(state, Miss(point, point))
            elif dispatch.form == "table" and isinstance(lookup, (ir.Call, ir.Subscript)):
                yield from self._raised(state, Miss(point, point))
        elif dispatch.form == "server":
            yield from self._onward(state, Miss(point, point) if self.case.kind != "dispatcher" else None)
        elif dispatch.form in _UNSEEN:
            told = isinstance(dispatch.node, ir.Call) and self.roles.is_dropped(dispatch.node, dispatch.function)
            yield from self._onward(state, state.miss if told else None)  # what is only told of a call decides nothing
        else:
            yield from self._onward(state, state.miss)

    def _onward(self, state: _State, miss: Miss | None) -> Iterator[_State]:
        yield from self._along(state._replace(miss=miss, fresh=False), "raise")

    def _learn(self, point: Point, known: _Known) -> _Known:
        """What is known of plain values behind an assignment."""
        if point.cell not in self.cells:
            return known
        rest = tuple(item for item in known if item[0] != point.cell) if known else known
        value = point.value
        if isinstance(value, ir.Const):
            return (*rest, (point.cell, value.value))
        if isinstance(value, ir.FString) and value.text:
            return (*rest, (point.cell, value.text))
        return rest


def _other(label: str) -> str:
    return "false" if label == "true" else "true"


def _is_none(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and expr.value is None


def plain(case: Case) -> Walk:
    """The walk of a name that is in no table and matches no pattern, made once for each case."""
    found = case.notes.get("name walk")
    if not isinstance(found, Walk):
        found = Walker(case).walk()
        case.notes["name walk"] = found
    return found
