"""What one pass of a loop, or one run of a dispatcher, comes by: its own nodes and those of the helpers below it.

Each is marked with how often it is come by: on each pass, on some, or only on the way out. This reads the source as it
stands and needs no graph, so that a log line, which the graph leaves out, is seen as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.flow import leaves
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import NAME, last_name, snake

Often = Literal["each", "some", "end"]
"""On each pass; under a condition; only where the pass fails or leaves."""

MAX_FUNCTIONS = 120

_ORDER: tuple[Often, ...] = ("each", "some", "end")
_ASKED_FOR = re.compile(r"(verbose|debug|quiet|show|display|print)")


class Spot(NamedTuple):
    """A node of the region, where it stands, and how often it is come by."""

    node: ir.Node
    function: Function
    often: Often


class Region(NamedTuple):
    """The nodes of a case; ``whole`` says that no helper was left out."""

    spots: tuple[Spot, ...]
    functions: tuple[Function, ...]
    whole: bool

    def calls(self) -> Iterator[tuple[ir.Call, Function, Often]]:
        """The calls among the nodes."""
        for node, function, often in self.spots:
            if isinstance(node, ir.Call):
                yield node, function, often


def region(case: Case) -> Region:
    """The region of a case, read once for all gates that ask."""
    known = case.notes.get("region")
    if not isinstance(known, Region):
        known = case.notes["region"] = _read(case)
    return known


def _read(case: Case) -> Region:
    acts = acting(case)
    tools = _tools(case)
    best: dict[str, Often] = {case.function.key: "each"}
    functions = {case.function.key: case.function}
    spots: dict[str, list[Spot]] = {}
    queue = [case.function]
    whole = not case.graph.truncated
    for frame in case.graph.frames:
        # What is handed to something that runs it is entered by no call of its name.
        if frame.function.key not in functions and frame.call is None:
            functions[frame.function.key] = frame.function
            best[frame.function.key] = "some"
            queue.append(frame.function)
    while queue:
        function = queue.pop(0)
        found = spots[function.key] = list(_Reader(case, function, acts).spots(best[function.key]))
        for node, _, often in found:
            for target in _entered(case, node, function) if id(node) not in tools else ():
                known = best.get(target.key)
                if target.key == case.function.key or (
                    known is not None and _ORDER.index(known) <= _ORDER.index(often)
                ):
                    continue
                if len(functions) >= MAX_FUNCTIONS and target.key not in functions:
                    whole = False
                    continue
                functions[target.key] = target
                best[target.key] = often
                queue.append(target)
    return Region(tuple(s for found in spots.values() for s in found), tuple(functions.values()), whole)


def _entered(case: Case, node: ir.Node, function: Function) -> Iterator[Function]:
    """The functions of the project that a call runs, or that it is given to run."""
    if not isinstance(node, ir.Call):
        return
    program = case.tools.program
    yield from program.targets(node, function)
    for arg in node.args:
        if isinstance(arg.value, (ir.Name, ir.Attr, ir.Lambda)):
            for meaning in program.resolve(arg.value, function):
                yield from program.run_by(meaning)


def acting(case: Case) -> frozenset[int]:
    """The turns, the dispatches and the calls that lead to them."""
    out: set[int] = set()
    for point in (*case.turns, *case.dispatches):
        made = (
            point.turn.call if point.turn is not None else point.dispatch.node if point.dispatch is not None else None
        )
        out.update(id(node) for node in (made, *(frame.call for frame in point.frame.stack())) if node is not None)
    return frozenset(out)


def _tools(case: Case) -> frozenset[int]:
    """The calls that run one certain tool: what is in the tool is no part of the loop."""
    roles = case.tools.roles
    out: set[int] = set()
    for point in case.dispatches:
        made = point.dispatch
        if made is None or made.form not in {"chain", "fixed"}:
            continue
        for node in ir.walk(made.node):
            if isinstance(node, ir.Call) and roles.carries_arguments(node, made.function):
                if not any(NAME in roles.of(arg.value, made.function) for arg in node.args):
                    out.add(id(node))
    return frozenset(out)


class _Reader:
    """Reads one function."""

    def __init__(self, case: Case, function: Function, acts: frozenset[int]) -> None:
        self.function = function
        self.node = case.node if function.key == case.function.key else function.node
        self.acts = acts

    def spots(self, often: Often) -> Iterator[Spot]:
        """The nodes, of the case's own loop only what is in it."""
        if isinstance(self.node, (ir.While, ir.For)):
            yield from self._header(self.node, often)
            yield from self._block(self.node.body, often)
            yield from self._block(self.node.orelse, "end")
        else:
            yield from self._block(self.function.node.body, often)

    def _all(self, node: ir.Node, often: Often) -> Iterator[Spot]:
        return (Spot(n, self.function, often) for n in ir.walk(node))

    def _header(self, loop: ir.While | ir.For, often: Often) -> Iterator[Spot]:
        for part in (loop.test,) if isinstance(loop, ir.While) else (loop.target, loop.iter):
            yield from self._all(part, often)

    def _block(self, body: tuple[ir.Stmt, ...], often: Often) -> Iterator[Spot]:
        for stmt in body:
            if not isinstance(stmt, (ir.FuncDef, ir.ClassDef)):
                yield from self._statement(stmt, often)

    def _statement(self, stmt: ir.Stmt, often: Often) -> Iterator[Spot]:
        if isinstance(stmt, ir.If):
            yield from self._all(stmt.test, often)
            for branch, other in ((stmt.body, stmt.orelse), (stmt.orelse, stmt.body)):
                yield from self._block(branch, self._under(stmt, branch, other, often))
        elif isinstance(stmt, (ir.While, ir.For)):
            yield from self._header(stmt, often)
            yield from self._block((*stmt.body, *stmt.orelse), often)
        elif isinstance(stmt, ir.Try):
            yield from self._block((*stmt.body, *stmt.orelse, *stmt.final), often)
            for handler in stmt.handlers:
                yield from self._block(handler.body, "end")
        elif isinstance(stmt, ir.With):
            for part in (part for item in stmt.items for part in item if part is not None):
                yield from self._all(part, often)
            yield from self._block(stmt.body, often)
        elif isinstance(stmt, ir.Match):
            yield from self._all(stmt.subject, often)
            for each in stmt.cases:
                yield from self._block(each.body, self._under(stmt, each.body, (), often))
        else:
            yield from self._all(stmt, often)

    def _under(
        self, stmt: ir.If | ir.Match, branch: tuple[ir.Stmt, ...], other: tuple[ir.Stmt, ...], often: Often
    ) -> Often:
        """How often a branch is come by: what leaves, and what is only shown to somebody who asks, tells of no pass."""
        if not branch or any(id(node) in self.acts for node in ir.walk_all(branch)):
            return often
        if _ends(branch) or (isinstance(stmt, ir.If) and _is_asked_for(stmt.test)):
            return "end"
        return often if _ends(other) else max("some", often, key=_ORDER.index)


def _is_asked_for(test: ir.Expr) -> bool:
    names = [last_name(n) for n in ir.walk(test) if isinstance(n, (ir.Name, ir.Attr))]
    return any(_ASKED_FOR.search(snake(name)) for name in names)


def _ends(branch: tuple[ir.Stmt, ...]) -> bool:
    """Whether a branch ends the run or the function; the next pass (``continue``) is no end."""
    return leaves(branch) and not (isinstance(branch[-1], ir.Jump) and branch[-1].kind == "continue")
