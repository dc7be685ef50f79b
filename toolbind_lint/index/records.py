"""What the index says of a module. Plain data; lines are 1-based lines of ``Source.text``."""

from __future__ import annotations

from typing import Literal, NamedTuple

DefinitionKind = Literal["function", "class", "assignment"]
StatementKind = Literal["function", "class", "import", "assignment", "expression", "compound"]


class Words(NamedTuple):
    """The words of the catalogue: identifiers, or whole literal strings, that make a statement worth reading.

    ``roots`` are packages, dotted where need be, whose import makes a file worth a look for agent runs and bindings;
    as mere words they may be too common to mean anything.
    """

    seeds: frozenset[str]
    roots: frozenset[str] = frozenset()


class Import(NamedTuple):
    """One name that an import binds.

    ``module`` is dotted, without the leading dots that ``level`` counts. ``name`` is the name of a from-import (``*``
    allowed), else None. ``alias`` is the bound name: of ``import a.b`` that is ``a``, of a star ``*``. ``scope`` is the
    qualified name of the function or class around it, empty at module level.
    """

    module: str
    level: int
    name: str | None
    alias: str
    line: int
    scope: str


class Definition(NamedTuple):
    """A name of the module (``f``, ``C``) or of a class in it (``C.m``). ``statement`` indexes ``statements``."""

    name: str
    kind: DefinitionKind
    line: int
    statement: int


class Statement(NamedTuple):
    """A top-level statement; those that share a line are one.

    ``first`` and ``last`` are inclusive, decorators counted. ``calls`` holds the last name of every callee (``c`` for
    ``a.b.c()``), of every name passed as an argument, of decorators and of base classes. ``words`` are the words of the
    catalogue that it holds as identifier, attribute, keyword or whole string, or under another name that an import
    gives them. ``loops`` says that it has a loop
    statement, or calls a name that it defines itself.
    """

    first: int
    last: int
    kind: StatementKind
    defines: tuple[str, ...]
    calls: frozenset[str]
    words: frozenset[str]
    loops: bool


class Body(NamedTuple):
    """The lines of a function's body, inclusive, its indentation, and where its last line ends, in bytes from 0."""

    first: int
    last: int
    indent: int
    end: int


class Unit(NamedTuple):
    """What the spread of words counts in: a function, a method, the rest of a class, or any other statement.

    ``name`` is qualified and empty for a statement; ``owner`` is the class around a method. ``words`` are the words of
    the catalogue in it. ``calls`` and ``loads``
    hold callees and names used as values, dotted as written: ``f``, ``self.m``, ``a.b.c``, ``?.m`` behind any other
    expression, ``super.m``. ``passes`` pairs a callee with a name passed to it, ``made`` a variable with the class that
    it is built from or annotated with. ``bases`` are those of a class. ``loops`` says that it has a loop statement, or
    calls itself or a function inside it. ``line`` is that of a function's ``def``, 0 otherwise; ``named`` the last
    names of all callees and of all names passed, decorators and bases; ``stores`` the attributes assigned, None where
    nobody looked. ``body`` says where a function's body stands, None where nobody looked or where it begins on the line
    of its ``def``.
    """

    statement: int
    name: str
    kind: Literal["function", "class", "statement"]
    owner: str
    words: frozenset[str]
    calls: frozenset[str]
    loads: frozenset[str]
    passes: frozenset[tuple[str, str]]
    made: frozenset[tuple[str, str]]
    bases: tuple[str, ...]
    loops: bool
    line: int
    named: frozenset[str]
    stores: frozenset[str] | None
    body: Body | None

    @property
    def seeded(self) -> bool:
        """Whether it holds a word of the catalogue."""
        return bool(self.words)


class ModuleIndex(NamedTuple):
    """One file. ``units`` serve ``candidates`` only; ``deep`` are statements that nest too deeply for libcst."""

    path: str
    statements: tuple[Statement, ...]
    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]
    units: tuple[Unit, ...] = ()
    deep: tuple[int, ...] = ()


def last_name(dotted: str) -> str:
    """``c`` of ``a.b.c``."""
    return dotted[dotted.rfind(".") + 1 :]
