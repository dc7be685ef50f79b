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
MOST = 300
"""Parts that a change may flow up to. Behind that, the files that lead to it and what these lead to are the answer."""
WHOLE = "<file>"
"""The name of the one part of a file that cannot be parsed as it stands."""
_BUILT_IN = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int) for name in dir(kind))


class Part(NamedTuple):
    """A function, a method, the rest of a class, or another statement. ``gives`` are the names that others may know it
    by, ``fields`` the attributes that it assigns; ``uses`` the names in it that are not its own locals, ``attributes``
    those behind a dot; ``text`` is what it says, whatever its format.
    """

    name: str
    gives: frozenset[str]
    uses: frozenset[str]
    calls: frozenset[str]
    attributes: frozenset[str]
    fields: frozenset[str]
    text: str
    is_class: bool = False

    @property
    def called(self) -> frozenset[str]:
        """The names by which it is called: its own, of a constructor also that of its class; all of a whole file."""
        owner, _, own = self.name.rpartition(".")
        if self.name == WHOLE:
            return self.gives
        return frozenset({own, owner.rpartition(".")[2]} if own.startswith("__") else {own})


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
    gives = set(filter(None, [name.rpartition(".")[2]]))
    uses: set[str] = set()
    calls: set[str] = set()
    fields: set[str] = set()
    attributes: set[str] = set()
    own: set[str] = set()
    shared: set[str] = set()
    inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    if name.rpartition(".")[2].startswith("__") and cls:
        gives.add(cls)
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            uses.add(each.id)
            if not isinstance(each.ctx, ast.Load):
                (own if inside else gives).add(each.id)
        elif isinstance(each, ast.arg):
            own.add(each.arg)
        elif isinstance(each, ast.Attribute):
            attributes.add(each.attr)
            if not isinstance(each.ctx, ast.Load):
                fields.add(each.attr)
        elif isinstance(each, ast.Call):
            calls.add(each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", ""))
            handed = [*each.args, *(keyword.value for keyword in each.keywords)]  # what may be called by the callee
            calls.update(a.id for a in handed if isinstance(a, ast.Name))
            calls.update(a.attr for a in handed if isinstance(a, ast.Attribute))
        elif isinstance(each, ast.keyword) and each.arg:
            attributes.add(each.arg)  # a field that is given
        elif isinstance(each, ast.alias):
            gives.update({(each.asname or each.name).partition(".")[0]} if not name else ())
            uses.update(each.name.split("."))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            attributes.add(each.value)
        elif isinstance(each, ast.Global):
            gives.update(each.names)
            shared.update(each.names)
    uses = (uses - (own - shared)) | attributes
    return Part(
        name=name,
        gives=frozenset(gives),
        uses=frozenset(uses),
        calls=frozenset(calls - {""}),
        attributes=frozenset(attributes),
        fields=frozenset(fields),
        text=ast.dump(node),
        is_class=isinstance(node, ast.ClassDef),
    )


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
        self._uses: dict[str, dict[str, list[Part]]] = {}
        self._holding: dict[str, tuple[str, ...]] = {}
        self._definers: dict[str, dict[str, None]] = {}
        for path, module in project.modules.items():
            for definition in module.definitions:
                if definition.kind in {"function", "class"}:
                    self._definers.setdefault(definition.name.rpartition(".")[2], {})[path] = None

    def files(self, changed: dict[str, Collection[Part] | None]) -> frozenset[str]:
        """The files of all that the changed parts reach; None stands for all parts of a file."""
        up: list[tuple[str, Part]] = []
        for path, several in changed.items():
            up += [(path, part) for part in (several if several is not None else self._of(path))]
        seen = {id(part) for _, part in up}
        below: set[int] = set()
        reached = set(changed)
        for path, part in up:  # grows while it is read
            reached.add(path)
            if len(up) > MOST:
                above = {each for start in sorted(changed) for each in self._reach(start, ahead=False)}
                return frozenset(reached.union(above, *(self._reach(each, ahead=True) for each in sorted(above))))
            for at, callee in self._called(path, part, below):
                reached.add(at)
                reached.update(self._holding_fields(at, callee))
            for other, each in self._users(path, part):
                if id(each) not in seen:
                    seen.add(id(each))
                    up.append((other, each))
        return frozenset(reached)

    def _called(self, path: str, part: Part, below: set[int]) -> Iterator[tuple[str, Part]]:
        """What a part calls, and what that calls, each once in a run."""
        todo = [(path, part)]
        while todo:
            at, caller = todo.pop()
            for name in sorted(caller.calls):
                for target in self._definers.get(name, ()):
                    far = target != at and target not in self._reach(at, ahead=True)
                    if far and not (name in caller.attributes and self._rare(name)):
                        continue
                    for each in self._giving(target, name):
                        if id(each) not in below:
                            below.add(id(each))
                            todo.append((target, each))
                            yield target, each

    def _holding_fields(self, path: str, part: Part) -> Iterator[str]:
        """The files that read a field of an object which is built with other arguments, and speak of its class."""
        constructs = part.name.rpartition(".")[2].startswith("__")
        cls = part.name.rpartition(".")[0].rpartition(".")[2] if constructs else part.name.rpartition(".")[2]
        if constructs or part.is_class:
            fields = (part.gives | part.fields) - {cls, part.name.rpartition(".")[2]}
            near = self._reach(path, ahead=True) | self._reach(path, ahead=False)
            for other in self._holders(cls) if fields else ():
                if other in near and not fields.isdisjoint(self._using(other)):
                    yield other

    def _users(self, path: str, part: Part) -> Iterator[tuple[str, Part]]:
        """The parts that mention one of the names that a part of a file gives, or read a field that it assigns."""
        near = self._reach(path, ahead=True) | self._reach(path, ahead=False)
        member = "." in part.name and not part.is_class
        for name in sorted(part.gives | part.fields):
            if name.startswith("__"):
                continue
            dotted = name not in part.gives or (member and name == part.name.rpartition(".")[2])
            for other in self._holders(name):
                if other in near or self._rare(name):
                    for each in self._using(other).get(name, ()):
                        if name in each.attributes or (other in near and (not dotted or each.is_class)):
                            yield other, each

    def _holders(self, name: str) -> tuple[str, ...]:
        if name not in self._holding:
            self._holding[name] = self._project.holding(name.encode("utf-8", "replace"))
        return self._holding[name]

    def _using(self, path: str) -> dict[str, list[Part]]:
        """The parts of a file by the names that they use."""
        if path not in self._uses:
            table: dict[str, list[Part]] = {}
            for part in self._of(path):
                for name in part.uses:
                    table.setdefault(name, []).append(part)
            self._uses[path] = table
        return self._uses[path]

    def _giving(self, path: str, name: str) -> list[Part]:
        """The functions, methods and classes of a file that are called by a name, with the constructors of a class."""
        return [part for part in self._of(path) if part.name and name in part.gives and name in part.called]

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
    return Part(WHOLE, names, names, names, names, names, "")


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
