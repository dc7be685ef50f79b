"""A module's index in the making: what the readers of ``ast`` and of libcst both fill."""

from __future__ import annotations

from typing import Literal

from toolbind_lint.index.records import (
    Body,
    Definition,
    DefinitionKind,
    Import,
    ModuleIndex,
    Statement,
    StatementKind,
    Unit,
    last_name,
)

_OWN = frozenset({"self", "cls", "super", "?"})


class UnitDraft:
    """One unit. ``names`` are all identifiers met, ``words`` the strings that are words."""

    __slots__ = (
        "args",
        "bases",
        "body",
        "calls",
        "defined",
        "kind",
        "line",
        "loads",
        "loops",
        "made",
        "name",
        "names",
        "owner",
        "passes",
        "stores",
        "words",
    )

    def __init__(self, kind: Literal["function", "class", "statement"], name: str, owner: str) -> None:
        self.kind = kind
        self.name = name
        self.owner = owner
        self.names: set[str] = set()
        self.words: set[str] = set()
        self.calls: set[str] = set()
        self.args: set[str] = set()
        self.loads: set[str] = set()
        self.passes: set[tuple[str, str]] = set()
        self.made: set[tuple[str, str]] = set()
        self.defined: set[str] = set()
        self.bases: list[str] = []
        self.loops = False
        self.line = 0
        self.stores: set[str] | None = None
        self.body: Body | None = None


class StatementDraft:
    """One top-level statement, or several that share a line."""

    __slots__ = ("deep", "defines", "first", "kind", "last", "units")

    def __init__(self, first: int, last: int, kind: StatementKind) -> None:
        self.first = first
        self.last = last
        self.kind: StatementKind = kind
        self.defines: list[str] = []
        self.units: list[UnitDraft] = []
        self.deep = False


class ModuleDraft:
    """Fill it statement by statement, in order; ``finish`` freezes it."""

    def __init__(self, path: str, seeds: frozenset[str]) -> None:
        self.path = path
        self.seeds = seeds
        self.statements: list[StatementDraft] = []
        self.imports: list[Import] = []
        self.definitions: list[Definition] = []

    def open_statement(self, first: int, last: int, kind: StatementKind) -> StatementDraft:
        """The draft for the next statement: the previous one when they share a line."""
        if self.statements and first <= self.statements[-1].last:
            merged = self.statements[-1]
            merged.last = max(merged.last, last)
            if merged.kind != kind:
                merged.kind = "compound"
            return merged
        self.statements.append(StatementDraft(first, last, kind))
        return self.statements[-1]

    def open_unit(self, kind: Literal["function", "class", "statement"], name: str = "", owner: str = "") -> UnitDraft:
        """A new unit of the last statement."""
        unit = UnitDraft(kind, name, owner)
        self.statements[-1].units.append(unit)
        return unit

    def define(self, name: str, kind: DefinitionKind, line: int) -> None:
        """A definition of the last statement."""
        self.definitions.append(Definition(name, kind, line, len(self.statements) - 1))
        self.statements[-1].defines.append(name)

    def finish(self) -> ModuleIndex:
        """The finished index."""
        known = {definition.name.split(".", 1)[0] for definition in self.definitions}
        known.update(each.alias for each in self.imports)
        star = "*" in known
        known.update(name for each in self.statements for unit in each.units for name, _ in unit.made)
        self._note_aliases()
        units: list[Unit] = []
        for number, statement in enumerate(self.statements):
            for unit in statement.units:
                units.append(self._finish_unit(number, statement, unit, known, star))
        return ModuleIndex(
            self.path,
            tuple(self._finish_statement(statement) for statement in self.statements),
            tuple(self.imports),
            tuple(self.definitions),
            tuple(units),
            tuple(number for number, statement in enumerate(self.statements) if statement.deep),
        )

    def _note_aliases(self) -> None:
        """``from litellm import completion as ask``: whatever uses ``ask`` holds the word ``litellm``."""
        words = {each.alias: word for each in self.imports if (word := self._word_of(each)) is not None}
        for statement in self.statements:
            for unit in statement.units:
                for group in (unit.calls, unit.args, unit.loads):
                    unit.words.update(words[root] for each in group if (root := each.partition(".")[0]) in words)

    def _word_of(self, each: Import) -> str | None:
        top = each.module.partition(".")[0]
        if each.level == 0 and top in self.seeds:
            return top
        return each.name if each.name in self.seeds else None

    def _finish_statement(self, draft: StatementDraft) -> Statement:
        calls = frozenset().union(*(_named(unit) for unit in draft.units))
        defined = {last_name(name) for name in draft.defines}
        defined.update(*(unit.defined for unit in draft.units))
        return Statement(
            draft.first,
            draft.last,
            draft.kind,
            tuple(dict.fromkeys(draft.defines)),
            calls,
            frozenset().union(*(self._words(unit) for unit in draft.units)),
            any(unit.loops for unit in draft.units) or not defined.isdisjoint(calls),
        )

    def _words(self, unit: UnitDraft) -> set[str]:
        return unit.words | (unit.names & self.seeds)

    def _finish_unit(
        self, number: int, statement: StatementDraft, draft: UnitDraft, known: set[str], star: bool
    ) -> Unit:
        """Only names that may be the project's own are kept: locals and builtins lead nowhere."""

        def kept(dotted: str) -> bool:
            root, dot, _ = dotted.partition(".")
            return star or root in known or (bool(dot) and root in _OWN)

        loads = {each for each in draft.loads if kept(each)}
        loads.update(each for each in draft.args if "." in each or kept(each))
        calls = {each for each in draft.calls if "." in each or star or each in known}
        loads.update(root for each in draft.calls if "." in each and (root := each.split(".", 1)[0]) in known)
        return Unit(
            number,
            draft.name,
            draft.kind,
            draft.owner,
            frozenset(self._words(draft)) if statement.kind != "import" else frozenset(),
            frozenset(calls),
            frozenset(loads),
            frozenset(pair for pair in draft.passes if "." in pair[1] or kept(pair[1])),
            frozenset(pair for pair in draft.made if kept(pair[1])),
            tuple(draft.bases),
            draft.loops or not draft.defined.isdisjoint(draft.calls | draft.args) or self._calls_itself(draft),
            draft.line,
            _named(draft),
            None if draft.stores is None else frozenset(draft.stores),
            draft.body,
        )

    def _calls_itself(self, draft: UnitDraft) -> bool:
        if draft.kind != "function":
            return False
        name = last_name(draft.name)
        own = {name} if not draft.owner else {f"self.{name}", f"cls.{name}", f"{last_name(draft.owner)}.{name}"}
        return not own.isdisjoint(draft.calls | draft.args)


def _named(draft: UnitDraft) -> frozenset[str]:
    return frozenset(last_name(each) for group in (draft.calls, draft.args) for each in group)
