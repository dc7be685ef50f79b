"""Branches that a loop takes once: ``if first: ask = first; first = None`` and ``else: ask = input()``."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.paths import Point


def spent(loop: ir.While | ir.For, points: list[Point]) -> Iterator[Point]:
    """The points at which a loop switches off, for good, the very test that led there: no second pass comes by.

    ``points`` are the points of the loop at which something changes.
    """
    sets = [p for p in points if p.kind in {"set", "grow", "move"} and p.cell is not None]
    for branch in ir.walk(loop):
        name = _asked(branch) if isinstance(branch, ir.If) else ""
        if not name or not isinstance(branch, ir.If):
            continue
        inside = [n for n in ir.walk_all(branch.body) if isinstance(n, ir.Assign) and _switches_off(n, name)]
        offs = [p for p in sets if p.value is not None and any(n.value is p.value for n in inside)]
        for off in offs:
            if all(p in offs for p in sets if p.cell == off.cell):
                yield off


def _asked(branch: ir.If) -> str:
    """The name whose truth a test asks for, or that something is there."""
    test = branch.test
    if isinstance(test, ir.Compare) and test.op in {"is not", "!="} and isinstance(test.right, ir.Const):
        test = test.left if test.right.value is None else test
    return test.id if isinstance(test, ir.Name) else ""


def _switches_off(node: ir.Assign, name: str) -> bool:
    return (
        isinstance(node.value, ir.Const)
        and not node.value.value
        and any(isinstance(t, ir.Name) and t.id == name for t in node.targets)
    )
