"""Which statements may hold what we look for: those with a word of the catalogue, and, to a fixpoint, those that call
them.

A *unit* (a function, a method, the rest of a class, another statement) is **hot** when it holds a word, or when it uses
a hot function. A use is matched by resolution wherever that is possible, by its last name only where it is not:

* ``f()`` means what the module defines or imports under that name, through re-exports; a local or a builtin means
  nothing.
* ``module.f()`` and ``Class.m()`` are resolved likewise; a root that is imported from outside the project ends it.
* ``self.m()`` means a method of the classes above and below its own.
* ``anything.m()`` means every method ``m`` when at most ``RARE`` modules define one and at most ``SELDOM`` use it. A
  commoner name counts only where the module itself imports the module of the method's class, or of a class above or
  below it (an abstract model), and so does a rare one that is only read, as properties are; a method of the builtin
  types (``get``, ``append``, ``join``) only where it imports such a class by name.
* A function handed to another makes the other hot: ``drive(step)`` means that ``drive`` may call ``step``. Who else
  calls ``drive`` stays as it is.
* A class with a hot ``__init__`` is called by its name, one with a hot ``__call__`` through variables built from it.

Candidates are the statements of the hot units that hold a word, and of those that can go round: with a loop statement,
or calling themselves, or each other in a ring. What merely passes a call on is found by whoever follows the calls.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from toolbind_lint.index.records import ModuleIndex, Unit, last_name

if TYPE_CHECKING:
    from toolbind_lint.index import Project

RARE = 3
"""Modules that may define a method for its bare name to count everywhere."""
SELDOM = 20
"""Modules that may use the bare name of such a method for it to count everywhere."""

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_BUILTIN_METHODS = frozenset(
    name for cls in (str, bytes, list, dict, set, tuple, int, float) for name in dir(cls) if not name.startswith("_")
)
_OWN = frozenset({"self", "cls", "super"})


class _At(NamedTuple):
    """A unit, by file and number."""

    path: str
    number: int


class _Use(NamedTuple):
    """A name used in a unit: as a callee, or as a value."""

    at: _At
    dotted: str
    called: bool


class _Target(NamedTuple):
    """What a dotted name means: a definition, ``rest`` being what is left of the name behind it."""

    path: str
    name: str
    kind: str
    rest: tuple[str, ...]


Class = tuple[str, str]
"""A class by file and qualified name."""


def _closure(name: str, further: dict[str, set[str]]) -> list[str]:
    """A name and what it leads to, in a fixed order."""
    if name not in further:
        return [name]
    found = [name]
    for each in found:
        found += [other for other in sorted(further.get(each, ())) if other not in found]
    return found


def _roots(unit: Unit) -> set[str]:
    return {dotted.partition(".")[0] for dotted in unit.calls | unit.loads}


def _between_rings(uses: Mapping[_At, Collection[_At]]) -> list[_At]:
    """Of units and those that they use, the ones in rings, or between two: what starts and what ends is peeled off."""
    onward = {at: set(used) for at, used in uses.items()}
    back: dict[_At, set[_At]] = {at: set() for at in uses}
    for at, used in onward.items():
        for each in used:
            back[each].add(at)
    left = dict.fromkeys(uses)
    ends = [at for at in left if not onward[at] or not back[at]]
    while ends:
        at = ends.pop()
        if at not in left:
            continue
        del left[at]
        for one, other in ((onward, back), (back, onward)):
            for each in one[at]:
                other[each].discard(at)
                if each in left and not other[each]:
                    ends.append(each)
    return list(left)


class Leading(NamedTuple):
    """What leads to some units: per file the numbers of the units that use one of them, directly or not, these
    themselves among them; and of these the functions in ``rings``, that come round to themselves or lead from one
    that does to another.
    """

    units: Mapping[str, frozenset[int]]
    rings: Mapping[str, frozenset[int]]


def _by_file(units: Iterable[_At]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for at in units:
        found[at.path].add(at.number)
    return {path: frozenset(found[path]) for path in sorted(found)}


class Reach:
    """One computation of the candidates of a project, or of what leads to some of its units (``starts``)."""

    def __init__(self, project: Project, starts: Mapping[str, Collection[int]] | None = None) -> None:
        self._project = project
        self._starts = starts
        self._modules: dict[str, ModuleIndex] = {}
        self._uses: dict[str, list[_Use]] = defaultdict(list)
        self._hot: dict[_At, None] = {}
        self._hot_functions: dict[str, list[_At]] = defaultdict(list)
        self._queue: deque[_At] = deque()
        self._quiet: set[_At] = set()
        self._users: dict[str, tuple[int, int]] = {}
        self._defining: dict[str, set[str]] = defaultdict(set)
        self._functions: dict[tuple[str, str], list[_At]] = defaultdict(list)
        self._bases: dict[Class, tuple[Class, ...]] = {}
        self._derived: dict[Class, list[Class]] = defaultdict(list)
        self._words: dict[_At, None] = {}
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._originals: dict[str, set[str]] = defaultdict(set)
        self._made: dict[str, list[tuple[str, Unit, str, str]]] = defaultdict(list)
        self._calling: dict[tuple[str, str], list[_At]] = defaultdict(list)
        self._hot_names: dict[str, dict[Class, None]] = defaultdict(dict)
        self._families: dict[Class, frozenset[Class]] = {}
        self._direct: dict[str, tuple[frozenset[str], frozenset[Class]]] = {}
        self._resolved: dict[tuple[str, str, str], tuple[_Target, ...] | None] = {}
        self._passed_on: set[str] = set()
        self._callable: dict[Class, None] = {}
        self._looked_for: set[str] = set()

    def candidates(self) -> dict[str, tuple[int, ...]]:
        """Per file, sorted, the numbers of the statements worth reading, sorted."""
        self._spread_all()
        return self._statements()

    def _spread_all(self) -> None:
        self._add(list(self._project.seeded if self._starts is None else sorted(self._starts)))
        self._spread()
        resting = {path: self._project.identifiers(path) for path in self._project.paths if path not in self._modules}
        while True:
            new = self._new_names()
            found = [path for path, names in resting.items() if path not in self._modules and not names.isdisjoint(new)]
            if not found:
                return
            self._add(found)
            self._spread()

    def hot(self) -> dict[str, frozenset[int]]:
        """After ``candidates`` or ``leading``: per file the numbers of its hot units."""
        return _by_file(self._hot)

    def leading(self) -> Leading:
        """What leads to the starts."""
        self._spread_all()
        functions = [at for at in self._hot if self._unit(at).kind == "function"]
        return Leading(self.hot(), _by_file(self._cyclic(self._named_round(functions))))

    def _named_round(self, functions: list[_At]) -> list[_At]:
        """Of hot functions those that by their names alone can come round to themselves, or lead from one that can to
        another. Whoever calls a class may come to its constructor; any call may come to a ``__call__``.
        """
        left = dict.fromkeys(functions)
        names = {at: self._called_as(at) for at in left}
        uses = {at: self._named_in(at) for at in left}
        while True:
            used = {name for at in left for name in uses[at]}
            known = {name for at in left for name in names[at]}
            free = "__call__" in known
            ends = [
                at
                for at in left
                if (used.isdisjoint(names[at]) and "__call__" not in names[at])
                or not (free or not known.isdisjoint(uses[at]))
            ]
            if not ends:
                return list(left)
            for at in ends:
                del left[at]

    def _named_in(self, at: _At) -> set[str]:
        """The last names of all that a unit uses, also as they were before an import renamed them."""
        unit = self._unit(at)
        return {name for dotted in unit.calls | unit.loads for name in _closure(last_name(dotted), self._originals)}

    def _called_as(self, at: _At) -> tuple[str, ...]:
        """The last names by which a function may be called."""
        unit = self._unit(at)
        name = last_name(unit.name)
        if name not in _CONSTRUCTORS:
            return (name,)
        cls = (at.path, unit.owner)
        return (name, *(last_name(each) for _, each in (cls, *self._below(cls))))

    def _new_names(self) -> set[bytes]:
        """The names that became hot, or lead to what is, since the last time."""
        names = {
            alias
            for name in (*self._hot_functions, *self._hot_names, *self._passed_on)
            for alias in _closure(name, self._aliases)
            if alias not in self._looked_for
        }
        self._looked_for |= names
        return {name.encode("utf-8", "replace") for name in names}

    def _statements(self) -> dict[str, tuple[int, ...]]:
        """The statements of the hot units that hold a word or can go round."""
        found: dict[str, set[int]] = defaultdict(set)
        quiet = []
        for at in self._hot:
            if at in self._words or self._unit(at).loops:
                found[at.path].add(self._unit(at).statement)
            else:
                quiet.append(at)
        for at in self._cyclic(quiet):
            found[at.path].add(self._unit(at).statement)
        return {path: tuple(sorted(found[path])) for path in sorted(found) if not path.endswith(".pyi")}

    def _cyclic(self, quiet: list[_At]) -> list[_At]:
        """Of hot units those that use each other in a ring, or lead from one ring to another."""
        inside = set(quiet)
        uses: dict[_At, list[_At]] = {}
        called = [at for at in quiet if last_name(self._unit(at).name) == "__call__"]
        made: dict[str, list[_At]] = defaultdict(list)
        for at in quiet:
            for name in self._called_as(at)[1:]:
                made[name].append(at)
        for at in quiet:
            unit = self._unit(at)
            named = [
                (_Use(at, dotted, dotted in unit.calls), hot)
                for dotted in sorted(unit.calls | unit.loads)
                for name in _closure(last_name(dotted), self._originals)
                for hot in (*self._hot_functions.get(name, ()), *made.get(name, ()))
                if hot in inside
            ]
            if self._unit(at).calls:
                named += [(_Use(at, "", True), hot) for hot in called]
            uses[at] = [hot for use, hot in named if self._leads(use, hot)]
        return _between_rings(uses)

    # --- Modules

    def _add(self, paths: list[str]) -> None:
        """Takes modules in, and what they import."""
        fresh: list[ModuleIndex] = []
        todo = deque(paths)
        while todo:
            path = todo.popleft()
            module = self._project.module(path) if path not in self._modules else None
            if module is None:
                continue
            self._modules[path] = module
            fresh.append(module)
            for each in module.imports:
                todo.extend(target for target, _ in self._project.import_targets(path, each))
        for module in fresh:
            self._note(module)
        for module in fresh:
            for unit in module.units:
                if unit.kind == "class":
                    self._link(module.path, unit)
        for module in fresh:
            self._start(module)
        for cls in list(self._callable) if fresh else ():
            self._call_instances(cls)

    def _note(self, module: ModuleIndex) -> None:
        for each in module.imports:
            if each.name is not None and self._project.is_word(each):
                self._passed_on.add(each.alias)
            if each.name is not None and each.name != each.alias:
                self._aliases[each.name].add(each.alias)
                self._originals[each.alias].add(each.name)
        for number, unit in enumerate(module.units):
            at = _At(module.path, number)
            if unit.kind == "function":
                name = last_name(unit.name)
                self._defining[name].add(module.path)
                self._functions[module.path, unit.name].append(at)
            for variable, made in unit.made:
                self._made[last_name(made)].append((module.path, unit, variable, made))
            for dotted in unit.calls:
                name = last_name(dotted)
                self._uses[name].append(_Use(at, dotted, True))
                self._calling[module.path, name].append(at)
            for dotted in unit.loads - unit.calls:
                self._uses[last_name(dotted)].append(_Use(at, dotted, False))

    def _link(self, path: str, unit: Unit) -> None:
        bases = tuple(
            (target.path, target.name)
            for base in unit.bases
            for target in self._resolve(path, unit, base) or ()
            if target.kind == "class" and not target.rest
        )
        cls = (path, unit.name)
        self._families.clear()
        self._bases[cls] = bases
        for base in bases:
            if cls not in self._derived[base]:
                self._derived[base].append(cls)

    def _start(self, module: ModuleIndex) -> None:
        """The units of a new module that are hot by their own words, or by what is hot already."""
        foreign = self._foreign(module.path) if self._starts is None else frozenset()
        starts = None if self._starts is None else self._starts.get(module.path, ())
        for number, unit in enumerate(module.units):
            at = _At(module.path, number)
            if starts is not None:
                begins = number in starts
            else:
                through = foreign and unit.kind != "statement" and not foreign.isdisjoint(_roots(unit))
                begins = unit.seeded or bool(through)
            if begins:
                self._words[at] = None
                self._heat(at)
        if not self._looked_for:
            return  # nothing has spread yet
        for number, unit in enumerate(module.units):
            at = _At(module.path, number)
            for dotted in sorted(unit.calls | unit.loads):
                for name in _closure(last_name(dotted), self._originals):
                    if name in self._hot_functions or name in self._hot_names:
                        self._use(_Use(at, dotted, dotted in unit.calls), name)

    def _use(self, use: _Use, name: str) -> None:
        """A use in a new module of a name that may be hot already."""
        for hot in list(self._hot_functions.get(name, ())):
            self._try(use, hot)
        new = use.called and not self._is_lit(use.at)
        if new and any(self._means(use, *hot) for hot in self._hot_names.get(name, ())):
            self._heat(use.at)

    def _uses_of(self, name: str) -> list[_Use]:
        """All uses so far of a name, also under the other names that imports give it."""
        return [use for each in _closure(name, self._aliases) for use in self._uses.get(each, ())]

    def _foreign(self, path: str) -> frozenset[str]:
        """The names under which a module imports, from another of the project, what that imports from a library."""
        found = set()
        for each in self._modules[path].imports:
            if each.name is not None and each.name != "*" and self._project.leads_to_word(path, each):
                found.add(each.alias)
        return frozenset(found)

    def _unit(self, at: _At) -> Unit:
        return self._modules[at.path].units[at.number]

    # --- Spreading

    def _hand(self, at: _At) -> None:
        """Heats what is handed a hot function, and it alone: who else calls it may hand it another."""
        if at not in self._hot and at.number not in self._modules[at.path].deep:
            self._hot[at] = None
            self._quiet.add(at)

    def _heat(self, at: _At) -> None:
        if (at not in self._hot or at in self._quiet) and at.number not in self._modules[at.path].deep:
            self._quiet.discard(at)
            unit = self._unit(at)
            self._hot[at] = None
            if unit.kind == "function":
                self._hot_functions.setdefault(last_name(unit.name), [])
            self._queue.append(at)

    def _spread(self) -> None:
        while self._queue:
            at = self._queue.popleft()
            unit = self._unit(at)
            if unit.kind == "function":
                self._spread_function(at, unit)
            elif unit.kind == "statement":
                self._spread_statement(at, unit)

    def _spread_function(self, at: _At, unit: Unit) -> None:
        name = last_name(unit.name)
        self._hot_functions[name].append(at)  # only now: uses so far are tried here, later ones as their modules come
        for use in self._uses_of(name):
            self._try(use, at)
        if not unit.owner:
            return
        cls = (at.path, unit.owner)
        if name in _CONSTRUCTORS:
            self._call_class(cls)
        elif name == "__call__" and cls not in self._callable:
            self._callable[cls] = None
            self._call_instances(cls)

    def _spread_statement(self, at: _At, unit: Unit) -> None:
        """Names that a hot assignment binds are followed where they are called: ``run = partial(dispatch)``."""
        if self._modules[at.path].statements[unit.statement].kind != "assignment":
            return
        for definition in self._modules[at.path].definitions:
            if (
                definition.statement == unit.statement
                and definition.kind == "assignment"
                and "." not in definition.name
            ):
                self._call_name((at.path, definition.name))

    def _call_name(self, name: Class) -> None:
        """Heats what calls a name of a module: a class with a hot constructor, or a variable."""
        last = last_name(name[1])
        if name in self._hot_names[last]:
            return
        self._hot_names[last][name] = None
        for use in self._uses_of(last):
            if use.called and not self._is_lit(use.at) and self._means(use, *name):
                self._heat(use.at)

    def _try(self, use: _Use, hot: _At) -> None:
        """Heats a unit that uses a hot function."""
        if (use.called and self._is_lit(use.at)) or not self._matches(use, hot):
            return
        self._heat(use.at)
        if not use.called:
            user = self._unit(use.at)
            for callee, argument in sorted(user.passes):
                if argument == use.dotted:
                    for target in self._resolve(use.at.path, user, callee) or ():
                        for at in self._functions.get((target.path, target.name), ()) if not target.rest else ():
                            self._hand(at)

    def _call_class(self, cls: Class) -> None:
        """A hot constructor runs where the class, or one below it, is called."""
        for each in (cls, *self._below(cls)):
            self._call_name(each)

    def _call_instances(self, cls: Class) -> None:
        """A hot ``__call__`` runs where a variable that is built from, or annotated with, the class is called."""
        family = self._family(cls)
        names = {last_name(name) for _, name in family}
        self._passed_on |= names
        for name in sorted(names):
            for each in _closure(name, self._aliases):
                for path, unit, variable, made in list(self._made.get(each, ())):
                    if any((target.path, target.name) in family for target in self._resolve(path, unit, made) or ()):
                        built = [v for p, _, v, _ in self._made.get(variable, ()) if p == path]
                        for holder in (variable, *built) if unit.kind == "class" else (variable,):
                            for at in self._calling.get((path, holder), ()):
                                self._heat(at)

    # --- Matching

    def _leads(self, use: _Use, hot: _At) -> bool:
        """Whether a use may run a function, constructors and ``__call__`` judged by their names alone."""
        name = last_name(self._unit(hot).name)
        return name in _CONSTRUCTORS or name == "__call__" or self._matches(use, hot)

    def _matches(self, use: _Use, hot: _At) -> bool:
        if use.at == hot:
            return False
        user, unit = self._unit(use.at), self._unit(hot)
        root, _, rest = use.dotted.partition(".")
        if root in _OWN and rest and "." not in rest:
            return bool(unit.owner) and self._own(use.at.path, user, (hot.path, unit.owner))
        targets = self._resolve(use.at.path, user, use.dotted) if root not in _OWN and root != "?" else ()
        if targets is None:
            return False  # a library's
        if any((target.path, target.name) == (hot.path, unit.name) for target in targets):
            return True
        classes = [target for target in targets if target.kind == "class" and len(target.rest) == 1]
        if classes:
            return bool(unit.owner) and any(
                (hot.path, unit.owner) in self._family((target.path, target.name)) for target in classes
            )
        if any(target.kind == "function" or (target.kind == "module" and not target.rest) for target in targets):
            return False
        return bool(rest) and bool(unit.owner) and self._by_name(use, hot, unit)

    def _own(self, path: str, user: Unit, cls: Class) -> bool:
        """``self.m`` of a method, or of a function inside it."""
        owner = user.owner if user.kind == "function" else user.name
        return bool(owner) and cls in self._family((path, owner))

    def _by_name(self, use: _Use, hot: _At, unit: Unit) -> bool:
        """A method of something unknown."""
        name = last_name(use.dotted)
        if name.startswith("__"):
            return False
        family = self._family((hot.path, unit.owner))
        modules, classes = self._directly(use.at.path)
        if name in _BUILTIN_METHODS:
            return use.called and (use.at.path == hot.path or not classes.isdisjoint(family))
        rare = len(self._defining[name]) <= RARE
        runs = use.called or any(argument == use.dotted for _, argument in self._unit(use.at).passes)
        if rare and runs and self._is_seldom_used(name):
            return True
        if not use.called and not rare:
            return False
        return use.at.path == hot.path or any(path in modules for path, _ in family)

    def _is_lit(self, at: _At) -> bool:
        return at in self._hot and at not in self._quiet

    def _is_seldom_used(self, name: str) -> bool:
        """Whether few modules use a name: one that many use is that of a library's method, though one class of the
        project has its like.
        """
        users = self._users.get(name)
        if users is None or users[0] != len(self._uses[name]):
            users = self._users[name] = (len(self._uses[name]), len({use.at.path for use in self._uses[name]}))
        return users[1] <= SELDOM

    def _means(self, use: _Use, path: str, name: str) -> bool:
        targets = self._resolve(use.at.path, self._unit(use.at), use.dotted) or ()
        return any(target.path == path and target.name == name and not target.rest for target in targets)

    def _family(self, cls: Class) -> frozenset[Class]:
        """A class, those above it, those below it, and those above these (what it is mixed with)."""
        if cls in self._families:
            return self._families[cls]
        below = [cls, *self._below(cls)]
        found = dict.fromkeys(below)
        todo = list(below)
        for each in todo:
            for base in self._bases.get(each, ()):
                if base not in found:
                    found[base] = None
                    todo.append(base)
        self._families[cls] = frozenset(found)
        return self._families[cls]

    def _below(self, cls: Class) -> list[Class]:
        found = [cls]
        for each in found:
            found += [derived for derived in self._derived.get(each, ()) if derived not in found]
        return found[1:]

    # --- Names

    def _resolve(self, path: str, unit: Unit, dotted: str) -> tuple[_Target, ...] | None:
        """What a dotted name in a unit means in the project: empty when unknown, None when it is a library's."""
        scope = unit.name if unit.kind != "statement" else ""
        root = dotted.partition(".")[0]
        imports = self._project.imports_in(path)
        local = any(each.scope == scope for each in imports.get(root, ())) if scope else False
        key = (path, scope if local else "", dotted)
        if key not in self._resolved:
            self._resolved[key] = self._look_up(path, scope, dotted.split("."))
        return self._resolved[key]

    def _look_up(self, path: str, scope: str, parts: list[str]) -> tuple[_Target, ...] | None:
        found: dict[_Target, None] = {}
        foreign = False
        imports = self._project.imports_in(path)
        for each in (*imports.get(parts[0], ()), *imports.get("*", ())):
            if each.scope not in ("", scope):
                continue
            rest = parts[1:]
            if each.name is None and "." in each.module and each.alias == each.module.split(".", 1)[0]:
                inner = each.module.split(".")[1:]
                if rest[: len(inner)] != inner:
                    continue
                rest = rest[len(inner) :]
            targets = self._project.import_targets(path, each)
            foreign = foreign or (not targets and each.alias != "*")
            for target, name in targets:
                if name is None:
                    self._in_module(target, rest, found)
                else:
                    self._in_module(target, [parts[0] if name == "*" else name, *rest], found)
        if parts[0] in self._project.definitions_in(path):
            self._in_module(path, parts, found)
        if not found and foreign:
            return None
        return tuple(found)

    def _in_module(self, path: str, parts: list[str], found: dict[_Target, None]) -> None:
        """A name in a module, through re-exports and into classes."""
        while parts:
            places = self._project.definitions_of(path, parts[0])
            modules = [target for target, definition in places if definition is None]
            definitions = [(target, each) for target, each in places if each is not None]
            if definitions or not modules:
                for target, each in definitions:
                    self._in_class(target, each.name, each.kind, parts[1:], found)
                return
            path, parts = modules[0], parts[1:]
        found[_Target(path, "", "module", ())] = None

    def _in_class(self, path: str, name: str, kind: str, rest: list[str], found: dict[_Target, None]) -> None:
        if kind == "class" and rest:
            inner = f"{name}.{rest[0]}"
            for each in self._project.definitions_in(path).get(inner, ()):
                if each.kind != "assignment":
                    self._in_class(path, inner, each.kind, rest[1:], found)
                    return
        found[_Target(path, name, kind, tuple(rest))] = None

    def _directly(self, path: str) -> tuple[frozenset[str], frozenset[Class]]:
        """The modules that a module imports from, re-exports followed, and the classes that it imports by name."""
        if path not in self._direct:
            modules: set[str] = set()
            classes: set[Class] = set()
            for each in self._modules[path].imports:
                for target, name in self._project.import_targets(path, each):
                    modules.add(target)
                    if name is None or name == "*":
                        continue
                    for place, definition in self._project.definitions_of(target, name):
                        modules.add(place)
                        if definition is not None and definition.kind == "class":
                            classes.add((place, definition.name))
            self._direct[path] = frozenset(modules), frozenset(classes)
        return self._direct[path]
