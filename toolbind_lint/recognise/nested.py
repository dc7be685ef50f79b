"""What stands inside an argument under a path of keys: in a dict, or in the keywords of a call that makes an object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import Function, Program

MAX_DEPTH = 8


def inside(
    program: Program, expr: ir.Expr, function: Function, path: Sequence[str], depth: int = 0
) -> Iterator[tuple[ir.Expr, Function]]:
    """The expressions under a path, and the functions in which they stand; none where it leads nowhere that is seen.

    Names and attributes are followed to what is assigned to them, calls of the project to what they return.
    """
    if depth > MAX_DEPTH:
        return
    if isinstance(expr, ir.DictE):
        found = expr.get(path[0]) if path else None
    elif isinstance(expr, ir.Call):
        targets = program.targets(expr, function)
        for target in targets:
            for returned in target.returned:
                yield from inside(program, returned, target, path, depth + 1)
        found = expr.keyword(path[0]) if path and not targets else None
    elif isinstance(expr, ir.IfExp):
        for side in (expr.body, expr.orelse):
            yield from inside(program, side, function, path, depth + 1)
        return
    else:
        values = list(program.values(expr, function)) if isinstance(expr, (ir.Name, ir.Attr)) else []
        for value, scope in values:
            yield from inside(program, value, scope, path, depth + 1)
        if not values and not path:
            yield expr, function
        return
    if not path:
        yield expr, function
    elif found is not None:
        yield from inside(program, found, function, path[1:], depth + 1)
