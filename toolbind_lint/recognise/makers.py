"""Which calls made the object that an expression stands for: from a run back to the constructors of its agent.

Followed are names (the assignment that a use sees), attributes and module variables, parameters to what callers pass,
returns, tuples, containers, conditional expressions, context managers, methods that give the object itself back, and
attributes of objects that nobody knows (``state.agent``) to what the module stores in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import Binding, Class, ClassRef, External, Function, FunctionRef, Module, Program
from toolbind_lint.recognise.roles import argument, dotted, last_name

MAX_DEPTH = 14
MAX_MADE = 8

_SAME = frozenset({"copy", "deepcopy", "run", "wait_for", "shield", "cast", "create_task", "run_until_complete"})
"""Functions (by last name) of libraries that give their first argument, or its result, back."""

_ELEMENTS = frozenset({"values", "items", "copy", "list", "tuple", "set", "sorted", "reversed", "enumerate", "iter"})


class Wrap(NamedTuple):
    """A method that gave the object back: ``with_config(...)``, ``compile(...)``."""

    name: str
    call: ir.Call
    function: Function


class Made(NamedTuple):
    """One constructor call behind an object.

    ``call`` is None where an annotation alone says what it is. ``cls`` is the project's subclass that is built,
    ``wraps`` what the object went through since.
    """

    row: Row
    call: ir.Call | None
    function: Function
    cls: Class | None = None
    wraps: tuple[Wrap, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """What makes it another one."""
        return (
            id(self.call) if self.call is not None else 0,
            self.row.one("id"),
            tuple(id(w.call) for w in self.wraps),
        )


class Spot(NamedTuple):
    """An expression and the function in which it stands."""

    expr: ir.Expr
    function: Function


class Makers:
    """Finds constructors of one kind of row (``agent``, ``toolset``) behind expressions.

    ``owns`` says whether a file of the project is the library that a row speaks of, so that the library's own examples
    count.
    """

    def __init__(
        self, program: Program, catalogue: Catalogue, kind: str, owns: Callable[[str, str], bool] = lambda *_: False
    ) -> None:
        self.program = program
        self.catalogue = catalogue
        self.kind = kind
        self._owns = owns
        self._known: dict[tuple[int, str], tuple[Made, ...]] = {}
        self._keep: list[ir.Expr] = []
        self._active: set[tuple[int, str]] = set()
        self._stored: dict[tuple[str, str], tuple[Spot, ...]] = {}
        self._same = self.catalogue.words(kind, "same")
        self._gathers: dict[str, frozenset[str]] = {}
        for row in catalogue.rows:
            if row.kind == "gathers":
                known = self._gathers.get(row.one("attribute"), frozenset())
                self._gathers[row.one("attribute")] = known.union(row.all("call"))
        self._cut = False

    # ---- names as the imports write them

    def names(self, expr: ir.Expr, function: Function) -> tuple[str, ...]:
        """The dotted names of a callee outside the project, also where the project is that library itself."""
        if isinstance(expr, ir.Subscript):
            expr = expr.base  # `Agent[Deps, str](...)`: type parameters
        meanings = self.program.resolve(expr, function)
        found = [m.name for m in meanings if isinstance(m, External)]
        return tuple(found) or tuple(self._written(expr, function, not meanings))

    def _written(self, expr: ir.Expr, function: Function, unknown: bool) -> Iterator[str]:
        """The name as the imports write it: where the project does not define it, or is the library."""
        name = dotted(expr)
        root, _, rest = name.partition(".")
        if not root or not isinstance(expr, (ir.Name, ir.Attr)):
            return
        for module, level, origin, alias in self._imports(root, function):
            if level:
                continue
            bare = origin is None and alias == module.partition(".")[0]
            full = alias if bare else module if origin is None else f"{module}.{origin}"
            target = self.program.project.module_path(function.module.path, module, 0)
            framework = self._framework(full)
            if target is None or unknown or (framework and self._owns(target, framework)):
                yield f"{full}.{rest}" if rest else full

    def _imports(self, name: str, function: Function) -> Iterator[tuple[str, int, str | None, str]]:
        scope: Function | None = function
        while scope is not None and not scope.toplevel:
            for binding in self.program.locals(scope).get(name, ()):
                if isinstance(binding.node, ir.Alias):
                    node = binding.node
                    yield node.module, node.level, node.name, node.bound
                    return
            scope = scope.parent
        for row in function.module.imported(name):
            yield row.module, row.level, row.name, row.alias

    def _framework(self, name: str) -> str:
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            framework = self.catalogue.roots.get(".".join(parts[:count]))
            if framework is not None:
                return framework
        return ""

    def row(self, expr: ir.Expr, function: Function) -> Row | None:
        """The row of a callee."""
        for name in self.names(expr, function):
            row = self.catalogue.find(self.kind, name)
            if row is not None:
                return row
        return None

    def _carrier(self, expr: ir.Expr, function: Function) -> Row | None:
        """The row of a callee that gives back what it is given."""
        if not self.catalogue.calls.get("carries"):
            return None
        return next((r for n in self.names(expr, function) if (r := self.catalogue.find("carries", n))), None)

    # ---- tracing

    def of(self, expr: ir.Expr | None, function: Function, depth: int = 0) -> tuple[Made, ...]:
        """The constructors behind an expression; none where nothing is known."""
        if expr is None:
            return ()
        if depth > MAX_DEPTH:
            self._cut = True
            return ()
        key = (id(expr), function.key)
        if key in self._known:
            return self._known[key]
        if key in self._active:
            return ()
        self._active.add(key)
        outer, self._cut = self._cut, False
        try:
            found = {made.key: made for made in self._of(expr, function, depth + 1)}
        finally:
            self._active.discard(key)
        answer = tuple(found.values())[:MAX_MADE]
        if not self._cut and not self._active:
            self._keep.append(expr)
            self._known[key] = answer
        self._cut = self._cut or outer
        return answer

    def _of(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[Made]:
        if isinstance(expr, ir.Call):
            yield from self._call(expr, function, depth)
            return
        known = False
        for value in self.step(expr, function):
            for made in self.of(value.expr, value.function, depth):
                known = True
                yield made
        if isinstance(expr, ir.Name) and not known:
            for binding in self.seen(expr, function):
                if binding.annotation is not None and binding.kind in {"parameter", "declare"}:
                    yield from self._annotated(binding.annotation, binding.scope)

    def _annotated(self, annotation: ir.Expr, function: Function) -> Iterator[Made]:
        for node in ir.walk(annotation):
            if isinstance(node, (ir.Name, ir.Attr)):
                row = self.row(node, function)
                if row is not None:
                    yield Made(row, None, function)
                    return

    def _call(self, call: ir.Call, function: Function, depth: int) -> Iterator[Made]:
        row = self.row(call.func, function)
        if row is not None:
            yield Made(row, call, function)
            return
        carrier = self._carrier(call.func, function)
        if carrier is not None:
            position, _, param = carrier.one("param").rpartition(":")
            held = call.keyword(param)
            if held is None and position.isdigit():
                held = call.positional(int(position))
            yield from self.of(held, function, depth)
            return
        func, name = call.func, last_name(call.func)
        if isinstance(func, ir.Attr) and name in self._same:
            own = [made for made in self.of(func.base, function, depth) if name in made.row.all("same")]
            yield from (made._replace(wraps=(*made.wraps, Wrap(name, call, function))) for made in own)
            if own:
                return
        known = False
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, ClassRef):
                for base in self.bases(meaning.cls):
                    known = True
                    yield Made(base, call, function, meaning.cls)
            elif isinstance(meaning, FunctionRef):
                known = True
                for returned in meaning.function.returned:
                    yield from self.of(returned, meaning.function, depth)
        if known:
            return
        for value in self.step(call, function):
            yield from self.of(value.expr, value.function, depth)

    def bases(self, cls: Class) -> Iterator[Row]:
        """The row of the library's class that a class of the project derives from."""
        seen = {cls.key}
        pending = [cls]
        while pending:
            top = pending.pop(0)
            for base in top.node.bases:
                head = base.base if isinstance(base, ir.Subscript) else base
                row = self.row(head, top.scope)
                if row is not None:
                    yield row
                    return
                for meaning in self.program.resolve(head, top.scope):
                    if isinstance(meaning, ClassRef) and meaning.cls.key not in seen:
                        seen.add(meaning.cls.key)
                        pending.append(meaning.cls)

    # ---- one step back

    def step(self, expr: ir.Expr, function: Function) -> Iterator[Spot]:
        """The expressions that an expression stands for, one step back; nothing for displays and unknown calls."""
        if isinstance(expr, (ir.Await, ir.Walrus)):
            yield Spot(expr.value, function)
        elif isinstance(expr, ir.IfExp):
            yield Spot(expr.body, function)
            yield Spot(expr.orelse, function)
        elif isinstance(expr, ir.Bool):
            yield Spot(expr.left, function)
            yield Spot(expr.right, function)
        elif isinstance(expr, ir.Name):
            yield from self._name(expr, function)
        elif isinstance(expr, ir.Attr):
            yield from self._attribute(expr, function)
        elif isinstance(expr, ir.Subscript):
            yield from self._item(expr, function)
        elif isinstance(expr, ir.Call):
            yield from self._result(expr, function)

    def final(self, expr: ir.Expr | None, function: Function, depth: int = 0) -> Iterator[Spot]:
        """The displays, constants and unknown calls at the end of all steps back."""
        if expr is None or depth > MAX_DEPTH:
            return
        key = (id(expr), function.key)
        if key in self._active:
            return
        self._active.add(key)
        try:
            further = list(self.step(expr, function))
            if not further:
                yield Spot(expr, function)
            for value in further[:MAX_MADE]:
                yield from self.final(value.expr, value.function, depth + 1)
        finally:
            self._active.discard(key)

    def _name(self, expr: ir.Name, function: Function) -> Iterator[Spot]:
        bindings = self.seen(expr, function)
        if bindings:
            for binding in bindings:
                yield from self._bound(binding)
            return
        for module, name in self.program.origins(expr.id, function):
            for binding in self.program.definition(module, name):
                yield from self._bound(binding)

    def seen(self, expr: ir.Name, function: Function) -> list[Binding]:
        """The bindings that a use of a name sees: the last before it that no branch passes by, and those since."""
        found = [b for b in self.program.lookup(expr.id, function) if b.kind not in {"import", "augment"}]
        here = [b for b in found if b.scope is function or (b.scope.toplevel and function.toplevel)]
        if len(here) < 2 or len(here) < len(found):
            return found
        before = sorted((b for b in here if b.span[:2] < expr.span[:2]), key=lambda b: b.span[:2])
        if not before:
            return found
        around = _blocks(function, expr.span)
        out = []
        for binding in reversed(before):
            inside = binding.value is not None and _within(expr.span, binding.value.span)
            if inside:
                continue
            out.append(binding)
            if binding.kind not in {"declare"} and _blocks(binding.scope, binding.span) <= around:
                break
        return out

    def _bound(self, binding: Binding) -> Iterator[Spot]:
        value, scope = binding.value, binding.scope
        if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
            yield from self._parameter(binding.node, binding.index, scope)
        elif binding.kind in {"assign", "declare", "context"} and value is not None:
            yield Spot(value, scope)
        elif binding.kind == "unpack" and value is not None:
            yield from self.part(value, binding.index, scope)
        elif binding.kind in {"element", "unpack-element"} and value is not None:
            for element in self.elements(value, scope):
                if binding.kind == "element":
                    yield element
                elif isinstance(element.expr, ir.Seq) and 0 <= binding.index < len(element.expr.items):
                    yield Spot(element.expr.items[binding.index], element.function)
                elif binding.index == 1:  # the value of a pair that `items()` or `enumerate()` gives
                    yield element

    def _parameter(self, param: ir.Param, index: int, function: Function) -> Iterator[Spot]:
        if param.kind in {"*", "**"} or (function.self_name and param.name == function.self_name):
            return
        if param.default is not None:
            yield Spot(param.default, function.parent or function)
        for call, caller in self.program.callers(function):
            value = argument(call, param, index - (1 if function.self_name else 0))
            if value is not None:
                yield Spot(value, caller)

    def part(self, expr: ir.Expr, index: int, function: Function, depth: int = 0) -> Iterator[Spot]:
        """One item of what a tuple holds: ``a, b = make()``."""
        if depth > MAX_DEPTH:
            return
        if isinstance(expr, ir.Seq):
            if 0 <= index < len(expr.items):
                yield Spot(expr.items[index], function)
            return
        if isinstance(expr, ir.Call):
            for target in self.program.targets(expr, function):
                for returned in target.returned:
                    yield from self.part(returned, index, target, depth + 2)
            if last_name(expr.func) in {"gather", *_SAME}:
                plain = [a.value for a in expr.args if a.name is None]
                if last_name(expr.func) == "gather" and index < len(plain):
                    yield Spot(plain[index], function)
                elif plain:
                    yield from self.part(plain[0], index, function, depth + 1)
            return
        for value in self.step(expr, function):
            yield from self.part(value.expr, index, value.function, depth + 1)

    def _attribute(self, expr: ir.Attr, function: Function) -> Iterator[Spot]:
        known = False
        for base in self.program.resolve(expr.base, function):
            for binding in self.program.fields(base, expr.name):
                if binding.kind in {"assign", "declare", "context"} and binding.value is not None:
                    known = True
                    yield Spot(binding.value, binding.scope)
            if isinstance(base, External):
                continue
            for meaning in self.program.attribute(base, expr.name):
                if isinstance(meaning, FunctionRef) and meaning.function.is_property:
                    known = True
            cls = getattr(base, "cls", None)
            if isinstance(cls, Class):
                for value, scope in self._given_to_field(cls, expr.name):
                    known = True
                    yield Spot(value, scope)
                yield from self._property(cls, expr.name)
        if not known:
            yield from self.stored(dotted(expr), function)

    def _given_to_field(self, cls: Class, name: str) -> Iterator[tuple[ir.Expr, Function]]:
        if any(b.kind == "declare" for b in self.program.own_field(cls, name)):
            yield from self.program.constructed(cls, name)

    def _property(self, cls: Class, name: str) -> Iterator[Spot]:
        for top in self.program.mro(cls):
            for binding in self.program.members(top).get(name, ()) if isinstance(top, Class) else ():
                if isinstance(binding.node, ir.FuncDef) and isinstance(top, Class):
                    function = top.module.function(binding.node, top.scope, top)
                    for value in function.returned:
                        yield Spot(value, function)
                    return

    def _item(self, expr: ir.Subscript, function: Function) -> Iterator[Spot]:
        key = expr.index.value if isinstance(expr.index, ir.Const) else None
        whole = dotted(expr.base)
        found = False
        if isinstance(key, str):
            for value in self.stored(f"{whole}.{key}", function):
                found = True
                yield value
        for value in self.final(expr.base, function):
            yield from self._picked(value, key)
        if not found and whole:
            yield from self.stored(f"{whole}[]", function)

    def _picked(self, value: Spot, key: object) -> Iterator[Spot]:
        display, scope = value
        if isinstance(display, ir.DictE):
            one = display.get(key) if isinstance(key, str) else None
            if one is not None:
                yield Spot(one, scope)
            elif key is None:
                for _, item in display.items:
                    yield Spot(item, scope)
        elif isinstance(display, ir.Seq) and display.items:
            if isinstance(key, int) and -len(display.items) <= key < len(display.items):
                yield Spot(display.items[key], scope)
            elif key is None:
                for item in display.items:
                    yield Spot(item, scope)
        elif isinstance(display, ir.Comp):
            yield Spot(display.elements[-1], scope)

    def _result(self, call: ir.Call, function: Function) -> Iterator[Spot]:
        """The result of a call that passes something on: a project function, ``copy``, ``d.get(key)``."""
        targets = self.program.targets(call, function) if not isinstance(call.func, ir.Call) else ()
        for target in targets:
            for value in target.returned:
                yield Spot(value, target)
        if targets:
            return
        name = last_name(call.func)
        plain = [a.value for a in call.args if a.name is None and not a.star]
        if name in _SAME and plain:
            yield Spot(plain[0], function)
        elif name in {"get", "setdefault", "pop"} and isinstance(call.func, ir.Attr) and plain:
            index = ir.Subscript(call.span, call.func.base, plain[0])
            yield from self._item(index, function)
            if len(plain) > 1:
                yield Spot(plain[1], function)
        elif name in {"next", "max", "min"} and plain:
            yield from self.elements(plain[0], function)
        elif isinstance(call.func, ir.Call):
            # `cache(make)()`: what a decorator of a library gives is taken for what it was given.
            for arg in call.func.args:
                if isinstance(arg.value, (ir.Name, ir.Attr)):
                    yield Spot(ir.Call(call.span, arg.value, call.args), function)

    def elements(self, expr: ir.Expr, function: Function, depth: int = 0) -> Iterator[Spot]:
        """What a collection may hold: items of displays, what is appended, stored under a key, or comprehended."""
        if depth > MAX_DEPTH:
            return
        key = (id(expr), "[]" + function.key)
        if key in self._active:
            return
        self._active.add(key)
        try:
            yield from self._elements(expr, function, depth)
        finally:
            self._active.discard(key)

    def _elements(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[Spot]:
        if isinstance(expr, ir.Seq):
            for item in expr.items:
                if isinstance(item, ir.Starred):
                    yield from self.elements(item.value, function, depth + 1)
                else:
                    yield Spot(item, function)
        elif isinstance(expr, ir.DictE):
            for name, item in expr.items:
                if name is None:
                    yield from self.elements(item, function, depth + 1)
                else:
                    yield Spot(item, function)
        elif isinstance(expr, ir.Comp):
            yield Spot(expr.elements[-1], function)
        elif isinstance(expr, ir.Bin) and expr.op in {"+", "|"}:
            yield from self.elements(expr.left, function, depth + 1)
            yield from self.elements(expr.right, function, depth + 1)
        elif isinstance(expr, ir.Call) and last_name(expr.func) in _ELEMENTS:
            inner = expr.func.base if isinstance(expr.func, ir.Attr) else expr.positional(0)
            if inner is not None:
                yield from self.elements(inner, function, depth + 1)
        else:
            if isinstance(expr, (ir.Name, ir.Attr)):
                yield from self.stored(f"{dotted(expr)}[]", function)
            if isinstance(expr, ir.Attr) and self._gathers:
                yield from self._gathered(expr, function)
            for value in self.step(expr, function):
                yield from self.elements(value.expr, value.function, depth + 1)

    def _gathered(self, expr: ir.Attr, function: Function) -> Iterator[Spot]:
        """What the methods of a class return that a decorator gathers under this attribute of it."""
        calls = self._gathers.get(expr.name)
        cls = function.cls
        if not calls or cls is None or not isinstance(expr.base, ir.Name) or expr.base.id != function.self_name:
            return
        for top in self.program.mro(cls):
            for stmt in top.node.body if isinstance(top, Class) else ():
                if isinstance(stmt, ir.FuncDef) and isinstance(top, Class):
                    heads = [d.func if isinstance(d, ir.Call) else d for d in stmt.decorators]
                    if any(name in calls for head in heads for name in self.names(head, top.scope)):
                        method = top.module.function(stmt, top.scope, top)
                        yield from (Spot(value, method) for value in method.returned)

    # ---- what a module stores

    def stored(self, name: str, function: Function) -> tuple[Spot, ...]:
        """What the module stores under a dotted name: ``state.agent = …``, ``state["agent"] = …``.

        With ``[]`` behind the name: what is appended to it or stored under any key.
        """
        if not name or name.startswith((".", "?")):
            return ()
        key = (function.module.path, name)
        if key not in self._stored:
            self._stored[key] = ()
            self._stored[key] = tuple(self._find_stored(name, function.module))[:MAX_MADE]
        return self._stored[key]

    def _find_stored(self, name: str, module: Module) -> Iterator[Spot]:
        collection = name.endswith("[]")
        base = name.removesuffix("[]")
        last = base.rpartition(".")[2]
        text = self.program.project.source(module.path).text
        if last not in text:
            return
        lines = text.split("\n")
        for number, statement in enumerate(module.index.statements):
            if not any(last in line for line in lines[statement.first - 1 : statement.last]):
                continue
            for scope in self.program.functions(module, number):
                for node in scope.nodes:
                    if isinstance(node, ir.Assign) and node.value is not None:
                        for target in node.targets:
                            if _is_stored(target, base, collection):
                                yield Spot(node.value, scope)
                    elif collection and isinstance(node, ir.Call) and isinstance(node.func, ir.Attr):
                        if node.func.name in {"append", "add", "insert", "extend"} and dotted(node.func.base) == base:
                            for arg in node.args[-1:]:
                                if node.func.name == "extend":
                                    yield from self.elements(arg.value, scope)
                                else:
                                    yield Spot(arg.value, scope)


def _is_stored(target: ir.Expr, base: str, collection: bool) -> bool:
    if isinstance(target, ir.Subscript):
        whole = dotted(target.base)
        if collection:
            return whole == base
        key = target.index.value if isinstance(target.index, ir.Const) else None
        return isinstance(key, str) and f"{whole}.{key}" == base
    return not collection and isinstance(target, ir.Attr) and dotted(target) == base


def _within(inner: ir.Span, outer: ir.Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _blocks(function: Function, span: ir.Span) -> frozenset[tuple[int, str]]:
    """The branches and loop bodies around a span in a function; a ``with`` and the body of a ``try`` are none."""
    found: set[tuple[int, str]] = set()
    body = function.node.body
    while True:
        stmt = next((s for s in body if _within(span, s.span)), None)
        if stmt is None:
            return frozenset(found)
        inner: tuple[ir.Stmt, ...] | None = None
        for part in ("body", "orelse", "final"):
            block = getattr(stmt, part, ())
            if block and not isinstance(stmt, (ir.FuncDef, ir.ClassDef)) and any(_within(span, s.span) for s in block):
                inner = block
                if not isinstance(stmt, ir.With) and not (isinstance(stmt, ir.Try) and part != "orelse"):
                    found.add((id(stmt), part))
        for number, clause in enumerate((*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ()))):
            if any(_within(span, s.span) for s in clause.body):
                inner = clause.body
                found.add((id(stmt), f"clause {number}"))
        if inner is None:
            return frozenset(found)
        body = inner
