"""What ends a loop whatever the model says: tests of a moving counter against a cap, and tests of the time.

Questions to a graph of ``paths.py``: is there a pass from the head through a turn and back that no such test stands
on, or on which the counter of the test does not move? A test counts only if the edge taken at the cap leads to no
further pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.facts import Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.ahead import Ahead
from toolbind_lint.recognise.paths import Cell, Frame, Graph, Point
from toolbind_lint.recognise.program import External, Program
from toolbind_lint.recognise.roles import CLOCK, RoleFinder, last_name
from toolbind_lint.recognise.values import Values, text_of


class Bound(NamedTuple):
    """A counter that is compared with a cap.

    ``tests`` are the points that compare it (or skip the comparison because the cap is off), ``moves`` the points that
    move it, ``resets`` those that set it back. ``cap`` is the expression and where it stands; ``kind`` is range,
    counter or size.
    """

    cells: frozenset[Cell]
    kind: str
    tests: tuple[Point, ...]
    guards: tuple[Point, ...]
    moves: tuple[Point, ...]
    resets: tuple[Point, ...]
    cap: ir.Expr
    cap_frame: Frame
    cap_cells: frozenset[Cell]
    leaves: bool
    values: tuple[Value, ...]
    reached: tuple[Point, ...]
    off: bool = False
    """Whether a switch that is off by default skips the comparison."""


_Known = frozenset[tuple[Cell, object]]
_State = tuple[Point, int, _Known]
_NOTHING: _Known = frozenset()
MAX_STATES = 40_000

# ---- walking the graph


def reach(starts: Iterable[Point], blocked: frozenset[Point] = frozenset(), *, raising: bool = True) -> set[Point]:
    """All points that can be reached, the starts among them, without passing a blocked one; ``raising`` follows
    exceptions.
    """
    seen: set[Point] = set()
    stack = [p for p in starts if p not in blocked]
    while stack:
        point = stack.pop()
        if point in seen:
            continue
        seen.add(point)
        for label, target in point.to:
            if target not in blocked and target not in seen and (raising or label != "raise"):
                stack.append(target)
    return seen


def passes(
    graph: Graph, stages: Iterable[Iterable[Point]], avoiding: Iterable[Point] = (), *, raising: bool = True
) -> bool:
    """Whether a pass from the head back to it visits one point of each stage, in any order, avoiding some points."""
    wanted = [frozenset(stage) for stage in stages]
    blocked = frozenset(avoiding)
    if not _connected(graph, wanted, blocked, raising):
        return False
    if not graph.flags or _connected(graph, wanted, blocked | graph.setting, raising):
        return True  # by a way on which no flag is set, so that none decides
    return cycle(graph, wanted, blocked, raising=raising) is not None


def _connected(graph: Graph, stages: list[frozenset[Point]], blocked: frozenset[Point], raising: bool) -> bool:
    """``passes`` without regard to flags: by plain reachability."""
    assert graph.head is not None
    if graph.head in blocked or not all(stages):
        return False
    # What comes back to the head leads on to all that the head leads to: the order of the stages does not matter.
    round_ = graph.round(blocked, raising=raising)
    return bool(round_) and not any(stage.isdisjoint(round_) for stage in stages)


def cycle(
    graph: Graph, stages: Iterable[Iterable[Point]], avoiding: Iterable[Point] = (), *, raising: bool = True
) -> list[Point] | None:
    """One pass from the head back to it that visits each stage and nothing to be avoided; None where there is none.

    A pass that sets a flag on which the loop then ends is none.
    """
    head = graph.head
    assert head is not None
    wanted = [frozenset(s) for s in stages]
    blocked = frozenset(avoiding)
    if head in blocked or any(not s for s in wanted):
        return None
    full = (1 << len(wanted)) - 1
    marks: dict[Point, int] = {}
    for number, stage in enumerate(wanted):
        for point in stage:
            marks[point] = marks.get(point, 0) | 1 << number
    returning, flags = graph.returning, graph.flags
    start: _State = (head, marks.get(head, 0), _NOTHING)
    before: dict[_State, _State | None] = {start: None}
    queue = [start]
    for state in queue:
        point, mask, known = state
        if point.cell in flags:
            known = learn(point, known, flags)
        answer = decided(point, dict(known)) if known and point.kind == "test" else None
        for label, target in point.to:
            if target not in returning or target in blocked or label == "none" or (not raising and label == "raise"):
                continue
            if answer is not None and label in {"true", "false"} and label != answer:
                continue
            if target is head:
                if mask == full and (not known or _comes_to(head, known, wanted[0], graph.flags)):
                    return _walk_back(before, state)
                continue
            following = (target, mask | marks.get(target, 0), known)
            if following not in before and len(before) < MAX_STATES:
                before[following] = state
                queue.append(following)
    return None


def learn(point: Point, known: _Known, flags: frozenset[Cell]) -> _Known:
    """What is known of the flags behind a point."""
    if point.cell not in flags or point.kind not in {"set", "move", "grow", "shrink"}:
        return known
    known = frozenset(pair for pair in known if pair[0] != point.cell)
    if point.kind == "set" and isinstance(point.value, ir.Const) and len(known) < 6 and point.cell is not None:
        known |= {(point.cell, point.value.value)}
    return known


def _comes_to(head: Point, known: _Known, wanted: frozenset[Point], flags: frozenset[Cell]) -> bool:
    """Whether the next pass comes to a wanted point, with what is known of the flags."""
    seen: set[tuple[Point, _Known]] = set()
    stack = [(head, known)]
    while stack and len(seen) < MAX_STATES:
        state = stack.pop()
        if state in seen:
            continue
        seen.add(state)
        point, now = state
        if point in wanted:
            return True
        now = learn(point, now, flags)
        answer = decided(point, dict(now)) if now and point.kind == "test" else None
        for label, target in point.to:
            if answer is None or label not in {"true", "false"} or label == answer:
                stack.append((target, now))
    return False


def _walk_back(before: dict[_State, _State | None], state: _State) -> list[Point]:
    out: list[Point] = []
    at: _State | None = state
    while at is not None:
        out.append(at[0])
        at = before[at]
    return out[::-1]


class Onward:
    """Whether, from a point of a graph, the loop can make another pass with another turn.

    Flags are followed: after ``done = True`` a test of ``done`` has one way only. Answers are kept, and where no flag
    is set on the way the plain graph answers.
    """

    def __init__(self, graph: Graph, turns: frozenset[Point]) -> None:
        assert graph.head is not None
        self.head = graph.head
        self.turns = turns
        self.flags = graph.flags
        self.returning = graph.returning
        self.flagged = self._before_flags(graph)
        self.turning = any(p in turns for p in reach([self.head]))
        self._known: dict[Point, bool] = {}

    def _before_flags(self, graph: Graph) -> set[Point]:
        """The points from which a flag may be set before the next pass."""
        before: dict[Point, list[Point]] = {}
        for point in graph.points:
            for _, target in point.to:
                if point is not self.head:
                    before.setdefault(target, []).append(point)
        found: set[Point] = set()
        stack = [p for p in graph.points if p.kind == "set" and p.cell in self.flags]
        while stack:
            point = stack.pop()
            if point not in found:
                found.add(point)
                stack.extend(before.get(point, ()))
        return found

    def __call__(self, start: Point, blocked: frozenset[Point] = frozenset()) -> bool:
        """Whether the loop goes on from a point, without passing a blocked one."""
        if blocked:
            return self._search(start, blocked)
        if start not in self._known:
            possible = start in self.returning and self.turning
            # Only where a flag is set on the way does it matter which way the tests go.
            self._known[start] = possible and (start not in self.flagged or self._search(start, blocked))
        return self._known[start]

    def _search(self, start: Point, blocked: frozenset[Point]) -> bool:
        seen: set[tuple[Point, bool, frozenset[tuple[Cell, object]]]] = set()
        nothing: frozenset[tuple[Cell, object]] = frozenset()
        stack: list[tuple[Point, bool, frozenset[tuple[Cell, object]]]] = [(start, False, nothing)]
        while stack and len(seen) < 20_000:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            point, again, known = state
            if point is self.head or point.kind == "again":
                again = True
            if again and point in self.turns:
                return True
            known = learn(point, known, self.flags)
            answer = decided(point, dict(known)) if known and point.kind == "test" else None
            for label, target in point.to:
                if target in blocked or (answer is not None and label in {"true", "false"} and label != answer):
                    continue
                stack.append((target, again, known))
        return False


def decided(point: Point, known: dict[Cell, object]) -> str | None:
    """The one way of a test on a cell whose value is known, or None."""
    node = point.node
    if point.cell is None or point.cell not in known:
        return None
    value = known[point.cell]
    if isinstance(node, (ir.Name, ir.Attr)):
        return "true" if value else "false"
    if isinstance(node, ir.Compare) and isinstance(node.right, ir.Const) and not isinstance(node.left, ir.Const):
        if node.op in {"==", "is"}:
            return "true" if value == node.right.value else "false"
        if node.op in {"!=", "is not"}:
            return "true" if value != node.right.value else "false"
    return None


# ---- finding bounds

_ORDER = frozenset({"<", "<=", ">", ">=", "==", "!="})
_FLAG_READS = frozenset(
    [
        "is_set",
        "cancelled",
        "is_cancelled",
        "done",
        "is_done",
        "is_disconnected",
        "is_alive",
        "closed",
        "is_closing",
        "get",
        "empty",
        "startswith",
        "endswith",
        "strip",
        "issubset",
        "match",
        "isinstance",
        "hasattr",
        "exists",
        "is_file",
    ]
)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NUMERIC_CALLS = frozenset({"int", "float", "abs", "round", "max", "min"})


class Term(NamedTuple):
    """A cell in a sum: its sign, and whether its size counts instead of its value."""

    cell: Cell
    sign: int
    size: bool
    expr: ir.Expr
    frame: Frame


class BoundFinder:
    """Finds the bounds and time tests of one graph."""

    def __init__(
        self,
        graph: Graph,
        cell: Callable[[ir.Expr | None, Frame], Cell | None],
        program: Program,
        roles: RoleFinder,
        values: Values,
    ) -> None:
        self.graph = graph
        self.cell = cell
        self.program = program
        self.roles = roles
        self.values = values
        assert graph.head is not None
        self.head = graph.head
        self.inside = reach([self.head])
        self.pivots = frozenset(p for p in self.inside if p.kind == "turn") or frozenset(
            p for p in self.inside if p.kind == "dispatch"
        )
        self._onward = Onward(graph, self.pivots)
        self._ahead: dict[bool, Ahead] = {}
        self._sums: dict[Cell, list[Term] | None] = {}
        self._ordered: list[Point] | None = None
        self._iterations: list[Point] | None = None
        self._switches: bool | None = None
        self._changes: dict[Cell, list[Point]] = {}
        for point in graph.points:
            if (
                point in self.inside
                and point.cell is not None
                and point.kind in {"set", "move", "grow", "shrink", "iter"}
            ):
                self._changes.setdefault(point.cell, []).append(point)

    @property
    def ahead(self) -> Ahead:
        """What lies ahead of each point within a pass where nothing raises."""
        return self._ahead_of(raising=False)

    @property
    def ahead_raising(self) -> Ahead:
        """What lies ahead of each point within a pass, over exceptions too."""
        return self._ahead_of(raising=True)

    def _ahead_of(self, *, raising: bool) -> Ahead:
        found = self._ahead.get(raising)
        if found is None:
            found = self._ahead[raising] = Ahead(self.graph, raising=raising)
        return found

    @property
    def ordered(self) -> list[Point]:
        """``inside`` in the order of the graph."""
        if self._ordered is None:
            self._ordered = [p for p in self.graph.points if p in self.inside]
        return self._ordered

    @property
    def iterations(self) -> list[Point]:
        """The points at which an inner ``for`` goes on to its next pass."""
        if self._iterations is None:
            self._iterations = [p for p in self.graph.points if p.kind == "iter"]
        return self._iterations

    def changes(self, cell: Cell, *kinds: str) -> list[Point]:
        """The points of the loop that change a cell."""
        return [p for p in self._changes.get(cell, ()) if not kinds or p.kind in kinds]

    # ---- sums

    def terms(self, expr: ir.Expr | None, frame: Frame, sign: int = 1, depth: int = 0) -> list[Term] | None:
        """The cells of a sum; None where the expression is no sum of cells and numbers."""
        if expr is None or depth > 6:
            return None
        if isinstance(expr, ir.Const):
            return [] if isinstance(expr.value, (int, float)) else None
        if isinstance(expr, (ir.Name, ir.Attr, ir.Subscript)):
            cell = self.cell(expr, frame)
            if cell is None:
                return None
            return self._derived(cell, sign, expr, frame)
        if isinstance(expr, ir.Bin):
            if expr.op in {"+", "-"}:
                left = self.terms(expr.left, frame, sign, depth + 1)
                right = self.terms(expr.right, frame, sign if expr.op == "+" else -sign, depth + 1)
                return None if left is None or right is None else left + right
            if expr.op in {"*", "/", "//"}:
                return self.terms(expr.left, frame, sign, depth + 1)
            return None
        if isinstance(expr, (ir.Await, ir.Walrus)):
            return self.terms(expr.value, frame, sign, depth + 1)
        if isinstance(expr, ir.Call):
            return self._call_terms(expr, frame, sign, depth)
        return None

    def _call_terms(self, expr: ir.Call, frame: Frame, sign: int, depth: int) -> list[Term] | None:
        name = last_name(expr.func)
        if name == "len" and len(expr.args) == 1:
            cell = self.cell(expr.args[0].value, frame)
            return None if cell is None else [Term(cell, sign, True, expr, frame)]
        if name in _NUMERIC_CALLS and isinstance(expr.func, ir.Name):
            out: list[Term] = []
            for arg in expr.args:
                part = self.terms(arg.value, frame, sign, depth + 1)
                if part is None:
                    return None
                out.extend(part)
            return out
        return None

    def _derived(self, cell: Cell, sign: int, expr: ir.Expr, frame: Frame) -> list[Term]:
        """A name that is set in the loop from a sum of moving cells stands for that sum."""
        if cell not in self._sums:
            self._sums[cell] = None  # one that is set from itself stands for nothing else
            self._sums[cell] = self._sum_behind(cell)
        inner = self._sums[cell]
        if inner is None:
            return [Term(cell, sign, False, expr, frame)]
        return inner if sign > 0 else [t._replace(sign=-t.sign) for t in inner]

    def _sum_behind(self, cell: Cell) -> list[Term] | None:
        """The sum of moving cells that a cell is set from in the loop, and nowhere moved itself."""
        sets = self.changes(cell, "set")
        if not sets or self.changes(cell, "move", "iter"):
            return None
        for point in sets:
            if point.value is not None and point.value_frame is not None:
                inner = self.terms(point.value, point.value_frame)
                if inner and any(self.moves(t) for t in inner):
                    return inner
        return None

    def moves(self, term: Term) -> list[Point]:
        """The points that move a term."""
        if term.size:
            return self.changes(term.cell, "grow", "move")
        return [p for p in self.changes(term.cell, "move", "iter") if p.op in {"+", "-", "*", ""}]

    # ---- counters

    def bounds(self) -> list[Bound]:
        """All bounds of the loop, effective or not."""
        out: list[Bound] = []
        consumed = self.graph.consumed
        for point in self.ordered:
            # Of an inner loop only one whose end is the end of this one (in a generator that this loop reads).
            given = consumed is not None and point.number not in consumed
            ranged = self._range(point) if given or point is self.head else None
            if ranged is not None and (point is self.head or ranged.leaves):
                out.append(ranged)
            if point.kind != "test":
                continue
            for atom, frame, plain in self.atoms(point.node, point):
                found = self._counter(point, atom, frame, plain)
                if found is not None:
                    out.append(found)
                    break
        return out

    def atoms(self, node: ir.Node, point: Point, depth: int = 0) -> Iterator[tuple[ir.Node, Frame, bool]]:
        """The comparisons that a test stands for: itself, or those of the flag that it reads.

        The last item is False for one of several joined by ``or``: then only its truth decides.
        """
        if isinstance(node, (ir.Name, ir.Attr)) and depth < 3:
            cell = self.cell(node, point.frame)
            sets = self.changes(cell, "set") if cell is not None else []
            followed = False
            for change in sets:
                if isinstance(change.value, (ir.Compare, ir.Bool, ir.Not)) and change.value_frame is not None:
                    followed = True
                    yield from self._joined(change.value, change.value_frame)
            if followed:
                return
        yield node, point.frame, True

    def _joined(self, expr: ir.Expr, frame: Frame) -> Iterator[tuple[ir.Node, Frame, bool]]:
        if isinstance(expr, ir.Bool):
            if expr.op == "or":
                for side in (expr.left, expr.right):
                    for node, place, _ in self._joined(side, frame):
                        yield node, place, False
            return
        yield expr, frame, True

    def _range(self, head: Point) -> Bound | None:
        if head.kind != "iter" or not isinstance(head.node, ir.For):
            return None
        source = head.node.iter
        call = source if isinstance(source, ir.Call) else None
        name = last_name(call.func) if call is not None else ""
        function = head.frame.function
        if call is not None and name in {"enumerate", "trange", "tqdm", "reversed", "list", "islice"} and call.args:
            inner = call.args[-1].value if name == "islice" else call.args[0].value
            if isinstance(inner, ir.Call) and last_name(inner.func) in {"range", "count"}:
                call, name = inner, last_name(inner.func)
        cap: ir.Expr = source
        values: tuple[Value, ...]
        if call is not None and name in {"range", "trange"} and call.args:
            cap = call.args[0].value if len(call.args) == 1 else call.args[1].value
            values = self.values.alternatives(cap, function)
        elif call is not None and self._endless(call, head.frame):
            values = (Value("infinite", text_of(source), float("inf"), True),)
        elif head.node.is_async:
            return None
        else:
            # As many passes as there are items.
            values = (Value("computed", text_of(source), None, True),)
        terms = self.terms(cap, head.frame) or []
        done = tuple(p for label, p in head.to if label == "done")
        leaves = all(not self.goes_on(p) for p in done)
        cells = frozenset({head.cell}) if head.cell is not None else frozenset({("for", str(head.number))})
        return Bound(
            cells,
            "range",
            (head,),
            (),
            (head,),
            (),
            cap,
            head.frame,
            frozenset(t.cell for t in terms),
            leaves,
            values,
            done,
        )

    def _endless(self, call: ir.Call, frame: Frame) -> bool:
        for meaning in self.program.resolve(call.func, frame.function):
            if isinstance(meaning, External):
                row = self.roles.catalogue.find("endless", meaning.name)
                if row is not None and (row.one("form") != "sentinel" or len(call.args) == 2):
                    return not (meaning.name == "itertools.repeat" and len(call.args) == 2)
        return False

    def _counter(self, point: Point, atom: ir.Node, frame: Frame, plain: bool) -> Bound | None:
        if isinstance(atom, ir.Compare):
            if atom.op not in _ORDER:
                return None
            for side, other, op in ((atom.left, atom.right, atom.op), (atom.right, atom.left, _FLIPPED[atom.op])):
                found = self._compared(point, side, other, op, frame, plain)
                if found is not None:
                    return found
            return None
        if isinstance(atom, (ir.Name, ir.Attr)):
            return self._compared(point, atom, ir.Const(atom.span, 0), "!=", frame, plain)
        return None

    def _compared(
        self, point: Point, side: ir.Expr, other: ir.Expr, op: str, frame: Frame, plain: bool
    ) -> Bound | None:
        if (self.roles.of(side, frame.function) | self.roles.of(other, frame.function)) & {CLOCK}:
            return None
        if isinstance(other, ir.Const) and not isinstance(other.value, (int, float)):
            return None
        if self._goes_round_inside(other, frame) or self._goes_round_inside(side, frame):
            return None
        terms = self.terms(side, frame)
        if not terms:
            return None
        moving = [t for t in terms if self.moves(t)]
        if not moving or not self._the_counter(moving, other, frame):
            return None
        direction = self._direction(moving[0])
        if direction == 0:
            return None
        reached = _reached(op, direction)
        if not plain and reached != "true":
            return None
        after = tuple(p for label, p in point.to if label == reached)
        moves = tuple(p for t in moving for p in self.moves(t))
        resets = tuple(p for t in moving for p in self._resets(t))
        still = [t for t in terms if not self.moves(t)]
        cap, cap_frame = self._cap(side, other, still, moving[0], direction, frame)
        cap_terms = [t for t in (self.terms(other, frame) or []) if t.cell not in {m.cell for m in moving}] + still
        leaves = bool(after) and all(not self.goes_on(p) for p in after)
        if not leaves and after:
            leaves = self.tools_off(point, after) or any(self.ends_by_state(p) for p in after)
        values = self.values.alternatives(cap, cap_frame.function)
        cap_cells = frozenset(t.cell for t in cap_terms)
        guards = tuple(self.guards(point, cap_cells))
        return Bound(
            frozenset(t.cell for t in moving),
            "size" if moving[0].size else "counter",
            (point,),
            guards,
            moves,
            resets,
            cap,
            cap_frame,
            cap_cells,
            leaves,
            values,
            after,
            any(self._is_off(g, {point, *guards}) for g in guards if g.cell not in cap_cells),
        )

    def _goes_round_inside(self, expr: ir.Expr, frame: Frame) -> bool:
        """Whether a value is the item or number of an inner loop, which starts again on each pass: that is no cap."""
        head = self.graph.head.node if self.graph.head is not None else None
        own = head.iter if isinstance(head, ir.For) else None
        for node in ir.walk(expr):
            if isinstance(node, ir.Name):
                bindings = self.program.lookup(node.id, frame.function)
                if bindings and all(b.kind in {"element", "unpack-element"} and b.value is not own for b in bindings):
                    return True
        return False

    def _is_off(self, guard: Point, tests: set[Point]) -> bool:
        """Whether a switch skips the comparison by its default."""
        if not isinstance(guard.node, (ir.Name, ir.Attr)):
            return False
        needed = next((label for label, p in guard.to if p in tests), "true")
        values = self.values.alternatives(guard.node, guard.frame.function)
        return any(v.number is not None and bool(v.number) != (needed == "true") for v in values)

    def _the_counter(self, moving: list[Term], other: ir.Expr, frame: Frame) -> bool:
        """Of two sides that both move the one that moves on every pass is the counter."""
        others = [t for t in (self.terms(other, frame) or []) if self.moves(t)]
        if not others:
            return True
        mine = [p for t in moving for p in self.moves(t)]
        if not passes(self.graph, [self.pivots], mine):
            return True
        return _counts_by_one(mine) and not _counts_by_one([p for t in others for p in self.moves(t)])

    def _direction(self, term: Term) -> int:
        """Up or down, as the compared sum moves; 0 where it does both."""
        if term.size:
            return term.sign
        ways = set()
        for point in self.moves(term):
            if point.kind == "iter" or point.op == "*":
                ways.add(1)
            elif point.op in {"+", "-"}:
                number = point.value.value if isinstance(point.value, ir.Const) else 1
                down = (point.op == "-") != (isinstance(number, (int, float)) and number < 0)
                ways.add(-1 if down else 1)
        return term.sign * next(iter(ways)) if len(ways) == 1 else 0

    def _resets(self, term: Term) -> list[Point]:
        out = self.changes(term.cell, "set")
        if term.size:
            out = out + self.changes(term.cell, "shrink")
        return out

    def _cap(
        self, side: ir.Expr, other: ir.Expr, still: list[Term], counter: Term, direction: int, frame: Frame
    ) -> tuple[ir.Expr, Frame]:
        """The expression of the cap: the other side, what a countdown starts from, or what a difference starts from."""
        if direction < 0 or (isinstance(other, ir.Const) and still):
            if still:
                return still[0].expr, still[0].frame
            start = self._start(counter)
            if start is not None:
                return start
        return other, frame

    def _start(self, counter: Term) -> tuple[ir.Expr, Frame] | None:
        """What a countdown is set to before the loop."""
        expr, frame = counter.expr, counter.frame
        inside = {id(p.node) for p in self.inside}
        bindings = []
        if isinstance(expr, ir.Name):
            bindings = self.program.lookup(expr.id, frame.function)
        elif isinstance(expr, ir.Attr):
            for base in self.program.resolve(expr.base, frame.function):
                bindings = self.program.fields(base, expr.name)
        for binding in bindings:
            if binding.kind == "assign" and binding.value is not None and id(binding.value) not in inside:
                if not isinstance(binding.value, ir.Bin):
                    return binding.value, Frame(-1, binding.scope, None, {}, frozenset())
        if any(b.kind == "parameter" for b in bindings):
            return expr, frame
        return None

    def guards(self, point: Point, cap_cells: frozenset[Cell]) -> Iterator[Point]:
        """Tests that skip the comparison while the cap is off: ``if cap is not None and n >= cap``."""
        targets = {point}
        for _ in range(4):
            found = {
                p
                for p in self.inside
                if p.kind == "test"
                and p not in targets
                and p.cell is not None
                and any(t in targets for _, t in p.to)
                and (p.cell in cap_cells or self._flag(p))
            }
            if not found:
                return
            yield from sorted(found, key=lambda p: p.number)
            targets |= found

    def _flag(self, point: Point) -> bool:
        """Whether a test reads a switch that the loop never moves and whose value is known."""
        if point.cell is None or self.changes(point.cell) or not isinstance(point.node, (ir.Name, ir.Attr)):
            return False
        values = self.values.alternatives(point.node, point.frame.function)
        return all(v.pinned and v.number is not None for v in values)

    def tools_off(self, point: Point, after: tuple[Point, ...]) -> bool:
        """Whether what is set on the way from the cap changes what the next turn offers (``tool_choice = "none"``)."""
        if not self._switchable:
            return False
        blocked = frozenset({self.head})
        here = reach(after, blocked)
        there = reach([t for _, t in point.to if t not in after], blocked)
        cells = {p.cell for p in here - there if p.kind == "set" and p.cell is not None}
        if isinstance(point.node, (ir.Name, ir.Attr)) and point.cell is not None:
            cells.add(point.cell)
        return any(self._governs(cells, turn) for turn in self.pivots)

    @property
    def _switchable(self) -> bool:
        """Whether any turn offers its tools, or forces one, by a value that is not written there."""
        if self._switches is None:
            self._switches = any(
                not isinstance(arg.value, ir.Const)
                for point in self.pivots
                if point.turn is not None and point.turn.row is not None
                for arg in point.turn.call.args
                if arg.name in {*point.turn.row.all("tools"), *point.turn.row.all("choice")}
            )
        return self._switches

    def _governs(self, cells: set[Cell], turn: Point) -> bool:
        if turn.turn is None or turn.turn.row is None:
            return False
        for arg in turn.turn.call.args:
            if arg.name in {*turn.turn.row.all("tools"), *turn.turn.row.all("choice")}:
                for node in ir.walk(arg.value):
                    if isinstance(node, (ir.Name, ir.Attr)) and self.cell(node, turn.frame) in cells:
                        return True
        return False

    # ---- judging bounds

    def finite(self, bound: Bound) -> bool:
        """Whether no alternative of the cap is infinite."""
        return not any(v.origin == "infinite" or (v.number is not None and v.number >= 1e9) for v in bound.values)

    def covers(self, bound: Bound) -> bool:
        """Whether the counter moves on every pass that its test stands on, and is never set back there."""
        stages = [self.pivots, (*bound.tests, *bound.guards)]
        return not passes(self.graph, stages, bound.moves) and not self.reset_passes(bound)

    def reset_passes(self, bound: Bound) -> bool:
        """Whether a pass through a turn sets the counter back."""
        return bool(bound.resets) and passes(self.graph, [self.pivots, bound.resets])

    def stands_on_all(self, bounds: Iterable[Bound]) -> bool:
        """Whether every pass through a turn comes by a test of one of the bounds."""
        tests = [p for b in bounds for p in (*b.tests, *b.guards)]
        return not passes(self.graph, [self.pivots], tests)

    def uncovered(self, bounds: Iterable[Bound]) -> list[Point] | None:
        """A pass through a turn on which none of the bounds stands, or None."""
        tests = [p for b in bounds for p in (*b.tests, *b.guards)]
        if self.head in tests:
            return None
        return cycle(self.graph, [self.pivots], tests)

    def uncovered_by(self, tests: Iterable[Point]) -> list[Point] | None:
        """A pass through a turn that avoids some points, or None."""
        return cycle(self.graph, [self.pivots], tests)

    def goes_on(self, point: Point, blocked: frozenset[Point] = frozenset()) -> bool:
        """Whether the loop can make another pass with another turn from a point."""
        return self._onward(point, blocked)

    def ends_by_state(self, start: Point) -> bool:
        """Whether an exception raised behind a point leaves a mark that a later test of the pass reads to end the loop.

        ``except Stop as e: self.messages.append(e.message)`` and ``if self.messages[-1]["role"] == "exit": break``.
        """
        inner = reach([start], frozenset({self.head}))
        handlers = [p for p in inner if p.kind == "handler"]
        if start.kind == "handler":
            # What fails later in the pass leaves a mark of its own.
            raises = [(h, s) for h, s, _ in self.graph.caught if s.kind == "raise"]
            passed_on = {h for h, source in raises if _stands_in(source, start)}
            handlers = [start, *(h for h in handlers if h in passed_on)]
        if not handlers:
            return False
        kept = reach(handlers, frozenset({self.head}))
        left = [p for p in kept if p.kind in {"grow", "set"} and p.cell is not None]
        cells = {p.cell for p in left if any(_stands_in(p, h) for h in handlers)}
        for point in kept:
            if point.kind == "test" and any(
                isinstance(node, ir.Subscript) and self.cell(node.base, point.frame) in cells
                for node in ir.walk(point.node)
            ):
                if not all(self.goes_on(t) for _, t in point.to):
                    return True
        return False

    def leaves_unchanged(self, bound: Bound) -> bool:
        """Whether the loop would end at the cap if nothing on the way raised the cap or set the counter back."""
        changes = [
            p for c in bound.cap_cells | bound.cells for p in self.changes(c, "set", "move") if p not in bound.moves
        ]
        blocked = frozenset(changes)
        return bool(bound.reached) and bool(changes) and all(not self.goes_on(p, blocked) for p in bound.reached)

    def answers_for_itself(self, call: ir.Call, point: Point) -> bool:
        """Whether a call that decides an exit is known to be no bound: it reads a reply, a flag that others set, or
        plain data.
        """
        function = point.frame.function
        if self.roles.of(call, function) or any(self.roles.of(a.value, function) for a in call.args):
            return True
        if isinstance(call.func, ir.Attr) and self.roles.of(call.func.base, function):
            return True
        if self.program.targets(call, function):
            return True
        meanings = self.program.resolve(call.func, function)
        if any(isinstance(m, External) for m in meanings):
            return True
        return last_name(call.func) in _FLAG_READS


def _stands_in(point: Point, handler: Point) -> bool:
    """Whether a point stands in the body of a handler, or in a helper that is called there."""
    span = handler.node.span
    node: ir.Node | None = point.node
    for frame in point.frame.stack():
        if frame is handler.frame:
            return node is not None and span[:2] <= node.span[:2] and node.span[2:] <= span[2:]
        node = frame.call
    return False


def _counts_by_one(points: Iterable[Point]) -> bool:
    """Whether every move is by one."""
    return all(p.kind == "iter" or (isinstance(p.value, ir.Const) and p.value.value == 1) for p in points)


def _reached(op: str, direction: int) -> str:
    """The edge of a comparison that is taken once the cap is reached."""
    if direction > 0:
        return "true" if op in {">", ">=", "=="} else "false"
    return "true" if op in {"<", "<=", "=="} else "false"
