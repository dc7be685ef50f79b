"""Whether code can hang: the calls of a function, and of what it calls, that may wait without end.

Each is limited (by its own parameter, its client's, or a timer around it), unlimited, or unknown: a call into code
that nobody knows. What computes, or touches local files only, cannot hang.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.limits import Limit, LimitFinder, given
from toolbind_lint.recognise.program import ClassRef, External, Function, Program
from toolbind_lint.recognise.roles import RoleFinder, argument, dotted, last_name

MAX_FUNCTIONS = 120
MAX_DEPTH = 6


class Wait(NamedTuple):
    """A call that may wait: ``state`` is limited, off (by default), unlimited or unknown."""

    call: ir.Call
    function: Function
    state: str
    row: Row | None = None
    limit: Limit | None = None


class Survey(NamedTuple):
    """All waits of some code and the functions that were read; ``cut`` says that not all of it was."""

    waits: tuple[Wait, ...]
    files: bool
    cut: bool
    functions: tuple[Function, ...] = ()

    def of(self, *states: str) -> list[Wait]:
        """The waits in one of some states."""
        return [w for w in self.waits if w.state in states]


class WaitFinder:
    """Surveys functions of one program. Holds the memos."""

    def __init__(self, limits: LimitFinder, roles: RoleFinder) -> None:
        self.limits = limits
        self.roles = roles
        self.program = limits.program
        self.catalogue = limits.catalogue
        self._local = tuple(n for r in self.catalogue.rows if r.kind == "local" for n in _names(r, hangs=False))
        self._hangs = frozenset(n for r in self.catalogue.rows if r.kind == "local" for n in _names(r, hangs=True))
        self._waits: dict[str, tuple[tuple[Wait, ...], tuple[Function, ...], bool]] = {}

    def survey(self, functions: Iterable[Function]) -> Survey:
        """The waits in some functions and in what they call."""
        return self._gather([(f, 0) for f in functions], [], files=False)

    def survey_calls(self, calls: Iterable[tuple[ir.Call, Function]]) -> Survey:
        """The waits behind some calls."""
        pending: list[tuple[Function, int]] = []
        waits: list[Wait] = []
        files = False
        for call, function in calls:
            wait, targets, touches = self.judge(call, function)
            files = files or touches
            if wait is not None:
                waits.append(wait)
            pending.extend((t, 0) for t in targets)
        return self._gather(pending, waits, files=files)

    def _gather(self, pending: list[tuple[Function, int]], waits: list[Wait], *, files: bool) -> Survey:
        seen: dict[str, Function] = {}
        cut = False
        while pending:
            function, depth = pending.pop()
            if function.key in seen:
                continue
            if len(seen) >= MAX_FUNCTIONS or depth > MAX_DEPTH:
                cut = True
                continue
            seen[function.key] = function
            found, targets, touches = self._of(function)
            waits.extend(found)
            files = files or touches
            pending.extend((t, depth + 1) for t in targets)
        return Survey(tuple(waits), files, cut, tuple(seen.values()))

    def _of(self, function: Function) -> tuple[tuple[Wait, ...], tuple[Function, ...], bool]:
        if function.key not in self._waits:
            waits: list[Wait] = []
            targets: list[Function] = []
            files = False
            for call in self._calls(function):
                wait, below, touches = self.judge(call, function)
                files = files or touches
                if wait is not None:
                    waits.append(wait)
                targets.extend(below)
            self._waits[function.key] = (tuple(waits), tuple(targets), files)
        return self._waits[function.key]

    def _calls(self, function: Function) -> Iterator[ir.Call]:
        yield from function.calls

    # ---- one call

    def judge(self, call: ir.Call, function: Function) -> tuple[Wait | None, tuple[Function, ...], bool]:
        """The wait that a call is, the functions of the project that it runs, whether it touches files."""
        limits = self.limits.around(call, function)
        row, known, local = self._known(call, function)
        targets = self.program.targets(call, function)
        if row is not None and self._reaps(call, function):
            return None, (), False
        if row is not None:
            return self._waiting(call, function, row, limits), (), False
        handed = self._handed(call, function)
        below = (*targets, *handed)
        if below:
            if limits:
                state = "off" if limits[0].off else "limited"
                return Wait(call, function, state, None, limits[0]), (), False
            return None, below, False
        if known and not local and not last_name(call.func)[:1].isupper():
            own = self._own(call, function, Row("wait", "", {"limit": _timeouts(call)}, {}))
            limits = (own, *limits) if own is not None else limits
            state = ("off" if limits[0].off else "limited") if limits else "unknown"
            return Wait(call, function, state, None, limits[0] if limits else None), (), False
        return None, (), local == "files"

    def _waiting(self, call: ir.Call, function: Function, row: Row, limits: tuple[Limit, ...]) -> Wait:
        own = self._own(call, function, row)
        if own is not None:
            return Wait(call, function, "off" if own.off else "limited", row, own)
        if limits:
            return Wait(call, function, "off" if limits[0].off else "limited", row, limits[0])
        return Wait(call, function, "unlimited", row)

    def _reaps(self, call: ir.Call, function: Function) -> bool:
        """Whether a call waits for something that was ended just before."""
        return any(
            c.span[:2] < call.span[:2] and self.limits.ends_work(c, function, "process")
            for c in function.calls
            if _root(c) is not None and _root(c) == _root(call)
        )

    def _own(self, call: ir.Call, function: Function, row: Row) -> Limit | None:
        """The limit that a call carries, or that its receiver was made with."""
        value = given(call, row.all("limit"))
        if value is None and any(a.star == "**" for a in call.args):
            for arg in call.args:
                for display, _ in self.program.displays(arg.value, function) if arg.star == "**" else ():
                    value = next((v for n in row.all("limit") if (v := display.get(n)) is not None), value)
        scope = function
        if value is None:
            value, scope = self._made_with(call, function, row.all("made-with"))
        if value is None or (isinstance(value, ir.Const) and value.value is None):
            return None
        values = self.limits.values.alternatives(value, scope)
        return Limit(call, function, value, values, row.flags.get("kills", False), "", "own")

    def _made_with(self, call: ir.Call, function: Function, params: tuple[str, ...]) -> tuple[ir.Expr | None, Function]:
        base = call.func.base if isinstance(call.func, ir.Attr) else None
        if params and base is not None:
            for made, scope in made_by(self.limits, base, function):
                value = given(made, params)
                if value is not None:
                    return value, scope
        return None, function

    def _known(self, call: ir.Call, function: Function) -> tuple[Row | None, bool, str]:
        """The row that says that a call waits, whether it is outside the project, and whether it cannot hang."""
        known = False
        local = ""
        if self.roles.turn(call, function) is not None:
            return self._turn_row(call, function), True, ""
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, ClassRef):
                return None, False, "class"
            if not isinstance(meaning, External):
                continue
            row = self.catalogue.find("wait", meaning.name) or self.catalogue.find("dispatch", meaning.name)
            if row is not None:
                return row, True, ""
            known = True
            local = self._is_local(meaning.name)
        if isinstance(call.func, ir.Attr) and not known:
            row = self.catalogue.by_method("wait", dotted(call.func) or call.func.name)
            if row is None and not self.program.targets(call, function):
                row = self.catalogue.by_method("dispatch", dotted(call.func) or call.func.name)
            if row is not None:
                return row, True, ""
        return None, known, local

    def _turn_row(self, call: ir.Call, function: Function) -> Row | None:
        """What is known of the time of a model's request, as a row of a wait."""
        turn = self.roles.turn(call, function)
        framework = turn.row.framework if turn is not None and turn.row is not None else ""
        for row in self.catalogue.rows:
            if row.kind == "model-timeout" and row.framework == framework:
                return Row("wait", framework, {"limit": row.all("limit"), "made-with": row.all("limit")}, {})
        return Row("wait", framework, {"limit": ("timeout",), "made-with": ("timeout",)}, {})

    def _is_local(self, name: str) -> str:
        bare = name.replace("()", "").replace("[]", "")
        if bare in self._hangs:
            return ""
        if not any(bare == n or bare.startswith(n + ".") for n in self._local):
            return ""
        root = bare.partition(".")[0]
        return "files" if root in {"os", "pathlib", "shutil", "glob"} or bare == "builtins.open" else "computes"

    def _handed(self, call: ir.Call, function: Function) -> tuple[Function, ...]:
        """Functions of the project that a call runs beside its caller."""
        if not self.limits.starter(call, function):
            return ()
        out: list[Function] = []
        for arg in call.args:
            if isinstance(arg.value, (ir.Name, ir.Attr, ir.Lambda)):
                for meaning in self.program.resolve(arg.value, function):
                    if not isinstance(meaning, External):
                        out.extend(self.program.run_by(meaning))
        return tuple(out)


