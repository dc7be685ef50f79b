"""Which files hold loops that a change can have touched, told by the names in what changed.

A value flows *up* from what changed to whatever mentions a name that it gives, and *down* from there into the functions
that are called with it, or under a limit that it sets (``tainted``): ``run(cap=settings.limit())`` takes a change of
``limit`` to the loop in ``run``, although neither file imports the other. Bare names are followed through imports.
Names behind a dot count where one file leads to the other by its imports, a class that others derive from leading to
these; a method that few classes define counts everywhere, since its receiver may come from anywhere; behind ``self``
only a class counts that an object of this one may have.
"""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.index import Import, Project
from toolbind_lint.tainted import EVERYTHING, Called, Spots, parameters, said, spots

RARE = 3
"""Methods of a name that the project may define for a bare ``anything.name()`` to mean them."""
MOST = 1000
"""Parts that a change may flow up to. Behind that, the files that lead to it and what these lead to are the answer."""
WHOLE = "<file>"
"""The name of the one part of a file that cannot be parsed as it stands."""
_BUILT_IN = frozenset(name for kind in (str, bytes, list, dict, set, tuple, int) for name in dir(kind))


class Part(NamedTuple):
    """A function, a method, the rest of a class, or another statement. ``gives`` are the names that others may know it
    by, ``fields`` the attributes that it assigns; ``uses`` the names in it that are not its own locals, ``attributes``
    those behind a dot; ``heads`` pairs the name directly before a dot (empty for any other expression) with the
    attribute behind it; ``text`` is what it says, whatever its format; ``node`` is None where it could not be parsed.
    ``kept`` are the statements of one that changed which the other side has, in that order; empty for none.
    """

    name: str
    gives: frozenset[str]
    uses: frozenset[str]
    calls: frozenset[str]
    attributes: frozenset[str]
    fields: frozenset[str]
    text: str
    is_class: bool = False
    heads: frozenset[tuple[str, str]] = frozenset()
    node: ast.stmt | None = None
    kept: tuple[int, ...] = ()

    @property
    def owner(self) -> str:
        """The class that a method is of, or the class itself; empty for neither."""
        return self.name.rpartition(".")[2] if self.is_class else self.name.rpartition(".")[0].rpartition(".")[2]

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
    heads: set[tuple[str, str]] = set()
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
            heads.add((_head(each), each.attr))
            if not isinstance(each.ctx, ast.Load):
                fields.add(each.attr)
        elif isinstance(each, ast.Call):
            calls.add(each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", ""))
            handed = [*each.args, *(keyword.value for keyword in each.keywords)]  # what may be called by the callee
            calls.update(a.id for a in handed if isinstance(a, ast.Name))
            calls.update(a.attr for a in handed if isinstance(a, ast.Attribute))
        elif isinstance(each, ast.keyword) and each.arg:
            attributes.add(each.arg)  # a field that is given
            heads.add(("", each.arg))
        elif isinstance(each, ast.alias):
            gives.update({(each.asname or each.name).partition(".")[0]} if not name else ())
            uses.update(each.name.split("."))
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            attributes.add(each.value)
            heads.add(("", each.value))
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
        heads=frozenset(heads),
        node=node,
    )


def _head(attribute: ast.Attribute) -> str:
    """What stands before a dot, where it is a name or ``super()``."""
    base = attribute.value
    if isinstance(base, ast.Name):
        return base.id
    if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
        return "super"
    return ""


def changed_parts(before: Collection[Part], after: Collection[Part]) -> tuple[Part, ...]:
    """Of ``after``, what ``before`` does not say; where other statements only change places, all of these."""
    left = Counter((part.name, part.text) for part in before)
    new = [part for part in after if not _taken(left, part)]
    named = Counter(part.name for part in (*before, *new))
    was = {part.name: part for part in before if part.name and named[part.name] == 2}
    new = [_beside(part, was.get(part.name)) for part in new]
    if [p.text for p in after if not p.name] != [p.text for p in before if not p.name]:
        order = [p.text for p in before if not p.name and (p.name, p.text) not in left]
        if order != [p.text for p in after if not p.name and p not in new]:
            return (*new, *(p for p in after if not p.name and p not in new))
    return tuple(new)


