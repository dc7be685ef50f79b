"""Where a number comes from, and whether it is committed with the code.

An expression has alternatives: a parameter its default and what callers pass, a name all that is assigned to it. Each
says where it came from. A finite default of a parameter or field stays pinned whatever callers do: an unpinned
override is a matter of the call.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.facts import Origin, Place, Step, Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.documents import Documents
from toolbind_lint.recognise.program import Binding, Class, ClassRef, External, Function, Instance, Meaning, Program
from toolbind_lint.recognise.roles import argument, dotted, key_read, last_name
from toolbind_lint.snapshot import Snapshot

MAX_DEPTH = 12
MAX_SUBCLASSES = 12
_LOOSE: tuple[Origin, ...] = ("environment", "argument", "file", "remote")


class Values:
    """Evaluates expressions of one program."""

    def __init__(self, program: Program, catalogue: Catalogue, snapshot: Snapshot | None = None) -> None:
        self.program = program
        self.catalogue = catalogue
        self.documents = Documents(program, catalogue, snapshot)
        self._active: set[tuple[int, str]] = set()

    def alternatives(self, expr: ir.Expr | None, function: Function, depth: int = 0) -> tuple[Value, ...]:
        """The values that an expression may have; one of origin unknown where nothing can be said."""
        if expr is None:
            return (Value("absent", "None", None, True),)
        key = (id(expr), function.key)
        if depth > MAX_DEPTH or key in self._active:
            return (self._make("unknown", expr, function),)
        self._active.add(key)
        try:
            found = list(dict.fromkeys(self._values(expr, function, depth + 1)))
        finally:
            self._active.discard(key)
        return tuple(found[:8]) or (self._make("unknown", expr, function),)

    def _make(
        self,
        origin: Origin,
        expr: ir.Expr,
        function: Function,
        number: float | None = None,
        pinned: bool | None = None,
        message: str = "",
    ) -> Value:
        place = self.program.at(function, expr)
        return Value(origin, text_of(expr), number, pinned, (Step(place, message or text_of(expr)),))

    def _values(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[Value]:
        if isinstance(expr, ir.Const):
            yield self._constant(expr, function)
        elif isinstance(expr, ir.Name):
            yield from self._name(expr, function, depth)
        elif isinstance(expr, ir.Attr):
            yield from self._attribute(expr, function, depth)
        elif isinstance(expr, ir.Call):
            yield from self._call(expr, function, depth)
        elif isinstance(expr, ir.Bin):
            yield from self._arithmetic(expr, function, depth)
        elif isinstance(expr, ir.IfExp):
            asked = text_of(_asked(expr.test))
            for side in (expr.body, expr.orelse):
                for value in self.alternatives(side, function, depth):
                    # `8 if n is None else n`: where n stands it is not None.
                    if not (text_of(side) == asked and (value.origin == "absent" or value.number == 0)):
                        yield value
        elif isinstance(expr, ir.Bool):
            for value in self.alternatives(expr.left, function, depth):
                # `max_steps or 50`: a falsy left side stands for the right one.
                if not (expr.op == "or" and (value.origin == "absent" or value.number == 0)):
                    yield value
            yield from self.alternatives(expr.right, function, depth)
        elif isinstance(expr, (ir.Await, ir.Walrus)):
            yield from self.alternatives(expr.value, function, depth)
        elif isinstance(expr, ir.Neg):
            for value in self.alternatives(expr.value, function, depth):
                number = -value.number if value.number is not None and expr.op == "-" else value.number
                yield value._replace(number=number)
        elif isinstance(expr, ir.Subscript):
            yield from self._item(expr, function, depth)
        else:
            yield self._make("unknown", expr, function)

    def _constant(self, expr: ir.Const, function: Function) -> Value:
        value = expr.value
        if value is None:
            return self._make("absent", expr, function, None, True)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            origin: Origin = "infinite" if math.isinf(value) else "literal"
            return self._make(origin, expr, function, float(value), True)
        if isinstance(value, bool):
            return self._make("literal", expr, function, float(value), True)
        return self._make("unknown", expr, function, None, True)

    # ---- names and attributes

    def _name(self, expr: ir.Name, function: Function, depth: int) -> Iterator[Value]:
        row = next(
            (
                r
                for m in self.program.resolve(expr, function)
                if isinstance(m, External) and (r := self.catalogue.find("infinite", m.name))
            ),
            None,
        )
        if row is not None:
            yield self._make("infinite", expr, function, math.inf, True)
            return
        bindings = self.program.lookup(expr.id, function)
        origins = list(self.program.origins(expr.id, function))
        if not bindings or all(b.kind == "import" for b in bindings):
            for module, name in origins:
                yield from self._bound(self.program.definition(module, name), None, depth)
            return
        bindings = self._in_force([b for b in bindings if b.kind != "augment"], function)
        optional = self._filled_in(expr.id, function)
        for value in self._bound(bindings, function, depth):
            if not (optional and value.origin == "absent"):
                yield value

    def _in_force(self, bindings: list[Binding], function: Function) -> list[Binding]:
        """The bindings that a use behind them sees: ``n = n or 8`` at the top of a function hides the parameter n."""
        top = [b for b in bindings if b.kind == "assign" and any(b.value is _value(s) for s in function.node.body)]
        if not top or not any(b.kind == "parameter" for b in bindings):
            return bindings
        inside = [b for b in top if b.value is not None and (id(b.value), b.scope.key) in self._active]
        if inside:
            return [b for b in bindings if b not in top]
        return [b for b in bindings if b.kind != "parameter"]

    def _filled_in(self, name: str, function: Function) -> bool:
        """Whether a function gives a parameter its value where it got none: ``if n is None: n = 8``."""
        for node in function.nodes:
            if not isinstance(node, ir.If):
                continue
            test = node.test
            asked = test.value if isinstance(test, ir.Not) else None
            if isinstance(test, ir.Compare) and test.op == "is" and isinstance(test.right, ir.Const):
                asked = test.left if test.right.value is None else None
            if isinstance(asked, ir.Name) and asked.id == name:
                for inner in node.body:
                    if isinstance(inner, ir.Assign) and any(
                        isinstance(t, ir.Name) and t.id == name for t in inner.targets
                    ):
                        return True
        return False

    def _bound(self, bindings: list[Binding], function: Function | None, depth: int) -> Iterator[Value]:
        for binding in bindings:
            if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
                yield from self.parameter(binding.node, binding.index, binding.scope, depth)
            elif binding.kind in {"assign", "declare"} and binding.value is not None:
                for value in self.alternatives(binding.value, binding.scope, depth):
                    origin: Origin = (
                        "constant" if value.origin == "literal" and binding.scope.toplevel else value.origin
                    )
                    yield value._replace(origin=origin)
            elif binding.kind == "declare":
                continue
            elif binding.kind == "unpack" and binding.value is not None:
                yield from self._unpacked(binding.value, binding.index, binding.scope, depth)
            elif binding.value is not None:
                yield self._make("unknown", binding.value, binding.scope)

    def _unpacked(self, value: ir.Expr, index: int, function: Function, depth: int) -> Iterator[Value]:
        """Item ``index`` of a tuple: of a display, of what a function of the project returns, or of a loose value."""
        inner = value.value if isinstance(value, ir.Await) else value
        found = False
        for shown, scope in self.program.values(inner, function):
            if isinstance(shown, ir.Seq) and index < len(shown.items):
                found = True
                yield from self.alternatives(shown.items[index], scope, depth)
        for target in self.program.targets(inner, function) if isinstance(inner, ir.Call) else ():
            for returned in target.returned:
                if isinstance(returned, ir.Seq) and index < len(returned.items):
                    found = True
                    yield from self.alternatives(returned.items[index], target, depth + 1)
        if not found:
            yield from self._of(inner, value, function, depth)

    def _of(self, whole: ir.Expr, part: ir.Expr, function: Function, depth: int) -> Iterator[Value]:
        """A part of something: as loose as the whole, and otherwise not known."""
        loose = [v for v in self.alternatives(whole, function, depth + 1) if v.pinned is False]
        if loose:
            yield loose[0]._replace(text=text_of(part), number=None)
        else:
            yield self._make("unknown", part, function)

    def _on_command_line(self, param: ir.Param, function: Function) -> bool:
        """Whether a command line fills a parameter: the function is a command, or the default describes an option."""
        scope = function.parent or function
        default = param.default
        if isinstance(default, ir.Call) and self._is_option(default.func, scope, "default"):
            return True
        notes = param.annotation
        if isinstance(notes, ir.Subscript) and any(
            isinstance(n, ir.Call) and self._is_option(n.func, scope, "default") for n in ir.walk(notes.index)
        ):
            return True
        for decorator in function.node.decorators:
            call = decorator if isinstance(decorator, ir.Call) else None
            if self._is_option(call.func if call is not None else decorator, scope, "command"):
                return True
            if call is not None and self._is_option(call.func, scope, "option"):
                given = [a.value.value for a in call.args if isinstance(a.value, ir.Const)]
                names = {str(g).lstrip("-").replace("-", "_").lower() for g in given if isinstance(g, str)}
                if param.name in names:
                    return True
        return False

    def _is_option(self, callee: ir.Expr, function: Function, form: str) -> bool:
        for meaning in self.program.resolve(callee, function):
            row = self.catalogue.find("command-line", meaning.name) if isinstance(meaning, External) else None
            if row is not None and row.one("form") == form:
                return True
        return False

    def parameter(self, param: ir.Param, index: int, function: Function, depth: int) -> Iterator[Value]:
        """A parameter: its default, then what callers in the project pass."""
        if self._on_command_line(param, function):
            yield self._make(
                "argument", ir.Name(param.span, param.name), function, None, False, f"command line option {param.name}"
            )
            return
        default: tuple[Value, ...] = ()
        if param.default is not None:
            default = tuple(
                v._replace(origin="default" if v.origin == "literal" else v.origin)
                for v in self.alternatives(param.default, function.parent or function, depth)
            )
            yield from default
        if any(v.pinned and v.number is not None and math.isfinite(v.number) and v.number > 0 for v in default):
            return
        passed = False
        for call, caller in self.program.callers(function):
            value = argument(call, param, index - (1 if function.self_name else 0))
            if value is None:
                value = self._splatted(call, param.name, caller)
            if value is not None:
                passed = True
                yield from self.alternatives(value, caller, depth + 2)
        if not passed and param.default is None:
            yield self._make(
                "argument", ir.Name(param.span, param.name), function, None, None, f"parameter {param.name}"
            )

    def _splatted(self, call: ir.Call, name: str, caller: Function) -> ir.Expr | None:
        for arg in call.args:
            if arg.star == "**":
                for display, _ in self.program.displays(arg.value, caller):
                    value = display.get(name)
                    if value is not None:
                        return value
        return None

    def _attribute(self, expr: ir.Attr, function: Function, depth: int) -> Iterator[Value]:
        name = dotted(expr)
        external = [m for m in self.program.resolve(expr, function) if isinstance(m, External)]
        for meaning in external:
            if self.catalogue.find("infinite", meaning.name):
                yield self._make("infinite", expr, function, math.inf, True)
                return
            row = self.unpinned(meaning.name)
            if row is not None:
                yield self._make(row, expr, function, None, False, name)
                return
        known = False
        if expr.name in {"value", "_value_"}:
            members = [v for v in self.alternatives(expr.base, function, depth) if v.origin != "unknown"]
            if members:
                yield from members
                return
        for base in self.program.resolve(expr.base, function):
            if isinstance(base, Instance) and self._is_settings(base.cls) and self.program.fields(base, expr.name):
                known = True
                yield self._make("environment", expr, function, None, False, f"settings field {expr.name}")
                continue
            nearest = [*self._nearest(base, expr.name), *self._overrides(base, expr.name, function)]
            for binding in nearest:
                if binding.value is None:
                    yield from self._constructed(binding, expr.name, base, depth)
                    known = True
                    continue
                known = True
                for value in self.alternatives(self.field_default(binding.value), binding.scope, depth):
                    in_body = binding.scope.cls is None
                    origin: Origin = "default" if value.origin == "literal" and in_body else value.origin
                    yield value._replace(origin=origin)
            if isinstance(base, Instance):
                member = next(
                    (
                        m
                        for c in self.program.mro(base.cls)
                        if isinstance(c, Class)
                        for m in self.program.members(c).get(expr.name, ())
                    ),
                    None,
                )
                if member is not None and isinstance(member.node, ir.FuncDef):
                    known = True
                    scope = base.cls.module.function(member.node, base.cls.scope, base.cls)
                    for node in ir.walk_all(member.node.body):
                        if isinstance(node, ir.Return):
                            yield from self.alternatives(node.value, scope, depth + 1)
        if not known:
            yield from self._of(expr.base, expr, function, depth)

    def _nearest(self, base: Meaning, name: str) -> list[Binding]:
        """The bindings of a field that hold: what methods assign hides the body of the class, and a class its bases."""
        bindings = [b for b in self.program.fields(base, name) if b.kind in {"assign", "declare"}]
        valued = [b for b in bindings if b.value is not None]
        made = [b for b in valued if b.scope.node.name in {"__init__", "__post_init__"}]
        if made:
            return [b for b in valued if b.scope.cls is not None]
        if isinstance(base, (Instance, ClassRef)):
            for cls in self.program.mro(base.cls):
                own = self.program.own_field(cls, name) if isinstance(cls, Class) else []
                given = [b for b in own if b.kind in {"assign", "declare"} and b.value is not None]
                if given:
                    return given
        return valued or bindings

    def _overrides(self, base: Meaning, name: str, function: Function) -> Iterator[Binding]:
        """What subclasses put in the place of a class attribute that a method reads on its receiver."""
        own = function.cls
        if not isinstance(base, Instance) or own is None or base.cls.key != own.key:
            return
        for sub in self.program.subclasses(base.cls)[:MAX_SUBCLASSES]:
            for binding in self.program.members(sub).get(name, ()):
                if binding.kind == "assign" and binding.value is not None:
                    yield binding

    def _constructed(self, binding: Binding, name: str, base: object, depth: int) -> Iterator[Value]:
        """A field without a default: what constructor calls in the project give."""
        if not isinstance(base, Instance):
            return
        given = list(self.program.constructed(base.cls, name))
        real = [(value, scope) for value, scope in given if not is_test(scope.module.path)]
        for value, scope in real or given:
            yield from self.alternatives(value, scope, depth + 2)
        if not given and binding.annotation is not None:
            yield self._make("argument", binding.annotation, binding.scope, None, None, f"field {name}")

    def field_default(self, value: ir.Expr) -> ir.Expr:
        """The default inside ``field(default=8)`` or ``Field(8, ge=1)``; any other value is itself."""
        if isinstance(value, ir.Call) and last_name(value.func) in {"field", "Field", "attrib", "ib"}:
            inner = value.keyword("default") or value.positional(0)
            if inner is not None:
                return inner
            factory = value.keyword("default_factory") or value.keyword("factory")
            if isinstance(factory, ir.Lambda) and isinstance(factory.function.body[0], ir.Return):
                return factory.function.body[0].value or value
        return value

    def _is_settings(self, cls: Class) -> bool:
        return any(
            isinstance(base, External) and base.name.rpartition(".")[2] == "BaseSettings"
            for base in self.program.mro(cls)
        )

    # ---- calls and arithmetic

    def unpinned(self, name: str) -> Origin | None:
        """The origin of a dotted name that is set outside the code, or None; a part of it, and what it gives when it is
        called, come from there, too.
        """
        for start in (name, f"{name}()"):
            parts = start
            while parts:
                row = self.catalogue.find("unpinned", parts)
                if row is not None:
                    return next((o for o in _LOOSE if o == row.one("origin")), "remote")
                parts = parts[:-2] if parts.endswith(("[]", "()")) else parts.rpartition(".")[0]
        return None

    def _call(self, expr: ir.Call, function: Function, depth: int) -> Iterator[Value]:
        name = last_name(expr.func)
        committed = self._committed(expr, function) if name == "get" else None
        if committed is not None:
            yield committed
            return
        meanings = self.program.resolve(expr.func, function)
        if name == "float" and expr.args and isinstance(expr.args[0].value, ir.Const):
            text = str(expr.args[0].value.value).lower().lstrip("+")
            if text in {"inf", "infinity"}:
                yield self._make("infinite", expr, function, math.inf, True)
                return
        if name == "min":
            yield from self._smallest(expr, function, depth)
            return
        for meaning in meanings:
            if isinstance(meaning, External):
                origin = self.unpinned(meaning.name)
                if origin is not None:
                    variable = expr.args[0].value if expr.args else None
                    said = variable.value if isinstance(variable, ir.Const) else ""
                    message = f"environment variable {said}" if origin == "environment" and said else text_of(expr)
                    yield self._make(origin, expr, function, None, False, message)
                    return
                duration = self.catalogue.find("duration", meaning.name)
                if duration is not None:
                    yield from self._duration(expr, duration, function, depth)
                    return
                if self.catalogue.find("passes-value", meaning.name) and expr.args:
                    for arg in expr.args:
                        if arg.name is None:
                            yield from self.alternatives(arg.value, function, depth)
                    return
        if name == "get" and isinstance(expr.func, ir.Attr) and expr.args:
            yield from self._lookup(expr, expr.func.base, expr.args[0].value, expr.positional(1), function, depth)
            return
        if name == "getattr" and len(expr.args) >= 2 and isinstance(expr.args[1].value, ir.Const):
            attribute = ir.Attr(expr.span, expr.args[0].value, str(expr.args[1].value.value))
            found = [v for v in self.alternatives(attribute, function, depth) if v.origin != "unknown"]
            if len(expr.args) == 3 and not found:
                found = list(self.alternatives(expr.args[2].value, function, depth))
            yield from found
            return
        targets = self.program.targets(expr, function)
        for target in targets:
            for node in target.nodes:
                if isinstance(node, ir.Return) and node.value is not None:
                    yield from self.alternatives(node.value, target, depth + 2)
        if not targets:
            yield self._make("unknown", expr, function)

    def _duration(self, expr: ir.Call, row: Row, function: Function, depth: int) -> Iterator[Value]:
        """Seconds out of days, minutes and the like; of several parameters the sum, where all are known."""
        total = 0.0
        for unit in row.all("units"):
            name, _, scale = unit.partition("=")
            given = expr.positional(int(name)) if name.isdigit() else expr.keyword(name)
            if given is None:
                continue
            values = self.alternatives(given, function, depth)
            loose = next((v for v in values if v.number is None or not v.pinned), None)
            if loose is not None:
                yield loose
                return
            total += max(v.number or 0.0 for v in values) * float(scale)
        yield self._make("computed", expr, function, total, True)

    def _smallest(self, expr: ir.Call, function: Function, depth: int) -> Iterator[Value]:
        """``min(user_value, MAX_STEPS)`` is as pinned and as finite as its best argument."""
        sides = [self.alternatives(a.value, function, depth) for a in expr.args if not a.star]
        finite = [
            max(v.number for v in side if v.number is not None)
            for side in sides
            if side and all(v.pinned and v.number is not None and math.isfinite(v.number) for v in side)
        ]
        if finite:
            yield self._make("computed", expr, function, min(finite), True)
            return
        for side in sides:
            yield from side

    def _committed(self, expr: ir.Expr, function: Function) -> Value | None:
        """A number at a constant path of a file of the project."""
        read = self.documents.read(expr, function)
        if read is None:
            return None
        value = read.entry.value
        place = Place(read.path, read.entry.line, 1, read.entry.line, 1)
        steps = (Step(self.program.at(function, expr), f"read from {read.path}:{read.entry.line}"), Step(place, ""))
        if value is None:
            return Value("absent", text_of(expr), None, True, steps)
        number = float(value) if isinstance(value, (int, float)) else None
        return Value("file", f"{read.path}:{read.entry.line}", number, True, steps)

    def _shown(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[tuple[ir.DictE, Function]]:
        """The dict displays that an expression may stand for, those inside others by their keys, too."""
        if depth > MAX_DEPTH:
            return
        step = key_read(expr)
        if not isinstance(expr, ir.Attr) and step[0] is not None:
            for display, scope in self._shown(step[0], function, depth + 1):
                inner = display.get(step[1])
                if inner is not None:
                    yield from self._shown(inner, scope, depth + 1)
            return
        for shown, scope in self.program.values(expr, function):
            if isinstance(shown, ir.DictE):
                yield shown, scope
                for key, value in shown.items:
                    if key is None:
                        yield from self._shown(value, scope, depth + 1)
            elif isinstance(shown, ir.Call) and last_name(shown.func) == "dict":
                items = tuple((ir.Const(a.span, a.name), a.value) for a in shown.args if a.name is not None)
                yield ir.DictE(shown.span, items), scope
            elif shown is not expr and not isinstance(shown, ir.Attr) and key_read(shown)[0] is not None:
                yield from self._shown(shown, scope, depth + 1)

    def _lookup(
        self, expr: ir.Call, base: ir.Expr, key: ir.Expr, default: ir.Expr | None, function: Function, depth: int
    ) -> Iterator[Value]:
        found = False
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            for display, scope in self._shown(base, function, depth):
                value = display.get(key.value)
                if value is not None:
                    found = True
                    yield from self.alternatives(value, scope, depth)
        if found:
            return
        yield from self._of(base, expr, function, depth)
        if default is not None:
            yield from self.alternatives(default, function, depth)

    def _item(self, expr: ir.Subscript, function: Function, depth: int) -> Iterator[Value]:
        committed = self._committed(expr, function)
        if committed is not None:
            yield committed
            return
        for meaning in self.program.resolve(expr.base, function):
            if isinstance(meaning, External):
                origin = self.unpinned(meaning.name + "[]")
                if origin is not None:
                    said = expr.index.value if isinstance(expr.index, ir.Const) else ""
                    message = f"environment variable {said}" if origin == "environment" and said else text_of(expr)
                    yield self._make(origin, expr, function, None, False, message)
                    return
        if isinstance(expr.index, ir.Const) and isinstance(expr.index.value, str):
            found = False
            for display, scope in self._shown(expr.base, function, depth):
                value = display.get(expr.index.value)
                if value is not None:
                    found = True
                    yield from self.alternatives(value, scope, depth)
            if found:
                return
        if isinstance(expr.index, ir.Const) and isinstance(expr.index.value, int):
            rows = [(v, s) for v, s in self.program.values(expr.base, function) if isinstance(v, ir.Seq)]
            for row, scope in rows:
                if isinstance(row, ir.Seq) and -len(row.items) <= expr.index.value < len(row.items):
                    yield from self.alternatives(row.items[expr.index.value], scope, depth)
                    return
        yield from self._of(expr.base, expr, function, depth)

    def _arithmetic(self, expr: ir.Bin, function: Function, depth: int) -> Iterator[Value]:
        for left in self.alternatives(expr.left, function, depth):
            for right in self.alternatives(expr.right, function, depth):
                number: float | None = None
                if left.number is not None and right.number is not None:
                    number = _compute(expr.op, left.number, right.number)
                infinite = number is not None and math.isinf(number)
                pinned = None if left.pinned is None or right.pinned is None else left.pinned and right.pinned
                if left.pinned is False or right.pinned is False:
                    pinned = False
                worst = left if left.pinned is False else right if right.pinned is False else None
                origin: Origin = worst.origin if worst is not None else "infinite" if infinite else "computed"
                if pinned is None:
                    origin = "unknown"
                value = self._make(origin, expr, function, number, pinned)
                yield value._replace(trail=worst.trail) if worst is not None else value


def _asked(test: ir.Expr) -> ir.Expr | None:
    """What a test asks to be there: n of ``n is None``, ``n is not None``, ``not n`` and ``n``."""
    if isinstance(test, ir.Not):
        return test.value
    if isinstance(test, ir.Compare) and test.op in {"is", "is not", "==", "!="}:
        return test.left if isinstance(test.right, ir.Const) and test.right.value is None else None
    return test if isinstance(test, (ir.Name, ir.Attr)) else None


def _value(stmt: ir.Stmt) -> ir.Expr | None:
    return stmt.value if isinstance(stmt, ir.Assign) else None


def _compute(op: str, left: float, right: float) -> float | None:
    try:
        if op == "+":
            return left + right
        if op == "-":
            return left - right
        if op == "*":
            return left * right
        if op == "/":
            return left / right
        if op == "//":
            return left // right
        if op == "**" and abs(right) < 64:
            return float(left**right)
    except (ArithmeticError, ValueError):
        return None
    return None


def text_of(expr: ir.Expr | None) -> str:
    """A short form of an expression for messages and shapes."""
    if expr is None:
        return ""
    if isinstance(expr, ir.Const):
        return repr(expr.value)
    if isinstance(expr, ir.Bin):
        return f"{text_of(expr.left)} {expr.op} {text_of(expr.right)}"
    if isinstance(expr, ir.Compare):
        return f"{text_of(expr.left)} {expr.op} {text_of(expr.right)}"
    if isinstance(expr, ir.Call):
        inner = ", ".join((f"{a.name}=" if a.name else a.star) + text_of(a.value) for a in expr.args[:4])
        return f"{text_of(expr.func)}({inner})"
    if isinstance(expr, ir.Subscript):
        return f"{text_of(expr.base)}[{text_of(expr.index)}]"
    if isinstance(expr, ir.Attr):
        return f"{text_of(expr.base)}.{expr.name}"
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Bool):
        return f"{text_of(expr.left)} {expr.op} {text_of(expr.right)}"
    if isinstance(expr, ir.Not):
        return f"not {text_of(expr.value)}"
    if isinstance(expr, ir.Await):
        return f"await {text_of(expr.value)}"
    if isinstance(expr, ir.DictE):
        return (
            "{"
            + ", ".join(
                f"{text_of(k)}: {text_of(v)}" if k is not None else f"**{text_of(v)}" for k, v in expr.items[:4]
            )
            + "}"
        )
    if isinstance(expr, ir.Seq) and len(expr.items) <= 4:
        opening, closing = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}")}[expr.kind]
        return opening + ", ".join(text_of(i) for i in expr.items) + closing
    return "…"


def is_test(path: str) -> bool:
    """Whether a file holds tests."""
    parts = path.split("/")
    return any(p in {"tests", "test", "testing"} for p in parts[:-1]) or parts[-1].startswith(("test_", "conftest"))
