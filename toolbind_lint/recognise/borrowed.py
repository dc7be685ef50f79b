"""Loops of library code that is read with the project: they are told at the project's calls that run them."""

from __future__ import annotations

from collections.abc import Collection

from toolbind_lint.facts import Place
from toolbind_lint.recognise.program import Function, Program
from toolbind_lint.verdicts import Subject

_MOST = 8
"""How many functions up a call of the project is looked for."""


def calls_into(program: Program, function: Function, library: Collection[str]) -> tuple[tuple[Place, str], ...]:
    """The project's calls that lead to a function of the library, by place, each with the function around it."""
    found: dict[Place, str] = {}
    seen = {function.key}
    level = [function]
    for _ in range(_MOST):
        above: list[Function] = []
        for each in level:
            for call, caller in program.callers(each):
                if caller.module.path not in library:
                    found[program.at(caller, call)] = caller.node.qualname
                elif caller.key not in seen:
                    seen.add(caller.key)
                    above.append(caller)
        level = above
    return tuple(sorted(found.items()))


def at_call(subject: Subject, place: Place, qualname: str) -> Subject:
    """A loop as the project has it: where it is called, with the verdicts that it has."""
    cell = "" if place.cell is None else f"{place.cell}:"
    return subject._replace(
        id=f"{place.path}:{cell}{place.line}:{place.column}",
        place=place,
        header=place,
        function=qualname,
        label=qualname,
    )
