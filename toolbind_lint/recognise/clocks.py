"""Tests of the time: which comparisons of a loop look at the clock, which edge is taken once the time is spent, what
budget they hold, and whether the clock they read can jump.

A side of a comparison grows with time (``now() - started``), shrinks (``deadline - now()``) or stands still; the edge
that time leads to is the one that must end the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import BoundFinder, reach
from toolbind_lint.recognise.paths import Cell, Frame, Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import CLOCK, JUMPING_CLOCK, last_name

MAX_DEPTH = 5
_SAME = frozenset({"int", "float", "round", "max", "min", "abs", "total_seconds", "timestamp"})


class TimeTest(NamedTuple):
    """A comparison of the time with a budget; ``leaves`` says that the loop ends when it is spent.

    ``budget`` is the number, with the function in which it stands; None where it cannot be seen.
    """

    point: Point
    leaves: bool
    monotonic: bool
    budget: ir.Expr | None
    scope: Function
    frame: Frame
    rearmed: bool
    expired: str = ""
    """The edge that is taken when the time is spent: true, false, or empty where that is not known."""


class ClockFinder:
    """Finds the time tests of one graph."""

    def __init__(self, finder: BoundFinder) -> None:
        self.finder = finder
        self.roles = finder.roles
        self.program = finder.program

    def tests(self) -> list[TimeTest]:
        """The comparisons of the time that the loop makes."""
        out: list[TimeTest] = []
        for point in sorted(self.finder.inside, key=lambda p: p.number):
            if point.kind == "test":
                for atom, frame, plain in self.finder.atoms(point.node, point):
                    found = self._test(point, atom, frame, plain=plain)
                    if found is not None:
                        out.append(found)
        out.extend(self._in_turns())
        return out

    def _test(self, point: Point, atom: ir.Node, frame: Frame, *, plain: bool) -> TimeTest | None:
        function = frame.function
        if isinstance(atom, ir.Compare):
            roles = self.roles.of(atom.left, function) | self.roles.of(atom.right, function)
            if CLOCK not in roles or (atom.op in {"is", "is not", "in", "not in"}):
                return None
            expired = self._expired(atom, frame)
        elif isinstance(atom, (ir.Name, ir.Attr, ir.Bin, ir.Call)):
            roles = self.roles.of(atom, function)
            if CLOCK not in roles or (self.trend(atom, frame) or 0) >= 0:
                return None
            expired = "false"
        else:
            return None
        if not plain and expired == "false":
            return None
        ways = [p for label, p in point.to if label == expired or not expired]
        leaves = any(self._ends(p) for p in ways) or self.finder.tools_off(
            point, tuple(p for label, p in point.to if label == (expired or "true"))
        )
        budget, scope = self.budget(atom, frame)
        monotonic = JUMPING_CLOCK not in roles
        return TimeTest(point, leaves, monotonic, budget, scope, frame, self._rearmed(atom, frame, point), expired)

    def _ends(self, point: Point) -> bool:
        return not self.finder.goes_on(point) or self.finder.ends_by_state(point)

    def _in_turns(self) -> Iterator[TimeTest]:
        """``tool_choice="none" if last else "auto"`` where ``last`` compares the time."""
        for turn in sorted(self.finder.pivots, key=lambda p: p.number):
            if turn.turn is None or turn.turn.row is None:
                continue
            for arg in turn.turn.call.args:
                if arg.name not in {*turn.turn.row.all("tools"), *turn.turn.row.all("choice")}:
                    continue
                for compare, frame in self._compares(arg.value, turn.frame, 0):
                    function = frame.function
                    roles = self.roles.of(compare.left, function) | self.roles.of(compare.right, function)
                    if CLOCK in roles:
                        budget, scope = self.budget(compare, frame)
                        yield TimeTest(turn, True, JUMPING_CLOCK not in roles, budget, scope, frame, rearmed=False)

    def _compares(self, expr: ir.Expr, frame: Frame, depth: int) -> Iterator[tuple[ir.Compare, Frame]]:
        """The comparisons that decide an expression, through names that the loop sets."""
        for node in ir.walk(expr):
            if isinstance(node, ir.Compare):
                yield node, frame
            elif isinstance(node, (ir.Name, ir.Attr)) and depth < MAX_DEPTH:
                cell = self.finder.cell(node, frame)
                for change in self.finder.changes(cell, "set") if cell is not None else ():
                    if change.value is not None and change.value_frame is not None:
                        yield from self._compares(change.value, change.value_frame, depth + 1)

    # ---- which way time goes

    def _expired(self, atom: ir.Compare, frame: Frame) -> str:
        """The edge of a comparison that is taken when the time is spent; empty where that is not known."""
        left, right = self.trend(atom.left, frame), self.trend(atom.right, frame)
        if left is None or right is None or left == right or atom.op not in {"<", "<=", ">", ">="}:
            return ""
        return "true" if (left > right) == (atom.op in {">", ">="}) else "false"

    def trend(self, expr: ir.Expr | None, frame: Frame, depth: int = 0) -> int | None:
        """1 where an expression grows with time, -1 where it shrinks, 0 where it stands still; None: not known."""
        if expr is None or isinstance(expr, ir.Const) or CLOCK not in self.roles.of(expr, frame.function):
            return 0
        if depth > MAX_DEPTH:
            return None
        if isinstance(expr, (ir.Await, ir.Walrus)):
            return self.trend(expr.value, frame, depth + 1)
        if isinstance(expr, ir.Bin):
            left, right = self.trend(expr.left, frame, depth + 1), self.trend(expr.right, frame, depth + 1)
            if left is None or right is None:
                return None
            return left - right if expr.op == "-" else left + right if expr.op == "+" else left
        if isinstance(expr, ir.Call):
            return self._call_trend(expr, frame, depth)
        if isinstance(expr, (ir.Name, ir.Attr)):
            return self._cell_trend(expr, frame, depth)
        return None

    def _call_trend(self, call: ir.Call, frame: Frame, depth: int) -> int | None:
        if last_name(call.func) in _SAME:
            parts: list[ir.Expr] = [a.value for a in call.args]
            if isinstance(call.func, ir.Attr):
                parts.append(call.func.base)
            return next((t for p in parts if (t := self.trend(p, frame, depth + 1))), 0)
        targets = self.program.targets(call, frame.function)
        if not targets:
            return 1  # a reading of the clock
        for target in targets:
            inner = Frame(-1, target, None, {}, frozenset())
            for value in target.returned:
                found = self.trend(value, inner, depth + 1)
                if found != 0:
                    return found
        return None

    def _cell_trend(self, expr: ir.Name | ir.Attr, frame: Frame, depth: int) -> int | None:
        if isinstance(expr, ir.Attr) and expr.name in {"seconds", "days"}:
            return self.trend(expr.base, frame, depth + 1)
        for computed in self._computed(expr, frame.function):
            inner = Frame(-1, computed, None, {}, frozenset())
            found = next((t for r in computed.returned if (t := self.trend(r, inner, depth + 1))), None)
            if found is not None:
                return found
        cell = self.finder.cell(expr, frame)
        sets = self.finder.changes(cell, "set") if cell is not None and frame.number >= 0 else []
        for change in sets:
            if change.value is not None and change.value_frame is not None:
                found = self.trend(change.value, change.value_frame, depth + 1)
                if found != 0:
                    return found
        if sets or frame.number >= 0:
            return 0
        # In a helper that is not laid in: what it sets itself moves, what it was given stands still.
        bindings = self.program.lookup(expr.id, frame.function) if isinstance(expr, ir.Name) else []
        local = [b for b in bindings if b.kind == "assign" and b.scope.key == frame.function.key]
        return self.trend(local[0].value, frame, depth + 1) if local else 0

    def _computed(self, expr: ir.Node, function: Function) -> list[Function]:
        """The properties that reading an attribute runs."""
        if not isinstance(expr, ir.Attr):
            return []
        found = (self.program.property_of(m, expr.name) for m in self.program.resolve(expr.base, function))
        return [each for each in found if each is not None]

    # ---- the budget

    def budget(self, atom: ir.Node, frame: Frame) -> tuple[ir.Expr | None, Function]:
        """The number that a comparison holds the time against, with the function in which it stands."""
        function = frame.function
        if not isinstance(atom, ir.Compare):
            return self._of_difference(atom, frame, 0) or (None, function)
        for side, other in ((atom.right, atom.left), (atom.left, atom.right)):
            if CLOCK not in self.roles.of(side, function):
                if isinstance(side, ir.Const):
                    return self._of_difference(other, frame, 0) or (side, function)
                return side, function
        for side in (atom.right, atom.left):
            if self.trend(side, frame) == 0:
                found = self._of_deadline(side, function, 0)
                if found is not None:
                    return found
        return None, function

    def _of_difference(self, expr: ir.Node, frame: Frame, depth: int) -> tuple[ir.Expr, Function] | None:
        """The budget of what is left of it: of ``budget - (now() - started)``, ``deadline - now()``, a name set so."""
        if depth > MAX_DEPTH:
            return None
        function = frame.function
        if isinstance(expr, (ir.Await, ir.Walrus)):
            return self._of_difference(expr.value, frame, depth + 1)
        if isinstance(expr, ir.Bin) and expr.op == "-":
            if self.trend(expr.left, frame) == 1:
                return None  # elapsed time
            if CLOCK not in self.roles.of(expr.left, function):
                return expr.left, function
            return self._of_deadline(expr.left, function, depth + 1)
        if isinstance(expr, ir.Call):
            parts = [a.value for a in expr.args]
            if last_name(expr.func) in _SAME and isinstance(expr.func, ir.Attr):
                parts.append(expr.func.base)
            for part in parts:
                found = self._of_difference(part, frame, depth + 1)
                if found is not None:
                    return found
            for target in self.program.targets(expr, function):
                inner = Frame(-1, target, None, {}, frozenset())
                for value in target.returned:
                    found = self._of_difference(value, inner, depth + 1)
                    if found is not None:
                        return found
            return None
        if not isinstance(expr, (ir.Name, ir.Attr)):
            return None
        for computed in self._computed(expr, function):
            inner = Frame(-1, computed, None, {}, frozenset())
            for value in computed.returned:
                found = self._of_difference(value, inner, depth + 1)
                if found is not None:
                    return found
        cell = self.finder.cell(expr, frame)
        for change in self.finder.changes(cell, "set") if cell is not None else ():
            if change.value is not None and change.value_frame is not None:
                found = self._of_difference(change.value, change.value_frame, depth + 1)
                if found is not None:
                    return found
        return None

    def _of_deadline(self, expr: ir.Expr, function: Function, depth: int) -> tuple[ir.Expr, Function] | None:
        """The budget behind a deadline: ``X`` of ``now() + X``, through names, fields and conditionals."""
        if depth > MAX_DEPTH:
            return None
        if isinstance(expr, ir.Bin) and expr.op == "+":
            for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
                if CLOCK in self.roles.of(side, function) and CLOCK not in self.roles.of(other, function):
                    return other, function
            return None
        if isinstance(expr, ir.IfExp):
            return self._of_deadline(expr.body, function, depth + 1) or self._of_deadline(
                expr.orelse, function, depth + 1
            )
        if isinstance(expr, ir.Call):
            for arg in expr.args:
                found = self._of_deadline(arg.value, function, depth + 1)
                if found is not None:
                    return found
            return None
        bindings = []
        if isinstance(expr, ir.Name):
            bindings = self.program.lookup(expr.id, function)
        elif isinstance(expr, ir.Attr):
            bindings = [b for m in self.program.resolve(expr.base, function) for b in self.program.fields(m, expr.name)]
        for binding in bindings:
            if binding.kind == "assign" and binding.value is not None:
                found = self._of_deadline(binding.value, binding.scope, depth + 1)
                if found is not None:
                    return found
        return None

    # ---- armed anew

    def _rearmed(self, atom: ir.Node, frame: Frame, point: Point) -> bool:
        """Whether everything that the comparison remembers of the clock is read anew on every pass."""
        remembered = self._remembered(atom, frame, 0)
        return bool(remembered) and all(self._anew(cell, point) for cell in remembered)

    def _remembered(self, expr: ir.Node, frame: Frame, depth: int) -> set[Cell]:
        """The cells behind an expression that hold a reading of the clock, through what the loop computes from them."""
        out: set[Cell] = set()
        for node in ir.walk(expr):
            if not isinstance(node, (ir.Name, ir.Attr)) or CLOCK not in self.roles.of(node, frame.function):
                continue
            cell = self.finder.cell(node, frame)
            if cell is None:
                continue
            inner: set[Cell] = set()
            for change in self.finder.changes(cell, "set"):
                if change.value is not None and change.value_frame is not None and depth < MAX_DEPTH:
                    inner |= self._remembered(change.value, change.value_frame, depth + 1) - {cell}
            out |= inner or {cell}
        return out

    def _anew(self, cell: Cell, point: Point) -> bool:
        """Whether a pass can't come to a point without setting a cell first."""
        sets = frozenset(self.finder.changes(cell, "set"))
        return bool(sets) and point not in reach([self.finder.head], sets)
