"""Where a value of one function goes: the reads that a binding reaches, and the statements on the way to them.

Within one function only, by the order of its statements: a name that is bound again on every way no longer holds the
value, a test that stands on the way and raises has looked at it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import Function

Spot = tuple[int, int]
"""A run of statements (by its identity) and the position of a statement in it."""


class Passed(NamedTuple):
    """A read of a name, and the statements between the binding and the read through which every way leads."""

    name: ir.Name
    between: tuple[ir.Stmt, ...]


class FunctionFlow:
    """Parents and order of the nodes of one function, nested functions and lambdas apart."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.parents: dict[int, ir.Node] = {}
        self.inner: list[ir.FuncDef] = []
        self._spots: dict[int, tuple[tuple[Spot, ir.Stmt], ...]] = {}
        self._names: dict[str, list[ir.Name]] = {}
        self._stores: set[int] = set()
        self._block(function.node.body, ())
        self._by_spot = {spots[-1][0]: spots[-1][1] for spots in self._spots.values() if spots}

    # ---- reading

    def _block(self, body: tuple[ir.Stmt, ...], above: tuple[tuple[Spot, ir.Stmt], ...]) -> None:
        for number, stmt in enumerate(body):
            here = (*above, ((id(body), number), stmt))
            self._statement(stmt, here)

    def _statement(self, stmt: ir.Stmt, here: tuple[tuple[Spot, ir.Stmt], ...]) -> None:
        self._spots[id(stmt)] = here
        if isinstance(stmt, ir.FuncDef):
            self.inner.append(stmt)
            return
        if isinstance(stmt, ir.ClassDef):
            return
        blocks: list[tuple[ir.Stmt, ...]] = []
        if isinstance(stmt, (ir.If, ir.While, ir.For)):
            blocks = [stmt.body, stmt.orelse]
        elif isinstance(stmt, ir.With):
            blocks = [stmt.body]
        elif isinstance(stmt, ir.Try):
            blocks = [stmt.body, *(h.body for h in stmt.handlers), stmt.orelse, stmt.final]
        elif isinstance(stmt, ir.Match):
            blocks = [c.body for c in stmt.cases]
        held = {id(s) for block in blocks for s in block}
        for child in ir.children(stmt):
            if id(child) not in held:
                self._node(child, stmt, here, held)
        for target in _stored(stmt):
            self._stores.update(id(n) for n in ir.walk(target) if isinstance(n, ir.Name) and not _read_in(target, n))
        for block in blocks:
            for inner in block:
                self.parents[id(inner)] = stmt
            self._block(block, here)

    def _node(self, node: ir.Node, parent: ir.Node, here: tuple[tuple[Spot, ir.Stmt], ...], held: set[int]) -> None:
        self.parents[id(node)] = parent
        self._spots[id(node)] = here
        if isinstance(node, ir.Name):
            self._names.setdefault(node.id, []).append(node)
        if isinstance(node, ir.Lambda):
            self.inner.append(node.function)
            return
        if isinstance(node, (ir.Walrus, ir.Generator)):
            self._stores.update(id(n) for n in ir.walk(node.target) if isinstance(n, ir.Name))
        for child in ir.children(node):
            if id(child) not in held:
                self._node(child, node, here, held)

    # ---- asking

    def parent(self, node: ir.Node) -> ir.Node | None:
        """The node around a node of this function."""
        return self.parents.get(id(node))

    def statement(self, node: ir.Node) -> ir.Stmt | None:
        """The statement in which a node stands."""
        here = self._spots.get(id(node))
        return here[-1][1] if here else None

    def around(self, node: ir.Node) -> tuple[ir.Stmt, ...]:
        """The statements around a node, outermost first, its own last."""
        return tuple(stmt for _, stmt in self._spots.get(id(node), ()))

    def reads(self, name: str, binding: ir.Node | None = None, *, adds: bool = False) -> Iterator[Passed]:
        """The reads of a name that a binding reaches; all of them for a parameter (``binding`` is None).

        ``adds`` says that the binding puts something into what the name already holds.
        """
        start = self._spots.get(id(binding), ()) if binding is not None else ()
        own = start[-1][1] if start else None
        for read in self._names.get(name, ()):
            if id(read) in self._stores:
                continue
            here = self._spots.get(id(read), ())
            if own is not None and here and here[-1][1] is own and not _loops_over(own, read):
                continue
            later = own is None or read.span[:2] > own.span[:2]
            if not later and not self._looped(start, here):
                continue
            if self._cut_off(start, here, later):
                continue
            between = list(self._passed(start, here, later))
            if not adds and any(binds(s, name) for s in between):
                continue
            yield Passed(read, tuple(between))

    def _passed(
        self, start: tuple[tuple[Spot, ir.Stmt], ...], end: tuple[tuple[Spot, ir.Stmt], ...], later: bool
    ) -> Iterator[ir.Stmt]:
        """The statements through which every way from one place to another leads."""
        places = dict(spot for spot, _ in start)
        for (body, position), _ in end:
            first = places.get(body, -1)
            if not later:
                first = -1 if body not in places or first >= position else first
                if body in places and places[body] <= position:
                    continue  # the loop that both stand in is further out
            for number in range(first + 1, position):
                stmt = self._at(body, number)
                if stmt is not None:
                    yield stmt

    def _cut_off(
        self, start: tuple[tuple[Spot, ir.Stmt], ...], end: tuple[tuple[Spot, ir.Stmt], ...], later: bool
    ) -> bool:
        """Whether the statements around a binding end in a jump that leads past the read."""
        shared = {body for (body, _), _ in end}
        for (body, position), _ in reversed(start):
            if body in shared:
                return False
            rest = self._rest(body, position)
            last = rest[-1]
            if isinstance(last, (ir.Return, ir.Raise)):
                return True
            if isinstance(last, ir.Jump):
                loops = [s for _, s in start if isinstance(s, (ir.While, ir.For))]
                return later and bool(loops) and any(s is loops[-1] for _, s in end)
        return False

    def _rest(self, body: int, position: int) -> list[ir.Stmt]:
        """A statement and those behind it in the same run."""
        out: list[ir.Stmt] = []
        stmt = self._at(body, position)
        while stmt is not None:
            out.append(stmt)
            position += 1
            stmt = self._at(body, position)
        return out

    def _at(self, body: int, number: int) -> ir.Stmt | None:
        return self._by_spot.get((body, number))

    def _looped(self, start: tuple[tuple[Spot, ir.Stmt], ...], end: tuple[tuple[Spot, ir.Stmt], ...]) -> bool:
        """Whether a loop stands around both, so that what is read first was bound on the pass before."""
        mine = {id(s) for _, s in start if isinstance(s, (ir.While, ir.For))}
        return any(id(s) in mine for _, s in end)


