"""What is recorded of each step of a loop: an object that says the step and the cap, on each pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import header, holding
from toolbind_lint.recognise.identity import field_names
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import ClassRef, Function, Instance
from toolbind_lint.recognise.region import Spot, region
from toolbind_lint.recognise.roles import last_name, snake
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault

_STEP = re.compile(r"(?:^|_)(?:steps?|turns?|iterations?|iters?|rounds?|cycles?|hops?|attempts?|loops?)(?:_|$)")
_CAP = re.compile(r"(?:^|_)(?:max|maximum|limit|cap|ceiling|allowed|permitted)(?:_|$)")
_ALL = re.compile(r"(?:^|_)(?:total|budget|of|remaining|left)(?:_|$)")
"""Caps where they are of steps: ``total_steps``, ``turns_left``."""
_OTHER = re.compile(
    r"(?:^|_)(?:tokens?|chars?|bytes?|size|len|length|retry|retries|time|timeout|seconds?|wall|ms|cost|usd|results?|output|"
    r"pages?|context|window|lines?|items?|rows?|depth|concurrency|workers?|rate)(?:_|$)"
)
_LOGS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log", "msg", "notice"})
_RECORDS = re.compile(
    r"(?:^|_)(?:add|append|save|store|record|log|emit|write|push|put|send|track|event|attributes?|update|persist|"
    r"insert|publish|report|trace|notify|observe|on|callback|hook|capture|checkpoint|snapshot|evidence|audit|yield)(?:_|$)"
)
_NO_RECORD = re.compile(
    r"(?:^|_)(?:prompt|render|format|template|messages?|instructions?|check|should|can|assert|is|exceeds?|print|echo|"
    r"display|show|panel|progress|range|min|max|build|sleep|compact|trim)(?:_|$)"
)
_CONVERSATION = re.compile(r"(?:^|_)(?:messages?|history|conversation|memory|chat|transcript|thread|queue|prompts?)$")
_DUMPS = re.compile(r"(?:dump|dict|json|snapshot|fields|evidence|record)")
_OPAQUE = re.compile(
    r"(?:^|_)(?:state|ctx|context|budget|run|record|snapshot|step|status|progress|event|turn|evidence)$"
)
MAX_DEPTH = 3


class Keys(NamedTuple):
    """The names under which a record says something; ``open`` where more may be in it than is seen."""

    names: tuple[str, ...]
    open: bool = False


def found(case: Case) -> Fault | Evidence | None:
    """The record of each step; a fault where there is none, None where it is not known."""
    return _Search(case).result()


class _Search:
    """One walk over what a pass comes by."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.program = case.tools.program
        self.area = region(case)
        bounds = [*case.bounds]
        self.steps = {cell[-1] for b in bounds if b.kind in {"range", "counter"} for cell in b.cells}
        self.caps = {text_of(b.cap) for b in holding(case)}
        self.silent = {id(p.turn.call) for p in case.turns if p.turn is not None}
        self.silent |= {id(p.dispatch.node) for p in case.dispatches if p.dispatch is not None}

    def result(self) -> Fault | Evidence | None:
        """The heaviest that is seen: a record on each pass, one on some or one that is not known, none."""
        known = True
        half: Step | None = None
        attributes: list[str] = []
        for spot in self.area.spots:
            if spot.often == "end" or id(spot.node) in self.silent:
                continue
            keys = self._keys(spot)
            if keys is None:
                continue
            if spot.often == "each" and isinstance(spot.node, ir.Call) and _sets_one(spot.node):
                attributes.extend(keys.names)
                keys = Keys(tuple(attributes), keys.open)
            place = self.program.at(spot.function, spot.node)
            if self._is_whole(keys.names):
                if spot.often == "each":
                    return Evidence(place, "", "step and cap are recorded here")
                known = False
            elif keys.open:
                known = False
            elif half is None and any(self._is_step(name) for name in keys.names):
                half = Step(place, "this says the step, and not its cap")
        if not known or not self.area.whole:
            return None
        return Fault("no-record", header(self.case), related=(half,) if half is not None else ())

    # ---- step and cap

    def _is_cap(self, name: str) -> bool:
        word = _word(name)
        if name in self.caps or (_ALL.search(word) and _STEP.search(word)):
            return True
        return bool(_CAP.search(word)) and not _OTHER.search(word)

    def _is_step(self, name: str) -> bool:
        return not self._is_cap(name) and (name in self.steps or bool(_STEP.search(_word(name))))

    def _is_whole(self, names: tuple[str, ...]) -> bool:
        return any(self._is_step(name) for name in names) and any(self._is_cap(name) for name in names)

    # ---- what a record says

    def _keys(self, spot: Spot) -> Keys | None:
        """What a call, or a value that is handed out, records; None where it records nothing."""
        node, function = spot.node, spot.function
        if isinstance(node, ir.Yield):
            return self._of(node.value, function, 0) if node.value is not None else None
        if not isinstance(node, ir.Call):
            return None
        name = snake(last_name(node.func))
        if isinstance(node.func, ir.Attr) and _CONVERSATION.search(snake(last_name(node.func.base))):
            return None
        if _NO_RECORD.search(name) and name not in _LOGS:
            return None
        logs = name in _LOGS or bool(_RECORDS.search(name))
        made = any(isinstance(m, ClassRef) for m in self.program.resolve(node.func, function))
        keys = self._given(node, function, 0)
        if self._is_whole(keys.names) and not keys.open:
            if logs or made:
                return keys
            return None if self.program.targets(node, function) else Keys((), True)  # somebody may record it
        if name in _LOGS and self._is_said(node):
            return Keys(keys.names, True)
        if _is_hook(name) and not self.program.targets(node, function):
            if any(self._is_step(value) for value in self._values(node)):
                return Keys(keys.names, True)
        return keys if logs else None

    def _given(self, call: ir.Call, function: Function, depth: int) -> Keys:
        names: list[str] = []
        opened = False
        for number, arg in enumerate(call.args):
            if arg.name is not None:
                names += [arg.name, *_own_name(arg.value)]
            inner = self._of(arg.value, function, depth, spread=arg.star == "**")
            names.extend(inner.names)
            opened = opened or inner.open
            if arg.name is None and not arg.star:
                fields = list(self._positional(call, number, function))
                names += [*fields, *(_own_name(arg.value) if fields else ())]
        if _sets_one(call) and isinstance(call.args[0].value, ir.Const):
            names.append(str(call.args[0].value.value))
        return Keys(tuple(names), opened)

    def _positional(self, call: ir.Call, number: int, function: Function) -> Iterator[str]:
        """The parameter of a function, or field of a class, of the project that gets an argument."""
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, ClassRef):
                fields = [n for n, bs in self.program.members(meaning.cls).items() if any(b.annotation for b in bs)]
                yield from fields[number : number + 1]
        for target in self.program.targets(call, function):
            plain = [p.name for p in target.node.params if p.name != target.self_name]
            yield from plain[number : number + 1]

    def _of(self, expr: ir.Expr, function: Function, depth: int, *, spread: bool = False) -> Keys:
        """The keys of a value: of a display, of what a call is given by name, of an object of the project."""
        if isinstance(expr, ir.Await):
            return self._of(expr.value, function, depth, spread=spread)
        if isinstance(expr, ir.DictE):
            return self._display(expr, function, depth)
        if isinstance(expr, ir.Call):
            return self._called(expr, function, depth)
        if isinstance(expr, (ir.Name, ir.Attr)):
            return self._named(expr, function, depth, spread)
        return Keys(())

    def _display(self, expr: ir.DictE, function: Function, depth: int) -> Keys:
        names: list[str] = []
        opened = False
        for key, value in expr.items:
            if isinstance(key, ir.Const):
                names += [str(key.value), *_own_name(value)]
            if key is None or isinstance(value, (ir.DictE, ir.Call)):
                inner = self._of(value, function, depth + 1, spread=key is None)
                names.extend(inner.names)
                opened = opened or (inner.open and key is None)
        return Keys(tuple(names), opened)

    def _called(self, call: ir.Call, function: Function, depth: int) -> Keys:
        if depth > MAX_DEPTH:
            return Keys((), True)
        keys = self._given(call, function, depth + 1)
        names, opened = list(keys.names), keys.open
        for target in self.program.targets(call, function):
            for value in target.returned:
                inner = self._of(value, target, depth + 1)
                names.extend(inner.names)
                opened = opened or inner.open
        if isinstance(call.func, ir.Attr) and _DUMPS.search(call.func.name):
            inner = self._named(call.func.base, function, depth + 1, True) if _is_value(call.func.base) else Keys(())
            names.extend(inner.names)
            opened = opened or inner.open
        return Keys(tuple(names), opened)

    def _named(self, expr: ir.Expr, function: Function, depth: int, spread: bool) -> Keys:
        names: list[str] = []
        classes = [m.cls for m in self.program.resolve(expr, function) if isinstance(m, Instance)]
        tells = spread or bool(_OPAQUE.search(snake(last_name(expr))))
        for cls in classes:
            if tells or _OPAQUE.search(snake(cls.node.name)):
                names.extend(field_names(self.program, cls))
        values = list(self.program.values(expr, function)) if depth < MAX_DEPTH else []
        seen = False
        for value, scope in values:
            if isinstance(value, (ir.DictE, ir.Call)) and value is not expr:
                seen = True
                names.extend(self._of(value, scope, depth + 1).names)
        if classes or seen or (isinstance(expr, ir.Name) and self._is_passed_on(expr, function)):
            return Keys(tuple(names))
        return Keys(tuple(names), tells)

    def _is_passed_on(self, expr: ir.Name, function: Function) -> bool:
        """Whether a name stands for each of what a collection or generator gives: that is told where it is made."""
        return any(b.kind == "element" for b in self.program.lookup(expr.id, function))

    # ---- what a line of text says

    def _values(self, call: ir.Call) -> Iterator[str]:
        """The names of the values that a call is given, those in its texts too."""
        for arg in call.args:
            for node in ir.walk(arg.value):
                if isinstance(node, (ir.Name, ir.Attr)):
                    yield last_name(node)

    def _is_said(self, call: ir.Call) -> bool:
        """Whether a line of a log says step and cap in words."""
        return self._is_whole(tuple(self._values(call)))


def _word(name: str) -> str:
    """A key in lower case, its words apart: ``agent.maxSteps``."""
    return snake(name).replace(".", "_").replace("-", "_").replace(" ", "_")


def _own_name(value: ir.Expr) -> tuple[str, ...]:
    """What a value is called, or the number that it is: under a key of any name it is step or cap all the same."""
    if isinstance(value, ir.Const):
        return () if isinstance(value.value, (str, bytes)) else (text_of(value),)
    return (last_name(value),) if isinstance(value, (ir.Name, ir.Attr)) else ()


def _is_value(expr: ir.Expr) -> bool:
    return isinstance(expr, (ir.Name, ir.Attr))


def _is_hook(name: str) -> bool:
    return bool(re.search(r"(?:^|_)(?:on|callback|hook|cb|listener|observer|handler)(?:_|$)", name))


def _sets_one(call: ir.Call) -> bool:
    """``span.set_attribute("step", step)``: one call a key."""
    return last_name(call.func).startswith("set_") and len(call.args) == 2
