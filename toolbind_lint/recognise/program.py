"""What a name stands for: modules, classes, functions and the values bound to names, resolved across the project.

Statements are lowered on demand, so a project of thousands of files costs only what recognition asks for. Resolution
answers with every meaning that it can see and with nothing where it sees none; it never guesses from text alone.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from toolbind_lint.facts import Place, Unreadable
from toolbind_lint.index import Body, Definition, Import, ModuleIndex, Project, Unit
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.lower import Later, lower, lower_block
from toolbind_lint.recognise.memo import Memo
from toolbind_lint.source import SyntaxFault

MAX_MEANINGS = 8
MAX_DEPTH = 24
MIN_SPELLED = 3
"""Letters of a name that must be constant before the attributes that hold them are looked up."""
MAX_LEADING = 256
"""Files of which it is kept who leads to them: of each that may be the whole project."""
SHORT_BODY = 6
"""Bodies of fewer lines are read with what is around them: parsing them apart costs more."""
T = TypeVar("T")
_GLOBAL = re.compile(r"^[ \t]+global\b([^\n]*)", re.MULTILINE)
_IDENTIFIER = re.compile(r"\w+")

# ---- meanings


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the project, by dotted name; ``()`` marks a result of a call: ``pkg.Client().chat.send``."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """A function of the project, with the class through which it was reached where it is a method."""

    function: Function
    receiver: Class | None = None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of the project."""

    cls: Class


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the project."""

    cls: Class


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the project."""

    module: Module


Meaning = External | FunctionRef | ClassRef | Instance | ModuleRef

# ---- bindings


