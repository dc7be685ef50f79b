"""The small program that recognition reads: what libcst parsed, with positions and without white space.

A libcst tree is large, slow to walk and cannot leave its process. ``lower.py`` reads it once into these nodes; names,
reach, paths and verdicts work on them alone. Spans are ``(line, column, end line, end column)`` in ``Source.text``,
from 1, the end exclusive. Synchronous and asynchronous twins are the same node with a flag; ``elif`` is an ``If`` in
``orelse``; comparison chains are ``Bool("and")`` of pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import cast

Span = tuple[int, int, int, int]

GROW = frozenset({"append", "extend", "add", "insert", "appendleft", "update"})
SHRINK = frozenset({"pop", "clear", "remove", "popleft", "popitem", "discard"})
"""Methods that put something into a container, and that take something out of one."""


@dataclass(slots=True, eq=False)
class Node:
    """Anything that stands in the source."""

    span: Span


# ---- expressions


@dataclass(slots=True, eq=False)
class Name(Node):
    """A bare name."""

    id: str


@dataclass(slots=True, eq=False)
class Attr(Node):
    """``base.name``."""

    base: Expr
    name: str


@dataclass(slots=True, eq=False)
class Arg(Node):
    """One argument of a call: ``star`` is ``""``, ``"*"`` or ``"**"``."""

    name: str | None
    star: str
    value: Expr


@dataclass(slots=True, eq=False)
class Call(Node):
    """``func(args)``."""

    func: Expr
    args: tuple[Arg, ...]

    def keyword(self, name: str) -> Expr | None:
        """The value given by keyword, or None."""
        return next((a.value for a in self.args if a.name == name), None)

    def positional(self, index: int) -> Expr | None:
        """The value given at a position, or None where it is not there or behind a ``*``."""
        plain = [a for a in self.args if a.name is None]
        if index < len(plain) and not any(a.star for a in plain[: index + 1]):
            return plain[index].value
        return None


@dataclass(slots=True, eq=False)
class Slice(Node):
    """``lower:upper`` inside a subscript."""

    lower: Expr | None
    upper: Expr | None


@dataclass(slots=True, eq=False)
class Subscript(Node):
    """``base[index]``."""

    base: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Const(Node):
    """A literal: string, number, bytes, True, False, None or ``...``."""

    value: object


@dataclass(slots=True, eq=False)
class FString(Node):
    """An f-string (or a concatenation that holds one): the parts that are not constant, and the constant text."""

    parts: tuple[Expr, ...]
    text: str


@dataclass(slots=True, eq=False)
class Seq(Node):
    """A list, tuple or set display."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class DictE(Node):
    """A dict display; a key of None is ``**value``."""

    items: tuple[tuple[Expr | None, Expr], ...]

    def get(self, key: str) -> Expr | None:
        """The value under a constant string key."""
        for k, v in reversed(self.items):
            if isinstance(k, Const) and k.value == key:
                return v
        return None


