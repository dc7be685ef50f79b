"""The project-wide index: per top-level statement its definitions, called names and words; and which of them matter.

A bytes pattern decides which files are parsed at all, the interpreter's own parser reads those, and libcst only what it
cannot read. From the index comes the list of statements that are worth a libcst tree.
"""

from __future__ import annotations

import errno
import gc
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from toolbind_lint.facts import Place, Unreadable
from toolbind_lint.index.imports import Resolver
from toolbind_lint.index.reach import Leading, Reach
from toolbind_lint.index.reader import read_module
from toolbind_lint.index.records import Body, Definition, Import, ModuleIndex, Statement, Unit, Words, last_name
from toolbind_lint.older import older
from toolbind_lint.snapshot import Snapshot
from toolbind_lint.source import (
    DEFAULT_MAX_BYTES,
    TOO_DEEP,
    Relevance,
    Source,
    SyntaxFault,
    parse_ast,
    read_source,
)

__all__ = [
    "Body",
    "Definition",
    "Import",
    "ModuleIndex",
    "Project",
    "Statement",
    "Unit",
    "Words",
    "build_index",
    "last_name",
]

_SUFFIXES = (".py", ".pyi", ".ipynb", ".pyw")


def build_index(
    snapshot: Snapshot, words: Words, *, roots: Sequence[str] = (), max_bytes: int = DEFAULT_MAX_BYTES
) -> Project:
    """Reads every Python file of a snapshot once and indexes those that hold a word.

    ``roots`` are folders that first-party packages are in, beyond those that can be seen; ``max_bytes`` is the largest
    file.
    """
    collecting = gc.isenabled()
    gc.disable()  # syntax trees hold no cycles, and each is gone before the next
    try:
        return Project(snapshot, words, roots, max_bytes)
    finally:
        if collecting:
            gc.enable()


