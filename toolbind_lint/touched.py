"""Which files hold loops that a change can have touched, told by the names in what changed.

A value flows *up* from what changed to whatever mentions a name that it gives, and *down* from there into the functions
that are called: ``run(cap=settings.limit())`` takes a change of ``limit`` to the loop in ``run``, although neither file
imports the other. Names count where one file leads to the other by its imports, a class that others derive from leading
to these; a method that few classes define counts everywhere, since its receiver may come from anywhere.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.index import Import, Project

RARE = 3
"""Methods of a name that the project may define for a bare ``anything.name()`` to mean them."""
_BUILT_IN = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int) for name in dir(kind))


class Part(NamedTuple):
    """A function, a method, the rest of a class, or another statement. ``gives`` are the names that others may know it
    by, attributes that it assigns among them; ``uses`` all names in it, ``attributes`` those behind a dot; ``text`` is
    what it says, whatever its format.
    """

    name: str
    gives: frozenset[str]
    uses: frozenset[str]
    calls: frozenset[str]
    attributes: frozenset[str]
    text: str


def parts(source: str) -> tuple[Part, ...]:
    """The parts of a file. Raises as ``ast.parse`` does."""
    found: list[Part] = []
    for statement in ast.parse(source).body:
        _split(statement, "", found)
    return tuple(found)


def _split(node: ast.stmt, owner: str, found: list[Part]) -> None:
    if isinstance(node, ast.ClassDef):
        inner = [each for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
        name = f"{owner}{node.name}"
        node.body = [each for each in node.body if each not in inner]
        found.append(_part(name, node, node.name))
        for each in inner:
            _split(each, f"{name}.", found)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found.append(_part(f"{owner}{node.name}", node, owner.rpartition(".")[0].rpartition(".")[2]))
    else:
        found.append(_part("", node, ""))


def _part(name: str, node: ast.stmt, cls: str) -> Part:
    """``cls`` is the class that a method is of: who builds it runs its constructor."""
    gives, uses, calls = set(filter(None, [name.rpartition(".")[2]])), set(), set()
    constructs = name.rpartition(".")[2].startswith("__")
    if constructs and cls:
        gives.add(cls)
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            uses.add(each.id)
            if not isinstance(each.ctx, ast.Load) and (not name or isinstance(node, ast.ClassDef)):
                gives.add(each.id)
        elif isinstance(each, ast.Attribute):
            uses.add(each.attr)
            if not isinstance(each.ctx, ast.Load):
                gives.add(each.attr)
        elif isinstance(each, ast.Call):
            calls.add(each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", ""))
            handed = [*each.args, *(keyword.value for keyword in each.keywords)]  # what may be called by the callee
            calls.update(a.id for a in handed if isinstance(a, ast.Name))
            calls.update(a.attr for a in handed if isinstance(a, ast.Attribute))
        elif isinstance(each, ast.keyword) and each.arg:
            uses.add(each.arg)
        elif isinstance(each, ast.alias):
            gives.update({(each.asname or each.name).partition(".")[0]} if not name else ())
            uses.update(each.name.split("."))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            uses.add(each.value)
        elif isinstance(each, ast.Global):
            gives.update(each.names)
    attributes = frozenset(each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return Part(name, frozenset(gives), frozenset(uses | calls), frozenset(calls - {""}), attributes, ast.dump(node))


def changed_parts(before: Collection[Part], after: Collection[Part]) -> tuple[Part, ...]:
    """Of ``after``, what ``before`` does not say; where other statements only change places, all of these."""
    left = Counter((part.name, part.text) for part in before)
    new = [part for part in after if not _taken(left, part)]
    if [p.text for p in after if not p.name] != [p.text for p in before if not p.name]:
        order = [p.text for p in before if not p.name and (p.name, p.text) not in left]
        if order != [p.text for p in after if not p.name and p not in new]:
            return (*new, *(p for p in after if not p.name and p not in new))
    return tuple(new)


def _taken(left: Counter[tuple[str, str]], part: Part) -> bool:
    key = (part.name, part.text)
    if left[key] <= 0:
        return False
    left[key] -= 1
    if not left[key]:
        del left[key]
    return True


class Spread:
    """One computation in one project: from parts that changed, or whole files, to the files that they reach."""

    def __init__(self, project: Project, text: Callable[[str], str]) -> None:
        self._project = project
        self._text = text
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._ahead, self._behind = _links(project)
        self._reached: dict[tuple[str, bool], frozenset[str]] = {}
        self._holding: dict[str, tuple[str, ...]] = {}
        self._definers: dict[str, list[str]] = {}
        for path, module in project.modules.items():
            for definition in module.definitions:
                if definition.kind in {"function", "class"}:
                    self._definers.setdefault(definition.name.rpartition(".")[2], []).append(path)

    def files(self, changed: dict[str, Collection[Part] | None]) -> frozenset[str]:
        """The files of all that the changed parts reach; None stands for all parts of a file."""
        up: list[tuple[str, Part]] = []
        for path, several in changed.items():
            up += [(path, part) for part in (several if several is not None else self._of(path))]
        seen = set(up)
        below: set[tuple[str, Part]] = set()
        for path, part in up:  # grows while it is read
            fresh = [*self._users(path, part.gives)]
            for at, callee, called in self._called(path, part, below):
                # What is called with other arguments may assign other attributes.
                fresh += self._users(at, callee.gives - {called, callee.name.rpartition(".")[2]})
            for each in fresh:
                if each not in seen:
                    seen.add(each)
                    up.append(each)
        return frozenset(path for path, _ in seen | below) | frozenset(changed)

    def _called(self, path: str, part: Part, below: set[tuple[str, Part]]) -> Iterator[tuple[str, Part, str]]:
        """What a part calls, and what that calls, each once in a run, with the name by which it is called."""
        todo = [(path, part)]
        while todo:
            at, caller = todo.pop()
            for name in sorted(caller.calls):
                for target in sorted(set(self._definers.get(name, ()))):
                    far = target != at and target not in self._reach(at, ahead=True)
                    if far and not (name in caller.attributes and self._rare(name)):
                        continue
                    for each in self._of(target):
                        if name in each.gives and each.name and (target, each) not in below:
                            below.add((target, each))
                            todo.append((target, each))
                            yield target, each, name

    def _users(self, path: str, names: Collection[str]) -> Iterator[tuple[str, Part]]:
        """The parts that mention one of the names that a part of a file gives."""
        near = self._reach(path, ahead=True) | self._reach(path, ahead=False)
        for name in sorted(names):
            if name.startswith("__"):
                continue
            if name not in self._holding:
                self._holding[name] = self._project.holding(name.encode("utf-8", "replace"))
            for other in self._holding[name]:
                if other in near or self._rare(name):
                    for each in self._of(other):
                        if name in (each.uses if other in near else each.attributes):
                            yield other, each

    def _rare(self, name: str) -> bool:
        return len(name) > 3 and name not in _BUILT_IN and 0 < len(self._definers.get(name, ())) <= RARE

    def _of(self, path: str) -> tuple[Part, ...]:
        if path not in self._parts:
            try:
                self._parts[path] = parts(self._text(path))
            except (OSError, KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
                self._parts[path] = (_opaque(self._project, path),)
        return self._parts[path]

    def _reach(self, path: str, *, ahead: bool) -> frozenset[str]:
        """The files that a file leads to, or that lead to it, itself among them."""
        if (path, ahead) not in self._reached:
            links = self._ahead if ahead else self._behind
            found, todo = {path}, [path]
            while todo:
                for each in links.get(todo.pop(), ()):
                    if each not in found:
                        found.add(each)
                        todo.append(each)
            self._reached[path, ahead] = frozenset(found)
        return self._reached[path, ahead]


def _opaque(project: Project, path: str) -> Part:
    """A file that cannot be parsed as it stands (a notebook): one part that gives and uses every name in it."""
    names = frozenset(name.decode("ascii", "replace") for name in project.identifiers(path))
    return Part("<file>", names, names, names, names, "")


def _links(project: Project) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """File -> the files that it imports, or has classes derived from its own; and the reverse."""
    ahead: dict[str, set[str]] = {}
    behind: dict[str, set[str]] = {}
    for path, module in project.modules.items():
        for target in _imported(project, path, module.imports):
            ahead.setdefault(path, set()).add(target)
            behind.setdefault(target, set()).add(path)
        bases = {base.partition(".")[0] for unit in module.units for base in unit.bases}
        for base in sorted(bases):
            for target in _imported(project, path, project.imports_in(path).get(base, ())):
                ahead.setdefault(target, set()).add(path)
                behind.setdefault(path, set()).add(target)
    return ahead, behind


def _imported(project: Project, path: str, rows: Iterable[Import]) -> Iterator[str]:
    for row in rows:
        for target, _ in project.import_targets(path, row):
            if target != path:
                yield target