@dataclass(slots=True, eq=False)
class Bin(Node):
    """Arithmetic: ``left op right``."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Bool(Node):
    """``left and right`` or ``left or right``."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Compare(Node):
    """One comparison; ``op`` as written (``<``, ``not in``, ``is not``)."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Not(Node):
    """``not value``."""

    value: Expr


@dataclass(slots=True, eq=False)
class Neg(Node):
    """``-value``, ``+value`` or ``~value``."""

    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class IfExp(Node):
    """``body if test else orelse``."""

    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Await(Node):
    """``await value``."""

    value: Expr


@dataclass(slots=True, eq=False)
class Yield(Node):
    """``yield value`` or ``yield from value``."""

    value: Expr | None
    delegates: bool


@dataclass(slots=True, eq=False)
class Starred(Node):
    """``*value`` in a display or a target."""

    value: Expr


@dataclass(slots=True, eq=False)
class Walrus(Node):
    """``target := value``."""

    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Generator(Node):
    """One ``for target in iter if …`` of a comprehension."""

    target: Expr
    iter: Expr
    ifs: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Comp(Node):
    """A comprehension; ``elements`` holds one expression, or key and value of a dict."""

    kind: str
    elements: tuple[Expr, ...]
    generators: tuple[Generator, ...]


@dataclass(slots=True, eq=False)
class Lambda(Node):
    """``lambda params: body``, as a function without a name."""

    function: FuncDef


@dataclass(slots=True, eq=False)
class Other(Node):
    """An expression of which only the parts matter."""

    parts: tuple[Expr, ...]


Expr = (
    Name
    | Attr
    | Call
    | Slice
    | Subscript
    | Const
    | FString
    | Seq
    | DictE
    | Bin
    | Bool
    | Compare
    | Not
    | Neg
    | IfExp
    | Await
    | Yield
    | Starred
    | Walrus
    | Comp
    | Lambda
    | Other
)

# ---- patterns of a match statement


@dataclass(slots=True, eq=False)
class Pattern(Node):
    """One pattern: ``kind`` is value, or, capture, class, sequence, mapping, star or wildcard.

    ``value`` is the literal or the class; ``keys`` the keys of a mapping or the keyword names of a class (None for
    positions); ``name`` what it binds.
    """

    kind: str
    value: Expr | None = None
    parts: tuple[Pattern, ...] = ()
    keys: tuple[Expr | str | None, ...] = ()
    name: str = ""


# ---- statements


@dataclass(slots=True, eq=False)
class Assign(Node):
    """``targets = value``; an annotated assignment has one target and ``annotation``."""

    targets: tuple[Expr, ...]
    value: Expr | None
    annotation: Expr | None = None


@dataclass(slots=True, eq=False)
class Aug(Node):
    """``target op= value``; ``op`` without the equals sign."""

    target: Expr
    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class ExprStmt(Node):
    """An expression as a statement."""

    value: Expr


@dataclass(slots=True, eq=False)
class Return(Node):
    """``return value``."""

    value: Expr | None


@dataclass(slots=True, eq=False)
class Raise(Node):
    """``raise exc from cause``; a bare raise has none."""

    exc: Expr | None
    cause: Expr | None


@dataclass(slots=True, eq=False)
class Jump(Node):
    """``break`` or ``continue``."""

    kind: str


@dataclass(slots=True, eq=False)
class If(Node):
    """``if test: body else: orelse``."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class While(Node):
    """``while test: body else: orelse``; ``header`` spans its first line."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    header: Span


@dataclass(slots=True, eq=False)
class For(Node):
    """``for target in iter: body else: orelse``."""

    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    header: Span
    is_async: bool


@dataclass(slots=True, eq=False)
class Handler(Node):
    """``except type as name: body``; a bare handler has no type. ``header`` spans its first line."""

    type: Expr | None
    name: str
    body: tuple[Stmt, ...]
    header: Span


@dataclass(slots=True, eq=False)
class Try(Node):
    """``try`` with its handlers."""

    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class With(Node):
    """``with items: body``; each item is ``(context, target or None)``."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]
    is_async: bool


@dataclass(slots=True, eq=False)
class Case(Node):
    """One case of a match."""

    pattern: Pattern
    guard: Expr | None
    body: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class Match(Node):
    """``match subject``."""

    subject: Expr
    cases: tuple[Case, ...]


@dataclass(slots=True, eq=False)
class Delete(Node):
    """``del targets``."""

    targets: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Scope(Node):
    """``global`` or ``nonlocal`` names."""

    kind: str
    names: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Assert(Node):
    """``assert test, message``."""

    test: Expr
    message: Expr | None


@dataclass(slots=True, eq=False)
class Alias(Node):
    """One imported name. ``module`` is dotted without leading dots; ``name`` is None for ``import module``."""

    module: str
    level: int
    name: str | None
    bound: str


@dataclass(slots=True, eq=False)
class Import(Node):
    """An import statement."""

    aliases: tuple[Alias, ...]


