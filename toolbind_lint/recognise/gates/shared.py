"""A count, budget or deadline that outlives one run: what an earlier run has used, the next one lacks."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Cell, Frame, Point
from toolbind_lint.recognise.program import Class, ClassRef, Function, Instance
from toolbind_lint.recognise.roles import CLOCK
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

MAX_CALLERS = 3
_MAKERS = frozenset({"__init__", "__post_init__", "__new__", "model_post_init", "__attrs_post_init__"})


def faults(case: Case) -> list[Fault]:
    """The counters and deadlines of the loop that no run makes or sets back."""
    out: dict[Cell, Fault] = {}
    for bound in case.bounds:
        if bound.kind != "counter" or not bound.leaves or bound.resets:
            continue
        test = bound.tests[0]
        for expr, frame in _counters(case, bound):
            cell = case.builder.cell(expr, frame)
            if cell is not None and cell in bound.cells and cell not in out:
                fault = _outlives(case, expr, frame, cell, test)
                if fault is not None:
                    out[cell] = fault
    for time in case.time_tests:
        if not time.leaves or time.rearmed:
            continue
        for expr in _remembered(case, time.point, time.frame):
            cell = case.builder.cell(expr, time.frame)
            if cell is not None and cell not in out:
                fault = _outlives(case, expr, time.frame, cell, time.point)
                if fault is not None:
                    out[cell] = fault
    return list(out.values())


def _counters(case: Case, bound: Bound) -> Iterator[tuple[ir.Expr, Frame]]:
    """The expressions that stand for the counter: in its test and where it moves."""
    test = bound.tests[0]
    for node in ir.walk(test.node):
        if isinstance(node, (ir.Name, ir.Attr)):
            yield node, test.frame
    for move in bound.moves:
        if isinstance(move.node, ir.Aug):
            yield move.node.target, move.frame


def _remembered(case: Case, point: Point, frame: Frame) -> Iterator[ir.Name | ir.Attr]:
    """The names of a comparison that hold a reading of the clock."""
    for node in ir.walk(point.node):
        if isinstance(node, (ir.Name, ir.Attr)) and CLOCK in case.tools.roles.of(node, frame.function):
            yield node


# ---- whose is it?


def _outlives(case: Case, expr: ir.Expr, frame: Frame, cell: Cell, test: Point) -> Fault | None:
    owner = _owner(case, expr, frame)
    if owner is None:
        return None
    kind, made = owner
    if _set_by_run(case, cell):
        return None
    words = (("counter", text_of(expr)), ("value", kind))
    related = [Step(place_of(case, test), "compared here")]
    if made is not None:
        related.append(Step(made, "made here, once"))
    place = case.tools.program.place(case.function.module, case.header)
    return Fault("shared-budget", place, words, related=tuple(related))


def _owner(case: Case, expr: ir.Expr, frame: Frame) -> tuple[str, Place | None] | None:
    """What a counter belongs to that lives longer than a run, in words, and where it is made; None where it is a
    run's own, or where that is not known.
    """
    program = case.tools.program
    function = frame.function
    if isinstance(expr, ir.Name):
        if expr.id in frame.arguments and frame.caller is not None and expr.id not in frame.rebound:
            return _owner(case, frame.arguments[expr.id], frame.caller)
        bindings = program.lookup(expr.id, function)
        own = [b for b in bindings if b.kind in {"assign", "declare"}]
        if own and all(b.scope.toplevel for b in own) and not function.toplevel:
            return "a module-level name", program.place(own[0].scope.module, own[0].span)
        return None
    if not isinstance(expr, ir.Attr):
        return None
    for base in program.resolve(expr.base, function):
        if isinstance(base, (Instance, ClassRef)):
            return _of_object(case, expr, frame, base)
    return None


def _of_object(case: Case, expr: ir.Attr, frame: Frame, base: Instance | ClassRef) -> tuple[str, Place | None] | None:
    made = _made(case, base.cls, expr.name)
    if isinstance(base, ClassRef):
        return "an attribute of the class", made
    holder = expr.base
    if isinstance(holder, ir.Name):
        return _of_holder(case, holder, frame, made)
    if isinstance(holder, ir.Attr):
        # `self.budget.used`: it lives as long as the attribute that holds it is kept.
        inner = case.builder.cell(holder, frame)
        if inner is None or _set_by_run(case, inner):
            return None
        return _owner(case, holder, frame)
    return None


def _of_holder(case: Case, holder: ir.Name, frame: Frame, made: Place | None) -> tuple[str, Place | None] | None:
    program = case.tools.program
    function = frame.function
    if holder.id in frame.arguments and frame.caller is not None and holder.id not in frame.rebound:
        outer = frame.arguments[holder.id]
        if isinstance(outer, ir.Name):
            return _of_holder(case, outer, frame.caller, made)
        if isinstance(outer, ir.Attr):
            inner = case.builder.cell(outer, frame.caller)
            if inner is None or _set_by_run(case, inner):
                return None
            return _owner(case, outer, frame.caller)
        return None
    scope: Function | None = function
    while scope is not None and not scope.self_name:
        scope = scope.parent
    if scope is not None and holder.id == scope.self_name:
        return ("an attribute that only the constructor sets", made) if made is not None else None
    bindings = program.lookup(holder.id, function)
    values = [b for b in bindings if b.kind == "assign"]
    if values and all(b.scope.toplevel for b in values) and not function.toplevel:
        return "a module-level object", program.place(values[0].scope.module, values[0].span)
    for binding in bindings:
        if binding.kind == "parameter" and isinstance(binding.value, ir.Call):
            return "a default that is made once", program.place(binding.scope.module, binding.span)
        if binding.kind == "assign" and isinstance(binding.value, ir.Call):
            for target in program.targets(binding.value, binding.scope):
                if _cached(target):
                    return "an object that is cached", program.at(target, target.node)
    return None


def _cached(function: Function) -> bool:
    for decorator in function.node.decorators:
        inner = decorator.func if isinstance(decorator, ir.Call) else decorator
        name = inner.name if isinstance(inner, ir.Attr) else inner.id if isinstance(inner, ir.Name) else ""
        if name in {"lru_cache", "cache", "cached_property"}:
            return True
    return False


def _made(case: Case, cls: Class, name: str) -> Place | None:
    """Where a field gets its first value: in a constructor, or in the body of the class."""
    for binding in case.tools.program.fields(Instance(cls), name):
        if binding.kind not in {"assign", "declare"} or binding.value is None:
            continue
        if binding.scope.cls is None or binding.scope.node.name in _MAKERS:
            return case.tools.program.place(binding.scope.module, binding.span)
    return None


# ---- is it set where the run starts?


def _set_by_run(case: Case, cell: Cell) -> bool:
    """Whether anything but a constructor sets a cell: the function of the loop, a helper, or whoever starts the run."""
    name = cell[-1]
    for function in _starting(case):
        for node in function.nodes:
            targets = node.targets if isinstance(node, ir.Assign) and node.value is not None else ()
            for target in targets:
                for part in target.items if isinstance(target, ir.Seq) else (target,):
                    if isinstance(part, ir.Attr) and part.name == name:
                        return True
                    if isinstance(part, ir.Name) and part.id == name and cell[0] == function.module.path:
                        return True
    return False


def _starting(case: Case) -> Iterator[Function]:
    """The functions of the class and module that can set a budget back: all methods but the constructor, and the
    callers of the loop.
    """
    program = case.tools.program
    seen: set[str] = set()
    pending: list[tuple[Function, int]] = [(case.function, 0)]
    while pending:
        function, depth = pending.pop(0)
        if function.key in seen or (function.node.name in _MAKERS and function.cls is not None):
            continue
        seen.add(function.key)
        yield function
        if depth <= MAX_CALLERS:
            pending.extend((caller, depth + 1) for _, caller in program.callers(function))
            pending.extend((t, depth + MAX_CALLERS) for c in function.calls for t in program.targets(c, function))
