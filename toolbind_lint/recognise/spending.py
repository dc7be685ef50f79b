"""What turns use and cost: which numbers of a program speak of it, and which counters add it up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame
from toolbind_lint.recognise.roles import key_read, snake

_SPENT = re.compile(r"(^|_)(usages?|tokens?|costs?|usd|dollars?|euros?|cents|spend|spent|spending|credits?|price)(_|$)")


def is_budget(case: Case, bound: Bound) -> bool:
    """Whether the counter of a bound is moved by what turns used or cost."""
    if bound.kind != "counter":
        return False
    for move in bound.moves:
        if move.op not in {"+", "-"} or (isinstance(move.value, ir.Const)):
            return False
        if not is_spent(case, move.value, move.value_frame or move.frame, 0):
            named = move.cell is not None and _SPENT.search(snake(move.cell[-1]))
            if not named:
                return False
    return True


def words(expr: ir.Node) -> Iterator[str]:
    """The names, attributes and constant keys of an expression."""
    for node in ir.walk(expr):
        if isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, (ir.Attr, ir.Subscript, ir.Call)):
            word = key_read(node)[1]
            if word:
                yield word


def says_spent(expr: ir.Node) -> bool:
    """Whether an expression names tokens, usage or cost."""
    return any(_SPENT.search(snake(word)) for word in words(expr))


def is_spent(case: Case, expr: ir.Expr | None, frame: Frame, depth: int = 0) -> bool:
    """Whether an expression reads what a turn used, through names, parameters and what the loop sets."""
    if expr is None or depth > 5:
        return False
    if says_spent(expr):
        return True
    for node in ir.walk(expr):
        if not isinstance(node, (ir.Name, ir.Attr)):
            continue
        if isinstance(node, ir.Name) and frame.caller is not None and node.id in frame.arguments:
            if is_spent(case, frame.arguments[node.id], frame.caller, depth + 1):
                return True
        cell = case.builder.cell(node, frame)
        for change in case.finder.changes(cell, "set") if cell is not None else ():
            if change.value is not expr and is_spent(case, change.value, change.value_frame or frame, depth + 1):
                return True
    return False