@dataclass(slots=True, eq=False)
class Param(Node):
    """One parameter: ``kind`` is plain, keyword, ``*`` or ``**``."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None


@dataclass(slots=True, eq=False)
class FuncDef(Node):
    """A function, method or lambda. ``qualname`` counts from the module; ``owner`` is the class it stands in, or
    empty.
    """

    name: str
    qualname: str
    owner: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    returns: Expr | None
    is_async: bool
    is_generator: bool
    header: Span


@dataclass(slots=True, eq=False)
class ClassDef(Node):
    """A class."""

    name: str
    qualname: str
    bases: tuple[Expr, ...]
    keywords: tuple[Arg, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    header: Span


class LazyFuncDef(FuncDef):
    """A function whose body is read when it is first asked for.

    ``load`` gives the body and whether it yields; it is called once.
    """

    __slots__ = ("_body", "_generates", "_load")

    def __init__(self, node: FuncDef, end: tuple[int, int], load: Callable[[], tuple[tuple[Stmt, ...], bool]]) -> None:
        self._load: Callable[[], tuple[tuple[Stmt, ...], bool]] | None = load
        self._body: tuple[Stmt, ...] = ()
        self._generates = False
        super().__init__(
            (*node.span[:2], *end),
            node.name,
            node.qualname,
            node.owner,
            node.params,
            (),
            node.decorators,
            node.returns,
            node.is_async,
            False,
            node.header,
        )

    def _read(self) -> None:
        if self._load is not None:
            load, self._load = self._load, None
            self._body, self._generates = load()

    @property
    def body(self) -> tuple[Stmt, ...]:
        """The statements of the function."""
        self._read()
        return self._body

    @body.setter
    def body(self, value: tuple[Stmt, ...]) -> None:
        pass  # what the constructor of a plain definition sets

    @property
    def is_generator(self) -> bool:
        """Whether the body yields."""
        self._read()
        return self._generates

    @is_generator.setter
    def is_generator(self, value: bool) -> None:
        pass


Stmt = (
    Assign
    | Aug
    | ExprStmt
    | Return
    | Raise
    | Jump
    | If
    | While
    | For
    | Try
    | With
    | Match
    | Delete
    | Scope
    | Assert
    | Import
    | FuncDef
    | ClassDef
)


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, in source order of its fields."""
    found: list[Node] = []
    for field in _FIELDS[type(node)]:
        value = getattr(node, field)
        if value.__class__ is tuple:
            _flatten(value, found)
        elif isinstance(value, Node):
            found.append(value)
    return found


def _flatten(value: tuple[object, ...], found: list[Node]) -> None:
    for item in value:
        if item.__class__ is tuple:
            _flatten(cast("tuple[object, ...]", item), found)
        elif isinstance(item, Node):
            found.append(item)


def walk(node: Node, *, into_functions: bool = False) -> Iterator[Node]:
    """A node and all below it, parents first; nested functions, lambdas and classes are yielded and entered only on
    demand.
    """
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        if top is not node and not into_functions and isinstance(top, (FuncDef, ClassDef, Lambda)):
            continue
        below = children(top)
        below.reverse()
        stack += below


def walk_all(nodes: tuple[Node, ...], *, into_functions: bool = False) -> Iterator[Node]:
    """``walk`` over several nodes."""
    for node in nodes:
        if isinstance(node, (FuncDef, ClassDef)) and not into_functions:
            yield node
            continue
        yield from walk(node, into_functions=into_functions)


_PLAIN = frozenset({"str", "bool", "int", "str | None", "tuple[str, ...]", "object", "Span", "Span | None"})
"""Annotations of fields in which no node stands."""


def _fields() -> dict[type, tuple[str, ...]]:
    found: dict[type, tuple[str, ...]] = {}
    pending: list[type] = [Node]
    while pending:
        kind = pending.pop()
        found[kind] = tuple(f.name for f in fields(kind) if f.name not in {"span", "header"} and f.type not in _PLAIN)
        pending.extend(kind.__subclasses__())
    return found


_FIELDS = _fields()
