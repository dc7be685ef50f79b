"""Where the names of a table, set or list of tools come from: written in the source, given, found out, or fetched.

Followed are names and attributes to what is assigned to them and put into them, comprehensions to what they run over
(or to the set that filters them), parameters to what callers give, and functions of the project to what they return.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.facts import Place
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.dispatches import DispatchFinder
from toolbind_lint.recognise.program import Binding, Class, External, Function, Instance, Program
from toolbind_lint.recognise.roles import argument, dotted, last_name
from toolbind_lint.recognise.values import text_of

MAX_DEPTH = 30
MAX_STEPS = 240

Origin = Literal["written", "given", "server", "introspection", "environment", "file", "remote", "pattern"]

_GROW = frozenset({"append", "extend", "add", "insert", "update", "setdefault"})
_SAME = frozenset(
    [
        "list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "enumerate", "zip", "iter", "chain", "copy",
        "deepcopy", "cast", "wait_for", "gather", "MappingProxyType", "OrderedDict", "defaultdict", "ChainMap",
    ]
)  # fmt: skip
"""Calls that hand on the names in what they are given."""
_SAME_METHODS = frozenset(
    [
        "values",
        "items",
        "keys",
        "copy",
        "split",
        "strip",
        "get",
        "json",
        "read",
        "read_text",
        "union",
        "lower",
        "decode",
    ]
)
_HOME = re.compile(r"^[~/]|home|expanduser")


class Source(NamedTuple):
    """One source of names: the place where they come in, and that expression as written."""

    origin: Origin
    place: Place
    text: str


class Tables:
    """Follows tables of one program to their sources."""

    def __init__(self, program: Program, catalogue: Catalogue, roles: DispatchFinder) -> None:
        self.program = program
        self.catalogue = catalogue
        self.roles = roles

    def sources(self, expr: ir.Expr | None, function: Function) -> tuple[Source, ...]:
        """The sources that are seen; none where nobody can say."""
        if expr is None:
            return ()
        return tuple(dict.fromkeys(_Trace(self).follow(expr, function, 0)))

    def origin_of_call(self, call: ir.Call, function: Function) -> Origin | None:
        """What a call into the world outside brings in."""
        for meaning in self.program.resolve(call.func, function):
            if not isinstance(meaning, External):
                continue
            if self.catalogue.find("mcp-intake", meaning.name):
                return "server"
            if self.catalogue.find("introspects", meaning.name):
                return "introspection"
            row = self.catalogue.find("unpinned", meaning.name) or self.catalogue.find("unpinned", meaning.name + "()")
            if row is not None:
                origin = row.one("origin")
                if origin == "environment":
                    return "environment"
                if origin == "remote":
                    return "remote"
                if origin == "file":
                    return self._file(call, function)
        unknown = isinstance(call.func, ir.Attr) and not self.program.resolve(call.func, function)
        if unknown and self.catalogue.by_method("mcp-intake", dotted(call.func) or last_name(call.func)):
            if not self.program.targets(call, function):
                return "server"
        return None

    def _file(self, call: ir.Call, function: Function) -> Origin | None:
        """A file at a constant path beside the source is committed; any other is not."""
        spelled = [call]
        for _ in range(3):
            inner = [
                value
                for each in spelled
                for node in ir.walk(each)
                if isinstance(node, ir.Name)
                for value, _ in self.program.values(node, function)
                if isinstance(value, ir.Call)
            ]
            if not inner or inner == spelled:
                break
            spelled += [i for i in inner if i not in spelled]
        texts = [
            n.value for each in spelled for n in ir.walk(each) if isinstance(n, ir.Const) and isinstance(n.value, str)
        ]
        names = [last_name(n) for each in spelled for n in ir.walk(each) if isinstance(n, (ir.Name, ir.Attr))]
        if any(_HOME.search(str(t)) for t in texts) or any(_HOME.search(n) for n in names):
            return "file"
        return "written" if any("." in str(t) for t in texts) else "file"


class _Trace:
    """One walk back. Each expression is followed once."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.program = tables.program
        self.seen: set[tuple[int, str]] = set()

    def _source(self, origin: Origin, node: ir.Expr, function: Function) -> Source:
        return Source(origin, self.program.at(function, node), text_of(node))

    def follow(self, expr: ir.Expr | None, function: Function, depth: int) -> Iterator[Source]:
        """The sources of an expression."""
        if expr is None or depth > MAX_DEPTH or len(self.seen) > MAX_STEPS:
            return
        key = (id(expr), function.key)
        if key in self.seen:
            return
        self.seen.add(key)
        if isinstance(expr, ir.Name):
            yield from self._name(expr, function, depth)
        elif isinstance(expr, ir.Attr):
            yield from self._attribute(expr, function, depth)
        elif isinstance(expr, ir.Call):
            yield from self._call(expr, function, depth)
        elif isinstance(expr, ir.Comp):
            yield from self._comprehension(expr, function, depth)
        elif isinstance(expr, (ir.Await, ir.Walrus, ir.Starred)):
            yield from self.follow(expr.value, function, depth + 1)
        elif isinstance(expr, ir.Subscript):
            names = [m.name for m in self.program.resolve(expr.base, function) if isinstance(m, External)]
            if any(self.tables.catalogue.find("unpinned", f"{name}[]") for name in names):
                yield self._source("environment", expr, function)
            else:
                yield from self.follow(expr.base, function, depth + 1)
        elif isinstance(expr, (ir.IfExp, ir.Bool)):
            left, right = (expr.body, expr.orelse) if isinstance(expr, ir.IfExp) else (expr.left, expr.right)
            yield from self.follow(left, function, depth + 1)
            yield from self.follow(right, function, depth + 1)
        elif isinstance(expr, ir.Bin):
            yield from self.follow(expr.left, function, depth + 1)
            if expr.op != "-":
                yield from self.follow(expr.right, function, depth + 1)
        elif isinstance(expr, ir.DictE):
            yield from self._display(expr, [v for k, v in expr.items if k is None], function, depth)
        elif isinstance(expr, ir.Seq):
            yield from self._display(expr, [i for i in expr.items if isinstance(i, ir.Starred)], function, depth)

    def _display(
        self, expr: ir.DictE | ir.Seq, spread: list[ir.Expr], function: Function, depth: int
    ) -> Iterator[Source]:
        if len(expr.items) > len(spread):
            yield self._source("written", expr, function)
        for inner in spread:
            yield from self.follow(inner, function, depth + 1)

    def _comprehension(self, expr: ir.Comp, function: Function, depth: int) -> Iterator[Source]:
        """What it runs over; where exact names filter it, those names."""
        for generator in expr.generators:
            names = {n.id for n in ir.walk(generator.target) if isinstance(n, ir.Name)}
            narrowed = False
            for test in generator.ifs:
                among = members(test, names)
                if among is not None:
                    narrowed = True
                    yield from self.follow(among, function, depth + 1)
                elif _named_by_pattern(test, names, self.tables.roles, function):
                    narrowed = True
                    inner = list(self.follow(generator.iter, function, depth + 1))
                    foreign = [s for s in inner if s.origin not in {"written", "given"}]
                    yield from [s for s in foreign if s.origin != "server"]
                    if any(s.origin == "server" for s in foreign):
                        yield self._source("pattern", test, function)
            if not narrowed:
                yield from self.follow(generator.iter, function, depth + 1)

    def _name(self, expr: ir.Name, function: Function, depth: int) -> Iterator[Source]:
        bindings = self.program.lookup(expr.id, function)
        if not bindings or all(b.kind == "import" for b in bindings):
            for module, name in self.program.origins(expr.id, function):
                found = self.program.definition(module, name)
                for binding in found:
                    yield from self._bound(binding, depth)
                for binding in found[:1]:
                    if binding.kind == "assign":
                        yield from self._put_into(name, binding.scope, depth)
            return
        for binding in bindings:
            yield from self._bound(binding, depth)
        scopes = {b.scope.key: b.scope for b in bindings if b.kind in {"assign", "parameter", "declare"}}
        for scope in scopes.values():
            yield from self._put_into(expr.id, scope, depth)

    def _bound(self, binding: Binding, depth: int) -> Iterator[Source]:
        scope = binding.scope
        if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
            yield from self._parameter(binding, depth)
        elif binding.value is not None and binding.kind != "except":
            yield from self.follow(binding.value, scope, depth + 1)

    def _parameter(self, binding: Binding, depth: int) -> Iterator[Source]:
        param, function = binding.node, binding.scope
        assert isinstance(param, ir.Param)
        if function.cls is not None and param.name == function.self_name:
            return
        if param.default is not None:
            yield from self.follow(param.default, function.parent or function, depth + 1)
        given = False
        for call, caller in self.program.callers(function):
            value = argument(call, param, binding.index - (1 if function.self_name else 0))
            if value is not None:
                given = True
                yield from self.follow(value, caller, depth + 1)
        if not given:
            yield self._source("given", ir.Name(param.span, param.name), function)

    def _attribute(self, expr: ir.Attr, function: Function, depth: int) -> Iterator[Source]:
        if expr.name == "__dict__":
            yield self._source("introspection", expr, function)
            return
        known = False
        for base in self.program.resolve(expr.base, function):
            bindings = [b for b in self.program.fields(base, expr.name) if b.kind in {"assign", "declare"}]
            for binding in bindings:
                known = True
                if binding.value is not None:
                    yield from self.follow(_default(binding.value), binding.scope, depth + 1)
            if isinstance(base, Instance):
                if bindings and all(b.value is None for b in bindings):
                    for value, scope in self.program.constructed(base.cls, expr.name):
                        yield from self.follow(value, scope, depth + 1)
                yield from self._put_into_field(base.cls, expr.name, depth)
        if not known:
            yield from self._part_of(expr, function, depth)

    def _part_of(self, expr: ir.Attr, function: Function, depth: int) -> Iterator[Source]:
        """``listing.tools`` of something that nobody knows is as much as the thing itself."""
        if isinstance(expr.base, ir.Name) and expr.base.id == function.self_name:
            return
        if all(isinstance(m, External) for m in self.program.resolve(expr, function)):
            yield from self.follow(expr.base, function, depth + 1)

    # ---- what is put in one by one

    def _put_into(self, name: str, scope: Function, depth: int) -> Iterator[Source]:
        """``tools.append(x)``, ``tools.update(more)``, ``tools[x.name] = x``."""
        for function in self._writers(name, scope):
            for put in puts(function, lambda e: isinstance(e, ir.Name) and e.id == name):
                yield from self._item(put.value, put.item, function, depth)

    def _put_into_field(self, cls: Class, name: str, depth: int) -> Iterator[Source]:
        for owner in self.program.mro(cls):
            if not isinstance(owner, Class):
                continue
            for bindings in list(self.program.members(owner).values()):
                for binding in bindings:
                    if isinstance(binding.node, ir.FuncDef):
                        method = owner.module.function(binding.node, owner.scope, owner)
                        receiver = method.self_name

                        def is_field(e: ir.Expr, receiver: str = receiver) -> bool:
                            if not isinstance(e, ir.Attr) or e.name != name:
                                return False
                            return isinstance(e.base, ir.Name) and e.base.id == receiver

                        for put in puts(method, is_field):
                            yield from self._item(put.value, put.item, method, depth)

    def _writers(self, name: str, scope: Function) -> Iterator[Function]:
        """The functions that may put something into a name: its own, for a module's name those that write to it."""
        if not scope.toplevel:
            yield scope
            return
        module = scope.module
        text = self.program.project.source(module.path).text
        pattern = rf"(?<![\w.]){re.escape(name)}(\.(append|extend|add|insert|update|setdefault)\(|\[[^\]]*\]\s*=[^=])"
        lines = {text.count("\n", 0, m.start()) + 1 for m in re.finditer(pattern, text)}
        for number, statement in enumerate(module.index.statements):
            if any(statement.first <= line <= statement.last for line in lines):
                yield from self.program.functions(module, number)

    def _item(self, value: ir.Expr, item: bool, function: Function, depth: int) -> Iterator[Source]:
        """One thing put in: what a loop or a parameter gives comes from there, anything else is written."""
        if not item:
            yield from self.follow(value, function, depth + 1)
            return
        elements: list[Binding] = []
        given = False
        for node in ir.walk(value):
            if isinstance(node, ir.Name):
                for binding in self.program.locals(function).get(node.id, ()):
                    if binding.kind in {"element", "unpack-element"}:
                        elements.append(binding)
                    elif binding.kind == "parameter" and node.id != function.self_name:
                        given = True
        for binding in elements:
            yield from self.follow(binding.value, binding.scope, depth + 1)
        if not elements:
            yield self._source("given" if given else "written", value, function)

    # ---- calls

    def _call(self, expr: ir.Call, function: Function, depth: int) -> Iterator[Source]:
        origin = self.tables.origin_of_call(expr, function)
        if origin is not None:
            yield self._source(origin, expr, function)
            return
        name = last_name(expr.func)
        targets = self.program.targets(expr, function)
        if targets:
            for target in targets:
                for value in target.returned:
                    yield from self.follow(value, target, depth + 1)
            return
        if name == "fromkeys" or name in _SAME:
            for arg in expr.args:
                if arg.name is None:
                    yield from self.follow(arg.value, function, depth + 1)
            if name == "dict" and any(a.name for a in expr.args):
                yield self._source("written", expr, function)
        elif name in {"filter", "map"} and len(expr.args) > 1:
            yield from self.follow(expr.args[-1].value, function, depth + 1)
        elif isinstance(expr.func, ir.Attr) and name in _SAME_METHODS:
            yield from self.follow(expr.func.base, function, depth + 1)
        elif isinstance(expr.func, ir.Attr) and name == "intersection":
            for arg in expr.args:
                yield from self.follow(arg.value, function, depth + 1)