@dataclass(slots=True, eq=False)
class Binding:
    """One way in which a name gets a value.

    ``kind`` is assign, augment, element (of ``value``), unpack (item ``index`` of ``value``), context (``with``),
    except, parameter, import, function, class or declare (an annotation alone). ``scope`` is where ``value`` stands.
    """

    kind: str
    value: ir.Expr | None
    scope: Function
    span: ir.Span
    index: int = -1
    annotation: ir.Expr | None = None
    node: ir.FuncDef | ir.ClassDef | ir.Alias | ir.Param | None = None


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the project."""

    module: Module
    node: ir.ClassDef
    scope: Function
    _members: dict[str, list[Binding]] | None = None
    _key: str = ""
    _fields: dict[str, list[Binding]] = field(default_factory=dict)
    _stored: dict[int, dict[str, list[Binding]]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Path and qualified name: its identity."""
        if not self._key:
            self._key = f"{self.module.path}:{self.node.qualname}"
        return self._key


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A function, method, lambda or a run of module-level statements (``toplevel``)."""

    module: Module
    node: ir.FuncDef
    cls: Class | None = None
    parent: Function | None = None
    toplevel: bool = False
    _bindings: dict[str, list[Binding]] | None = None
    _nodes: tuple[ir.Node, ...] | None = None
    _calls: tuple[ir.Call, ...] | None = None
    _returned: tuple[ir.Expr, ...] | None = None
    _key: str = ""

    @property
    def returned(self) -> tuple[ir.Expr, ...]:
        """What it returns and, for a generator, yields."""
        if self._returned is None:
            found: list[ir.Expr] = []
            for node in self.nodes:
                if isinstance(node, (ir.Return, ir.Yield)) and node.value is not None:
                    found.append(node.value)
            self._returned = tuple(found)
        return self._returned

    @property
    def calls(self) -> tuple[ir.Call, ...]:
        """The calls that stand in the function itself."""
        if self._calls is None:
            self._calls = tuple(n for n in self.nodes if isinstance(n, ir.Call))
        return self._calls

    @property
    def nodes(self) -> tuple[ir.Node, ...]:
        """All nodes of the body, parents first; what is in nested functions and classes is not there, but in bare
        lambdas.
        """
        if self._nodes is None:
            found = list(ir.walk_all(self.node.body))
            for node in found:
                if isinstance(node, ir.Lambda) and not node.function.params:
                    found.extend(ir.walk_all(node.function.body))
            self._nodes = tuple(found)
        return self._nodes

    @property
    def key(self) -> str:
        """Path, qualified name and line: its identity."""
        if not self._key:
            self._key = f"{self.module.path}:{self.node.qualname}:{self.node.span[0]}"
        return self._key

    @property
    def self_name(self) -> str:
        """The name of the receiver parameter, or empty."""
        if self.cls is None or not self.node.params:
            return ""
        for decorator in self.node.decorators:
            if isinstance(decorator, ir.Name) and decorator.id == "staticmethod":
                return ""
        return self.node.params[0].name

    @property
    def is_classmethod(self) -> bool:
        """Whether the first parameter is the class."""
        return any(isinstance(d, ir.Name) and d.id == "classmethod" for d in self.node.decorators)

    @property
    def is_property(self) -> bool:
        """Whether reading the attribute runs the function."""
        for decorator in self.node.decorators:
            name = (
                decorator.id
                if isinstance(decorator, ir.Name)
                else decorator.name
                if isinstance(decorator, ir.Attr)
                else ""
            )
            if name in {"property", "cached_property"}:
                return True
        return False


@dataclass(slots=True, eq=False, repr=False)
class Module:
    """One file of the project, lowered statement by statement on demand."""

    program: Program
    path: str
    index: ModuleIndex
    _statements: dict[int, tuple[ir.Stmt, ...]] = field(default_factory=dict)
    _bindings: dict[str, list[Binding]] = field(default_factory=dict)
    _defines: dict[str, list[int]] | None = None
    _imports: dict[str, list[Import]] | None = None
    _functions: dict[int, Function] = field(default_factory=dict)
    _classes: dict[int, Class] = field(default_factory=dict)
    _listed: dict[int, tuple[Function, ...]] = field(default_factory=dict)
    _bound: dict[int, dict[str, list[Binding]]] = field(default_factory=dict)
    _calls: dict[tuple[int, str], list[tuple[ir.Call, Function]]] = field(default_factory=dict)
    _declared: dict[str, list[int]] | None = None
    _units: dict[int, list[Unit]] | None = None
    _stores: dict[int, frozenset[str]] | None = None
    _numbered: dict[int, int] | None = None

    def statements(self, number: int) -> tuple[ir.Stmt, ...]:
        """The lowered statement of that number; empty where it can't be parsed."""
        if number not in self._statements:
            statement = self.index.statements[number]
            later = self._left_for_later(number)

            def read() -> tuple[ir.Stmt, ...]:
                without = [(body.first, body.last) for body in later]
                tree = self.program.project.source(self.path).tree(statement.first, statement.last, without)
                return lower(tree, statement.first, {body.first: self._later(body) for body in later})

            self._statements[number] = self._guarded(read, statement.first) or ()
        return self._statements[number]

    def _guarded(self, read: Callable[[], T], line: int) -> T | None:
        """What was read; None, and told, where libcst can't."""
        try:
            return read()
        except SyntaxFault as fault:
            place = self.program.place(self, (fault.line, 1, fault.line, 1))
            self.program.unreadable.append(Unreadable(place, "syntax", fault.message, True))
        except RecursionError:
            place = self.program.place(self, (line, 1, line, 1))
            self.program.unreadable.append(Unreadable(place, "syntax", "nested too deeply to read", True))
        return None

    def _left_for_later(self, number: int) -> list[Body]:
        """The bodies in a statement that are read only when something asks for them."""
        lines = self.program.project.source(self.path).lines
        return [
            unit.body
            for unit in self.units(number)
            if unit.body is not None
            and unit.body.last - unit.body.first >= SHORT_BODY
            and not lines[unit.body.first - 1][: unit.body.indent].strip()
        ]

    def _later(self, body: Body) -> Later:
        source = self.program.project.source(self.path)

        def load(qualname: str) -> tuple[tuple[ir.Stmt, ...], bool]:
            def read() -> tuple[tuple[ir.Stmt, ...], bool]:
                return lower_block(source.block(body.first, body.last), body.first - 1, qualname)

            return self._guarded(read, body.first) or ((), False)

        line = source.lines[body.last - 1].encode("utf-8", "surrogatepass")
        return Later((body.last, len(line[: body.end].decode("utf-8", "replace")) + 1), load)

    def may_store(self, line: int, name: str) -> bool:
        """Whether the function that is defined in a line may assign an attribute of that name."""
        stores = self._stored_at(line)
        return stores is None or name in stores

    def stores_nothing(self, line: int) -> bool:
        """Whether the function that is defined in a line is known to assign no attribute."""
        return self._stored_at(line) == frozenset()

    def _stored_at(self, line: int) -> frozenset[str] | None:
        if self._stores is None:
            self._stores = {}
            for unit in self.index.units:
                if unit.line and unit.stores is not None:
                    self._stores[unit.line] = self._stores.get(unit.line, frozenset()) | unit.stores
        return self._stores.get(line)

    def unit_of(self, function: Function) -> int | None:
        """The number of the unit that a function of the module stands in, None where the index has none."""
        while function.parent is not None and not function.parent.toplevel:
            function = function.parent
        if self._numbered is None:
            self._numbered = {}
            for number, unit in enumerate(self.index.units):
                if unit.kind == "statement":
                    self._numbered.setdefault(-self.index.statements[unit.statement].first, number)
                elif unit.line:
                    self._numbered[unit.line] = number
        line = function.node.span[0]
        return self._numbered.get(-line if function.toplevel else line)

    def units(self, number: int) -> list[Unit]:
        """The units of a statement."""
        if self._units is None:
            self._units = {}
            for unit in self.index.units:
                self._units.setdefault(unit.statement, []).append(unit)
        return self._units.get(number, [])

    @property
    def names(self) -> frozenset[str]:
        """What the module calls or imports, by last name."""
        called = {name for statement in self.index.statements for name in statement.calls}
        return frozenset(called | {row.name or row.alias for row in self.index.imports})

    def toplevel(self, number: int) -> Function:
        """A run of module-level statements as a function without locals: its names are the module's."""
        if number not in self._functions:
            body = self.statements(number)
            first = self.index.statements[number].first
            span = (first, 1, self.index.statements[number].last, 1)
            node = ir.FuncDef(span, "<module>", "<module>", "", (), body, (), None, False, False, span)
            self._functions[number] = Function(self, node, toplevel=True)
        return self._functions[number]

    def bindings(self, name: str) -> list[Binding]:
        """What module-level statements bind to a name."""
        if name not in self._bindings:
            self._bindings[name] = []  # while it is being filled: a name may be defined by itself
            found: list[Binding] = []
            for number in self._numbers(name):
                found.extend(self.bound_in(number).get(name, ()))
            self._bindings[name] = found
        return self._bindings[name]

    def bound_in(self, number: int) -> dict[str, list[Binding]]:
        """What one module-level statement binds, by name."""
        if number not in self._bound:
            scope = self.toplevel(number)
            table: dict[str, list[Binding]] = {}
            for name, binding in _bind(scope.node.body, scope):
                table.setdefault(name, []).append(binding)
            self._bound[number] = table
        return self._bound[number]

    def calls_named(self, number: int, name: str) -> list[tuple[ir.Call, Function]]:
        """The calls in a statement, nested functions included, whose callee has this last name; with the function of
        each.
        """
        if (number, name) not in self._calls and not any(name in unit.named for unit in self.units(number)):
            self._calls[number, name] = []
        if (number, name) not in self._calls:
            self._calls[number, name] = [
                (call, scope)
                for scope in self.program.functions_of(self, number, lambda unit: name in unit.named)
                for call in scope.calls
                if _last_name(call.func) == name
            ]
        return self._calls[number, name]

    @property
    def declared_global(self) -> dict[str, list[int]]:
        """The statements in which some function declares a name ``global``, by name."""
        if self._declared is None:
            self._declared = {}
            text = self.program.project.source(self.path).text
            for match in _GLOBAL.finditer(text) if "global" in text else ():
                line = text.count("\n", 0, match.start(1)) + 1
                for number, statement in enumerate(self.index.statements):
                    if statement.first <= line <= statement.last:
                        for name in _IDENTIFIER.findall(match[1]):
                            numbers = self._declared.setdefault(name, [])
                            if number not in numbers:
                                numbers.append(number)
        return self._declared

    def _numbers(self, name: str) -> list[int]:
        if self._defines is None:
            self._defines = {}
            for number, statement in enumerate(self.index.statements):
                for defined in statement.defines:
                    self._defines.setdefault(defined, []).append(number)
        return self._defines.get(name, [])

    def imported(self, name: str) -> list[Import]:
        """Module-level imports that bind a name."""
        if self._imports is None:
            self._imports = {}
            for row in self.index.imports:
                if row.scope == "":
                    self._imports.setdefault(row.alias, []).append(row)
        return self._imports.get(name, [])

    def stars(self) -> list[Import]:
        """``from x import *`` at module level."""
        self.imported("")
        return (self._imports or {}).get("*", [])

    def function(self, node: ir.FuncDef, scope: Function, cls: Class | None) -> Function:
        """The handle of a function node, always the same for the same node."""
        key = id(node)
        if key not in self._functions:
            self._functions[key] = Function(self, node, cls, scope)
        return self._functions[key]

    def cls(self, node: ir.ClassDef, scope: Function) -> Class:
        """The handle of a class node."""
        key = id(node)
        if key not in self._classes:
            self._classes[key] = Class(self, node, scope)
        return self._classes[key]


def _targets(target: ir.Expr, kind: str, value: ir.Expr | None, scope: Function) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ir.Name):
        yield target.id, Binding(kind, value, scope, target.span)
    elif isinstance(target, ir.Starred):
        yield from _targets(target.value, "element" if kind == "assign" else kind, value, scope)
    elif isinstance(target, ir.Seq):
        same = isinstance(value, ir.Seq) and len(value.items) == len(target.items) and kind == "assign"
        for position, item in enumerate(target.items):
            if same and isinstance(value, ir.Seq):
                yield from _targets(item, "assign", value.items[position], scope)
                continue
            for name, binding in _targets(item, "unpack" if kind == "assign" else "unpack-element", value, scope):
                binding.index = position
                yield name, binding


