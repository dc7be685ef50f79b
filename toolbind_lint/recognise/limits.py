"""What ends a piece of code after a time: timers around it, waits with a limit, alarms, decorators, timed callers.

A limit either ends the work itself or only the wait for it (a thread goes on when ``result(timeout=)`` gives up). How
far it can be trusted is a matter of its number: a timer whose seconds are ``None`` by default is off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.facts import Value
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import External, Function, FunctionRef, Program
from toolbind_lint.recognise.roles import argument, dotted, last_name
from toolbind_lint.recognise.values import Values, is_test

MAX_CALLERS = 4
"""How many callers up an enclosing limit is looked for."""

MAX_SITES = 12


class Limit(NamedTuple):
    """One limit. ``value`` is its number (None where it has its own), ``kills`` whether the work ends with the wait;
    ``work`` says in what the work runs: empty (the caller's own task), task, thread, process or shield.
    """

    call: ir.Node
    function: Function
    value: ir.Expr | None
    values: tuple[Value, ...]
    kills: bool
    work: str
    form: str

    @property
    def off(self) -> bool:
        """Whether its number is None (or infinite) by default."""
        return any(v.origin in {"absent", "infinite"} for v in self.values)

    @property
    def unpinned(self) -> Value | None:
        """A number that is not committed with the code."""
        return next((v for v in self.values if v.pinned is False), None)

    @property
    def seconds(self) -> float | None:
        """The largest number that it may have."""
        numbers = [v.number for v in self.values if v.number is not None]
        return max(numbers) if numbers and len(numbers) == len(self.values) else None


class LimitFinder:
    """Finds limits in one program. Holds the memos."""

    def __init__(self, program: Program, catalogue: Catalogue, values: Values) -> None:
        self.program = program
        self.catalogue = catalogue
        self.values = values
        self._timers: dict[str, tuple[tuple[ir.Call, Row], ...]] = {}
        self._decorated: dict[str, tuple[Limit, ...]] = {}
        self._around: dict[tuple[int, str], tuple[Limit, ...]] = {}
        self._above: dict[tuple[str, int], tuple[Limit, ...]] = {}
        self._keep: dict[int, ir.Node] = {}

    # ---- what stands around a node in its own function

    def around(self, node: ir.Node, function: Function) -> tuple[Limit, ...]:
        """The limits of a function that hold for a node in it, innermost kinds first."""
        key = (id(node), function.key)
        if key not in self._around:
            self._keep[id(node)] = node
            self._around[key] = tuple(self._find(node, function))
        return self._around[key]

    def _find(self, node: ir.Node, function: Function) -> Iterator[Limit]:
        yield from self._blocks(node, function)
        yield from self._by_timers(node, function)
        yield from self._by_helpers(node, function)

    def _by_timers(self, node: ir.Node, function: Function) -> Iterator[Limit]:
        """Timers that a node is given to, and waits for what it started."""
        timers = self._timers_of(function)
        if not timers:
            return
        started = self._started(node, function)
        for call, row in timers:
            form = row.one("form")
            if form == "with" or not self._is_given(call, row):
                continue
            if self._waits_before(call, row, node, started, function):
                continue
            if form == "process":
                if call.span[:2] <= node.span[:2] and call is not node and not self._lifts(call, row):
                    yield self._limit(call, row, function, "")
            elif form == "call":
                if self._holds(call, node) and call is not node:
                    yield self._limit(call, row, function, self._work_between(call, node, function) or started.kind)
                elif started.mentioned(call):
                    yield self._limit(call, row, function, started.kind or self._work_between(call, None, function))
            elif started.kind and (started.mentioned(call, receiver=True) or self._is_on(call, node)):
                yield self._limit(call, row, function, started.kind)

    def _waits_before(self, limit: ir.Call, row: Row, node: ir.Node, work: _Started, function: Function) -> bool:
        """Whether the work is waited for without a limit before the limit comes, which is then only one of a clean-up.

        A wait on the other side of a test of the limit's number, or behind a question to the work itself
        (``task.done()``), is none.
        """
        bare = [n for n in function.nodes if self._is_bare_wait(n, work, function)] if work.names else []
        bare = [n for n in bare if node.span[:2] <= n.span[:2] and n.span[2:] <= limit.span[:2]]
        return any(
            not self.otherwise(n, function, [self._limit(limit, row, function, work.kind)])
            and not any(
                isinstance(s, (ir.If, ir.IfExp, ir.While)) and self._holds(s, n) and _mentions(s.test, work.names)
                for s in function.nodes
            )
            for n in bare
        )

    def _is_bare_wait(self, node: ir.Node, work: _Started, function: Function) -> bool:
        if isinstance(node, ir.Await):
            return isinstance(node.value, ir.Name) and node.value.id in work.names
        if not isinstance(node, ir.Call) or not work.mentioned(node, receiver=True):
            return False
        row = next((row for call, row in self._timers_of(function) if call is node), None)
        return row is not None and row.one("form") != "process" and not self._is_given(node, row)

    def _is_on(self, call: ir.Call, node: ir.Node) -> bool:
        """``pool.submit(work()).result(9)``: a method of what a node is part of."""
        return isinstance(call.func, ir.Attr) and self._holds(call.func.base, node)

    def _by_helpers(self, node: ir.Node, function: Function) -> Iterator[Limit]:
        """Functions of the project that wait under a limit for what they are given: ``await within(tool(**a), 30)``."""
        names: frozenset[str] | None = None
        for call in function.calls:
            targets = self.program.targets(call, function) if call is not node and call.args else ()
            for position, arg in enumerate(call.args if targets else ()):
                if names is None:
                    names = self._started(node, function).names
                held = self._holds(arg.value, node) or (isinstance(arg.value, ir.Name) and arg.value.id in names)
                for target in targets if held and not arg.star else ():
                    name = arg.name or _positional(target, position)
                    use = next((n for n in target.nodes if isinstance(n, ir.Name) and n.id == name), None)
                    for limit in self.around(use, target)[:1] if use is not None else ():
                        loop = next((n for n in target.nodes if isinstance(n, ir.While) and n is not limit.call), None)
                        if loop is None or not self._holds(loop, limit.call):
                            yield limit._replace(call=call, function=function)
                        elif self._reads_clock(loop.test, target):
                            # It waits in slices until a deadline: the length of a slice says nothing.
                            yield limit._replace(call=call, function=function, value=None, values=())

    def _reads_clock(self, test: ir.Expr, function: Function) -> bool:
        return any(
            isinstance(m, External) and self.catalogue.find("clock", m.name) is not None
            for n in ir.walk(test)
            if isinstance(n, ir.Call)
            for m in self.program.resolve(n.func, function)
        )

    def _blocks(self, node: ir.Node, function: Function) -> Iterator[Limit]:
        """Timers whose ``with`` stands around a node."""
        for outer in reversed([n for n in function.nodes if isinstance(n, ir.With)]):
            if not outer.body or not (
                outer.body[0].span[:2] <= node.span[:2] and node.span[2:] <= outer.span[2:] and outer is not node
            ):
                continue
            for context, _ in outer.items:
                if isinstance(context, ir.Call):
                    yield from self._entered(context, node, function)

    def _entered(self, context: ir.Call, node: ir.Node, function: Function) -> Iterator[Limit]:
        row = self._timer(context, function, "with")
        if row is not None:
            if self._is_given(context, row):
                yield self._limit(context, row, function, self._work_between(None, node, function))
            return
        for target in self.program.targets(context, function):
            # A context manager of the project that holds a timer around its `yield`, or sets an alarm.
            for inner in ir.walk_all(target.node.body):
                if isinstance(inner, ir.Yield):
                    for limit in self.around(inner, target)[:1]:
                        yield limit._replace(call=context, function=function)

    # ---- decorators and callers

    def decorated(self, function: Function) -> tuple[Limit, ...]:
        """The limits that the decorators of a function set on it."""
        if function.key not in self._decorated:
            self._decorated[function.key] = ()
            self._decorated[function.key] = tuple(self._decorators(function))
        return self._decorated[function.key]

    def _decorators(self, function: Function) -> Iterator[Limit]:
        scope = function.parent or function
        for decorator in function.node.decorators:
            call = decorator if isinstance(decorator, ir.Call) else None
            for meaning in self.program.resolve(call.func if call is not None else decorator, scope):
                if isinstance(meaning, External):
                    row = self.catalogue.find("enclosing-limit", meaning.name)
                    if row is not None:
                        yield from self._job_limit(decorator, call, row, function)
                elif isinstance(meaning, FunctionRef):
                    yield from self._wrapping(decorator, meaning.function, function)

    def _job_limit(self, decorator: ir.Expr, call: ir.Call | None, row: Row, function: Function) -> Iterator[Limit]:
        scope = function.parent or function
        for arg in call.args if call is not None else ():
            named = arg.name in row.all("param") or ("0" in row.all("param") and arg.name is None and not arg.star)
            value = self._entry(arg.value, row, scope) if named else None
            if value is not None and not (isinstance(value, ir.Const) and not value.value):
                values = self.values.alternatives(value, scope)
                yield Limit(decorator, scope, value, values, True, "", "decorator")
                return
        for value, where in self._configured(call.func if call is not None else decorator, row, scope):
            yield Limit(decorator, where, value, self.values.alternatives(value, where), True, "", "decorator")
            return
        if row.flags.get("by-default", False):
            yield Limit(decorator, scope, None, (), True, "", "decorator")

    def _configured(self, job: ir.Expr, row: Row, scope: Function) -> Iterator[tuple[ir.Expr, Function]]:
        """What is set for all jobs, in the module of the job or in that of the object whose job it is.

        A setting is a keyword of a call (``app.conf.update(limit=5)``), an attribute, a key or a module's own name.
        """
        settings = frozenset(row.all("settings"))
        if not settings:
            return
        makers = self.program.values(job.base, scope) if isinstance(job, ir.Attr) else ()
        modules = {f.module.path: f.module for f in (scope, *(f for _, f in makers))}
        for module in modules.values():
            text = self.program.project.source(module.path).text
            if not any(name in text for name in settings):
                continue
            for number in range(len(module.index.statements)):
                for place in self.program.functions(module, number):
                    yield from ((v, place) for node in place.nodes for v in _settings_of(node, settings))

    def _entry(self, value: ir.Expr, row: Row, scope: Function) -> ir.Expr | None:
        """The number in a parameter: itself, or an entry of the dict that it is."""
        if not row.one("entry"):
            return value
        found = (display.get(row.one("entry")) for display, _ in self.program.displays(value, scope))
        return next((v for v in found if v is not None), None)

    def _handed(self, call: ir.Call, caller: Function, function: Function) -> tuple[Limit, ...]:
        """The limit of a call that runs a function which it is given."""
        if not any(self._refers(a.value, function, caller) for a in call.args):
            return ()
        row = self._timer(call, caller, "call")
        if row is not None and self._is_given(call, row):
            return (self._limit(call, row, caller, ""),)
        for meaning in self.program.resolve(call.func, caller):
            row = self.catalogue.find("enclosing-call", meaning.name) if isinstance(meaning, External) else None
            if row is not None:
                value = given(call, row.all("param"))
                if value is not None and not (isinstance(value, ir.Const) and not value.value):
                    values = self.values.alternatives(value, caller)
                    return (Limit(call, caller, value, values, kills=True, work="", form="decorator"),)
                if row.flags.get("by-default", False):
                    return (Limit(call, caller, None, (), kills=True, work="", form="decorator"),)
        return ()

    def _wrapping(self, decorator: ir.Expr, factory: Function, function: Function) -> Iterator[Limit]:
        """A decorator of the project whose wrapper calls the function under a timer."""
        module = factory.module
        nested = [n for n in ir.walk_all(factory.node.body, into_functions=True) if isinstance(n, ir.FuncDef)]
        params = {p.name for d in (factory.node, *nested) for p in d.params}
        for inner in (factory.node, *nested):
            scope = module.function(inner, factory, None) if inner is not factory.node else factory
            for call in scope.calls:
                if isinstance(call.func, ir.Name) and call.func.id in params:
                    for limit in self.around(call, scope)[:1]:
                        yield limit._replace(call=decorator, function=function.parent or function)
                        return

    def enclosing(self, function: Function, node: ir.Node, depth: int = 0) -> tuple[Limit, ...]:
        """The limits around a node of a function or around every call that leads to it; none where one path has none.

        Where a path without a limit is the other side of a test of the limit's own number (``if timeout: … else: …``)
        the limit stands, and is off where its number is.
        """
        own = (*self.around(node, function), *self.decorated(function))
        if own:
            return own
        if depth >= MAX_CALLERS or function.toplevel:
            return ()
        key = (function.key, depth)
        if key not in self._above:
            self._above[key] = ()
            self._above[key] = self._by_callers(function, depth)
        return self._above[key]

    def _by_callers(self, function: Function, depth: int) -> tuple[Limit, ...]:
        """The limits around all the calls that lead to a function."""
        found = [
            (call, caller, self._handed(call, caller, function) or self.enclosing(caller, call, depth + 1))
            for call, caller in self.sites(function)
        ]
        limits = [limit for _, _, several in found for limit in several[:1]]
        bare = [(call, caller) for call, caller, several in found if not several]
        if limits and all(self.otherwise(call, caller, limits) for call, caller in bare):
            return tuple(limits)
        return ()

    def sites(self, function: Function) -> list[tuple[ir.Call, Function]]:
        """The calls that run a function, or hand it to what runs it; those of tests only where there are no others."""
        found = list(self.program.callers(function))
        for path, number in self.program.statements_calling(function.node.name)[:MAX_SITES]:
            module = self.program.module(path)
            for scope in self.program.functions(module, number) if module is not None else ():
                for call in scope.calls:
                    if any(self._refers(a.value, function, scope) for a in call.args):
                        found.append((call, scope))
        real = [(c, f) for c, f in found if not is_test(f.module.path)]
        unique = {(id(c), f.key): (c, f) for c, f in real or found}
        return list(unique.values())[:MAX_SITES]

    def _refers(self, expr: ir.Expr, function: Function, scope: Function) -> bool:
        if not isinstance(expr, (ir.Name, ir.Attr)) or last_name(expr) != function.node.name:
            return False
        return any(
            isinstance(m, FunctionRef) and m.function.key == function.key for m in self.program.resolve(expr, scope)
        )

    def otherwise(self, node: ir.Node, function: Function, limits: list[Limit]) -> bool:
        """Whether a node stands on the side of a test that is taken where the number of a limit is not given."""
        words = {word for limit in limits for word in self._words(limit)}
        for stmt in function.nodes:
            if not isinstance(stmt, (ir.If, ir.IfExp)):
                continue
            tested = {last_name(n) for n in ir.walk(stmt.test) if last_name(n)}
            if not tested & words:
                continue
            if stmt.span[:2] <= node.span[:2] and node.span[2:] <= stmt.span[2:]:
                return True
            # `if timeout: …; return x` and the bare call behind it.
            if isinstance(stmt, ir.If) and stmt.span[2:] <= node.span[:2] and _leaves(stmt.body):
                return True
        return False

    def _words(self, limit: Limit) -> Iterator[str]:
        """The names of a limit's number, and of what callers pass for it."""
        for node in ir.walk(limit.value) if limit.value is not None else ():
            name = last_name(node)
            if name:
                yield name
            if not isinstance(node, ir.Name):
                continue
            for number, param in enumerate(limit.function.node.params):
                if param.name != node.id:
                    continue
                for call, _ in self.program.callers(limit.function):
                    passed = argument(call, param, number - (1 if limit.function.self_name else 0))
                    yield from (last_name(n) for n in ir.walk(passed) if last_name(n)) if passed is not None else ()

    # ---- timers

    def _timers_of(self, function: Function) -> tuple[tuple[ir.Call, Row], ...]:
        if function.key not in self._timers:
            found = []
            for call in function.calls:
                for form in ("call", "process", "wait"):
                    row = self._timer(call, function, form)
                    if row is not None:
                        found.append((call, row))
                        break
            self._timers[function.key] = tuple(found)
        return self._timers[function.key]

    def _timer(self, call: ir.Call, function: Function, form: str) -> Row | None:
        known = False
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, External):
                known = True
                row = self.catalogue.find("timer", meaning.name)
                if row is not None and row.one("form") == form:
                    return row
        if isinstance(call.func, ir.Attr) and form == "wait":
            row = self.catalogue.by_method("timer", dotted(call.func) or call.func.name)
            if row is not None and (not known or self._waitable(call, function)):
                return row
        return None

    def waits_with_limit(self, call: ir.Call, function: Function) -> bool:
        """Whether a call waits, for so long, for what was started elsewhere."""
        row = self._timer(call, function, "wait")
        return row is not None and self._is_given(call, row)

    def _waitable(self, call: ir.Call, function: Function) -> bool:
        """Whether the receiver of a call is something that was started beside."""
        assert isinstance(call.func, ir.Attr)
        return any(
            isinstance(m, External) and self.catalogue.find("starts-work", m.name.removesuffix("()")) is not None
            for m in self.program.resolve(call.func.base, function)
        )

    def _is_given(self, call: ir.Call, row: Row) -> bool:
        value = given(call, row.all("param"))
        return value is not None and not (isinstance(value, ir.Const) and value.value is None)

    def _lifts(self, call: ir.Call, row: Row) -> bool:
        value = given(call, row.all("param"))
        return isinstance(value, ir.Const) and value.value == 0

    def _limit(self, call: ir.Call, row: Row, function: Function, work: str) -> Limit:
        value = given(call, row.all("param"))
        values = self.values.alternatives(value, function)
        kills = work in {"", "task"} and row.one("form") != "wait"
        if not kills:
            kills = self._ends(function, work)
        return Limit(call, function, value, values, kills, work, row.one("form"))

    def _ends(self, function: Function, work: str) -> bool:
        """Whether a function ends what it started: kills a process, cancels a task. A thread can't be ended."""
        if work in {"thread", "shield"}:
            return False
        return any(self.ends_work(call, function, work) for call in function.calls)

    def ends_work(self, call: ir.Call, function: Function, work: str) -> bool:
        """Whether a call ends work of a kind."""
        names = [m.name for m in self.program.resolve(call.func, function) if isinstance(m, External)]
        rows = [r for n in names if (r := self.catalogue.find("ends-work", n))]
        if isinstance(call.func, ir.Attr):
            row = self.catalogue.by_method("ends-work", call.func.name)
            rows += [row] if row is not None else []
        return any(row.one("kind") == "process" or work == "task" for row in rows)

    # ---- work that runs beside

    def starter(self, call: ir.Call, function: Function) -> str:
        """The kind of what a call runs beside its caller; empty where it runs nothing there."""
        known = False
        for meaning in self.program.resolve(call.func, function):
            known = known or not isinstance(meaning, External)
            row = self.catalogue.find("starts-work", meaning.name) if isinstance(meaning, External) else None
            if row is not None:
                return row.one("kind")
        if isinstance(call.func, ir.Attr) and not known:
            row = self.catalogue.by_method("starts-work", dotted(call.func) or call.func.name)
            return row.one("kind") if row is not None else ""
        return ""

    def _work_between(self, outer: ir.Call | None, node: ir.Node | None, function: Function) -> str:
        """In what a node runs that stands inside a timed call (or ``with``): the kind of the starter between them."""
        kinds = []
        for call in function.calls:
            inside = outer is None or (call is not outer and self._holds(outer, call))
            if inside and (node is None or self._holds(call, node)):
                kinds.append(self.starter(call, function))
        return _gravest(kinds)

    def _holds(self, call: ir.Node, node: ir.Node) -> bool:
        return call.span[:2] <= node.span[:2] and node.span[2:] <= call.span[2:]

    def _started(self, node: ir.Node, function: Function) -> _Started:
        """What holds the work that a node is, or is part of: the names that it is bound to, and how it was started."""
        kind = _gravest([self.starter(c, function) for c in function.calls if self._holds(c, node)])
        loose = kind not in {"", "shield"}
        names: set[str] = set()
        for _ in range(3):
            before = len(names)
            for stmt in function.nodes:
                names |= self._bound_by(stmt, node, names, loose)
            if len(names) == before:
                break
        return _Started(kind, frozenset(names), loose)

    def _bound_by(self, stmt: ir.Node, node: ir.Node, names: set[str], loose: bool) -> set[str]:
        def concerns(expr: ir.Expr) -> bool:
            if not isinstance(expr, ir.Await) and self._holds(expr, node) and (loose or expr is node):
                return True
            return loose and any(isinstance(n, ir.Name) and n.id in names for n in ir.walk(expr))

        if isinstance(stmt, ir.Assign) and stmt.value is not None and concerns(stmt.value):
            awaited = isinstance(stmt.value, ir.Await) and not self._holds(stmt.value, node)
            if not isinstance(stmt.value, ir.Await) or awaited:
                return {n.id for t in stmt.targets for n in ir.walk(t) if isinstance(n, ir.Name)}
        elif isinstance(stmt, (ir.Aug, ir.For, ir.Generator)):
            source = stmt.value if isinstance(stmt, ir.Aug) else stmt.iter
            if concerns(source):
                return {n.id for n in ir.walk(stmt.target) if isinstance(n, ir.Name)}
        elif isinstance(stmt, ir.Call) and isinstance(stmt.func, ir.Attr):
            if stmt.func.name in {"append", "add", "extend", "insert"} and any(concerns(a.value) for a in stmt.args):
                return {stmt.func.base.id} if isinstance(stmt.func.base, ir.Name) else set()
        return set()


