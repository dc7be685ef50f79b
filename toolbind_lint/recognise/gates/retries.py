"""Retries that a library makes, by a decorator, a wrapper or an object to loop over: does one of its stops end them?"""

from __future__ import annotations

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import External, Function, Program
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict


def verdict(program: Program, catalogue: Catalogue, call: ir.Call, function: Function) -> Verdict:
    """How the cap of a library's retry stands; ``function`` is where the call stands."""
    place = program.place(function.module, call.span)
    row = row_of(program, catalogue, call, function)
    if row is None:
        return Verdict("cap", "unknown")
    if any(a.star for a in call.args):
        return Verdict("cap", "unknown", (), (Evidence(place, "", "its arguments are not known"),))
    given = [(name, value) for name in row.all("stop") if (value := call.keyword(name)) is not None]
    for name, value in given:
        if ends(program, value, function, row):
            return Verdict("cap", "held", (), (Evidence(place, text_of(value), f"{name}={text_of(value)}"),))
    if row.flags.get("by-default", False) and len(given) < len(row.all("stop")):
        return Verdict("cap", "held", (), (Evidence(place, "", "by default"),))
    words = (("call", text_of(call.func)), ("param", row.one("stop")))
    return Verdict("cap", "missing", (Fault("unbounded-retry", place, words),))


def row_of(program: Program, catalogue: Catalogue, call: ir.Call, function: Function) -> Row | None:
    """The row of a retry that a call makes."""
    for meaning in program.resolve(call.func, function):
        row = catalogue.find("retry", meaning.name) if isinstance(meaning, External) else None
        if row is not None:
            return row
    return None


def ends(program: Program, stop: ir.Expr, function: Function, row: Row, depth: int = 0) -> bool:
    """Whether a stop ends the retry: stops are joined by ``|`` and ``&``, or by calls that want one or all of them."""
    if depth > 8:
        return True
    if isinstance(stop, ir.Const):
        return stop.value is not None
    if isinstance(stop, ir.Bin) and stop.op in {"|", "&"}:
        sides = [ends(program, side, function, row, depth + 1) for side in (stop.left, stop.right)]
        return any(sides) if stop.op == "|" else all(sides)
    names = [m.name for m in program.resolve(stop, function) if isinstance(m, External)]
    if any(name in row.all("forever") or name.removesuffix("()") in row.all("forever") for name in names):
        return False
    if isinstance(stop, ir.Call):
        callees = [m.name for m in program.resolve(stop.func, function) if isinstance(m, External)]
        parts = [ends(program, a.value, function, row, depth + 1) for a in stop.args if a.name is None]
        if parts and any(name in row.all("one-of") for name in callees):
            return any(parts)
        if parts and any(name in row.all("all-of") for name in callees):
            return all(parts)
    return True