def _bind(body: tuple[ir.Stmt, ...], scope: Function) -> Iterator[tuple[str, Binding]]:
    """Every binding that a run of statements makes in its own scope."""
    for node in ir.walk_all(body):
        if isinstance(node, ir.Assign):
            for target in node.targets:
                for name, binding in _targets(
                    target, "assign" if node.value is not None else "declare", node.value, scope
                ):
                    binding.annotation = node.annotation
                    yield name, binding
        elif isinstance(node, ir.Aug):
            if isinstance(node.target, ir.Name):
                yield node.target.id, Binding("augment", node.value, scope, node.span)
        elif isinstance(node, (ir.For, ir.Generator)):
            yield from _targets(node.target, "element", node.iter, scope)
        elif isinstance(node, ir.With):
            for context, bound in node.items:
                if bound is not None:
                    yield from _targets(bound, "context", context, scope)
        elif isinstance(node, ir.Walrus):
            yield from _targets(node.target, "assign", node.value, scope)
        elif isinstance(node, ir.Handler):
            if node.name:
                yield node.name, Binding("except", node.type, scope, node.span)
        elif isinstance(node, ir.FuncDef):
            if node.name != "<lambda>":
                yield node.name, Binding("function", None, scope, node.span, node=node)
        elif isinstance(node, ir.ClassDef):
            yield node.name, Binding("class", None, scope, node.span, node=node)
        elif isinstance(node, ir.Import):
            for alias in node.aliases:
                yield alias.bound, Binding("import", None, scope, node.span, node=alias)
        elif isinstance(node, ir.Pattern) and node.name:
            yield node.name, Binding("capture", None, scope, node.span)


