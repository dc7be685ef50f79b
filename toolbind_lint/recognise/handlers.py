"""Which functions of the project a dispatch may run: by table, by attribute, by a chain of tests, by class.

Only what can be seen in full counts: where a table is filled by others, or a tool comes in as an argument, nothing is
said (``None``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.program import (
    Class,
    ClassRef,
    External,
    Function,
    FunctionRef,
    Instance,
    Meaning,
    Program,
    is_abstract,
)
from toolbind_lint.recognise.roles import last_name

MAX_HANDLERS = 40


class Handlers(NamedTuple):
    """What a dispatch may run: functions of the project, and calls that stand in its own branches."""

    functions: tuple[Function, ...]
    calls: tuple[tuple[ir.Call, Function], ...] = ()


class HandlerFinder:
    """Finds the handlers of dispatches in one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of(self, dispatch: Dispatch) -> Handlers | None:
        """The handlers of a dispatch; None where not all of them can be seen."""
        node, function = dispatch.node, dispatch.function
        if dispatch.form == "chain":
            return Handlers((), tuple(_branch_calls(node, function)))
        if not isinstance(node, ir.Call):
            return None
        if dispatch.form == "attribute":
            return self._attributes(dispatch)
        typed = self.typed(node, function)
        if typed:
            return Handlers(typed)
        tools = self._tools(dispatch)
        if tools is None:
            return None
        run: dict[str, Function] = {}
        for meaning in tools:
            found = self._runs(meaning, node)
            if not found:
                return None
            run.update({f.key: f for f in found})
        return Handlers(tuple(run.values())) if run else None

    # ---- by type: what the called expression resolves to

    def typed(self, call: ir.Call, function: Function) -> tuple[Function, ...]:
        """The functions that a call may run by the type of what is called."""
        out: dict[str, Function] = {}
        for meaning in self.program.resolve(call.func, function):
            # The method that the type declares, not what it resolves to: another class may stand for it.
            named = [meaning.function] if isinstance(meaning, FunctionRef) else self.program.run_by(meaning)
            for target in named:
                out.update({f.key: f for f in self._implementations(target)})
        for target in self.program.targets(call, function) if not out else ():
            out.update({f.key: f for f in self._implementations(target)})
        return tuple(out.values())

    def _implementations(self, function: Function) -> list[Function]:
        """A function and the methods of the project that stand for it: of subclasses, and of classes that have what a
        protocol asks for.
        """
        if function.cls is None:
            return [function]
        name = function.node.name
        found = [function] if not is_abstract(function.node) else []
        for sub in self.program.subclasses(function.cls):
            found.extend(self._methods(sub, name))
        if any(last_name(base) == "Protocol" for base in function.cls.node.bases):
            found.extend(self._structural(function.cls, name))
        return found or [function]

    def _methods(self, cls: Class, name: str) -> Iterator[Function]:
        for binding in self.program.members(cls).get(name, ()):
            if isinstance(binding.node, ir.FuncDef) and not is_abstract(binding.node):
                yield cls.module.function(binding.node, cls.scope, cls)

    def _structural(self, protocol: Class, name: str) -> Iterator[Function]:
        wanted = {
            n for n, bs in self.program.members(protocol).items() if any(isinstance(b.node, ir.FuncDef) for b in bs)
        }
        for path, definition in self.program.definitions(name)[:MAX_HANDLERS]:
            module = self.program.module(path)
            if module is None or definition.kind != "function":
                continue
            for function in self.program.functions(module, definition.statement):
                cls = function.cls
                if function.node.qualname == definition.name and cls is not None and cls.key != protocol.key:
                    if wanted <= self.program.members(cls).keys() and not is_abstract(function.node):
                        yield function

    # ---- by table

    def _tools(self, dispatch: Dispatch) -> list[Meaning] | None:
        """What the table of a lookup holds."""
        table = _table(dispatch.lookup)
        if table is None or isinstance(table, ir.Call):
            return None
        out: list[Meaning] = []
        seen = False
        for value, scope in self.program.values(table, dispatch.function):
            members = self._members(value, scope)
            if members is None:
                return None
            seen = True
            out.extend(members)
        return out if seen and len(out) <= MAX_HANDLERS else None

    def _members(self, value: ir.Expr, scope: Function) -> list[Meaning] | None:
        out: list[Meaning] = []
        if isinstance(value, ir.DictE):
            for key, item in value.items:
                found = list(self.program.resolve(item, scope)) if key is not None else self._merged(item, scope)
                if not found:
                    return None
                out.extend(found)
            return out
        if isinstance(value, ir.Comp) and len(value.elements) == 2 and len(value.generators) == 1:
            return self._comprehended(value, scope)
        return None

    def _merged(self, item: ir.Expr, scope: Function) -> list[Meaning] | None:
        """``**OTHER`` in a display."""
        out: list[Meaning] = []
        for inner, place in self.program.values(item, scope):
            more = self._members(inner, place)
            if more is None:
                return None
            out.extend(more)
        return out

    def _comprehended(self, value: ir.Comp, scope: Function) -> list[Meaning] | None:
        """``{t.name: t for t in TOOLS}``: the items of a display, or objects of an annotated class."""
        element, generator = value.elements[-1], value.generators[0]
        target = generator.target
        if not isinstance(target, ir.Name) or not isinstance(element, ir.Name) or element.id != target.id:
            return None
        out: list[Meaning] = []
        for source, place in self.program.values(generator.iter, scope):
            if isinstance(source, ir.Seq):
                for item in source.items:
                    found = self.program.resolve(item, place)
                    if not found or isinstance(item, ir.Starred):
                        return None
                    out.extend(found)
        return out or self._annotated(generator.iter, scope)

    def _annotated(self, source: ir.Expr, scope: Function) -> list[Meaning] | None:
        """The class of the items of an annotated collection, or of ``*tools: Tool``."""
        out: list[Meaning] = []
        if isinstance(source, ir.Name):
            for binding in self.program.lookup(source.id, scope):
                star = isinstance(binding.node, ir.Param) and binding.node.kind == "*"
                if star and binding.annotation is not None:
                    out.extend(self.program.annotation(binding.annotation, binding.scope))
        return out or list(self.program.elements(source, scope, 0)) or None

    # ---- by attribute

    def _attributes(self, dispatch: Dispatch) -> Handlers | None:
        """``getattr(self, f"tool_{name}")``: the methods of the class whose name starts so."""
        lookup = dispatch.lookup
        if not isinstance(lookup, ir.Call) or len(lookup.args) < 2:
            return None
        key = lookup.args[1].value
        prefix = _prefix(key)
        if isinstance(key, ir.Name):
            values = [v for v, _ in self.program.values(key, dispatch.function)]
            prefix = _prefix(values[0]) if len(values) == 1 else ""
        out: dict[str, Function] = {}
        for meaning in self.program.resolve(lookup.args[0].value, dispatch.function):
            if not isinstance(meaning, (Instance, ClassRef)):
                return None
            for cls in self.program.mro(meaning.cls):
                if isinstance(cls, External):
                    return None
                for name, bindings in self.program.members(cls).items():
                    for binding in bindings:
                        if isinstance(binding.node, ir.FuncDef) and name.startswith(prefix) and prefix:
                            made = cls.module.function(binding.node, cls.scope, cls)
                            out[made.key] = made
        return Handlers(tuple(out.values())) if out else None

    def _runs(self, meaning: Meaning, call: ir.Call) -> list[Function]:
        """What calling a tool, or the method of it that the dispatch names, runs."""
        if isinstance(meaning, ClassRef):
            meaning = Instance(meaning.cls)
        run: list[Function] = []
        if isinstance(meaning, FunctionRef):
            run = self.program.run_by(meaning)
        elif not isinstance(meaning, External):
            name = call.func.name if isinstance(call.func, ir.Attr) else "__call__"
            for found in self.program.attribute(meaning, name):
                run.extend(self.program.run_by(found) if isinstance(found, FunctionRef) else [])
        return [i for f in run for i in self._implementations(f)]


def _table(lookup: ir.Node | None) -> ir.Expr | None:
    """The table of ``TOOLS[name]`` or ``TOOLS.get(name)``."""
    if isinstance(lookup, ir.Subscript):
        return lookup.base
    if isinstance(lookup, ir.Call) and isinstance(lookup.func, ir.Attr):
        return lookup.func.base
    return None


def _branch_calls(node: ir.Node, function: Function) -> Iterator[tuple[ir.Call, Function]]:
    for inner in ir.walk(node):
        if isinstance(inner, ir.Call):
            yield inner, function


def _prefix(key: ir.Expr) -> str:
    """The constant text that a name starts with."""
    if isinstance(key, ir.FString):
        return key.text if key.text and len(key.parts) == 1 else ""
    if isinstance(key, ir.Bin) and key.op == "+" and isinstance(key.left, ir.Const):
        return str(key.left.value)
    return ""
