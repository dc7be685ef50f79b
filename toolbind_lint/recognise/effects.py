"""What happens in a function that a path could care about: turns and dispatches, moves of counters, raises.

Answers are of the whole project and kept for all graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import ClassRef, External, Function, FunctionRef, Instance, Program
from toolbind_lint.recognise.roles import last_name

if TYPE_CHECKING:
    from toolbind_lint.recognise.dispatches import DispatchFinder

MAX_FRAMES = 9
"""Calls inside one another that a graph follows."""
_ORDER = frozenset({"<", "<=", ">", ">="})


class Effects:
    """Asks functions what happens in them and, as deep as a graph goes, below them."""

    def __init__(self, program: Program, roles: DispatchFinder) -> None:
        self._program = program
        self._roles = roles
        self._catalogue = roles.catalogue
        self._below: dict[str, tuple[Function, ...]] = {}
        self._acts: dict[str, bool] = {}
        self._acting: dict[str, bool] = {}
        self._matters: dict[str, bool] = {}
        self._mattering: dict[str, bool] = {}

    def acting(self, function: Function) -> bool:
        """Whether a function makes a turn or a dispatch, itself or below it."""
        return self._leads(function, self._acts_itself, self._acting)

    def dull(self, function: Function) -> bool:
        """Whether nothing that a path could care about happens in a function or below it."""
        return not self._leads(function, self._matters_itself, self._mattering)

    def _leads(self, function: Function, holds: Callable[[Function], bool], known: dict[str, bool]) -> bool:
        """Whether a function of which something holds is called below another, or is that itself."""
        if function.key in known:
            return known[function.key]
        seen = {function.key: function}
        layer = [function]
        found = cut = False
        for depth in range(MAX_FRAMES + 1):
            found = any(known.get(each.key) or holds(each) for each in layer)
            if found:
                break
            further: dict[str, Function] = {}
            for each in layer:
                if known.get(each.key) is None:  # of what is known to lead nowhere nothing is below
                    further.update((t.key, t) for t in self._targets(each) if t.key not in seen)
            seen.update(further)
            layer = list(further.values())
            cut = depth == MAX_FRAMES and bool(layer)
            if not layer:
                break
        if found or cut:
            known[function.key] = found
        else:
            known.update(dict.fromkeys(seen, False))
        return found

    def _targets(self, function: Function) -> tuple[Function, ...]:
        if function.key not in self._below:
            found = {t.key: t for call in function.calls for t in self._program.targets(call, function)}
            found.update((t.key, t) for call in function.calls for t in self._handed_over(call, function))
            self._below[function.key] = tuple(found.values())
        return self._below[function.key]

    def _handed_over(self, call: ir.Call, function: Function) -> Iterator[Function]:
        """The methods of its own object that a function hands to what it calls, to be run there."""
        for arg in call.args:
            value = arg.value
            if isinstance(value, ir.Attr) and isinstance(value.base, ir.Name) and value.base.id == function.self_name:
                for meaning in self._program.resolve(value, function):
                    if isinstance(meaning, FunctionRef):
                        yield meaning.function

    def _acts_itself(self, function: Function) -> bool:
        if function.key not in self._acts:
            self._acts[function.key] = bool(self._roles.turns_in(function) or self._roles.dispatches_in(function))
        return self._acts[function.key]

    def _matters_itself(self, function: Function) -> bool:
        if function.key not in self._matters:
            # What stands in it costs less to see than what it means.
            self._matters[function.key] = (
                self._changes(function) or self._acts_itself(function) or self._roles.refuses_names(function)
            )
        return self._matters[function.key]

    def _changes(self, function: Function) -> bool:
        """Whether a function raises on purpose, moves or keeps something on an object, ends the run or waits."""
        ordered = any(isinstance(n, ir.Compare) and n.op in _ORDER for n in function.nodes)
        for node in function.nodes:
            if isinstance(node, ir.Raise) and (ordered or self.raises_own(node, function)):
                return True
            if isinstance(node, ir.Aug) and isinstance(node.target, (ir.Attr, ir.Subscript)):
                return True
            if isinstance(node, ir.Assign) and _keeps_state(node):
                return True
            if isinstance(node, ir.Call) and self._ends_or_grows(node, function):
                return True
        return False

    def raises_own(self, node: ir.Raise, function: Function) -> bool:
        """Whether an exception that is raised is one of the project's own."""
        return any(isinstance(m, (ClassRef, Instance)) for m in self._program.resolve(node.exc, function))

    def _ends_or_grows(self, call: ir.Call, function: Function) -> bool:
        func = call.func
        if isinstance(func, ir.Attr) and isinstance(func.base, ir.Attr) and last_name(func) in ir.GROW | ir.SHRINK:
            return True
        names = [m.name for m in self._program.resolve(func, function) if isinstance(m, External)]
        return any(self._catalogue.find("no-return", n) or self._catalogue.find("wait-for-person", n) for n in names)


def _keeps_state(node: ir.Assign) -> bool:
    """Whether an assignment sets a flag or a number on an object: ``self.done = True``, ``self.left = self.left -
    1``.
    """
    if not isinstance(node.value, (ir.Const, ir.Bin)):
        return False
    return any(isinstance(t, (ir.Attr, ir.Subscript)) for t in node.targets)