class Program:
    """The project as recognition sees it: resolves names, finds methods, callers and subclasses. Holds all memos."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.unreadable: list[Unreadable] = []
        self._modules: dict[str, Module] = {}
        self.notes: dict[Hashable, object] = {}
        """What one part of recognition found out and asks for again."""
        self._meanings: Memo[tuple[Meaning, ...]] = Memo((), MAX_DEPTH)
        self._keep: dict[int, object] = {}
        self._defined: dict[str, list[tuple[str, Definition]]] | None = None
        self._calling: dict[str, list[tuple[str, int]]] | None = None
        self._leading: dict[str, dict[str, int]] = {}
        self._callers: dict[str, tuple[tuple[ir.Call, Function], ...]] = {}
        self._subclasses: dict[str, tuple[Class, ...]] = {}
        self._renamed: dict[str, set[str]] | None = None
        self._held: dict[str, set[tuple[str, bool]]] | None = None
        self._handed: dict[str, tuple[tuple[ir.Call, Function, int, bool], ...]] = {}
        self._globals: dict[tuple[str, str], list[Binding]] = {}

    # ---- modules and places

    def module(self, path: str) -> Module | None:
        """The module at a path of the project."""
        if path not in self._modules:
            index = self.project.modules.get(path)
            if index is None:
                return None
            self._modules[path] = Module(self, path, index)
        return self._modules[path]

    def place(self, module: Module, span: ir.Span) -> Place:
        """The place of a span."""
        return self.project.source(module.path).place(*span)

    def at(self, function: Function, node: ir.Node) -> Place:
        """The place of a node of a function."""
        return self.place(function.module, node.span)

    def functions(self, module: Module, number: int) -> tuple[Function, ...]:
        """All functions that a top-level statement holds, nested ones too, and the statement itself; lambdas are left
        out.
        """
        if number not in module._listed:
            top = module.toplevel(number)
            module._listed[number] = (top, *self._below(top.node.body, top, None))
        return module._listed[number]

    def generators(self, source: ir.Expr, function: Function) -> tuple[ir.Call, tuple[Function, ...]] | None:
        """The call that a loop goes over, and the generators of the project that it runs; None where there are none."""
        if isinstance(source, ir.Await):
            source = source.value
        if isinstance(source, ir.Name):
            bound = [b.value for b in self.locals(function).get(source.id, ()) if b.kind == "assign"]
            source = bound[0] if len(bound) == 1 and bound[0] is not None else source
        if not isinstance(source, ir.Call):
            return None
        targets = tuple(t for t in self.targets(source, function) if t.node.is_generator)
        return (source, targets) if targets else None

    def functions_of(self, module: Module, number: int, wanted: Callable[[Unit], bool]) -> tuple[Function, ...]:
        """``functions`` of the units that are wanted, and the statement itself: only their bodies are read.

        Empty where nothing is wanted: then the statement is not read either.
        """
        found = [unit for unit in module.units(number) if wanted(unit)]
        if not found:
            return ()
        units = [unit for unit in found if unit.kind == "function"]
        lines = None if any(unit.line == 0 for unit in units) else frozenset(unit.line for unit in units)
        top = module.toplevel(number)
        return (top, *self._below(top.node.body, top, None, lines))

    def _below(
        self, body: tuple[ir.Stmt, ...], scope: Function, cls: Class | None, lines: frozenset[int] | None = None
    ) -> Iterator[Function]:
        """The functions below some statements; with ``lines`` only those that are defined there, and all in them."""
        for node in ir.walk_all(body):
            if isinstance(node, ir.FuncDef):
                if lines is None or node.span[0] in lines:
                    function = scope.module.function(node, scope, cls)
                    yield function
                    yield from self._below(node.body, function, None)
            elif isinstance(node, ir.ClassDef):
                inner = scope.module.cls(node, scope)
                yield from self._below(node.body, scope, inner, lines)

    # ---- bindings

    def locals(self, function: Function) -> dict[str, list[Binding]]:
        """What a function binds itself: parameters and everything assigned in its body."""
        if function._bindings is None:
            table: dict[str, list[Binding]] = {}
            for number, param in enumerate(function.node.params):
                table.setdefault(param.name, []).append(
                    Binding("parameter", param.default, function, param.span, number, param.annotation, param)
                )
            hidden = {name for node in function.nodes if isinstance(node, ir.Scope) for name in node.names}
            for name, binding in _bind(function.node.body, function):
                if name not in hidden:
                    table.setdefault(name, []).append(binding)
            function._bindings = table
        return function._bindings

    def lookup(self, name: str, function: Function) -> list[Binding]:
        """All bindings that a name may have where it is used in a function (innermost scope that binds it)."""
        scope: Function | None = function
        while scope is not None and not scope.toplevel:
            found = self.locals(scope).get(name)
            if found:
                return found
            scope = scope.parent
        found = self.global_bindings(function.module, name)
        if not found and scope is not None:
            # What a statement binds by the way (`except E as e`, a walrus) is no definition of the module's.
            return self.locals(scope).get(name, [])
        return found

    def global_bindings(self, module: Module, name: str) -> list[Binding]:
        """Module-level bindings of a name, and those made by functions that declare it ``global``."""
        return module.bindings(name) + self._made_global(module, name)

    def _made_global(self, module: Module, name: str) -> list[Binding]:
        key = (module.path, name)
        if key not in self._globals:
            self._globals[key] = []
            for number in module.declared_global.get(name, ()):
                for function in self.functions(module, number):
                    declared = any(
                        isinstance(n, ir.Scope) and n.kind == "global" and name in n.names for n in function.nodes
                    )
                    if declared:
                        made = _bind(function.node.body, function)
                        self._globals[key].extend(b for bound, b in made if bound == name)
        return self._globals[key]

    # ---- resolution

    def resolve(self, expr: ir.Expr | None, function: Function, depth: int = 0) -> tuple[Meaning, ...]:
        """Every meaning of an expression that can be seen."""
        if expr is None or depth > MAX_DEPTH:
            return ()
        self._keep[id(expr)] = expr  # an id is an identity only while the object lives
        return self._meanings.answer(
            (id(expr), function.key), lambda: _unique(self._resolve(expr, function, depth + 1))
        )

    def _resolve(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[Meaning]:
        if isinstance(expr, ir.Name):
            yield from self._name(expr.id, function, depth)
        elif isinstance(expr, ir.Attr):
            owner = _method_owner(function) if _is_super(expr.base) else None
            if owner is not None:
                yield from self._member(Instance(owner), expr.name, depth, above=True)
                return
            for base in self.resolve(expr.base, function, depth):
                yield from self.attribute(base, expr.name, depth)
        elif isinstance(expr, ir.Call):
            yield from self._result(expr, function, depth)
        elif isinstance(expr, (ir.Await, ir.Walrus)):
            yield from self.resolve(expr.value, function, depth)
        elif isinstance(expr, ir.IfExp):
            yield from self.resolve(expr.body, function, depth)
            yield from self.resolve(expr.orelse, function, depth)
        elif isinstance(expr, ir.Bool):
            yield from self.resolve(expr.left, function, depth)
            yield from self.resolve(expr.right, function, depth)
        elif isinstance(expr, ir.Lambda):
            yield FunctionRef(function.module.function(expr.function, function, None))
        elif isinstance(expr, ir.Subscript):
            yield from self._item(expr, function, depth)

    def _item(self, expr: ir.Subscript, function: Function, depth: int) -> Iterator[Meaning]:
        if isinstance(expr.index, ir.Const) and isinstance(expr.index.value, str):
            for display in self.displays(expr.base, function, depth):
                value = display[0].get(expr.index.value)
                if value is not None:
                    yield from self.resolve(value, display[1], depth)
        for base in self.resolve(expr.base, function, depth):
            if isinstance(base, External):
                yield External(base.name + "[]")
            elif isinstance(base, Instance):
                for method in self.attribute(base, "__getitem__", depth):
                    if isinstance(method, FunctionRef):
                        yield from self._returned(method.function, depth)

    def displays(self, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[tuple[ir.DictE, Function]]:
        """The dict displays that an expression may stand for, each with the function in which it stands."""
        for value, scope in self.values(expr, function, depth):
            if isinstance(value, ir.DictE):
                yield value, scope

    def values(self, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[tuple[ir.Expr, Function]]:
        """The expressions that an expression may stand for: names and attributes followed to what is assigned to
        them.
        """
        if depth > MAX_DEPTH:
            return
        if isinstance(expr, ir.Name):
            bound = False
            for binding in self.lookup(expr.id, function):
                if binding.kind in {"assign", "parameter"} and binding.value is not None:
                    bound = True
                    yield from self.values(binding.value, binding.scope, depth + 4)
            if not bound:
                for module, name in self.origins(expr.id, function):
                    for binding in module.bindings(name):
                        if binding.kind == "assign" and binding.value is not None:
                            yield from self.values(binding.value, binding.scope, depth + 4)
        elif isinstance(expr, ir.Attr):
            for base in self.resolve(expr.base, function, depth):
                for binding in self.fields(base, expr.name):
                    if binding.value is not None and binding.kind in {"assign", "declare"}:
                        yield from self.values(binding.value, binding.scope, depth + 4)
        elif isinstance(expr, (ir.Await, ir.Walrus)):
            yield from self.values(expr.value, function, depth + 1)
        elif isinstance(expr, ir.IfExp):
            yield from self.values(expr.body, function, depth + 1)
            yield from self.values(expr.orelse, function, depth + 1)
        else:
            yield expr, function

    def origins(self, name: str, function: Function) -> Iterator[tuple[Module, str]]:
        """The project modules, and the names there, from which an imported name comes."""
        for row in self._imports_of(name, function):
            if row.name is None:
                continue
            target = self.project.module_path(function.module.path, row.module, row.level)
            module = self.module(target) if target else None
            if module is not None:
                yield module, row.name

    def definition(self, module: Module, name: str, depth: int = 0) -> list[Binding]:
        """What a module binds a name to, re-exports followed."""
        found = [b for b in self.global_bindings(module, name) if b.kind != "import"]
        if found or depth > 6:
            return found
        for row in (*module.imported(name), *module.stars()):
            target = self.project.module_path(module.path, row.module, row.level)
            inner = self.module(target) if target else None
            if inner is not None and inner is not module:
                found = self.definition(inner, name if row.name == "*" else row.name or name, depth + 1)
                if found:
                    return found
        return []

    def _imports_of(self, name: str, function: Function) -> list[Import]:
        scope: Function | None = function
        while scope is not None and not scope.toplevel:
            for binding in self.locals(scope).get(name, ()):
                if isinstance(binding.node, ir.Alias):
                    alias = binding.node
                    return [Import(alias.module, alias.level, alias.name, alias.bound, binding.span[0], "x")]
            scope = scope.parent
        return function.module.imported(name)

    def _name(self, name: str, function: Function, depth: int) -> Iterator[Meaning]:
        scope: Function | None = function
        while scope is not None and not scope.toplevel:
            found = self.locals(scope).get(name)
            if found:
                for binding in found:
                    yield from self.bound(binding, scope, depth)
                return
            scope = scope.parent
        if scope is not None and name in self.locals(scope) and not function.module.bindings(name):
            for binding in self.locals(scope)[name]:
                if binding.kind not in {"import", "function", "class"}:
                    yield from self.bound(binding, scope, depth)
                    return
        yield from self.symbol(function.module, name, depth)

    def symbol(self, module: Module, name: str, depth: int = 0) -> Iterator[Meaning]:
        """What a name means at module level."""
        if depth > MAX_DEPTH:
            return
        known = False
        for binding in self.global_bindings(module, name):
            if binding.kind == "import":
                continue
            known = True
            yield from self.bound(binding, binding.scope, depth + 1)
        for row in module.imported(name):
            known = True
            # `import a.b` binds a; the rest is found by attribute.
            bare = row.name is None and row.alias == row.module.partition(".")[0]
            yield from self._import(row.alias if bare else row.module, row.level, row.name, module, depth + 1)
        if known:
            return
        for row in module.stars():
            target = self.project.module_path(module.path, row.module, row.level)
            inner = self.module(target) if target else None
            if inner is not None and inner is not module:
                got = list(self.symbol(inner, name, depth + 2))
                if got and got != [External(f"builtins.{name}")]:
                    yield from got
                    return
        if hasattr(builtins, name):
            yield External(f"builtins.{name}")

    def _import(self, dotted: str, level: int, name: str | None, module: Module, depth: int) -> Iterator[Meaning]:
        if depth > MAX_DEPTH:
            return
        target = self.project.module_path(module.path, dotted, level)
        inner = self.module(target) if target else None
        if name is None:
            if inner is not None:
                yield ModuleRef(inner)
            elif level == 0:
                yield External(dotted)
            return
        if inner is not None:
            if inner is module and not module.bindings(name):
                return
            got = [m for m in self.symbol(inner, name, depth + 1) if m != External(f"builtins.{name}")]
            if got:
                yield from got
                return
        sub = self.project.module_path(module.path, f"{dotted}.{name}" if dotted else name, level)
        below = self.module(sub) if sub else None
        if below is not None:
            yield ModuleRef(below)
        elif inner is None and level == 0:
            yield External(f"{dotted}.{name}")

    def bound(self, binding: Binding, scope: Function, depth: int) -> Iterator[Meaning]:
        """The meanings of a binding."""
        if depth > MAX_DEPTH:
            return
        node = binding.node
        if binding.annotation is not None:
            got = list(self.annotation(binding.annotation, binding.scope, depth + 1))
            if got:
                yield from got
                if binding.kind != "parameter":
                    return
        if isinstance(node, ir.FuncDef):
            yield FunctionRef(binding.scope.module.function(node, scope, None))
        elif isinstance(node, ir.ClassDef):
            yield ClassRef(binding.scope.module.cls(node, scope))
        elif isinstance(node, ir.Alias):
            yield from self._import(node.module, node.level, node.name, binding.scope.module, depth + 1)
        elif isinstance(node, ir.Param):
            yield from self._parameter(node, binding, depth)
        elif binding.kind in {"assign", "augment"}:
            yield from self.resolve(binding.value, binding.scope, depth + 1)
        elif binding.kind == "context":
            yield from self._entered(binding, depth)
        elif binding.kind == "except" and binding.value is not None:
            for meaning in self.resolve(binding.value, binding.scope, depth + 1):
                yield from self.called(meaning, depth + 1)
        elif binding.kind == "element" and binding.value is not None:
            yield from self.elements(binding.value, binding.scope, depth + 1)
        elif binding.kind == "unpack" and binding.value is not None:
            for value, place in self.values(binding.value, binding.scope, depth + 1):
                if isinstance(value, ir.Seq) and binding.index < len(value.items):
                    yield from self.resolve(value.items[binding.index], place, depth + 1)

    def elements(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[Meaning]:
        """What the elements of a collection may be: from displays and from annotations such as ``list[Tool]``."""
        for value, scope in self.values(expr, function, depth):
            if isinstance(value, ir.Seq):
                for item in value.items[:MAX_MEANINGS]:
                    yield from self.resolve(item, scope, depth + 1)
        if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name == "values":
            expr = expr.func.base
        if isinstance(expr, (ir.Name, ir.Attr)):
            for annotation, scope in self.annotations(expr, function, depth):
                if isinstance(annotation, ir.Subscript):
                    inner = annotation.index
                    if isinstance(inner, ir.Seq) and inner.items:
                        inner = inner.items[-1]
                    yield from self.annotation(inner, scope, depth + 1)

    def annotations(self, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[tuple[ir.Expr, Function]]:
        """The annotations that the bindings of a name or attribute carry."""
        if isinstance(expr, ir.Name):
            for binding in self.lookup(expr.id, function):
                if binding.annotation is not None:
                    yield binding.annotation, binding.scope
        elif isinstance(expr, ir.Attr):
            for base in self.resolve(expr.base, function, depth + 1):
                for binding in self.fields(base, expr.name):
                    if binding.annotation is not None:
                        yield binding.annotation, binding.scope

    def _entered(self, binding: Binding, depth: int) -> Iterator[Meaning]:
        for meaning in self.resolve(binding.value, binding.scope, depth + 1):
            if isinstance(meaning, Instance):
                entered = [
                    m
                    for name in ("__enter__", "__aenter__")
                    for m in self.attribute(meaning, name, depth + 1)
                    if isinstance(m, FunctionRef)
                ]
                got = [r for m in entered for r in self._returned(m.function, depth + 1)]
                yield from got or [meaning]
            else:
                yield meaning

    def _parameter(self, param: ir.Param, binding: Binding, depth: int) -> Iterator[Meaning]:
        function = binding.scope
        if param.kind in {"*", "**"}:
            return
        if function.cls is not None and param.name == function.self_name:
            yield ClassRef(function.cls) if function.is_classmethod else Instance(function.cls)
            return
        if param.default is not None:
            yield from self.resolve(param.default, function.parent or function, depth + 1)

    def annotation(self, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[Meaning]:
        """The objects that an annotation admits: ``Optional``, unions, ``Annotated`` and strings are looked through."""
        if depth > MAX_DEPTH:
            return
        if isinstance(expr, ir.Const) and isinstance(expr.value, str):
            parsed = _dotted_expr(expr.value, expr.span)
            if parsed is not None:
                yield from self.annotation(parsed, function, depth + 1)
            return
        if isinstance(expr, ir.Bin) and expr.op == "|":
            yield from self.annotation(expr.left, function, depth + 1)
            yield from self.annotation(expr.right, function, depth + 1)
            return
        if isinstance(expr, ir.Subscript):
            head = (
                expr.base.id
                if isinstance(expr.base, ir.Name)
                else expr.base.name
                if isinstance(expr.base, ir.Attr)
                else ""
            )
            if head in {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"}:
                items = expr.index.items if isinstance(expr.index, ir.Seq) else (expr.index,)
                for item in items[:1] if head == "Annotated" else items:
                    yield from self.annotation(item, function, depth + 1)
            elif head in {"type", "Type"}:
                yield from self.resolve(expr.index, function, depth + 1)
            else:
                yield from self.annotation(expr.base, function, depth + 1)
            return
        for meaning in self.resolve(
            expr, function.parent or function if not function.toplevel else function, depth + 1
        ):
            if isinstance(meaning, ClassRef):
                yield Instance(meaning.cls)
            elif isinstance(meaning, External) and not meaning.name.startswith(_SHAPES):
                yield External(meaning.name + "()")

    def attribute(self, base: Meaning, name: str, depth: int = 0) -> Iterator[Meaning]:
        """What an attribute of a meaning is."""
        if depth > MAX_DEPTH:
            return
        if isinstance(base, External):
            yield External(f"{base.name}.{name}")
        elif isinstance(base, ModuleRef):
            got = [m for m in self.symbol(base.module, name, depth + 1) if m != External(f"builtins.{name}")]
            if got:
                yield from got
            else:
                sub = self._submodule(base.module, name)
                if sub is not None:
                    yield ModuleRef(sub)
        elif isinstance(base, (ClassRef, Instance)):
            yield from self._member(base, name, depth)
        elif isinstance(base, FunctionRef):
            return

    def _submodule(self, module: Module, name: str) -> Module | None:
        if not module.path.endswith("__init__.py"):
            return None
        folder = module.path[: -len("__init__.py")]
        for path in (f"{folder}{name}.py", f"{folder}{name}/__init__.py"):
            found = self.module(path)
            if found is not None:
                return found
        return None

    def _member(self, base: ClassRef | Instance, name: str, depth: int, *, above: bool = False) -> Iterator[Meaning]:
        """A member of a class, or the one ``above`` it that ``super()`` of the class means."""
        for cls in self.mro(base.cls)[1 if above else 0 :]:
            if isinstance(cls, External):
                # A field that the project declares on a class with a base from outside is what it says there.
                declared = [m for b in self.fields(base, name) for m in self.bound(b, b.scope, depth + 1)]
                if declared:
                    yield from declared
                    return
                yield External(f"{cls.name}{'()' if isinstance(base, Instance) else ''}.{name}")
                return
            members = self.members(cls).get(name, ())
            methods = [b for b in members if isinstance(b.node, ir.FuncDef)]
            if methods:
                node = methods[-1].node
                assert isinstance(node, ir.FuncDef)
                function = cls.module.function(node, cls.scope, cls)
                if function.is_property:
                    yield from self._returned(function, depth + 1)
                else:
                    yield FunctionRef(function, base.cls)
                return
            inner = [b for b in members if isinstance(b.node, ir.ClassDef)]
            if inner:
                node2 = inner[-1].node
                assert isinstance(node2, ir.ClassDef)
                yield ClassRef(cls.module.cls(node2, cls.scope))
                return
        for binding in self.fields(base, name):
            yield from self.bound(binding, binding.scope, depth + 1)

    def property_of(self, base: Meaning, name: str) -> Function | None:
        """The function that is run when an attribute of an object is read, where its class makes it a property."""
        for cls in self.mro(base.cls) if isinstance(base, Instance) else ():
            for binding in self.members(cls).get(name, ()) if isinstance(cls, Class) else ():
                if isinstance(cls, Class) and isinstance(binding.node, ir.FuncDef):
                    function = cls.module.function(binding.node, cls.scope, cls)
                    return function if function.is_property else None
        return None

    def members(self, cls: Class) -> dict[str, list[Binding]]:
        """What the body of a class binds."""
        if cls._members is None:
            table: dict[str, list[Binding]] = {}
            for name, binding in _bind(cls.node.body, cls.scope):
                table.setdefault(name, []).append(binding)
            cls._members = table
        return cls._members

    def own_field(self, cls: Class, name: str) -> list[Binding]:
        """The bindings of an attribute that the methods of a class make on their receiver, and those in its body."""
        if name not in cls._fields:
            found = cls._fields[name] = []
            found += [b for b in self.members(cls).get(name, ()) if b.kind in {"assign", "declare"}]
            for bindings in list(self.members(cls).values()):
                for binding in bindings:
                    if isinstance(binding.node, ir.FuncDef) and cls.module.may_store(binding.node.span[0], name):
                        found += self._receiver_fields(cls, binding.node).get(name, ())
        return cls._fields[name]

    def _receiver_fields(self, cls: Class, node: ir.FuncDef) -> dict[str, list[Binding]]:
        """What a method assigns on its receiver, by attribute."""
        if id(node) not in cls._stored:
            table = cls._stored[id(node)] = {}
            self._collect_fields(cls, node, table)
        return cls._stored[id(node)]

    def _collect_fields(self, cls: Class, node: ir.FuncDef, table: dict[str, list[Binding]]) -> None:
        function = cls.module.function(node, cls.scope, cls)
        receiver = function.self_name
        if not receiver:
            return
        for stmt in ir.walk_all(node.body):
            if isinstance(stmt, ir.Assign):
                for target in stmt.targets:
                    pairs: list[tuple[ir.Expr, ir.Expr | None]] = [(target, stmt.value)]
                    if isinstance(target, ir.Seq):
                        values = stmt.value.items if isinstance(stmt.value, ir.Seq) else ()
                        pairs = list(zip(target.items, values, strict=False))
                    for part, value in pairs:
                        if isinstance(part, ir.Attr) and isinstance(part.base, ir.Name) and part.base.id == receiver:
                            kind = "assign" if value is not None else "declare"
                            table.setdefault(part.name, []).append(
                                Binding(kind, value, function, part.span, annotation=stmt.annotation)
                            )
            elif isinstance(stmt, ir.Aug):
                target = stmt.target
                if isinstance(target, ir.Attr) and isinstance(target.base, ir.Name) and target.base.id == receiver:
                    table.setdefault(target.name, []).append(Binding("augment", stmt.value, function, stmt.span))
            elif isinstance(stmt, ir.With):
                for context, bound in stmt.items:
                    if isinstance(bound, ir.Attr) and isinstance(bound.base, ir.Name) and bound.base.id == receiver:
                        table.setdefault(bound.name, []).append(Binding("context", context, function, bound.span))

    def fields(self, base: Meaning, name: str) -> list[Binding]:
        """The bindings of an attribute along the method resolution order (nearest class first)."""
        if isinstance(base, ModuleRef):
            return base.module.bindings(name)
        if not isinstance(base, (Instance, ClassRef)):
            return []
        out: list[Binding] = []
        for cls in self.mro(base.cls):
            if isinstance(cls, Class):
                out.extend(self.own_field(cls, name))
        return out

    def mro(self, cls: Class) -> list[Class | External]:
        """The class and its bases, nearest first; an external base ends a line."""
        out: list[Class | External] = []
        pending: list[Class | External] = [cls]
        seen: set[str] = set()
        while pending and len(out) < 24:
            top = pending.pop(0)
            if isinstance(top, External):
                if top not in out and not top.name.startswith(("builtins.object", "abc.", "typing.")):
                    out.append(top)
                continue
            if top.key in seen:
                continue
            seen.add(top.key)
            out.append(top)
            for base in top.node.bases:
                head = base.base if isinstance(base, ir.Subscript) else base
                for meaning in self.resolve(head, top.scope):
                    if isinstance(meaning, ClassRef):
                        pending.append(meaning.cls)
                    elif isinstance(meaning, External):
                        pending.append(meaning)
        # External bases last, so that the project's own definitions win.
        return [c for c in out if isinstance(c, Class)] + [c for c in out if isinstance(c, External)]

    def called(self, meaning: Meaning, depth: int = 0) -> Iterator[Meaning]:
        """What calling a meaning gives."""
        if isinstance(meaning, External):
            yield External(meaning.name + "()")
        elif isinstance(meaning, ClassRef):
            yield Instance(meaning.cls)
        elif isinstance(meaning, FunctionRef):
            yield from self._returned(meaning.function, depth + 1)
        elif isinstance(meaning, Instance):
            for method in self.attribute(meaning, "__call__", depth + 1):
                if isinstance(method, FunctionRef):
                    yield from self._returned(method.function, depth + 1)

    def _result(self, call: ir.Call, function: Function, depth: int) -> Iterator[Meaning]:
        if isinstance(call.func, ir.Name) and call.func.id == "super":
            yield from self._super(function)
            return
        for meaning in self.resolve(call.func, function, depth):
            if isinstance(meaning, External):
                if meaning.name == "functools.partial" and call.args:
                    yield from self.resolve(call.args[0].value, function, depth)
                    continue
                if meaning.name == "typing.cast" and len(call.args) == 2:
                    yield from self.annotation(call.args[0].value, function, depth)
                    yield from self.resolve(call.args[1].value, function, depth)
                    continue
                if meaning.name == "builtins.getattr" and len(call.args) >= 2:
                    name = call.args[1].value
                    if isinstance(name, ir.Const) and isinstance(name.value, str):
                        for base in self.resolve(call.args[0].value, function, depth):
                            yield from self.attribute(base, name.value, depth)
                        continue
                    if isinstance(name, ir.FString):
                        for base in self.resolve(call.args[0].value, function, depth):
                            yield from self._spelled(base, name, depth)
                        continue
            yield from self.called(meaning, depth)

    def _spelled(self, base: Meaning, name: ir.FString, depth: int) -> Iterator[Meaning]:
        """The attributes that a name may stand for, where a part is constant: ``getattr(self, f"{kind}_run")``."""
        if not isinstance(base, (ClassRef, Instance)) or len(name.text.strip("_")) < MIN_SPELLED:
            return
        seen: set[str] = set()
        for cls in self.mro(base.cls):
            if isinstance(cls, Class):
                stored = {each for unit in cls.module.index.units for each in unit.stores or ()}
                seen |= {each for each in {*self.members(cls), *stored} if name.text in each}
        for each in sorted(seen)[:MAX_MEANINGS]:
            if each.startswith(name.text) or each.endswith(name.text):
                yield from self.attribute(base, each, depth)

    def _super(self, function: Function) -> Iterator[Meaning]:
        owner = _method_owner(function)
        for base in self.mro(owner)[1:2] if owner is not None else ():
            yield Instance(base) if isinstance(base, Class) else External(base.name + "()")

    def _returned(self, function: Function, depth: int) -> Iterator[Meaning]:
        if depth > MAX_DEPTH:
            return
        if function.node.returns is not None:
            got = list(self.annotation(function.node.returns, function, depth + 1))
            if got:
                yield from got
                return
        for node in function.nodes:
            if isinstance(node, ir.Return) and node.value is not None:
                yield from self.resolve(node.value, function, depth + 2)

    # ---- callers, subclasses, methods by name

    def definitions(self, name: str) -> list[tuple[str, Definition]]:
        """All definitions of a name in the project: methods by their last name."""
        if self._defined is None:
            table: dict[str, list[tuple[str, Definition]]] = {}
            for path in sorted(self.project.modules):
                for definition in self.project.modules[path].definitions:
                    table.setdefault(definition.name.rpartition(".")[2], []).append((path, definition))
            self._defined = table
        return self._defined.get(name, [])

    def statements_calling(self, name: str) -> list[tuple[str, int]]:
        """The statements of the project in which something of that name is called or passed on."""
        if self._calling is None:
            table: dict[str, list[tuple[str, int]]] = {}
            for path in sorted(self.project.modules):
                for number, statement in enumerate(self.project.modules[path].statements):
                    for called in sorted(statement.calls):
                        table.setdefault(called, []).append((path, number))
            self._calling = table
        return self._calling.get(name, [])

    def _near(self, path: str, rows: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """Of statements those in files that lead to a file by their imports, the file itself first, then its
        importers.
        """
        rows = list(rows)
        if len(rows) < 2:
            return rows
        if path not in self._leading:
            found = {path: 0}
            stack = [path]
            while stack:
                top = stack.pop(0)
                for each in self.project.importers(top):
                    if each not in found:
                        found[each] = found[top] + 1
                        stack.append(each)
            if len(self._leading) >= MAX_LEADING:
                self._leading.clear()
            self._leading[path] = found
        far = self._leading[path]
        return sorted((row for row in rows if row[0] in far), key=lambda row: (far[row[0]], row))

    def callers(
        self, function: Function, limit: int = 24, *, worded: bool = False
    ) -> tuple[tuple[ir.Call, Function], ...]:
        """The calls of the project that reach a function, each with the function in which it stands.

        Of a name that is called in more statements than ``limit`` only the first are read; ``worded`` reads only
        statements that hold a word of the catalogue.
        """
        key = function.key + ("+" if worded else "")
        if key in self._callers:
            return self._callers[key]
        self._callers[key] = ()
        names = {function.node.name}
        if function.node.name == "__init__" and function.cls is not None:
            names = {c.node.name for c in (function.cls, *self.subclasses(function.cls))}
        elif function.node.name == "__call__" and function.cls is not None:
            names = {v for c in (function.cls, *self.subclasses(function.cls)) for v in self._holding(c.node.name)}
        names |= {alias for name in sorted(names) for alias in self._aliases_of(name)}
        found: list[tuple[ir.Call, Function]] = []
        calling = self._near(function.module.path, {row for name in names for row in self.statements_calling(name)})
        if worded:
            candidates = self.project.candidates()
            calling = [
                (p, n) for p, n in calling if self.project.modules[p].statements[n].words or n in candidates.get(p, ())
            ]
        for path, number in calling[:limit]:
            module = self.module(path)
            if module is None:
                continue
            for name in sorted(names):
                for call, scope in module.calls_named(number, name):
                    if self._runs(call, scope, function):
                        found.append((call, scope))
        self._callers[key] = tuple(found)
        return self._callers[key]

    def constructed(self, cls: Class, name: str) -> Iterator[tuple[ir.Expr, Function]]:
        """What constructor calls of the project give for a declared field; each with its function."""
        members = self.members(cls)
        declared = [key for key, several in members.items() if any(b.annotation is not None for b in several)]
        ordered = name in declared and "__init__" not in members and "__new__" not in members
        for path, number in self.statements_calling(cls.node.name)[:24]:
            module = self.module(path)
            for call, scope in module.calls_named(number, cls.node.name) if module is not None else ():
                value = call.keyword(name)
                if value is None and ordered:
                    value = call.positional(declared.index(name))
                if value is not None:
                    yield value, scope

    def handed(self, function: Function, position: int) -> list[tuple[ir.Expr, bool, Function]]:
        """What a parameter gets where the function is handed to something that runs it.

        ``pool.map(one, calls)`` gives it each of the calls (not whole), ``pool.submit(one, call)`` the call. The last
        item is the function in which that stands.
        """
        if function.key not in self._handed:
            self._handed[function.key] = tuple(self._hand_overs(function))
        out = []
        for call, caller, skip, whole in self._handed[function.key]:
            plain = [a.value for a in call.args if a.name is None and not a.star]
            if 0 <= position + skip < len(plain):
                out.append((plain[position + skip], whole, caller))
        return out

    def _hand_overs(self, function: Function) -> Iterator[tuple[ir.Call, Function, int, bool]]:
        name = function.node.name
        for path, number in self._near(function.module.path, self.statements_calling(name))[:24]:
            module = self.module(path)
            if module is None:
                continue
            named = {each for unit in module.units(number) if name in unit.named for each in unit.named}
            for runner in sorted(_HANDED_TO & named):
                for call, scope in module.calls_named(number, runner):
                    for skip, arg in enumerate(call.args[:2], 1):
                        if isinstance(arg.value, (ir.Name, ir.Attr)) and _last_name(arg.value) == function.node.name:
                            meanings = self.resolve(arg.value, scope)
                            if any(isinstance(m, FunctionRef) and m.function.key == function.key for m in meanings):
                                yield call, scope, skip, "map" not in runner

    def _runs(self, call: ir.Call, scope: Function, function: Function) -> bool:
        """Whether a call runs a function, or constructs an object by it."""
        if any(t.key == function.key for t in self.targets(call, scope)):
            return True
        if function.node.name != "__init__":
            return False
        return any(
            isinstance(m, FunctionRef) and m.function.key == function.key
            for made in self.resolve(call.func, scope)
            if isinstance(made, ClassRef)
            for m in self.attribute(made, "__init__")
        )

    def _holding(self, name: str) -> frozenset[str]:
        """The variables and attributes of the project that are built from, or annotated with, a class of that name."""
        if self._held is None:
            self._held = {}
            for path in sorted(self.project.modules):
                for unit in self.project.modules[path].units:
                    for variable, made in unit.made:
                        self._held.setdefault(made.rpartition(".")[2], set()).add((variable, unit.kind == "class"))
        found: set[str] = set()
        for variable, in_class in self._held.get(name, ()):
            # `agent_class = Agent` in a class: what is built by calling the attribute is one, too.
            found |= {variable, *(each for each, _ in self._held.get(variable, ()) if in_class)}
        return frozenset(found)

    def _aliases_of(self, name: str) -> frozenset[str]:
        """Other names under which modules of the project import a name."""
        if self._renamed is None:
            self._renamed = {}
            for path in sorted(self.project.modules):
                for row in self.project.modules[path].imports:
                    if row.name is not None and row.alias != row.name:
                        self._renamed.setdefault(row.name, set()).add(row.alias)
        return frozenset(self._renamed.get(name, ()))

    def subclasses(self, cls: Class) -> tuple[Class, ...]:
        """The classes of the project that derive from a class, directly or not."""
        if cls.key in self._subclasses:
            return self._subclasses[cls.key]
        self._subclasses[cls.key] = ()
        found: list[Class] = []
        for path, number in self.statements_calling(cls.node.name)[:48]:
            module = self.module(path)
            if module is None or module.index.statements[number].kind != "class":
                continue
            for stmt in module.statements(number):
                if isinstance(stmt, ir.ClassDef):
                    sub = module.cls(stmt, module.toplevel(number))
                    if sub.key != cls.key and any(isinstance(c, Class) and c.key == cls.key for c in self.mro(sub)):
                        found.append(sub)
        for sub in list(found):
            found.extend(c for c in self.subclasses(sub) if c not in found)
        self._subclasses[cls.key] = tuple(found)
        return self._subclasses[cls.key]

    def targets(self, call: ir.Call, function: Function) -> tuple[Function, ...]:
        """The functions of the project that a call may run; of an abstract method its implementations."""
        out: list[Function] = []
        for meaning in self.resolve(call.func, function):
            out.extend(self.run_by(meaning))
        if not out and isinstance(call.func, ir.Attr) and not self.resolve(call.func.base, function):
            out.extend(self._by_method_name(call.func.name))
        unique: dict[str, Function] = {f.key: f for f in out}
        return tuple(list(unique.values())[:MAX_MEANINGS])

    def run_by(self, meaning: Meaning) -> list[Function]:
        """The functions that calling a meaning runs."""
        if isinstance(meaning, FunctionRef):
            function = meaning.function
            if function.cls is not None and is_abstract(function.node):
                over = self._overrides(meaning.receiver or function.cls, function.node.name)
                return over or self._alike(function.cls, function.node.name) or [function]
            return [function]
        if isinstance(meaning, Instance):
            return [m.function for m in self.attribute(meaning, "__call__") if isinstance(m, FunctionRef)]
        return []

    def _overrides(self, cls: Class, name: str) -> list[Function]:
        out = []
        for sub in self.subclasses(cls):
            for binding in self.members(sub).get(name, ()):
                if isinstance(binding.node, ir.FuncDef) and not is_abstract(binding.node):
                    out.append(sub.module.function(binding.node, sub.scope, sub))
        return out[:MAX_MEANINGS]

    def _alike(self, protocol: Class, name: str) -> list[Function]:
        """A method in the classes that have all methods of a protocol and need not name it."""
        bases = [m for base in protocol.node.bases for m in self.resolve(base, protocol.scope)]
        if not any(isinstance(base, External) and base.name.endswith(".Protocol") for base in bases):
            return []
        wanted = {key for key, several in self.members(protocol).items() if any(b.kind == "function" for b in several)}
        out = []
        for path, definition in self.definitions(name) if not name.startswith("__") else ():
            module = self.module(path) if definition.kind == "function" and "." in definition.name else None
            units = partial(_stands_at, definition.line)
            for function in self.functions_of(module, definition.statement, units) if module is not None else ():
                lines = self.mro(function.cls) if function.cls is not None else []
                known = {key for line in lines if isinstance(line, Class) for key in self.members(line)}
                if function.node.name == name and wanted <= known and not is_abstract(function.node):
                    out.append(function)
        return out[:MAX_MEANINGS]

    def _by_method_name(self, name: str) -> list[Function]:
        """A method of a receiver that nobody knows, found by a name that few classes of the project define."""
        if name.startswith("__") or name in _COMMON or len(name) < 4:
            return []
        found = [(p, d) for p, d in self.definitions(name) if "." in d.name and d.kind == "function"]
        if not 1 <= len(found) <= 3:
            return []
        out = []
        for path, definition in found:
            module = self.module(path)
            if module is None:
                continue
            for function in self.functions_of(module, definition.statement, partial(_stands_at, definition.line)):
                if function.node.qualname == definition.name and not is_abstract(function.node):
                    out.append(function)
        return out


def _is_super(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "super"


def _method_owner(function: Function) -> Class | None:
    """The class whose method a function is, or stands in."""
    scope: Function | None = function
    while scope is not None and scope.cls is None:
        scope = scope.parent
    return scope.cls if scope is not None else None


def _stands_at(line: int, unit: Unit) -> bool:
    return unit.line == line


_COMMON = frozenset(
    [
        "append",
        "extend",
        "insert",
        "remove",
        "get",
        "items",
        "keys",
        "values",
        "update",
        "copy",
        "pop",
        "join",
        "split",
        "strip",
        "format",
        "encode",
        "decode",
        "read",
        "write",
        "close",
        "open",
        "send",
        "recv",
        "start",
        "stop",
        "run",
        "call",
        "execute",
        "invoke",
        "create",
        "delete",
        "list",
        "load",
        "save",
        "dump",
        "dumps",
        "loads",
        "parse",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "log",
        "print",
        "group",
        "match",
        "search",
        "replace",
        "lower",
        "upper",
        "add",
        "clear",
        "next",
        "step",
        "reset",
        "submit",
        "result",
        "cancel",
        "done",
        "wait",
        "process",
        "handle",
        "model_dump",
        "model_dump_json",
        "dict",
        "json",
        "to_dict",
        "from_dict",
        "find",
        "count",
        "index",
        "sort",
        "put",
        "exists",
        "mkdir",
        "commit",
        "connect",
        "disconnect",
        "request",
        "post",
        "head",
        "patch",
        "query",
        "filter",
        "first",
        "last",
        "emit",
        "on",
        "off",
        "set",
        "init",
        "setup",
        "build",
        "check",
        "main",
    ]
)


RUNNERS = frozenset({"map", "imap", "starmap", "submit", "run_in_executor", "to_thread", "run_sync", "apply_async"})
"""What runs a function that it is handed, with the arguments behind it."""
_HANDED_TO = RUNNERS | {"execute", "retry", "start_soon", "run_in_threadpool", "spawn"}
"""Those, and the names that executors of a project's own bear."""


