"""Functions that are given to a model as tools, by a decorator or in an agent's list, and that move something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates import mutating
from toolbind_lint.recognise.gates.mutating import Bound, Guards
from toolbind_lint.recognise.makers import Made
from toolbind_lint.recognise.mutations import MutationFinder
from toolbind_lint.recognise.program import External, Function, FunctionRef, Module
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.recognise.runs import RunFinder
from toolbind_lint.verdicts import Fault

_AGREES = re.compile(
    r"(?:interrupt_?(?:before|on|after)|human_?in_?the_?loop|approv|requires?_confirmation|human_input|elicit|"
    r"confirm\(|wait_for_input|can_use_tool|pre_?tool_?use)",
    re.IGNORECASE,
)


class ToolFinder:
    """Finds the tools of one program, module by module, each once."""

    def __init__(self, runs: RunFinder) -> None:
        self._runs = runs
        self._tools = runs.tools
        self._program = runs.program
        self._mutations = MutationFinder(runs.program, runs.catalogue)
        self._names = frozenset(name.rpartition(".")[2] for name in runs.catalogue.calls.get("tool", {}))
        agents = (call for row in runs.catalogue.rows if row.kind == "agent" for call in row.all("call"))
        self._makers = frozenset(call.rpartition(".")[2] for call in agents)
        self._told: set[str] = set()
        self._agreed: dict[str, bool] = {}

    def decorated(self, module: Module, number: int) -> Iterator[tuple[Function, list[Fault]]]:
        """The tools of a top-level statement that a decorator makes, with what is wrong with them."""
        if not any(self._may_decorate(args) for unit in module.units(number) for args in unit.named):
            return
        for function in self._program.functions(module, number):
            scope = function.parent or function
            if any(self._is_tool(d, scope) for d in function.node.decorators):
                yield from self._judged(function, module)

    def given(self, module: Module, number: int) -> Iterator[tuple[Function, list[Fault]]]:
        """The functions of the project that an agent, made in a top-level statement, is given as tools."""
        if module.index.statements[number].calls.isdisjoint(self._makers):
            return
        for function in self._program.functions(module, number):
            for call in function.calls:
                row = self._runs.agents.row(call.func, function) if last_name(call.func) in self._makers else None
                if row is not None:
                    yield from self._of(Made(row, call, function))

    def _of(self, made: Made) -> Iterator[tuple[Function, list[Fault]]]:
        for param in made.row.all("loops-with"):
            position, _, name = param.rpartition(":")
            for value in self._runs.given(made, name, position):
                for item in self._runs.agents.elements(value.expr, value.function):
                    yield from self._item(item.expr, item.function, made.function.module)

    def _item(self, expr: ir.Expr, function: Function, module: Module) -> Iterator[tuple[Function, list[Fault]]]:
        # `FunctionTool(refund)`: what a function is wrapped in.
        inner = expr.args[0].value if isinstance(expr, ir.Call) and expr.args else expr
        if isinstance(expr, ir.Call):
            words = [a.name for a in expr.args if a.name]
            if any(_AGREES.search(word) for word in words):
                return
        for meaning in self._program.resolve(inner, function):
            if isinstance(meaning, FunctionRef):
                yield from self._judged(meaning.function, module)

    def _judged(self, function: Function, module: Module) -> Iterator[tuple[Function, list[Fault]]]:
        if function.key in self._told:
            return
        self._told.add(function.key)
        mutation = self._mutations.of(function)
        if mutation is not None:
            around = Guards(False, self._is_agreed(module) or self._is_agreed(function.module))
            found = list(mutating.judge(self._tools, self._mutations, Bound(function, mutation), around))
            if found:
                yield function, found

    def _may_decorate(self, name: str) -> bool:
        return name.rpartition(".")[2] in self._names

    def _is_tool(self, decorator: ir.Expr, scope: Function) -> bool:
        inner = decorator.func if isinstance(decorator, ir.Call) else decorator
        if last_name(inner) not in self._names:
            return False
        names = [m.name for m in self._program.resolve(inner, scope) if isinstance(m, External)]
        return any(self._runs.catalogue.find("tool", name) for name in names)

    def _is_agreed(self, module: Module) -> bool:
        """Whether the file of a tool or of an agent, or one that imports it, speaks of a person who agrees."""
        if module.path not in self._agreed:
            project = self._program.project
            paths = [module.path, *sorted(project.importers(module.path))[:12]]
            self._agreed[module.path] = any(_AGREES.search(project.source(path).text) for path in paths)
        return self._agreed[module.path]
