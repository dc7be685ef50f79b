"""What of one function a value comes to: the calls that it can change, with the arguments that carry it, and fields.

Told by names, statement by statement: what is assigned in a statement that mentions a tainted name is tainted, and so
is all that runs under a ``with`` whose head mentions one, for that may limit it. An ``if`` or a loop hands nothing on:
who reads the source takes both ways of it for possible.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
_COMPOUND = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Match, ast.ClassDef, *_TRIES)
_ARMING = frozenset({"alarm", "setitimer"})
"""Calls that set a limit to what stands behind them."""
_OWN = frozenset({"self", "cls", "super"})
"""What a method does to its own object is told by the fields that it assigns."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Called(NamedTuple):
    """A call that a value comes to: the callee's last name and what stands before the dot (None for a bare name, empty
    for an expression), the arguments that carry the value by number or name. ``None`` among them stands for all.
    """

    name: str
    head: str | None
    carrying: frozenset[int | str | None]


class Spots(NamedTuple):
    """The calls that a value comes to, the attributes that it is assigned to, and all names that stand for it."""

    calls: frozenset[Called]
    fields: frozenset[str]
    names: frozenset[str]


EVERYTHING: frozenset[int | str | None] = frozenset({None})


def said(part: ast.stmt) -> tuple[int, ...]:
    """What each statement of a part says, under the heads of those around it; of no other worth than to be compared."""
    found: list[int] = []
    _say(part, 0, found)
    return tuple(found)


def _say(node: ast.stmt, above: int, found: list[int]) -> None:
    own = _saying(node, above)
    found.append(own)
    for block in _blocks(node):
        for inner in block:
            _say(inner, own, found)


def _saying(node: ast.stmt, above: int) -> int:
    if isinstance(node, _FUNCTIONS):
        return hash((above, node.name, *(ast.dump(each) for each in node.decorator_list)))
    caught = [ast.dump(h.type) if h.type is not None else "" for h in getattr(node, "handlers", ())]
    return hash((above, type(node).__name__, *(ast.dump(each) for each in _own(node)), *caught))


def spots(
    part: ast.stmt, names: Collection[str] | None, kept: Collection[int] = (), still: Collection[str] = ()
) -> Spots:
    """Where the values behind some names come to in a part of a file; None taints all of it but the statements that
    say what is ``kept``. ``still`` are names of objects that keep nothing of what they are given: modules.
    """
    keeping = frozenset(kept) if names is None else None
    walk = _Walk(set(names or ()), names is None and not kept, keeping, frozenset(still) | _OWN)
    walk.block([part], under=False)
    before = -1
    while not walk.everything and before != len(walk.names):  # what is tainted below counts above, in a loop
        before = len(walk.names)
        walk.block([part], under=False)
    return Spots(frozenset(walk.calls), frozenset(walk.fields), frozenset(walk.names))


def parameters(part: ast.stmt, carrying: Iterable[int | str | None], bound: bool) -> frozenset[str] | None:
    """The parameters of a function that stand for some arguments; ``bound`` where the first is the object. None stands
    for all of the function.
    """
    given = set(carrying)
    if not isinstance(part, _FUNCTIONS) or None in given:
        return None
    arguments = part.args
    placed = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    first = placed[:1] if bound else []
    rest = placed[len(first) :]
    found = set()
    for each in given:
        if each == "self":
            found.update(first)
        elif isinstance(each, int):
            found.add(rest[each] if each < len(rest) else arguments.vararg.arg if arguments.vararg else "")
        elif each is not None:
            known = {*rest, *(a.arg for a in arguments.kwonlyargs)}
            found.add(each if each in known else arguments.kwarg.arg if arguments.kwarg else "")
    return frozenset(found - {""})


