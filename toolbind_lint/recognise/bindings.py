"""Where the tools of a server are given to a model: whole, or narrowed to a set of exact names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.makers import Makers, Spot
from toolbind_lint.recognise.program import Function, FunctionRef, Module
from toolbind_lint.recognise.roles import dotted, last_name
from toolbind_lint.recognise.runs import RunFinder
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict


class Binding(NamedTuple):
    """One binding: the call that brings the tools in, and how its allowlist stands."""

    call: ir.Expr
    function: Function
    framework: str
    verdict: Verdict


class BindingFinder:
    """Finds the bindings of one program, module by module."""

    def __init__(self, runs: RunFinder) -> None:
        self._runs = runs
        self._program = runs.program
        self._catalogue = runs.catalogue
        self._sets = Makers(runs.program, runs.catalogue, "toolset", runs.owns)
        rows = [row for row in self._catalogue.rows if row.kind == "toolset"]
        self._names = frozenset(call.rpartition(".")[2] for row in rows for call in row.all("call"))
        self._patterns = self._catalogue.calls.get("pattern-test", {})

    def find(self, module: Module, number: int) -> Iterator[Binding]:
        """The bindings of a top-level statement."""
        if module.index.statements[number].calls.isdisjoint(self._names):
            return
        for function in self._program.functions(module, number):
            for call in function.calls:
                if last_name(call.func) in self._names:
                    row = self._sets.row(call.func, function)
                    if row is not None:
                        verdict = self._judge(call, function, row)
                        if verdict is not None:
                            yield Binding(call, function, row.framework, verdict)

    # ---- one binding

    def _judge(self, call: ir.Call, function: Function, row: Row) -> Verdict | None:
        at = self._program.at(function, call)
        if row.all("server"):
            given = [Spot(g, function) for p in row.all("server") if (g := call.keyword(p)) is not None]
            if all(not self._runs.nonempty(g) or self._is_own(g, row) for g in given):
                return None
        filters = list(self._filters(call, function, row))
        if filters:
            return self._filtered(filters, row, at)
        if any(a.star == "**" for a in call.args):
            return Verdict("allowlist", "unknown", (), (Evidence(at, "", "its arguments are not known"),))
        if self._picked(call, function, row):
            return Verdict("allowlist", "held", (), (Evidence(at, "", "tools are picked by their exact names"),))
        words = (("call", text_of(call.func)), *((("param", row.one("filter")),) if row.one("filter") else ()))
        return Verdict("allowlist", "missing", (Fault("whole-server", at, words),))

    def _is_own(self, server: Spot, row: Row) -> bool:
        """Whether all servers that are given are made here, out of functions of the project."""
        items = list(self._runs.agents.elements(*server))
        ends = [end for item in items for end in self._runs.agents.final(*item)]
        return bool(ends) and all(
            isinstance(end.expr, ir.Call)
            and any(name in row.all("own") for name in self._sets.names(end.expr.func, end.function))
            for end in ends
        )

    def _filters(self, call: ir.Call, function: Function, row: Row) -> Iterator[Spot]:
        for param in row.all("filter"):
            value = call.keyword(param)
            given = [Spot(value, function)] if value is not None else []
            for arg in call.args if value is None else ():
                if arg.star == "**":
                    given.extend(self._runs.under(arg.value, param, function))
            for each in given:
                finals = list(self._runs.agents.final(each.expr, each.function)) or [each]
                if not all(isinstance(f.expr, ir.Const) and f.expr.value is None for f in finals):
                    yield each

    def _filtered(self, filters: list[Spot], row: Row, at: Place) -> Verdict:
        for value in filters:
            for found in self._runs.agents.final(value.expr, value.function):
                pattern = self._pattern(found, row)
                if pattern is not None:
                    place = self._program.at(value.function, value.expr)
                    related = (Step(self._program.at(pattern.function, pattern.expr), "a pattern, not a name"),)
                    words = (("value", text_of(pattern.expr)),)
                    return Verdict("allowlist", "leaks", (Fault("pattern", place, words, related=related),))
        first = filters[0]
        for number in self._runs.tools.values.alternatives(first.expr, first.function):
            if number.pinned is False:
                said = (("source", number.text), ("value", text_of(first.expr)))
                place = self._program.at(first.function, first.expr)
                return Verdict("allowlist", "leaks", (Fault("unpinned", place, said, number.trail),))
        place = self._program.at(first.function, first.expr)
        return Verdict("allowlist", "held", (), (Evidence(place, text_of(first.expr), "narrowed to named tools"),))

    def _pattern(self, value: Spot, row: Row, depth: int = 0) -> Spot | None:
        """A part of a filter that is no exact name: a compiled expression, a wildcard, a function that tests by one."""
        expr, function = value
        if depth > 6:
            return None
        if isinstance(expr, ir.Const) and isinstance(expr.value, str):
            return value if "*" in expr.value else None
        if isinstance(expr, ir.DictE):
            keys = row.all("path")
            for key, held in expr.items:
                if isinstance(key, ir.Const) and (not keys or key.value in keys):
                    found = self._pattern(Spot(held, function), row, depth + 1)
                    if found is not None:
                        return found
            return None
        if isinstance(expr, (ir.Seq, ir.Comp)):
            for item in self._runs.agents.elements(expr, function):
                for last in self._runs.agents.final(item.expr, item.function):
                    found = self._pattern(last, row, depth + 1)
                    if found is not None:
                        return found
            return None
        if isinstance(expr, ir.Lambda):
            return self._tests_by_pattern(function.module.function(expr.function, function, None), value)
        if isinstance(expr, ir.Call):
            names = self._sets.names(expr.func, function)
            if any(name + "()" in n for name in names for n in self._patterns):
                return value
            made = [a for a in expr.args if a.name is None or a.name in row.all("path")]
            for arg in made if any(name in row.all("filter-call") for name in names) else ():
                for end in self._runs.agents.final(arg.value, function):
                    found = self._pattern(end, row, depth + 1)
                    if found is not None:
                        return found
            return None
        for meaning in self._program.resolve(expr, function):
            if isinstance(meaning, FunctionRef):
                return self._tests_by_pattern(meaning.function, value)
        return None

    def _tests_by_pattern(self, function: Function, value: Spot) -> Spot | None:
        tests = self._catalogue.calls.get("pattern-test", {})
        methods = self._catalogue.methods.get("pattern-test", {})
        for call in function.calls:
            names = self._sets.names(call.func, function)
            method = last_name(call.func)
            if any(name in tests for name in names) or method in methods or method in _TESTS:
                return value
        for node in function.nodes:
            if isinstance(node, ir.Compare) and node.op in {"in", "not in"}:
                if isinstance(node.left, ir.Const) and isinstance(node.left.value, str):
                    return value  # a literal in the name: a substring
        return None

    # ---- picks

    def _picked(self, call: ir.Call, function: Function, row: Row) -> bool:
        """Whether all that is taken out of it are tools under literal keys."""
        names = self._names_of(call, function)
        if not names:
            return False
        uses = list(self._uses(names, function))
        picks = [parent for parent in uses if isinstance(parent, ir.Subscript) and isinstance(parent.index, ir.Const)]
        looks = (ir.Attr, ir.Generator, ir.For)
        rest = [parent for parent in uses if parent not in picks and not isinstance(parent, looks)]
        return bool(picks) and not rest

    def _names_of(self, call: ir.Call, function: Function) -> set[str]:
        out: set[str] = set()
        for node in function.nodes:
            if isinstance(node, ir.Assign) and node.value is not None and any(n is call for n in ir.walk(node.value)):
                out |= {dotted(t) for t in node.targets if isinstance(t, (ir.Name, ir.Attr))}
            elif isinstance(node, ir.With):
                for context, bound in node.items:
                    made = any(n is call for n in ir.walk(context)) or dotted(context) in out
                    if bound is not None and made:
                        out.add(dotted(bound))
        return out - {""}

    def _uses(self, names: set[str], function: Function) -> Iterator[ir.Node]:
        """For each use of one of the names in its module the node around it."""
        module = function.module
        for number in range(len(module.index.statements)):
            for scope in self._program.functions(module, number):
                if function.toplevel or scope is function or scope.cls is function.cls is not None:
                    for node in scope.nodes:
                        for child in ir.children(node):
                            if isinstance(child, (ir.Name, ir.Attr)) and dotted(child) in names:
                                if isinstance(node, ir.Assign) and child in node.targets:
                                    continue
                                if isinstance(node, ir.With):
                                    continue
                                yield node


_TESTS = frozenset({"startswith", "endswith", "fnmatch", "lower", "casefold", "match", "search", "fullmatch"})
