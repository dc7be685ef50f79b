"""The paths through one pass of a loop, helpers of the project laid in where they are called.

A graph of points: turns, dispatches, tests, moves of a counter, assignments, waits for a person. Each condition is
taken apart into atomic tests, so ``and``, ``or`` and ``not`` mean what they mean; each call inside a ``try`` may leave
for the handlers that can take its exception; ``break``, ``continue``, ``else``, ``finally`` and ``return`` of a helper
lead where Python leads them. A helper's answer used as a condition becomes its own tests. What a graph can't hold (too
deep, too large) is said, never guessed.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.dispatches import Dispatch, DispatchFinder
from toolbind_lint.recognise.effects import MAX_FRAMES
from toolbind_lint.recognise.program import (
    Class,
    ClassRef,
    External,
    Function,
    FunctionRef,
    Instance,
    ModuleRef,
    Program,
)
from toolbind_lint.recognise.roles import CALLS, Turn, argument, dotted, last_name

MAX_POINTS = 4_000
MAX_COPIES = 4
"""How often a helper that reaches neither a turn nor a dispatch is laid in before it counts as any outside call."""

Cell = tuple[str, ...]
"""A place that holds a value: a local of one frame, an attribute of a class, a module-level name."""


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function in the graph: its parameters stand for the caller's arguments.

    ``call`` is the call through which it was entered, or that hands the function to what runs it.
    """

    number: int
    function: Function
    caller: Frame | None
    arguments: dict[str, ir.Expr]
    rebound: frozenset[str]
    call: ir.Call | None = None

    def stack(self) -> Iterator[Frame]:
        """This frame and its callers."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller


@dataclass(slots=True, eq=False)
class Point:
    """Something that happens.

    Successors stand under a label, "" where there is only one way. Kinds:

    * head, iter: a loop's next pass (``iter``: next or done); again: a recursive call
    * test: true or false
    * turn, dispatch, person (a wait for one), call (code outside the project)
    * lookup: a tool is looked up by the model's name, and a miss raises
    * set: a cell gets ``value``; move: a cell is changed by ``op`` and ``value``; grow, shrink: a container
    * raise, handler, exit; join: nothing happens
    """

    number: int
    kind: str
    node: ir.Node
    frame: Frame
    loops: tuple[int, ...]
    to: list[tuple[str, Point]] = field(default_factory=list)
    cell: Cell | None = None
    value: ir.Expr | None = None
    value_frame: Frame | None = None
    op: str = ""
    turn: Turn | None = None
    dispatch: Dispatch | None = None
    loop: int = -1


class Raised(NamedTuple):
    """An exception on its way: names of its class and bases, nearest first; empty for one that nobody knows."""

    names: tuple[str, ...]
    project: bool


IMPLICIT = Raised((), False)
MISSING = {
    error: Raised((error, *(c.__name__ for c in kind.__mro__[1:-1])), False)
    for error, kind in (("KeyError", KeyError), ("IndexError", IndexError), ("StopIteration", StopIteration))
}
"""What a lookup raises for a name that is not there."""
_PERHAPS = (IMPLICIT, *MISSING.values())
"""What a call or lookup may raise: told to handlers only, no exit of its own."""


@dataclass(slots=True, eq=False)
class Level:
    """The handlers of one ``try``, and what stands around it."""

    handlers: list[tuple[tuple[str, ...], Point]]
    outer: Level | None
    leave: Callable[[Raised], Sequence[Point]] | None = None


class Context(NamedTuple):
    """Where control goes from here."""

    frame: Frame
    loops: tuple[int, ...]
    brk: Callable[[], Point]
    cont: Callable[[], Point]
    ret: Callable[[ir.Return, ir.Expr | None, Context], Point]
    level: Level | None
    yields: Callable[[ir.Expr | None, Point], Point] | None = None


class Graph:
    """The graph of one loop (or of one function, for a dispatcher or a recursion)."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.head: Point | None = None
        self.exits: list[Point] = []
        self.frames: list[Frame] = []
        self.caught: list[tuple[Point, Point, Raised]] = []
        """Handler, the point that raises, what it raises."""
        self.truncated = False
        self._flags: frozenset[Cell] | None = None
        self._setting: frozenset[Point] | None = None
        self._returning: frozenset[Point] | None = None
        self._round: dict[tuple[frozenset[Point], bool], frozenset[Point]] = {}
        self.consumed: range | None = None
        """Of a loop over a generator of the project: the numbers of the points of its own body."""

    @property
    def returning(self) -> frozenset[Point]:
        """The points from which the head can be reached again (once the graph is built)."""
        if self._returning is None:
            before: dict[Point, list[Point]] = {}
            for point in self.points:
                for _, target in point.to:
                    before.setdefault(target, []).append(point)
            found: set[Point] = set()
            stack = [p for p in self.points if p is self.head or p.kind == "again"]
            while stack:
                point = stack.pop()
                if point not in found:
                    found.add(point)
                    stack.extend(before.get(point, ()))
            self._returning = frozenset(found)
        return self._returning

    def round(self, blocked: frozenset[Point], *, raising: bool) -> frozenset[Point]:
        """The points that lie on a way from the head back to it, avoiding some (once the graph is built).

        A way counts for any number of passes. ``raising`` follows exceptions.
        """
        key = (blocked, raising)
        if key not in self._round:
            self._round[key] = self._on_the_way(blocked, raising)
        return self._round[key]

    def _on_the_way(self, blocked: frozenset[Point], raising: bool) -> frozenset[Point]:
        head = self.head
        assert head is not None
        before: dict[Point, list[Point]] = {}
        ahead: set[Point] = {head}
        stack = [head]
        while stack:
            point = stack.pop()
            for label, target in point.to:
                if label == "none" or (label == "raise" and not raising) or target in blocked:
                    continue
                if target is head or target in self.returning:
                    before.setdefault(target, []).append(point)
                    if target not in ahead:
                        ahead.add(target)
                        stack.append(target)
        found: set[Point] = set()
        stack = [head] if head in before else []
        while stack:
            point = stack.pop()
            for earlier in before.get(point, ()):
                if earlier not in found:
                    found.add(earlier)
                    stack.append(earlier)
        return frozenset(found)

    @property
    def flags(self) -> frozenset[Cell]:
        """Cells that are set to a constant somewhere and on whose test the loop may end (once the graph is built)."""
        if self._flags is None:
            tested = {
                p.cell
                for p in self.points
                if p.kind == "test" and p.cell is not None and any(t not in self.returning for _, t in p.to)
            }
            self._flags = frozenset(
                p.cell
                for p in self.points
                if p.kind == "set" and isinstance(p.value, ir.Const) and p.cell is not None and p.cell in tested
            )
        return self._flags

    @property
    def setting(self) -> frozenset[Point]:
        """The points that set a flag to a constant (once the graph is built)."""
        if self._setting is None:
            self._setting = frozenset(p for p in self.points if p.kind == "set" and p.cell in self.flags)
        return self._setting

    def of(self, kind: str) -> list[Point]:
        """The points of a kind."""
        return [p for p in self.points if p.kind == kind]