class Put(NamedTuple):
    """Something that is put into a table: ``item`` says that it is one thing and no collection."""

    value: ir.Expr
    item: bool
    table: ir.Expr
    node: ir.Node


def puts(function: Function, is_table: Callable[[ir.Expr], bool]) -> Iterator[Put]:
    """What a function puts into a table."""
    for node in function.nodes:
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in _GROW and node.args:
            if is_table(node.func.base):
                yield Put(node.args[-1].value, node.func.name not in {"extend", "update"}, node.func.base, node)
        elif isinstance(node, ir.Assign) and node.value is not None:
            for target in node.targets:
                if isinstance(target, ir.Subscript) and is_table(target.base):
                    yield Put(ir.Other(node.span, (target.index, node.value)), True, target.base, node)
        elif isinstance(node, ir.Aug) and is_table(node.target):
            yield Put(node.value, False, node.target, node)


def _default(value: ir.Expr) -> ir.Expr:
    """The default inside ``field(default_factory=lambda: [...])``."""
    if isinstance(value, ir.Call) and last_name(value.func) in {"field", "Field", "attrib", "ib"}:
        inner = value.keyword("default") or value.keyword("default_factory") or value.keyword("factory")
        if isinstance(inner, ir.Lambda) and isinstance(inner.function.body[0], ir.Return):
            return inner.function.body[0].value or value
        return inner or value
    return value


def members(test: ir.Expr, names: set[str]) -> ir.Expr | None:
    """The set in ``if t.name in ALLOWED`` over the elements of a comprehension; also of ``name == "search"``."""
    for node in ir.walk(test):
        if isinstance(node, ir.Compare) and node.op in {"in", "=="}:
            mine = {n.id for n in ir.walk(node.left) if isinstance(n, ir.Name)} & names
            if mine and not any(isinstance(n, ir.Name) and n.id in names for n in ir.walk(node.right)):
                if isinstance(node.left, ir.Const):
                    continue
                return node.right if node.op == "in" else ir.Seq(node.span, "tuple", (node.right,))
    return None


def _named_by_pattern(test: ir.Expr, names: set[str], roles: DispatchFinder, function: Function) -> ir.Call | None:
    """A pattern test of an element's name."""
    for node in ir.walk(test):
        if isinstance(node, ir.Call) and roles.is_pattern(node, function):
            parts = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
            if any(isinstance(n, ir.Name) and n.id in names for p in parts for n in ir.walk(p)):
                return node
    return None
