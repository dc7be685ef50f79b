"""Runs of an object that a loop makes anew on each pass: nothing of the last reply is left in it for the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import ClassRef, Function, Program


def runs_anew(loop: ir.While | ir.For, function: Function, acts: Iterable[Point], program: Program) -> bool:
    """Whether each of some points lies in a method of an object that the body of a loop makes, from nothing that an
    earlier pass gave.

    ``agent = Agent(task)`` and ``agent.run()``, again and again: each is another run.
    """
    body = list(ir.walk(loop))
    made = _made(body, function, program)
    entries = []
    running = set()
    for point in acts:
        stack = list(point.frame.stack())
        call = stack[-2].call if len(stack) > 1 else None
        if call is None or not isinstance(call.func, ir.Attr) or _name(call.func.base) not in made:
            return False
        running.add(_name(call.func.base))
        entries.append((call, made[_name(call.func.base)]))
    told = _told(body, running)
    return bool(entries) and not any(
        each in told for calls in entries for call in calls for arg in call.args for each in _names(arg.value)
    )


def _made(body: list[ir.Node], function: Function, program: Program) -> dict[str, ir.Call]:
    """The names that a body gives an object of a project's class, each with the constructor's call."""
    out: dict[str, ir.Call] = {}
    for node in body:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Call):
            if any(isinstance(m, ClassRef) for m in program.resolve(node.value.func, function)):
                out.update((_name(target), node.value) for target in node.targets if _name(target))
    return out


def _told(body: list[ir.Node], made: set[str]) -> set[str]:
    """The names into which something goes that one of the objects gave."""
    told: set[str] = set()
    for _ in range(3):
        for node in body:
            if isinstance(node, (ir.Assign, ir.Aug)) and node.value is not None:
                targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
                if any(each in made | told for each in _names(node.value)):
                    told |= {each for target in targets for each in _names(target)} - made
            elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in ir.GROW:
                if any(each in made | told for arg in node.args for each in _names(arg.value)):
                    told |= set(_names(node.func.base)) - made
    return told


def _name(expr: ir.Expr) -> str:
    return expr.id if isinstance(expr, ir.Name) else ""


def _names(expr: ir.Expr) -> Iterator[str]:
    return (node.id for node in ir.walk(expr) if isinstance(node, ir.Name))