class _Started(NamedTuple):
    """Work that runs beside: its kind, the names that hold it, and whether a mention anywhere in an argument counts."""

    kind: str
    names: frozenset[str]
    loose: bool

    def mentioned(self, call: ir.Call, *, receiver: bool = False) -> bool:
        """Whether a call is given the work, or (``receiver``) is a method of it."""
        if receiver and isinstance(call.func, ir.Attr) and _mentions(call.func.base, self.names):
            return True
        for arg in call.args:
            if isinstance(arg.value, ir.Name) and arg.value.id in self.names:
                return True
            if self.loose and _mentions(arg.value, self.names):
                return True
        return False


def _settings_of(node: ir.Node, names: frozenset[str]) -> Iterator[ir.Expr]:
    """The values that a call or an assignment gives to one of some settings; None and zero switch it off."""
    found: list[ir.Expr] = []
    if isinstance(node, ir.Call):
        found = [a.value for a in node.args if a.name in names]
    elif isinstance(node, ir.Assign) and node.value is not None:
        for target in node.targets:
            key = target.index.value if isinstance(target, ir.Subscript) and isinstance(target.index, ir.Const) else ""
            if last_name(target) in names or key in names:
                found.append(node.value)
    yield from (v for v in found if not (isinstance(v, ir.Const) and not v.value))


def given(call: ir.Call, params: tuple[str, ...]) -> ir.Expr | None:
    """What a call gives for the first of some parameters; a digit is a position."""
    for name in params:
        value = call.positional(int(name)) if name.isdigit() else call.keyword(name)
        if value is not None:
            return value
    return None


def _mentions(expr: ir.Expr, names: frozenset[str]) -> bool:
    return any(isinstance(n, ir.Name) and n.id in names for n in ir.walk(expr))


def _gravest(kinds: list[str]) -> str:
    for kind in ("thread", "process", "shield", "task"):
        if kind in kinds:
            return kind
    return ""


def _leaves(body: tuple[ir.Stmt, ...]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, ir.With):
        return _leaves(last.body)
    if isinstance(last, ir.Try):
        return _leaves(last.body) and all(_leaves(h.body) for h in last.handlers)
    return isinstance(last, (ir.Return, ir.Raise, ir.Jump))


def _positional(target: Function, position: int) -> str:
    """The name of the parameter that a positional argument is given to."""
    plain = [p.name for p in target.node.params if p.kind == "plain"]
    position += 1 if target.self_name else 0
    return plain[position] if position < len(plain) else ""