def _unique(meanings: Iterator[Meaning]) -> tuple[Meaning, ...]:
    out: dict[Meaning, None] = {}
    for meaning in meanings:
        out[meaning] = None
        if len(out) >= MAX_MEANINGS:
            break
    return tuple(out)


_SHAPES = ("builtins.", "typing.", "collections.abc.")
"""Modules whose names, in an annotation, say what a value can do and not what it is."""


def _last_name(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Attr):
        return expr.name
    return expr.id if isinstance(expr, ir.Name) else ""


def is_abstract(node: ir.FuncDef) -> bool:
    """Whether a method has no body of its own: a docstring, ``...``, ``pass`` or ``raise NotImplementedError``."""
    for decorator in node.decorators:
        if _last_name(decorator) == "abstractmethod":
            return True
    for stmt in node.body:
        if isinstance(stmt, ir.ExprStmt) and isinstance(stmt.value, ir.Const):
            continue
        if isinstance(stmt, ir.Raise) and stmt.exc is not None:
            exc = stmt.exc.func if isinstance(stmt.exc, ir.Call) else stmt.exc
            if _last_name(exc) == "NotImplementedError":
                continue
        return False
    return True


def _dotted_expr(text: str, span: ir.Span) -> ir.Expr | None:
    """A string annotation as an expression: dotted names, ``Optional[...]`` and ``| None`` only."""
    text = text.strip()
    for wrapper in ("Optional[", "typing.Optional["):
        if text.startswith(wrapper) and text.endswith("]"):
            text = text[len(wrapper) : -1]
    text = text.split("|")[0].split("[")[0].strip()
    parts = text.split(".")
    if not all(p.isidentifier() for p in parts):
        return None
    out: ir.Expr = ir.Name(span, parts[0])
    for part in parts[1:]:
        out = ir.Attr(span, out, part)
    return out