_CALM = frozenset(
    [
        "len",
        "print",
        "isinstance",
        "str",
        "int",
        "float",
        "bool",
        "list",
        "dict",
        "set",
        "tuple",
        "range",
        "enumerate",
        "zip",
        "sorted",
        "min",
        "max",
        "sum",
        "any",
        "all",
        "hasattr",
        "getattr",
        "id",
        "type",
        "repr",
        "iter",
        "super",
        "append",
        "extend",
        "add",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "log",
        "monotonic",
        "time",
        "perf_counter",
        "get",
        "items",
        "keys",
        "values",
        "strip",
        "lower",
        "upper",
        "startswith",
        "endswith",
        "join",
        "copy",
        "format",
        "setdefault",
        "update",
        "is_set",
    ]
)


class Builder:
    """Builds one graph, backwards from what follows."""

    def __init__(self, program: Program, roles: DispatchFinder, catalogue: Catalogue) -> None:
        self.program = program
        self.roles = roles
        self.catalogue = catalogue
        self.effects = roles.effects
        self.graph = Graph()
        self._loops = 0
        self._copies: dict[str, int] = {}
        self._recursion: tuple[str, Point] | None = None

    # ---- entry points

    def loop(self, loop: ir.While | ir.For, function: Function) -> Graph:
        """The graph of a loop: one pass leads from its head back to it, or to an exit."""
        frame = self._frame(function, None, None)
        done = self.point("exit", loop, frame, ())
        done.op = "end"
        self.graph.exits.append(done)

        def leave(node: ir.Return, value: ir.Expr | None, ctx: Context) -> Point:
            return self._exit(node, value, ctx)

        context = Context(frame, (), lambda: done, lambda: done, leave, None)
        entry = self._loop(loop, done, context)
        self.graph.head = self.graph.head or entry
        return self.graph

    def recursion(self, function: Function) -> Graph:
        """The graph of a function that calls itself: a call of itself leads back to its head."""
        frame = self._frame(function, None, None)
        head = self.point("head", function.node, frame, (0,))
        head.loop = 0
        self._recursion = (function.key, head)
        self.graph.head = head
        end = self.point("exit", function.node, frame, (0,))
        end.op = "end"
        self.graph.exits.append(end)

        def leave(node: ir.Return, value: ir.Expr | None, ctx: Context) -> Point:
            return self._exit(node, value, ctx)

        context = Context(frame, (0,), lambda: end, lambda: end, leave, None)
        head.to.append(("", self.block(function.node.body, end, context)))
        return self.graph

    def function(self, function: Function) -> Graph:
        """The graph of one run of a function, from its head to its exits."""
        frame = self._frame(function, None, None)
        head = self.point("head", function.node, frame, ())
        self.graph.head = head
        end = self.point("exit", function.node, frame, ())
        end.op = "end"
        self.graph.exits.append(end)

        def leave(node: ir.Return, value: ir.Expr | None, ctx: Context) -> Point:
            return self._exit(node, value, ctx)

        context = Context(frame, (), lambda: end, lambda: end, leave, None)
        head.to.append(("", self.block(function.node.body, end, context)))
        return self.graph

    # ---- points and frames

    def point(self, kind: str, node: ir.Node, frame: Frame, loops: tuple[int, ...]) -> Point:
        """A new point."""
        made = Point(len(self.graph.points), kind, node, frame, loops)
        self.graph.points.append(made)
        return made

    def _frame(self, function: Function, caller: Frame | None, call: ir.Call | None) -> Frame:
        arguments: dict[str, ir.Expr] = {}
        if call is not None:
            shift = 1 if function.self_name and not isinstance(call.func, ir.Name) else 0
            for number, param in enumerate(function.node.params):
                if param.name == function.self_name:
                    if isinstance(call.func, ir.Attr):
                        arguments[param.name] = call.func.base
                    continue
                value = argument(call, param, number - shift)
                if value is not None:
                    arguments[param.name] = value
        rebound = frozenset(
            name
            for name, bindings in self.program.locals(function).items()
            if any(b.kind != "parameter" for b in bindings)
        )
        made = Frame(len(self.graph.frames), function, caller, arguments, rebound, call)
        self.graph.frames.append(made)
        return made

    def _exit(self, node: ir.Node, value: ir.Expr | None, ctx: Context, op: str = "return") -> Point:
        made = self.point("exit", node, ctx.frame, ctx.loops)
        made.op = op
        made.value = value
        made.value_frame = ctx.frame
        self.graph.exits.append(made)
        return made

    # ---- cells

    def cell(self, expr: ir.Expr | None, frame: Frame) -> Cell | None:
        """The cell that a name, attribute or constant key stands for; None where it is no such thing."""
        if isinstance(expr, ir.Name):
            return self._name_cell(expr.id, frame)
        if isinstance(expr, ir.Attr):
            for meaning in self.program.resolve(expr.base, frame.function):
                if isinstance(meaning, (Instance, ClassRef)):
                    return (self._field_owner(meaning.cls, expr.name).key, expr.name)
                if isinstance(meaning, ModuleRef):
                    return (meaning.module.path, expr.name)
            base = self.cell(expr.base, frame)
            return (*base, expr.name) if base is not None else None
        if (
            isinstance(expr, ir.Subscript)
            and isinstance(expr.index, ir.Const)
            and isinstance(expr.index.value, (str, int))
        ):
            base = self.cell(expr.base, frame)
            return (*base, f"[{expr.index.value}]") if base is not None else None
        if isinstance(expr, (ir.Await, ir.Walrus)):
            return self.cell(expr.target if isinstance(expr, ir.Walrus) else expr.value, frame)
        return None

    def _name_cell(self, name: str, frame: Frame) -> Cell:
        if name in frame.arguments and name not in frame.rebound and frame.caller is not None:
            outer = self.cell(frame.arguments[name], frame.caller)
            if outer is not None:
                return outer
        scope: Function | None = frame.function
        while scope is not None and not scope.toplevel:
            if name in self.program.locals(scope):
                for active in frame.stack():
                    if active.function.key == scope.key:
                        if active is not frame:
                            return self._name_cell(name, active)
                        return (f"frame {active.number}", name)
                return (scope.key, name)
            scope = scope.parent
        for module, origin in self.program.origins(name, frame.function):
            return (module.path, origin)
        return (frame.function.module.path, name)

    def _field_owner(self, cls: Class, name: str) -> Class:
        owner = cls
        for base in self.program.mro(cls):
            if isinstance(base, Class) and self.program.own_field(base, name):
                owner = base
        return owner

    # ---- statements

    def block(self, body: Sequence[ir.Stmt], after: Point, ctx: Context) -> Point:
        """The entry of a run of statements that is followed by ``after``."""
        entry = after
        for stmt in reversed(body):
            entry = self.statement(stmt, entry, ctx)
        return entry

    def statement(self, stmt: ir.Stmt, after: Point, ctx: Context) -> Point:
        """The entry of one statement."""
        if len(self.graph.points) > MAX_POINTS:
            self.graph.truncated = True
            return after
        if isinstance(stmt, ir.ExprStmt):
            return self.expr(stmt.value, after, ctx)
        if isinstance(stmt, ir.Assign):
            return self._assign(stmt, after, ctx)
        if isinstance(stmt, ir.Aug):
            return self._augment(stmt, after, ctx)
        if isinstance(stmt, ir.If):
            return self.condition(
                stmt.test, self.block(stmt.body, after, ctx), self.block(stmt.orelse, after, ctx), ctx
            )
        if isinstance(stmt, (ir.While, ir.For)):
            return self._loop(stmt, after, ctx)
        if isinstance(stmt, ir.Return):
            return self._return(stmt, ctx)
        if isinstance(stmt, ir.Raise):
            return self._raise(stmt, ctx)
        if isinstance(stmt, ir.Jump):
            return ctx.brk() if stmt.kind == "break" else ctx.cont()
        if isinstance(stmt, ir.Try):
            return self._try(stmt, after, ctx)
        if isinstance(stmt, ir.With):
            return self._with(stmt, after, ctx)
        if isinstance(stmt, ir.Match):
            return self._match(stmt, after, ctx)
        if isinstance(stmt, ir.Assert):
            failed = self.point("raise", stmt, ctx.frame, ctx.loops)
            self._raise_to(failed, Raised(("AssertionError", "Exception"), False), ctx)
            return self.condition(stmt.test, after, failed, ctx)
        if isinstance(stmt, ir.Delete):
            return self._delete(stmt, after, ctx)
        return after

    def _return(self, stmt: ir.Return, ctx: Context) -> Point:
        value = stmt.value
        inner = value.value if isinstance(value, ir.Await) else value
        if isinstance(inner, ir.Call):
            # `return helper(x)`: the helper's returns are this function's returns, with their values.
            def through(node: ir.Return, got: ir.Expr | None, callee: Context) -> Point:
                return ctx.ret(node, got, callee)

            laid = self._lay_in(inner, ctx.ret(stmt, value, ctx), ctx, through)
            if laid is not None:
                return laid
        return self.expr(value, ctx.ret(stmt, value, ctx), ctx)

    def _assign(self, stmt: ir.Assign, after: Point, ctx: Context) -> Point:
        value = stmt.value
        if value is None:
            return after
        inner = value.value if isinstance(value, ir.Await) else value
        if isinstance(inner, ir.Call):

            def returned(node: ir.Return, got: ir.Expr | None, callee: Context) -> Point:
                return self._sets(stmt, stmt.targets, got, callee.frame, after, ctx)

            plain = self._sets(stmt, stmt.targets, value, ctx.frame, after, ctx)
            laid = self._lay_in(inner, plain, ctx, returned, dull=self._gives_back(inner, stmt.targets, ctx.frame))
            if laid is not None:
                return laid
        return self.expr(value, self._sets(stmt, stmt.targets, value, ctx.frame, after, ctx), ctx)

    def _gives_back(self, call: ir.Call, targets: Sequence[ir.Expr], frame: Frame) -> bool:
        """``n = bump(n)``: what a name is set to is made from itself."""
        flat = [i for t in targets for i in (t.items if isinstance(t, ir.Seq) else (t,))]
        cells = {self.cell(t, frame) for t in flat} - {None}
        return any(self.cell(a.value, frame) in cells for a in call.args)

    def _sets(
        self,
        stmt: ir.Node,
        targets: Sequence[ir.Expr],
        value: ir.Expr | None,
        value_frame: Frame,
        after: Point,
        ctx: Context,
    ) -> Point:
        entry = after
        for target in reversed(targets):
            if isinstance(target, ir.Seq):
                items = value.items if isinstance(value, ir.Seq) and len(value.items) == len(target.items) else None
                for number, item in reversed(list(enumerate(target.items))):
                    part = items[number] if items is not None else None
                    entry = self._sets(stmt, (item,), part, value_frame, entry, ctx)
                continue
            cell = self.cell(target, ctx.frame)
            if cell is None:
                continue
            made = self._set_point(stmt, cell, value, value_frame, ctx)
            made.to.append(("", entry))
            entry = made
        return entry

    def _set_point(self, stmt: ir.Node, cell: Cell, value: ir.Expr | None, value_frame: Frame, ctx: Context) -> Point:
        """``n = n + 1`` is a move of n; anything else sets it."""
        if isinstance(value, ir.Bin) and value.op in {"+", "-"} and self.cell(value.left, value_frame) == cell:
            made = self.point("move", stmt, ctx.frame, ctx.loops)
            made.op, made.value = value.op, value.right
        else:
            made = self.point("set", stmt, ctx.frame, ctx.loops)
            made.value = value
        made.cell, made.value_frame = cell, value_frame
        return made

    def _augment(self, stmt: ir.Aug, after: Point, ctx: Context) -> Point:
        cell = self.cell(stmt.target, ctx.frame)
        if cell is not None:
            made = self.point("move", stmt, ctx.frame, ctx.loops)
            made.cell, made.op, made.value, made.value_frame = cell, stmt.op, stmt.value, ctx.frame
            made.to.append(("", after))
            after = made
        return self.expr(stmt.value, after, ctx)

    def _delete(self, stmt: ir.Delete, after: Point, ctx: Context) -> Point:
        for target in stmt.targets:
            base = target.base if isinstance(target, ir.Subscript) else None
            cell = self.cell(base, ctx.frame)
            if cell is not None:
                made = self.point("shrink", stmt, ctx.frame, ctx.loops)
                made.cell = cell
                made.to.append(("", after))
                after = made
        return after

    # ---- loops

    def _loop(self, loop: ir.While | ir.For, after: Point, ctx: Context) -> Point:
        self._loops += 1
        number = self._loops
        loops = (*ctx.loops, number)
        kind = "head" if isinstance(loop, ir.While) else "iter"
        head = self.point(kind, loop, ctx.frame, loops)
        head.loop = number
        orelse = self.block(loop.orelse, after, ctx)
        inner = ctx._replace(loops=loops, brk=lambda: after, cont=lambda: head)
        if number == 1 and self.graph.head is None:
            self.graph.head = head
        if isinstance(loop, ir.While):
            body = self.block(loop.body, head, inner)
            head.to.append(("", self.condition(loop.test, body, orelse, inner)))
            return head
        head.cell = self._counted(loop, ctx.frame)
        pulled = self._generator(loop, head, orelse, inner, ctx)
        if pulled is not None:
            return pulled
        body = self.block(loop.body, head, inner)
        head.to.append(("next", body))
        head.to.append(("done", orelse))
        if number > 1 and self.roles.of(loop.iter, ctx.frame.function) & {CALLS}:
            # The calls of a reply: a reply without any is the business of the exit, not of this loop.
            first = self.point("join", loop, ctx.frame, inner.loops)
            first.to = [("next", body), ("none", orelse)]
            return self.expr(loop.iter, first, ctx)
        return self.expr(loop.iter, head, ctx)

    def _generator(self, loop: ir.For, head: Point, orelse: Point, inner: Context, ctx: Context) -> Point | None:
        """A loop over a generator of the project: its body runs at each ``yield``."""
        found, outer = self._pulled_from(loop.iter, ctx.frame)
        if found is None or any(not self._enterable(t, ctx.frame) for t in found[1]):
            return None
        source, targets = found
        if self.roles.turn(source, outer.function) is not None:
            return None
        # The head is passed at each yield; what ends the generator ends the loop.
        head.kind = "head"
        resume = self.point("join", loop, ctx.frame, inner.loops)
        first = len(self.graph.points)
        head.to.append(("", self.block(loop.body, resume, inner._replace(cont=lambda: resume))))
        if head is self.graph.head:
            self.graph.consumed = range(first, len(self.graph.points))

        def yielded(value: ir.Expr | None, continuation: Point) -> Point:
            resume.to.append(("", continuation))
            return head

        entry = self.point("join", loop, ctx.frame, inner.loops)
        for target in targets:
            frame = self._frame(target, outer, source)
            context = Context(
                frame, inner.loops, lambda: orelse, lambda: orelse, lambda n, v, c: orelse, inner.level, yielded
            )
            entry.to.append(("", self.block(target.node.body, orelse, context)))
        return self.expr_parts(source, entry, ctx) if outer is ctx.frame else entry

    def _pulled_from(self, expr: ir.Expr, frame: Frame) -> tuple[tuple[ir.Call, tuple[Function, ...]] | None, Frame]:
        """What a loop pulls from, also where a caller handed it in, and the frame in which that stands."""
        while True:
            found = self.program.generators(expr, frame.function)
            inner = expr.value if isinstance(expr, ir.Await) else expr
            given = frame.arguments.get(inner.id) if isinstance(inner, ir.Name) else None
            if found is not None or given is None or frame.caller is None:
                return found, frame
            expr, frame = given, frame.caller

    def _counted(self, loop: ir.For, frame: Frame) -> Cell | None:
        """The cell that a ``for`` moves on each pass: its target over ``range`` or ``count``, the first name over
        ``enumerate``.
        """
        source = loop.iter.func if isinstance(loop.iter, ir.Call) else None
        if source is None or last_name(source) not in {"range", "count", "enumerate", "trange"}:
            return None
        target = loop.target
        if isinstance(target, ir.Seq):
            target = target.items[0]
        return self.cell(target, frame)

    # ---- exceptions

    def _raise(self, stmt: ir.Raise, ctx: Context) -> Point:
        made = self.point("raise", stmt, ctx.frame, ctx.loops)
        made.value, made.value_frame = stmt.exc, ctx.frame
        self._raise_to(made, self.raised(stmt.exc, ctx.frame), ctx)
        return self.expr(stmt.exc, made, ctx) if stmt.exc is not None else made

    def raised(self, exc: ir.Expr | None, frame: Frame) -> Raised:
        """The class of an exception expression and its bases, by name."""
        names: list[str] = []
        project = False
        for meaning in self.program.resolve(exc, frame.function):
            if isinstance(meaning, (ClassRef, Instance)):
                project = True
                for cls in self.program.mro(meaning.cls):
                    names.extend([cls.node.name] if isinstance(cls, Class) else _bases(cls.name.removesuffix("()")))
            elif isinstance(meaning, External):
                names.extend(_bases(meaning.name.removesuffix("()")))
        return Raised(tuple(dict.fromkeys(names)), project)

    def _raise_to(self, point: Point, raised: Raised, ctx: Context) -> None:
        for target in self._landing(raised, ctx.level, point, ctx):
            point.to.append(("raise", target))
            if target.kind == "handler":
                self.graph.caught.append((target, point, raised))

    def _landing(self, raised: Raised, level: Level | None, point: Point, ctx: Context) -> list[Point]:
        """The handlers that may take an exception, or the exit that it leaves through."""
        out: list[Point] = []
        while level is not None:
            for names, entry in level.handlers:
                match = _takes(names, raised)
                if match != "no":
                    out.append(entry)
                if match == "yes":
                    return out
            if level.leave is not None:
                out.extend(level.leave(raised))
                return out
            level = level.outer
        if not _perhaps(raised):
            exit_point = self.point("exit", point.node, ctx.frame, ctx.loops)
            exit_point.op = "raise"
            self.graph.exits.append(exit_point)
            out.append(exit_point)
        return out

    def handler_names(self, handler: ir.Handler, frame: Frame) -> tuple[str, ...]:
        """The exception classes that a handler takes, by last name; empty for a bare one."""
        if handler.type is None:
            return ()
        out: list[str] = []
        pending: list[tuple[ir.Expr, Function]] = [(handler.type, frame.function)]
        while pending:
            expr, scope = pending.pop(0)
            if isinstance(expr, ir.Seq):
                pending.extend((i, scope) for i in expr.items)
                continue
            if isinstance(expr, ir.Name):
                values = [(v, s) for v, s in self.program.values(expr, scope) if isinstance(v, ir.Seq)]
                if values:
                    pending.extend(values)
                    continue
            found = False
            for meaning in self.program.resolve(expr, scope):
                if isinstance(meaning, ClassRef):
                    out.append(meaning.cls.node.name)
                    found = True
                elif isinstance(meaning, External):
                    out.append(meaning.name.rpartition(".")[2])
                    found = True
            if not found:
                out.append(last_name(expr) or "?")
        return tuple(out) or ("?",)

    def _try(self, stmt: ir.Try, after: Point, ctx: Context) -> Point:
        if stmt.final:
            return self._finally(stmt, after, ctx)
        return self._handled(stmt, after, ctx)

    def _finally(self, stmt: ir.Try, after: Point, ctx: Context) -> Point:
        """``finally`` runs on every way out: it is laid in once per way."""
        final = stmt.final
        made: dict[str, Point] = {}

        def once(way: str, target: Callable[[], Point]) -> Point:
            if way not in made:
                made[way] = self.block(final, target(), ctx)
            return made[way]

        def leave(raised: Raised) -> Sequence[Point]:
            rethrow = self.point("raise", stmt, ctx.frame, ctx.loops)
            self._raise_to(rethrow, raised, ctx)
            if _perhaps(raised) and not rethrow.to:
                return []
            return [self.block(final, rethrow, ctx)]

        inner = ctx._replace(
            brk=lambda: once("break", ctx.brk),
            cont=lambda: once("continue", ctx.cont),
            ret=lambda node, value, context: self.block(final, ctx.ret(node, value, context), ctx),
            level=Level([], ctx.level, leave),
        )
        return self._handled(stmt, once("normal", lambda: after), inner)

    def _handled(self, stmt: ir.Try, after: Point, ctx: Context) -> Point:
        handlers: list[tuple[tuple[str, ...], Point]] = []
        for handler in stmt.handlers:
            entry = self.point("handler", handler, ctx.frame, ctx.loops)
            entry.to.append(("", self.block(handler.body, after, ctx)))
            handlers.append((self.handler_names(handler, ctx.frame), entry))
        orelse = self.block(stmt.orelse, after, ctx)
        if not handlers:
            return self.block(stmt.body, orelse, ctx)
        return self.block(stmt.body, orelse, ctx._replace(level=Level(handlers, ctx.level)))

    def _with(self, stmt: ir.With, after: Point, ctx: Context) -> Point:
        inner = ctx
        for context, _ in stmt.items:
            if isinstance(context, ir.Call):
                for meaning in self.program.resolve(context.func, ctx.frame.function):
                    row = self.catalogue.find("swallows", meaning.name) if isinstance(meaning, External) else None
                    if row is not None and row.one("form") == "with":
                        names = tuple(last_name(a.value) for a in context.args) or ("?",)
                        inner = inner._replace(
                            level=Level([(names, self._swallow(stmt, context, after, ctx))], inner.level)
                        )
        entry = self.block(stmt.body, after, inner)
        for context, target in reversed(stmt.items):
            if target is not None:
                entry = self._sets(stmt, (target,), context, ctx.frame, entry, ctx)
            entry = self.expr(context, entry, ctx)
        return entry

    def _swallow(self, stmt: ir.With, context: ir.Call, after: Point, ctx: Context) -> Point:
        handler = ir.Handler(context.span, context.args[0].value if context.args else None, "", (), context.span)
        made = self.point("handler", handler, ctx.frame, ctx.loops)
        made.to.append(("", after))
        return made

    def _match(self, stmt: ir.Match, after: Point, ctx: Context) -> Point:
        entry = after
        for case in reversed(stmt.cases):
            body = self.block(case.body, after, ctx)
            if case.guard is not None:
                body = self.condition(case.guard, body, entry, ctx)
            if case.pattern.kind in {"wildcard", "capture"} and case.guard is None:
                entry = body
                continue
            test = self.point("test", _case_test(stmt.subject, case.pattern), ctx.frame, ctx.loops)
            test.to = [("true", body), ("false", entry)]
            entry = test
        return self.expr(stmt.subject, entry, ctx)

    # ---- conditions

    def condition(self, test: ir.Expr, yes: Point, no: Point, ctx: Context) -> Point:
        """The entry of a condition that leads to one of two points."""
        if isinstance(test, ir.Not):
            return self.condition(test.value, no, yes, ctx)
        if isinstance(test, ir.Bool):
            right = self.condition(test.right, yes, no, ctx)
            if test.op == "and":
                return self.condition(test.left, right, no, ctx)
            return self.condition(test.left, yes, right, ctx)
        if isinstance(test, ir.Const):
            return yes if test.value else no
        if isinstance(test, ir.Walrus):
            after = self._test(test.target, yes, no, ctx)
            return self.expr(test, after, ctx)
        call = test.value if isinstance(test, ir.Await) else test
        if isinstance(call, ir.Call):
            name = last_name(call.func)
            if name == "bool" and len(call.args) == 1:
                return self.condition(call.args[0].value, yes, no, ctx)
            if name in {"any", "all"} and len(call.args) == 1 and isinstance(call.args[0].value, ir.Seq):
                joined = _joined(call.args[0].value.items, "or" if name == "any" else "and", call.span)
                if joined is not None:
                    return self.condition(joined, yes, no, ctx)

            def answered(node: ir.Return, value: ir.Expr | None, callee: Context) -> Point:
                if value is None:
                    return no
                return self.condition(value, yes, no, callee._replace(ret=lambda n, v, c: yes))

            laid = self._lay_in(call, no, ctx, answered, dull=True)
            if laid is not None:
                return laid
        read = self._property(test, yes, no, ctx)
        return read if read is not None else self.expr(test, self._test(test, yes, no, ctx), ctx)

    def _test(self, test: ir.Expr, yes: Point, no: Point, ctx: Context) -> Point:
        made = self.point("test", test, ctx.frame, ctx.loops)
        made.to = [("true", yes), ("false", no)]
        read = test
        if isinstance(test, ir.Compare):
            read = test.right if isinstance(test.left, ir.Const) else test.left
        if isinstance(read, (ir.Name, ir.Attr, ir.Subscript)):
            made.cell = self.cell(read, ctx.frame)
        return made

    def _property(self, test: ir.Expr, yes: Point, no: Point, ctx: Context) -> Point | None:
        """``if budget.exhausted``: a property of the project is a condition of its own."""
        if not isinstance(test, ir.Attr):
            return None
        for meaning in self.program.resolve(test.base, ctx.frame.function):
            if not isinstance(meaning, Instance):
                continue
            for cls in self.program.mro(meaning.cls):
                if not isinstance(cls, Class):
                    continue
                for binding in self.program.members(cls).get(test.name, ()):
                    if isinstance(binding.node, ir.FuncDef):
                        function = cls.module.function(binding.node, cls.scope, cls)
                        if function.is_property and self._enterable(function, ctx.frame):
                            call = ir.Call(test.span, test, ())
                            frame = self._frame(function, ctx.frame, call)

                            def answered(node: ir.Return, value: ir.Expr | None, callee: Context) -> Point:
                                return (
                                    no
                                    if value is None
                                    else self.condition(value, yes, no, callee._replace(ret=lambda n, v, c: yes))
                                )

                            inner = Context(frame, ctx.loops, lambda: no, lambda: no, answered, ctx.level)
                            return self.block(function.node.body, no, inner)
        return None

    # ---- expressions

    def expr(self, expr: ir.Expr | None, after: Point, ctx: Context) -> Point:
        """The entry of the evaluation of an expression."""
        if isinstance(expr, ir.Lambda):
            body = expr.function.body[0]
            # Handed to a thread or a timer it runs there and then, as far as the loop can tell.
            runs = isinstance(body, ir.Return) and not expr.function.params
            if not runs or not isinstance(body, ir.Return):
                return after
            inner = self.expr(body.value, after, ctx)
            if inner is after:
                return after
            either = self.point("join", expr, ctx.frame, ctx.loops)
            either.to = [("", inner), ("", after)]
            return either
        if expr is None or isinstance(expr, (ir.Name, ir.Const)):
            return after
        if isinstance(expr, ir.Call):
            return self._call(expr, after, ctx)
        if isinstance(expr, ir.Yield):
            if ctx.yields is not None and not expr.delegates:
                return self.expr(expr.value, ctx.yields(expr.value, after), ctx)
            if expr.delegates and isinstance(expr.value, ir.Call):
                laid = self._lay_in(
                    expr.value, after, ctx, lambda n, v, c: after, delegates=True, dull=ctx.yields is not None
                )
                if laid is not None:
                    return laid
            return self.expr(expr.value, after, ctx)
        if isinstance(expr, ir.Walrus):
            return self.expr(expr.value, self._sets(expr, (expr.target,), expr.value, ctx.frame, after, ctx), ctx)
        if isinstance(expr, (ir.Bool, ir.IfExp)) and _acts(expr):
            return self._branching(expr, after, ctx)
        if isinstance(expr, ir.Comp):
            return self._comprehension(expr, after, ctx)
        if isinstance(expr, ir.Subscript):
            error = self.roles.raises_on_miss(expr, ctx.frame.function)
            if error:
                after = self._looked_up(expr, error, after, ctx)
        return self.expr_parts(expr, after, ctx)

    def _looked_up(self, expr: ir.Expr, error: str, after: Point, ctx: Context) -> Point:
        """A lookup by the model's name, which raises where the name is not there."""
        made = self.point("lookup", expr, ctx.frame, ctx.loops)
        made.to.append(("", after))
        self._raise_to(made, MISSING[error], ctx)
        return made

    def expr_parts(self, expr: ir.Expr, after: Point, ctx: Context) -> Point:
        """The parts of an expression, in the order in which they are evaluated."""
        entry = after
        for child in reversed(list(ir.children(expr))):
            value = child.value if isinstance(child, ir.Arg) else child
            if isinstance(value, (ir.Generator, ir.Pattern, ir.FuncDef)):
                continue
            entry = self.expr(value, entry, ctx)  # type: ignore[arg-type]
        return entry

    def _branching(self, expr: ir.Bool | ir.IfExp, after: Point, ctx: Context) -> Point:
        if isinstance(expr, ir.IfExp):
            return self.condition(expr.test, self.expr(expr.body, after, ctx), self.expr(expr.orelse, after, ctx), ctx)
        right = self.expr(expr.right, after, ctx)
        if expr.op == "and":
            return self.condition(expr.left, right, after, ctx)
        return self.condition(expr.left, after, right, ctx)

    def _comprehension(self, expr: ir.Comp, after: Point, ctx: Context) -> Point:
        if not _acts(expr):
            return after
        join = self.point("join", expr, ctx.frame, ctx.loops)
        entry = join
        for element in reversed(expr.elements):
            entry = self.expr(element, entry, ctx)
        for generator in expr.generators:
            for test in reversed(generator.ifs):
                entry = self.expr(test, entry, ctx)
        join.to = [("", entry), ("", after)]
        return self.expr(expr.generators[0].iter, join, ctx)

    def _call(self, call: ir.Call, after: Point, ctx: Context) -> Point:
        turn = self.roles.turn(call, ctx.frame.function)
        if turn is not None:
            made = self._event("turn", call, after, ctx)
            made.turn = turn
            return self.expr_parts(call, made, ctx)
        dispatch = self.roles.dispatch(call, ctx.frame.function)
        if dispatch is not None:
            made = self._event("dispatch", call, after, ctx)
            made.dispatch = dispatch
            return self.expr_parts(call, made, ctx)
        laid = self._lay_in(call, after, ctx, lambda n, v, c: after)
        if laid is not None:
            return laid
        error = self.roles.raises_on_miss(call, ctx.frame.function)
        if error:
            after = self._looked_up(call, error, after, ctx)
        entry = self._outside(call, self._handed_over(call, after, ctx), ctx)
        return self.expr_parts(call, self._may_raise(call, entry, ctx), ctx)

    def _may_raise(self, call: ir.Call, after: Point, ctx: Context) -> Point:
        """What a helper that was laid in often enough raises of the project's own, where a handler may take it."""
        if ctx.level is None:
            return after
        raised: dict[Raised, ir.Raise] = {}
        for target in self.program.targets(call, ctx.frame.function):
            if self._copies.get(target.key, 0) >= MAX_COPIES:
                for node in target.nodes:
                    if isinstance(node, ir.Raise) and self.roles.effects.raises_own(node, target):
                        frame = Frame(-1, target, None, {}, frozenset())
                        raised.setdefault(self.raised(node.exc, frame), node)
        if not raised:
            return after
        join = self.point("join", call, ctx.frame, ctx.loops)
        join.to.append(("", after))
        for each, node in raised.items():
            made = self.point("raise", call, ctx.frame, ctx.loops)
            made.value, made.value_frame = node.exc, ctx.frame
            self._raise_to(made, each, ctx)
            join.to.append(("", made))
        return join

    def _handed_over(self, call: ir.Call, after: Point, ctx: Context) -> Point:
        """``pool.map(one, calls)``: a function that makes a turn or a dispatch may run where it is handed over."""
        entry = after
        for arg in call.args:
            if isinstance(arg.value, (ir.Name, ir.Attr)):
                for meaning in self.program.resolve(arg.value, ctx.frame.function):
                    if isinstance(meaning, FunctionRef) and self.effects.acting(meaning.function):
                        entry = self._may_run(meaning.function, call, entry, ctx)
        return entry

    def _may_run(self, function: Function, call: ir.Call, after: Point, ctx: Context) -> Point:
        """The body of a function any number of times, then what follows."""
        if not self._enterable(function, ctx.frame) or len(self.graph.points) > MAX_POINTS:
            return after
        join = self.point("join", call, ctx.frame, ctx.loops)
        frame = self._frame(function, ctx.frame, None)
        frame.call = call
        inner = Context(frame, ctx.loops, lambda: join, lambda: join, lambda n, v, c: join, ctx.level)
        join.to = [("", self.block(function.node.body, join, inner)), ("", after)]
        return join

    def _event(self, kind: str, node: ir.Node, after: Point, ctx: Context) -> Point:
        made = self.point(kind, node, ctx.frame, ctx.loops)
        made.to.append(("", after))
        self._raise_to(made, IMPLICIT, ctx)
        return made

    def _outside(self, call: ir.Call, after: Point, ctx: Context) -> Point:
        """A call into code that is not laid in."""
        func = call.func
        name = last_name(func)
        names = [m.name for m in self.program.resolve(func, ctx.frame.function) if isinstance(m, External)]
        if any(self.catalogue.find("no-return", n) for n in names):
            return self._exit(call, None, ctx, "raise")
        if self._waits(names, func, ctx):
            return self._event("person", call, after, ctx)
        if isinstance(func, ir.Attr) and name in ir.GROW | ir.SHRINK:
            cell = self.cell(func.base, ctx.frame)
            if cell is not None:
                made = self.point("grow" if name in ir.GROW else "shrink", call, ctx.frame, ctx.loops)
                made.cell = cell
                made.value = call.args[-1].value if call.args else None
                made.value_frame = ctx.frame
                made.to.append(("", after))
                return made
        if name == "next" and call.args:
            cell = self.cell(call.args[0].value, ctx.frame)
            if cell is not None:
                made = self.point("move", call, ctx.frame, ctx.loops)
                made.cell, made.op = cell, "+"
                made.to.append(("", after))
                after = made
        if name in _CALM and not any(self.catalogue.find("turn", n) for n in names):
            return after
        return after if ctx.level is None else self._event("call", call, after, ctx)

    def _waits(self, names: Sequence[str], func: ir.Expr, ctx: Context) -> bool:
        if any(self.catalogue.find("wait-for-person", n) for n in names):
            return True
        if isinstance(func, ir.Attr):
            row = self.catalogue.by_method("wait-for-person", dotted(func))
            return row is not None and not self.program.targets(ir.Call(func.span, func, ()), ctx.frame.function)
        return False

    # ---- laying helpers in

    def _lay_in(
        self,
        call: ir.Call,
        after: Point,
        ctx: Context,
        ret: Callable[[ir.Return, ir.Expr | None, Context], Point],
        *,
        delegates: bool = False,
        dull: bool = False,
    ) -> Point | None:
        """The body of the function of the project that a call runs; None where there is none worth laying in."""
        function = ctx.frame.function
        if self.roles.turn(call, function) is not None or self.roles.dispatch(call, function) is not None:
            return None
        targets = self.program.targets(call, function)
        if not targets:
            targets = self._passed_on(call, ctx.frame)
        if not targets:
            return None
        if self._recursion is not None and any(t.key == self._recursion[0] for t in targets):
            if not self._same_receiver(call, ctx.frame):
                return self.expr_parts(call, self._outside(call, after, ctx), ctx)
            return self.expr_parts(call, self._again(call, self._recursion[1], ctx), ctx)
        enterable = [
            t
            for t in targets
            if self._enterable(t, ctx.frame)
            and not (t.node.is_generator and not delegates)
            and (self._copies.get(t.key, 0) < MAX_COPIES or self.effects.acting(t))
        ]
        if not enterable or (not dull and all(self.effects.dull(t) for t in enterable)):
            return None
        if len(self.graph.points) > MAX_POINTS:
            self.graph.truncated = True
            return None
        entries = []
        for target in enterable:
            self._copies[target.key] = self._copies.get(target.key, 0) + 1
            frame = self._frame(target, ctx.frame, call)
            inner = Context(
                frame, ctx.loops, lambda: after, lambda: after, ret, ctx.level, ctx.yields if delegates else None
            )
            fall = ret(ir.Return(target.node.span, None), None, inner) if not delegates else after
            entries.append(self._given(frame, self.block(target.node.body, fall, inner), call, ctx))
        if len(entries) < len(targets):
            entries.append(self._outside(call, after, ctx))
        if len(entries) == 1:
            entry = entries[0]
        else:
            entry = self.point("join", call, ctx.frame, ctx.loops)
            entry.to = [("", e) for e in entries]
        return self.expr_parts(call, entry, ctx)

    def _same_receiver(self, call: ir.Call, frame: Frame) -> bool:
        """Whether a call goes to the object that the recursion started on: another object has limits of its own."""
        if not isinstance(call.func, ir.Attr):
            return True
        return self._is_root(call.func.base, frame)

    def _is_root(self, expr: ir.Expr, frame: Frame) -> bool:
        if isinstance(expr, ir.Call):
            return last_name(expr.func) == "super"
        if not isinstance(expr, ir.Name):
            return False
        if expr.id == frame.function.self_name:
            if frame.caller is None:
                return True
            given = frame.arguments.get(expr.id)
            return given is not None and self._is_root(given, frame.caller)
        # A module or a class: then there is no receiver.
        return any(isinstance(m, (ModuleRef, ClassRef)) for m in self.program.resolve(expr, frame.function)) or (
            frame.function.parent is not None and frame.function.parent.self_name == expr.id
        )

    def _given(self, frame: Frame, entry: Point, call: ir.Call, ctx: Context) -> Point:
        """Parameters that are given something new, or that the function sets again, are set where it is entered."""
        for param in reversed(frame.function.node.params):
            value = frame.arguments.get(param.name)
            if value is None or param.name == frame.function.self_name:
                continue
            if param.name not in frame.rebound and self.cell(value, ctx.frame) is not None:
                continue
            made = self.point("set", call, ctx.frame, ctx.loops)
            made.cell, made.value, made.value_frame = (f"frame {frame.number}", param.name), value, ctx.frame
            made.to.append(("", entry))
            entry = made
        return entry

    def _again(self, call: ir.Call, head: Point, ctx: Context) -> Point:
        """The recursive call: what it passes for a parameter, ``depth + 1``, moves that parameter."""
        function = head.frame.function
        entry = self.point("again", call, ctx.frame, ctx.loops)
        entry.to.append(("", head))
        shift = 1 if function.self_name else 0
        for number, param in enumerate(function.node.params):
            value = argument(call, param, number - shift)
            if not isinstance(value, ir.Bin) or value.op not in {"+", "-"}:
                continue
            cell = self._name_cell(param.name, head.frame)
            if self.cell(value.left, ctx.frame) == cell:
                move = self.point("move", call, ctx.frame, ctx.loops)
                move.cell, move.op, move.value, move.value_frame = cell, value.op, value.right, ctx.frame
                move.to.append(("", entry))
                entry = move
        return entry

    def _passed_on(self, call: ir.Call, frame: Frame) -> tuple[Function, ...]:
        """The functions that a callback parameter stands for in this frame."""
        given: ir.Expr = call.func
        # Handed on from one to the next it is what the outermost was given, not what any other caller gives.
        while isinstance(given, ir.Name) and frame.caller is not None and given.id in frame.arguments:
            given, frame = frame.arguments[given.id], frame.caller
        if given is call.func:
            return ()
        out: list[Function] = []
        for meaning in self.program.resolve(given, frame.function):
            if isinstance(meaning, FunctionRef):
                out.extend(self.program.run_by(meaning))
        return tuple(out)

    def _enterable(self, function: Function, frame: Frame) -> bool:
        depth = 0
        for active in frame.stack():
            depth += 1
            if active.function.key == function.key:
                return False
        return depth < MAX_FRAMES