def made_by(limits: LimitFinder, expr: ir.Expr, function: Function) -> Iterator[tuple[ir.Call, Function]]:
    """The calls that made an object: through names, attributes, ``with … as`` and calls of the project's functions."""
    program = limits.program
    pending: list[tuple[ir.Expr, Function, int]] = [(expr, function, 0)]
    seen: set[int] = set()
    while pending and len(seen) < 60:
        top, scope, depth = pending.pop(0)
        if id(top) in seen or depth > 8:
            continue
        seen.add(id(top))
        if isinstance(top, (ir.Await, ir.Walrus)):
            pending.append((top.value, scope, depth + 1))
        elif isinstance(top, ir.Attr):
            found = False
            for base in program.resolve(top.base, scope):
                for binding in program.fields(base, top.name):
                    if binding.value is not None:
                        found = True
                        pending.append((binding.value, binding.scope, depth + 1))
            if not found:
                pending.append((top.base, scope, depth + 1))
        elif isinstance(top, ir.Name):
            for binding in program.lookup(top.id, scope):
                if binding.value is not None:
                    pending.append((binding.value, binding.scope, depth + 1))
                if isinstance(binding.node, ir.Param):
                    passed = _passed(program, binding.node, binding.index, binding.scope)
                    pending.extend((value, caller, depth + 1) for value, caller in passed)
        elif isinstance(top, (ir.Bool, ir.IfExp)):
            sides = (top.left, top.right) if isinstance(top, ir.Bool) else (top.body, top.orelse)
            pending.extend((side, scope, depth + 1) for side in sides)
        elif isinstance(top, ir.Call):
            targets = program.targets(top, scope)
            if targets:
                pending.extend((value, t, depth + 1) for t in targets for value in t.returned)
            else:
                yield top, scope
                if last_name(top.func) in {"enter_context", "enter_async_context", "aenter"} and top.args:
                    pending.append((top.args[0].value, scope, depth + 1))
                elif isinstance(top.func, ir.Attr):
                    pending.append((top.func.base, scope, depth + 1))


def _passed(program: Program, param: ir.Param, index: int, function: Function) -> Iterator[tuple[ir.Expr, Function]]:
    """What callers give for a parameter."""
    for call, caller in program.callers(function)[:6]:
        value = argument(call, param, index - (1 if function.self_name else 0))
        if value is not None:
            yield value, caller


def _timeouts(call: ir.Call) -> tuple[str, ...]:
    """The keywords of a call that speak of a timeout."""
    return tuple(a.name for a in call.args if a.name is not None and "timeout" in a.name.lower())


def _root(call: ir.Call) -> str | None:
    """What a method is called on; for a function its first argument, up to the first dot."""
    if isinstance(call.func, ir.Attr) and dotted(call.func.base) not in {"os", "signal"}:
        return dotted(call.func.base) or None
    return dotted(call.args[0].value).partition(".")[0] or None if call.args else None


def _names(row: Row, *, hangs: bool) -> tuple[str, ...]:
    return row.all("call") if row.flags.get("hangs", False) is hangs else ()