class _Modules(Mapping[str, ModuleIndex]):
    """The index of every readable file, made when asked for."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def __getitem__(self, path: str) -> ModuleIndex:
        found = self._project.module(path)
        if found is None:
            raise KeyError(path)
        return found

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._project.paths if self._project.module(path) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Project:
    """All that is known of the files of a snapshot before any libcst tree is built.

    What is asked of it is the same whatever was asked before, except that ``unreadable`` may grow with the files that
    had to be looked at.
    """

    def __init__(self, snapshot: Snapshot, words: Words, roots: Sequence[str], max_bytes: int) -> None:
        self._seeds = words.seeds
        self._max_bytes = max_bytes
        self._pattern = _pattern(words.seeds)
        self._roots = _importing(words.roots)
        self._unreadable: dict[str, tuple[Unreadable, ...]] = {}
        self._data: dict[str, bytes] = {}
        self._sources: dict[str, Source] = {}
        self._indexed: dict[str, ModuleIndex | None] = {}
        self._by_name: dict[str, dict[str, list[Definition]]] = {}
        self._by_alias: dict[str, dict[str, list[Import]]] = {}
        self._importers: dict[str, tuple[str, ...]] | None = None
        self._candidates: dict[str, tuple[int, ...]] | None = None
        self._hot: dict[str, frozenset[int]] = {}
        for path in snapshot.paths():
            if _is_python(path):
                self._read(snapshot, path)
        self.paths: tuple[str, ...] = tuple(self._data)
        """Every Python file that could be read, sorted."""
        self._resolver = Resolver(self.paths, roots, words.seeds)
        self.modules: Mapping[str, ModuleIndex] = _Modules(self)
        """The index of every readable file, made on demand; iterating indexes them all."""
        self.seeded: tuple[str, ...] = tuple(path for path in self.paths if self._has_word(path))
        """The files that hold a seed word."""
        self.imported_roots: dict[str, frozenset[str]] = {
            path: found for path in self.paths if (found := self._imported_roots(path))
        }
        """The words' roots that a file seems to import, by file."""
        self.importing: tuple[str, ...] = tuple(self.imported_roots)
        """The files that seem to import one of the words' roots, sorted."""
        for path in self.seeded:
            self.module(path)

    def source(self, path: str) -> Source:
        """The source of a readable file, kept. ``KeyError`` for any other."""
        found = self._source(path)
        if found is None:
            raise KeyError(path)
        return found

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """Files and notebook cells in which nothing can be checked, among those that were looked at; by place."""
        return tuple(each for path in sorted(self._unreadable) for each in self._unreadable[path])

    @property
    def screened(self) -> int:
        """How many readable files hold no statement worth reading (stubs are not counted)."""
        candidates = {*self.candidates(), *self.importing}
        whole = {path for path, faults in self._unreadable.items() if self._indexed.get(path) is None and faults}
        return sum(
            1 for path in self.paths if path not in candidates and path not in whole and not path.endswith(".pyi")
        )

    def module(self, path: str) -> ModuleIndex | None:
        """The index of one file, None when it is not of the project or unreadable."""
        if path not in self._indexed:
            self._indexed[path] = self._index(path)
        return self._indexed[path]

    def module_path(self, importer: str, module: str, level: int) -> str | None:
        """The project file that ``importer`` means by ``module`` behind ``level`` dots, None when there is none.

        A folder without ``__init__.py`` has no file: of ``from . import helper`` in such a folder, ask for ``helper``.
        """
        return self._resolver.find(importer, module, level)

    def import_targets(self, importer: str, each: Import) -> tuple[tuple[str, str | None], ...]:
        """What an import may bind: ``(path, None)`` for a module of the project, ``(path, name)`` for a name in one.

        A from-import may mean a submodule or a name; the name comes first where the module is a file, as in Python. Of
        ``import a.b`` the module ``a.b`` is given, although the name bound is ``a``.
        """
        if each.name is None:
            path = self.module_path(importer, each.module, each.level)
            return ((path, None),) if path else ()
        package = self.module_path(importer, each.module, each.level)
        found: list[tuple[str, str | None]] = [(package, each.name)] if package else []
        if each.name != "*":
            inner = self.module_path(importer, f"{each.module}.{each.name}".lstrip("."), each.level)
            found += [(inner, None)] if inner else []
        return tuple(found)

    def definitions_of(self, path: str, name: str) -> tuple[tuple[str, Definition | None], ...]:
        """Where a name of a module is defined, through re-exports; ``(path, None)`` when it is itself a module."""
        found: dict[tuple[str, Definition | None], None] = {}
        seen: set[tuple[str, str]] = set()
        todo = [(path, name)]
        while todo:
            path, name = todo.pop(0)
            if (path, name) in seen:
                continue
            seen.add((path, name))
            found.update(dict.fromkeys((path, each) for each in self.definitions_in(path).get(name, ())))
            imports = self.imports_in(path)
            for each in (*imports.get(name, ()), *imports.get("*", ())):
                if each.scope:
                    continue
                for target, inner in self.import_targets(path, each):
                    if inner is None:
                        found[target, None] = None
                    else:
                        todo.append((target, name if inner == "*" else inner))
        return tuple(found)

    def definitions_in(self, path: str) -> Mapping[str, Sequence[Definition]]:
        """The definitions of a module by their names; empty for what is no module."""
        if path not in self._by_name:
            by_name: dict[str, list[Definition]] = {}
            module = self.module(path)
            for each in module.definitions if module else ():
                by_name.setdefault(each.name, []).append(each)
            self._by_name[path] = by_name
        return self._by_name[path]

    def imports_in(self, path: str) -> Mapping[str, Sequence[Import]]:
        """The imports of a module, in functions too, by the names that they bind."""
        if path not in self._by_alias:
            by_alias: dict[str, list[Import]] = {}
            module = self.module(path)
            for each in module.imports if module else ():
                by_alias.setdefault(each.alias, []).append(each)
            self._by_alias[path] = by_alias
        return self._by_alias[path]

    def is_word(self, each: Import) -> bool:
        """Whether the top-level name of what is imported is a word: that of a library."""
        return each.level == 0 and each.module.partition(".")[0] in self._seeds

    def leads_to_word(self, importer: str, each: Import) -> bool:
        """Whether a from-import gets, through re-exports of the project, what one of its modules imports from a library
        whose name is a word.
        """
        seen: set[tuple[str, str]] = set()
        todo = [(path, name) for path, name in self.import_targets(importer, each) if name is not None]
        while todo:
            path, name = todo.pop()
            if (path, name) in seen or name in self.definitions_in(path):
                continue
            seen.add((path, name))
            imports = self.imports_in(path)
            for inner in (*imports.get(name, ()), *imports.get("*", ())):
                if inner.scope:
                    continue
                targets = self.import_targets(path, inner)
                if not targets and self.is_word(inner):
                    return True
                todo += [(target, name if again == "*" else again) for target, again in targets if again is not None]
        return False

    def importers(self, path: str) -> tuple[str, ...]:
        """The files that import a file directly, sorted. Asking indexes the whole project."""
        if self._importers is None:
            back: dict[str, set[str]] = {}
            for importer, module in self.modules.items():
                for each in module.imports:
                    for target, _ in self.import_targets(importer, each):
                        back.setdefault(target, set()).add(importer)
            self._importers = {target: tuple(sorted(found - {target})) for target, found in back.items()}
        return self._importers.get(path, ())

    def candidates(self) -> Mapping[str, tuple[int, ...]]:
        """Per file, in order, the statements that may hold a loop, retry, run or dispatcher; see ``reach``."""
        if self._candidates is None:
            collecting = gc.isenabled()
            gc.disable()
            try:
                reach = Reach(self)
                self._candidates = reach.candidates()
                self._hot = reach.hot()
            finally:
                if collecting:
                    gc.enable()
        return self._candidates

    def hot(self, path: str) -> frozenset[int]:
        """The numbers of the units of a file that hold a word or lead, by what they use, to one that does."""
        self.candidates()
        return self._hot.get(path, frozenset())

    def leading_to(self, units: Mapping[str, Collection[int]]) -> Leading:
        """What leads to some units, given per file by their numbers."""
        return Reach(self, units).leading() if units else Leading({}, {})

    def identifiers(self, path: str) -> frozenset[bytes]:
        """Every identifier in the bytes of a file, and more."""
        return frozenset(re.findall(rb"[A-Za-z_][A-Za-z0-9_]*", self._code(path)))

    def holding(self, text: bytes) -> tuple[str, ...]:
        """The files in whose bytes a text stands, sorted."""
        return tuple(path for path in self.paths if text in self._data[path])

    # --- Reading

    def _read(self, snapshot: Snapshot, path: str) -> None:
        try:
            self._data[path] = snapshot.read(path)
        except OSError as error:
            # What stands in it is not known, so it counts as relevant.
            reason = "too-large" if error.errno == errno.EFBIG else "unreadable"
            message = error.strerror or str(error)
            self._unreadable[path] = (Unreadable(Place(path, 1, 1, 1, 1), reason, message, True),)

    def _has_word(self, path: str) -> bool:
        return self._pattern.search(self._code(path)) is not None

    def _imported_roots(self, path: str) -> frozenset[str]:
        if self._roots is None:
            return frozenset()
        found = set()
        for match in self._roots.finditer(self._code(path)):
            module, _, names = match["what"].decode().partition(" import")
            found.add(f"{module.strip()}.{names.split()[-1].rpartition(',')[2]}" if names else module)
        return frozenset(found)

    def _matters(self, data: bytes) -> bool:
        return self._pattern.search(data) is not None or (self._roots is not None and bool(self._roots.search(data)))

    def _code(self, path: str) -> bytes:
        """The bytes to look for words in: of a notebook its cells, since in JSON an ``n`` stands before many a word."""
        if path.endswith(".ipynb"):
            source = self._source(path)
            if source is not None and not any(fault.relevant for fault in source.faults):
                return source.text.encode("utf-8", "replace")
            return self._data[path].replace(b"\\n", b"\n")
        return self._data[path]

    def _relevance(self) -> Relevance:
        return self._matters

    def _source(self, path: str) -> Source | None:
        if path not in self._sources and path in self._data and path not in self._unreadable:
            found = read_source(path, self._data[path], relevant=self._relevance(), max_bytes=self._max_bytes)
            if isinstance(found, Unreadable):
                self._unreadable[path] = (found,)
                return None
            self._sources[path] = found
            if found.faults:
                self._unreadable[path] = found.faults
        return self._sources.get(path)

    def _index(self, path: str) -> ModuleIndex | None:
        source = self._source(path)
        if source is None:
            return None
        try:
            module = self._parse(source)
        except SyntaxFault as fault:
            place = source.place(fault.line, 1, fault.line, 1)
            self._note(path, Unreadable(place, "syntax", fault.message, self._matters(self._code(path))))
            return None
        for number in module.deep:
            statement = module.statements[number]
            place = source.place(statement.first, 1, statement.last, len(source.lines[statement.last - 1]) + 1)
            text = "\n".join(source.lines[statement.first - 1 : statement.last]).encode("utf-8", "replace")
            self._note(path, Unreadable(place, "syntax", TOO_DEEP, self._pattern.search(text) is not None))
        return module

    def _note(self, path: str, fault: Unreadable) -> None:
        faults = (*self._unreadable.get(path, ()), fault)
        self._unreadable[path] = tuple(sorted(faults, key=lambda each: (each.place.cell or 0, each.place.line)))

    def _parse(self, source: Source) -> ModuleIndex:
        try:
            tree = parse_ast(source.text)
        except SyntaxFault as fault:
            if fault.message == TOO_DEEP:
                raise
            try:
                tree = parse_ast(older(source.text))
            except SyntaxFault:
                from toolbind_lint.index.modern import read_modern

                try:
                    return read_modern(source, self._seeds)
                except SyntaxFault:
                    raise fault from None  # the interpreter words it better
        return read_module(source.path, tree, self._seeds)


def _is_python(path: str) -> bool:
    """Whether a file of a snapshot is read: by its suffix, or as a script without one (given by name)."""
    return path.endswith(_SUFFIXES) or "." not in path.rpartition("/")[2].lstrip(".")


def _pattern(words: frozenset[str]) -> re.Pattern[bytes]:
    """Finds any of the words, as a whole word."""
    if not words:
        return re.compile(rb"(?!)")
    alternatives = "|".join(re.escape(word) for word in sorted(words))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{alternatives})(?![A-Za-z0-9_])".encode())


def _importing(roots: frozenset[str]) -> re.Pattern[bytes] | None:
    """Finds an import of one of the roots: ``import a.b``, ``from a.b.c import d`` and ``from a import b``."""
    if not roots:
        return None
    ways = []
    for root in sorted(roots):
        package, dot, name = root.rpartition(".")
        ways.append(re.escape(root) + r"(?![A-Za-z0-9_])")
        if dot:
            ways.append(re.escape(package) + r"[ \t]+import\b[^\n]*\b" + re.escape(name) + r"(?![A-Za-z0-9_])")
    return re.compile(rf"(?:from|import)[ \t]+(?P<what>{'|'.join(ways)})".encode())