def _perhaps(raised: Raised) -> bool:
    """Whether an exception may come up where no ``raise`` stands."""
    return any(raised is known for known in _PERHAPS)


def _bases(name: str) -> list[str]:
    """An exception class outside the project and its bases, by name."""
    last = name.rpartition(".")[2]
    known = getattr(builtins, last, None) if name.startswith("builtins.") else None
    if isinstance(known, type) and issubclass(known, BaseException):
        return [c.__name__ for c in known.__mro__[:-1]]
    return [last, "Exception"]


def _takes(names: tuple[str, ...], raised: Raised) -> str:
    """Whether a handler takes an exception: yes, no or maybe."""
    if not names or "BaseException" in names:
        return "yes"
    if "Exception" in names:
        return "no" if raised.project and "BaseException" in raised.names and "Exception" not in raised.names else "yes"
    if raised is IMPLICIT or not raised.names:
        return "maybe"
    if any(n in raised.names for n in names):
        return "yes"
    return "no" if raised.project or "?" not in names else "maybe"


def _case_test(subject: ir.Expr, pattern: ir.Pattern) -> ir.Node:
    if pattern.kind == "value" and pattern.value is not None:
        return ir.Compare(pattern.span, "==", subject, pattern.value)
    if pattern.kind == "or" and all(p.kind == "value" and p.value is not None for p in pattern.parts):
        items = tuple(p.value for p in pattern.parts if p.value is not None)
        return ir.Compare(pattern.span, "in", subject, ir.Seq(pattern.span, "tuple", items))
    return ir.Other(pattern.span, (subject,))


def _joined(items: tuple[ir.Expr, ...], op: str, span: ir.Span) -> ir.Expr | None:
    out: ir.Expr | None = None
    for item in items:
        out = item if out is None else ir.Bool(span, op, out, item)
    return out


def _acts(expr: ir.Expr) -> bool:
    return any(isinstance(n, (ir.Call, ir.Yield, ir.Walrus)) for n in ir.walk(expr))