def _beside(part: Part, was: Part | None) -> Part:
    """A part that changed, with what it still says; nothing where that is in another order or its head is another."""
    if was is None or was.node is None or part.node is None or _head_of(part.node) != _head_of(was.node):
        return part
    old, new = said(was.node), said(part.node)
    both = set(old) & set(new)
    same_order = [each for each in old if each in both] == [each for each in new if each in both]
    return part._replace(kept=tuple(each for each in new if each in both)) if same_order else part


def _head_of(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, ast.ClassDef):
        return tuple(map(ast.dump, (*node.decorator_list, *node.bases, *node.keywords)))
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return (type(node).__name__, ast.dump(node.args), *map(ast.dump, node.decorator_list))
    return (type(node).__name__,)


def _taken(left: Counter[tuple[str, str]], part: Part) -> bool:
    key = (part.name, part.text)
    if left[key] <= 0:
        return False
    left[key] -= 1
    if not left[key]:
        del left[key]
    return True


_OWN = frozenset({"self", "cls", "super"})


class Kin:
    """Which classes of a project an object of one may have, by their names alone, and what these have for members: one
    that is derived from it, and all from which such a one is.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._related: tuple[dict[str, set[str]], dict[str, set[str]]] | None = None
        self._members: dict[str, set[str]] = {}
        self._families: dict[str, frozenset[str]] = {}

    def may_be(self, owner: str, other: str, name: str) -> bool:
        """Whether ``self.name`` in one class may be the member of another: it is related, or it is not known whose."""
        family = self._family(owner)
        return other in family or not any(name in self._members.get(each, ()) for each in family)

    def _family(self, name: str) -> frozenset[str]:
        if name not in self._families:
            bases, derived = self._relations()
            below = _closure([name], derived)
            self._families[name] = frozenset(_closure(sorted(below), bases))
        return self._families[name]

    def _relations(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        if self._related is None:
            units = [unit for module in self._project.modules.values() for unit in module.units]
            classes = {unit.name.rpartition(".")[2] for unit in units if unit.kind == "class"}
            bases: dict[str, set[str]] = {}
            derived: dict[str, set[str]] = {}
            for unit in units:
                own = unit.name.rpartition(".")[2]
                if unit.kind == "class":
                    for base in {each.rpartition(".")[2] for each in unit.bases} & classes:
                        bases.setdefault(own, set()).add(base)
                        derived.setdefault(base, set()).add(own)
                    self._members.setdefault(own, set()).update(unit.stores or ())
                elif unit.owner:
                    members = self._members.setdefault(unit.owner.rpartition(".")[2], set())
                    members.update({own}, unit.stores or ())
            self._related = bases, derived
        return self._related


def _closure(starts: Iterable[str], links: dict[str, set[str]]) -> set[str]:
    found, todo = set(starts), list(starts)
    while todo:
        for each in links.get(todo.pop(), ()):
            if each not in found:
                found.add(each)
                todo.append(each)
    return found


def _given(part: Part, names: frozenset[str] | None, spots: Spots) -> frozenset[str]:
    """The names of a part that may stand for something else: all of what changed itself, else those that it reaches."""
    if part.node is None or (names is None and not part.kept):
        return part.gives | part.fields
    function = isinstance(part.node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return part.gives if function else part.gives & (spots.names | (names or frozenset()))


def _bound(part: Part) -> bool:
    """Whether the first parameter of a method is its object or class."""
    decorators = getattr(part.node, "decorator_list", ())
    return bool(part.owner) and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in decorators)


def _builds(part: Part) -> bool:
    """Whether calling a part makes an object."""
    return part.is_class or part.name.rpartition(".")[2].startswith("__")


def _filled(part: Part, call: Called, spots: Spots) -> frozenset[str]:
    """The fields of an object that get something tainted: of a new one where a call builds it, else of its own."""
    if part.is_class:
        named = frozenset(each for each in call.carrying if isinstance(each, str) and each != "self")
        fields = (part.gives | part.fields) - {part.owner}
        return fields & named if len(named) == len(call.carrying) else fields
    return spots.fields


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
        self._spots: dict[tuple[int, frozenset[str] | None], Spots] = {}
        self._hot: dict[str, frozenset[str]] = {}
        self._foreign: dict[str, frozenset[str]] = {}
        self._kin = Kin(project)
        self._definers: dict[str, dict[str, None]] = {}
        for path, module in project.modules.items():
            for definition in module.definitions:
                if definition.kind in {"function", "class"}:
                    self._definers.setdefault(definition.name.rpartition(".")[2], {})[path] = None

    def files(self, changed: dict[str, Collection[Part] | None]) -> frozenset[str]:
        """The files of all that the changed parts reach; None stands for all parts of a file."""
        reached = set(changed)
        known: dict[int, frozenset[str] | None] = {}
        up: deque[tuple[str, Part]] = deque()
        for path, several in changed.items():
            for part in several if several is not None else self._of(path):
                known[id(part)] = None
                up.append((path, part))
        below: dict[int, frozenset[str] | None] = {}
        while up:
            path, part = up.popleft()
            reached.add(path)
            if len(known) > MOST:
                above = {each for start in sorted(changed) for each in self._reach(start, ahead=False)}
                return frozenset(reached.union(above, *(self._reach(each, ahead=True) for each in sorted(above))))
            names = known[id(part)]
            spots = self._come_to(path, part, names)
            users: list[tuple[str, str, Part]] = []
            for at, fields, callee in self._called(path, part, spots, below):
                if self._leads(at, callee):
                    reached.add(at)
                reached.update(self._holding_fields(at, callee, fields))
                if not _builds(callee):
                    users += self._kin_reading(at, callee, fields)
            users += self._users(path, part, _given(part, names, spots), spots.fields)
            for name, other, each in users:
                before = known.get(id(each), frozenset())
                if before is not None and name not in before:
                    known[id(each)] = before | {name} if each.node is not None else None
                    up.append((other, each))
        return frozenset(reached)

    def _come_to(self, path: str, part: Part, names: frozenset[str] | None) -> Spots:
        """Where some names come to in a part; a file that cannot be parsed keeps all that it uses."""
        if part.node is None:
            return Spots(frozenset(Called(name, "", EVERYTHING) for name in part.calls), part.fields, part.uses)
        key = id(part), names
        if key not in self._spots:
            self._spots[key] = spots(part.node, names, part.kept, self._libraries(path))
        return self._spots[key]

    def _libraries(self, path: str) -> frozenset[str]:
        """The names of a file that stand for something of a library."""
        if path not in self._foreign:
            rows = self._project.imports_in(path)
            self._foreign[path] = frozenset(
                name
                for name, several in rows.items()
                if not any(self._project.import_targets(path, r) for r in several)
            )
        return self._foreign[path]

    def _called(
        self, path: str, part: Part, start: Spots, below: dict[int, frozenset[str] | None]
    ) -> Iterator[tuple[str, frozenset[str], Part]]:
        """What is called with what is tainted, and what that calls with it: the file, the fields that may get it."""
        todo = [(path, part, start)]
        while todo:
            at, caller, found = todo.pop()
            for call in sorted(found.calls, key=lambda c: (c.name, c.head or "", sorted(map(str, c.carrying)))):
                for target, each in self._callees(at, caller, call) if call.carrying else ():
                    names = self._names(each, call)
                    before = below.get(id(each), frozenset())
                    if id(each) in below and (before is None or (names is not None and names <= before)):
                        continue
                    both = None if names is None or before is None else names | before
                    below[id(each)] = both
                    spots = self._come_to(target, each, both)
                    if self._leads(target, each):
                        todo.append((target, each, spots))
                    # What only runs under another limit keeps nothing of it.
                    filled = _filled(each, call, spots) if both is not None or _builds(each) else frozenset()
                    yield target, filled, each

    def _names(self, part: Part, call: Called) -> frozenset[str] | None:
        return parameters(part.node, call.carrying, _bound(part)) if part.node is not None else None

    def _leads(self, path: str, part: Part) -> bool:
        """Whether something that is judged stands in a part, or in what it calls."""
        if part.node is None:
            return True
        if path not in self._hot:
            units = self._project.modules[path].units
            self._hot[path] = frozenset(units[each].name for each in self._project.hot(path))
        return part.name in self._hot[path]

    def _callees(self, path: str, caller: Part, call: Called) -> Iterator[tuple[str, Part]]:
        """The functions, methods and classes that a call may mean."""
        for target in self._defining(path, caller, call):
            for each in self._giving(target, call.name):
                if call.head not in _OWN or not caller.owner or self._kin.may_be(caller.owner, each.owner, call.name):
                    yield target, each

    def _defining(self, path: str, caller: Part, call: Called) -> Collection[str]:
        definers = self._definers.get(call.name, {})
        if not definers or (call.name in _BUILT_IN and call.head not in {None, *_OWN}):
            return ()  # of a string or a container, as far as anybody can tell
        if call.head is None:
            if path in definers:
                return (path,)
            rows = self._project.imports_in(path).get(call.name, ())
            targets = {
                defined
                for row in rows
                for target, name in self._project.import_targets(path, row)
                for defined, _ in (self._project.definitions_of(target, name) if name is not None else ())
            }
            if targets:
                return sorted(targets)
            if rows and not any(self._project.import_targets(path, row) for row in rows):
                return ()  # of a library
        allowed = self._behind_import(path, call.head) if call.head else None
        if allowed is not None:
            return [target for target in definers if target in allowed]
        near = self._reach(path, ahead=True)
        rare = call.head is not None and self._rare(call.name)
        return [target for target in definers if target == path or target in near or rare]

    def _behind_import(self, path: str, name: str) -> frozenset[str] | None:
        """The files in which something may be defined that is read off an imported name; None where it is no import."""
        rows = self._project.imports_in(path).get(name, ())
        if not rows:
            return None
        targets = {target for row in rows for target, _ in self._project.import_targets(path, row)}
        return frozenset().union(*(self._reach(target, ahead=True) for target in sorted(targets)))

    def _holding_fields(self, path: str, part: Part, fields: frozenset[str]) -> Iterator[str]:
        """The files that read a field of an object which is built with other arguments, and speak of its class."""
        if fields and _builds(part):
            near = self._reach(path, ahead=True) | self._reach(path, ahead=False)
            for other in self._holders(part.owner):
                if other in near and not fields.isdisjoint(self._using(other)):
                    yield other

    def _users(
        self, path: str, part: Part, given: frozenset[str], fields: frozenset[str]
    ) -> Iterator[tuple[str, str, Part]]:
        """The parts that mention one of the names that a part of a file gives, or read a field that it assigns."""
        near = self._reach(path, ahead=True) | self._reach(path, ahead=False)
        member = "." in part.name and not part.is_class
        for name in sorted(given | fields):
            if name.startswith("__"):
                continue
            dotted = name not in given or (member and name == part.name.rpartition(".")[2])
            for other in self._holders(name):
                if other in near or self._rare(name):
                    for each in self._using(other).get(name, ()):
                        read = name in each.attributes and self._may_mean(path, part, other, each, name)
                        if read or (other in near and self._is_named(path, other, each, name, dotted=dotted)):
                            yield name, other, each

    def _kin_reading(self, path: str, part: Part, fields: frozenset[str]) -> Iterator[tuple[str, str, Part]]:
        """The methods that read off their own object a field which a method of a related class assigns."""
        for name, other, each in self._users(path, part, frozenset(), fields) if fields and part.owner else ():
            if each.owner and any(head in _OWN and attribute == name for head, attribute in each.heads):
                yield name, other, each

    def _is_named(self, path: str, other: str, part: Part, name: str, *, dotted: bool) -> bool:
        """Whether a part may mean what another file gives by a bare name."""
        if dotted:
            return part.is_class  # a member that a class takes under another name
        if path == other or part.node is None:
            return True
        project = self._project
        for row in project.modules[other].imports if other in project.modules else ():
            if row.name in {name, "*"}:
                for target, _ in project.import_targets(other, row):
                    if target == path or (
                        path in self._reach(target, ahead=True)
                        and (
                            row.name == "*" or not (project.imports_in(target).get(name) or self._giving(target, name))
                        )
                    ):
                        return True
        return False

    def _may_mean(self, path: str, part: Part, other: str, user: Part, name: str) -> bool:
        """Whether an attribute of a part may be the one of this name that another part gives."""
        if user.node is None or part.node is None:
            return True
        for head, attribute in user.heads:
            if attribute != name:
                continue
            if head in _OWN and user.owner:
                if self._kin.may_be(user.owner, part.owner, name):
                    return True
                continue
            allowed = self._behind_import(other, head) if head else None
            if allowed is None or path in allowed:
                return True
        return False

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