def leaves(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether nothing behind a run of statements is reached through it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ir.Return, ir.Raise, ir.Jump)):
        return True
    if isinstance(last, ir.If):
        return leaves(last.body) and leaves(last.orelse)
    if isinstance(last, ir.With):
        return leaves(last.body)
    if isinstance(last, ir.Try):
        return leaves(last.final) or (leaves(last.body) and all(leaves(h.body) for h in last.handlers))
    return False


def binds(stmt: ir.Stmt, name: str) -> bool:
    """Whether every way through a statement gives a name a new value, or leads elsewhere."""
    if isinstance(stmt, ir.Assign):
        return stmt.value is not None and any(_is_bound(t, name) for t in stmt.targets)
    if isinstance(stmt, ir.If):
        return _binds_all((stmt.body, stmt.orelse), name)
    if isinstance(stmt, ir.With):
        return any(binds(s, name) for s in stmt.body)
    if isinstance(stmt, ir.Try):
        if any(binds(s, name) for s in stmt.final):
            return True
        return _binds_all((stmt.body + stmt.orelse, *(h.body for h in stmt.handlers)), name)
    if isinstance(stmt, ir.Match):
        complete = any(c.pattern.kind == "wildcard" and c.guard is None for c in stmt.cases)
        return complete and _binds_all(tuple(c.body for c in stmt.cases), name)
    return False


def _binds_all(bodies: tuple[tuple[ir.Stmt, ...], ...], name: str) -> bool:
    bound = [any(binds(s, name) for s in body) for body in bodies]
    return any(bound) and all(b or leaves(body) for b, body in zip(bound, bodies, strict=True))


def _is_bound(target: ir.Expr, name: str) -> bool:
    if isinstance(target, ir.Seq):
        return any(_is_bound(t, name) for t in target.items)
    return isinstance(target, ir.Name) and target.id == name


def _stored(stmt: ir.Stmt) -> tuple[ir.Expr, ...]:
    if isinstance(stmt, ir.Assign):
        return stmt.targets
    if isinstance(stmt, ir.Aug):
        return ()
    if isinstance(stmt, ir.For):
        return (stmt.target,)
    if isinstance(stmt, ir.With):
        return tuple(t for _, t in stmt.items if t is not None)
    return ()


def _read_in(target: ir.Expr, name: ir.Name) -> bool:
    """Whether a name in a target is read, as ``d`` in ``d["k"] = v``."""
    if isinstance(target, (ir.Attr, ir.Subscript)):
        return True
    if isinstance(target, (ir.Seq, ir.Starred)):
        parts = target.items if isinstance(target, ir.Seq) else (target.value,)
        return any(_read_in(p, name) for p in parts if any(n is name for n in ir.walk(p)))
    return False


def _loops_over(stmt: ir.Stmt, read: ir.Name) -> bool:
    """Whether a statement binds a name for its own body, or reads it again on the next pass."""
    return isinstance(stmt, (ir.For, ir.With, ir.Aug)) or (
        isinstance(stmt, ir.If) and any(n is read for n in ir.walk(stmt.test))
    )