class _Walk:
    def __init__(self, names: set[str], everything: bool, kept: frozenset[int] | None, still: frozenset[str]) -> None:
        self.still = still
        self.names = names
        self.everything = everything
        self.kept = kept or None
        self.calls: set[Called] = set()
        self.fields: set[str] = set()

    def block(self, body: Iterable[ast.stmt], under: bool, above: int = 0) -> None:
        under = under or self.everything
        for statement in body:
            self.statement(statement, under, above)
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and not under:
                under = _callee(statement.value.func)[0] in _ARMING and self.mentions(statement)

    def statement(self, node: ast.stmt, under: bool, above: int) -> None:
        own = _saying(node, above) if self.kept is not None else 0
        under = under or (self.kept is not None and own not in self.kept)
        heads = list(_own(node))
        touched = under or any(self.mentions(each) for each in heads)
        if isinstance(node, (*_COMPOUND, *_FUNCTIONS)):
            if touched:
                self.all_of(heads, under)
            size = len(self.names), len(self.calls)
            limiting = isinstance(node, (ast.With, ast.AsyncWith)) and touched
            inside = under or limiting or (isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and self.decorated(node))
            for block in _blocks(node):
                self.block(block, inside, own)
            if isinstance(node, _FUNCTIONS) and size != (len(self.names), len(self.calls)):
                self.names.add(node.name)  # a function inside that comes to it
        elif touched:
            self.all_of([node], under)

    def decorated(self, node: ast.stmt) -> bool:
        """Whether what runs a function or makes a class, or a default of a parameter, is tainted."""
        heads = [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())]
        if isinstance(node, _FUNCTIONS):
            heads += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        return any(self.mentions(each) for each in heads)

    def all_of(self, nodes: Iterable[ast.AST], under: bool) -> None:
        """Take what is assigned and called in an expression or simple statement that is tainted."""
        for top in nodes:
            for node in ast.walk(top):
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    self.names.add(node.id)
                elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                    self.fields.add(node.attr)
                    self.names.add(node.attr)
                elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                    self.store(node.value)
                elif isinstance(node, ast.Call):
                    self.call(node, under)
                elif isinstance(node, ast.alias) and (under or node.name.rpartition(".")[2] in self.names):
                    self.names.add(node.asname or node.name)

    def store(self, node: ast.expr) -> None:
        """A container into which something tainted goes is tainted."""
        if isinstance(node, ast.Name):
            self.names.add(node.id)
        elif isinstance(node, ast.Attribute):
            self.names.add(node.attr)
            self.fields.add(node.attr)

    def call(self, node: ast.Call, under: bool) -> None:
        carrying = EVERYTHING if under else frozenset(self.carried(node))
        name, head = _callee(node.func)
        if name:
            self.calls.add(Called(name, head, carrying))
            if head and carrying and head not in self.still:
                self.names.add(head)  # it may keep what it is given
        given = {
            each: value for each, value in _arguments(node) if isinstance(value, (ast.Name, ast.Attribute, ast.Call))
        }
        for each, value in given.items():
            if under or self.carried_beside(node, carrying, each):  # what the callee may call, or what it may end
                for inner in ast.walk(value):
                    callee = inner.func if isinstance(inner, ast.Call) else inner if inner is value else None
                    if callee is not None:
                        name, head = _callee(callee)
                        self.calls.add(Called(name, head, EVERYTHING))

    def carried_beside(self, node: ast.Call, carrying: Collection[int | str | None], own: int | str | None) -> bool:
        """Whether a call is given something tainted besides one of its arguments."""
        return any(each != own for each in carrying) or (isinstance(node.func, ast.Call) and self.mentions(node.func))

    def carried(self, node: ast.Call) -> Iterator[int | str | None]:
        for name, each in _arguments(node):
            if self.mentions(each):
                yield name
        if isinstance(node.func, ast.Attribute) and self.mentions(node.func.value):
            yield "self"

    def mentions(self, top: ast.AST) -> bool:
        """Whether an expression or statement holds a tainted name."""
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                if node.id in self.names and isinstance(node.ctx, ast.Load):
                    return True
            elif isinstance(node, ast.Attribute):
                if node.attr in self.names and isinstance(node.ctx, ast.Load):
                    return True
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, str) and node.value in self.names:
                    return True
            elif isinstance(node, ast.keyword):
                if node.arg in self.names:
                    return True
            elif isinstance(node, ast.alias) and not self.names.isdisjoint({node.asname, node.name}):
                return True
        return False


def _arguments(node: ast.Call) -> Iterator[tuple[int | str | None, ast.expr]]:
    """The arguments by number or name, None for what is unpacked."""
    for number, each in enumerate(node.args):
        yield None if isinstance(each, ast.Starred) else number, each
    for keyword in node.keywords:
        yield keyword.arg, keyword.value


def _callee(func: ast.expr) -> tuple[str, str | None]:
    if isinstance(func, ast.Name):
        return func.id, None
    if isinstance(func, ast.Attribute):
        base = func.value
        if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
            return func.attr, "super"
        return func.attr, base.id if isinstance(base, ast.Name) else ""
    return "", ""


def _own(node: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement itself; a simple statement stands for itself."""
    if not isinstance(node, (*_COMPOUND, *_FUNCTIONS)):
        yield node
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield child


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body
