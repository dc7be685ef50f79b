"""Agent runs and bindings of a project -> subjects with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolbind_lint.index import Project
from toolbind_lint.recognise import Limits, ir
from toolbind_lint.recognise.bindings import Binding, BindingFinder
from toolbind_lint.recognise.gates import retries
from toolbind_lint.recognise.gates.runs import RunJudge
from toolbind_lint.recognise.loops import LoopFinder, Tools
from toolbind_lint.recognise.program import Function, Module
from toolbind_lint.recognise.roles import dotted
from toolbind_lint.recognise.runs import Run, RunFinder
from toolbind_lint.recognise.tool_bindings import ToolFinder
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Envelope, Fault, Kind, Subject, Verdict
from toolbind_lint.versions import Manifests


def files_with_runs(project: Project, judged: Iterable[str]) -> tuple[str, ...]:
    """The files in which a run or binding may stand: those that import a framework, those that import such a file,
    and what these import, as an agent may be passed to any of them.
    """
    if not project.importing:
        return ()
    found = set(project.importing)
    for _ in range(2):
        found |= {importer for path in sorted(found) for importer in project.importers(path)}
    for path in sorted(found):
        module = project.modules.get(path)
        for row in module.imports if module is not None else ():
            found.update(target for target, _ in project.import_targets(path, row))
    return tuple(sorted(path for path in found.intersection(judged) if not path.endswith(".pyi")))


class AgentFinder:
    """Finds and judges the runs and bindings of one program."""

    def __init__(self, tools: Tools, finder: LoopFinder, manifests: Manifests) -> None:
        self._tools = tools
        self._loops = finder
        self._runs = RunFinder(tools, finder, manifests)
        self._judge = RunJudge(self._runs)
        self._bindings = BindingFinder(self._runs)
        self._functions = ToolFinder(self._runs)

    def find(self, module: Module, number: int, limits: Limits) -> Iterator[Subject]:
        """The subjects of a top-level statement."""
        retried: set[str] = set()
        for run in self._runs.find(module, number):
            yield self._run(run, self._judge.verdicts(run, limits))
            if run.function.key not in retried and not self._loops.reaches_turn(run.function):
                retried.add(run.function.key)
                yield from self._retries(run)
        for binding in self._bindings.find(module, number):
            yield self._binding(binding)
        for finder in (self._functions.decorated, self._functions.given):
            for function, faults in finder(module, number):
                yield self._tool(function, faults)

    def _retries(self, run: Run) -> Iterator[Subject]:
        """Decorators that repeat the whole run after a failure."""
        function = run.function
        scope = function.parent or function
        for decorator in function.node.decorators:
            call = decorator if isinstance(decorator, ir.Call) else ir.Call(decorator.span, decorator, ())
            row = retries.row_of(self._tools.program, self._tools.catalogue, call, scope)
            if row is not None:
                verdict = retries.verdict(self._tools.program, self._tools.catalogue, call, scope)
                yield self._subject("retry", call, scope, row.framework, (verdict,), Envelope())

    def _run(self, run: Run, verdicts: tuple[Verdict, ...]) -> Subject:
        framework = run.row.framework if run.row is not None else run.agents[0].row.framework
        cap = next(v for v in verdicts if v.gate == "cap")
        seconds = next((v for v in verdicts if v.gate == "wall"), None)
        envelope = Envelope(_worst(cap), "?", _worst(seconds) if seconds is not None else "?", "?")
        return self._subject("agent-run", run.call, run.function, framework, verdicts, envelope)

    def _binding(self, binding: Binding) -> Subject:
        return self._subject(
            "binding", binding.call, binding.function, binding.framework, (binding.verdict,), Envelope()
        )

    def _tool(self, function: Function, faults: list[Fault]) -> Subject:
        """A function that is bound as a tool."""
        place = self._tools.program.at(function, function.node)
        header = self._tools.program.place(function.module, function.node.header)
        cell = "" if place.cell is None else f"{place.cell}:"
        return Subject(
            id=f"{place.path}:{cell}{header.line}:{header.column}",
            kind="binding",
            place=place,
            header=header,
            function=function.node.qualname,
            label=function.node.name,
            framework="",
            shape="binding function",
            verdicts=(Verdict("allowlist", "not-applicable", beside=tuple(faults)),),
        )

    def _subject(
        self,
        kind: Kind,
        call: ir.Expr,
        function: Function,
        framework: str,
        verdicts: tuple[Verdict, ...],
        envelope: Envelope,
    ) -> Subject:
        place = self._tools.program.at(function, call)
        header = place._replace(end_line=place.line, end_column=place.column + 1)
        callee = call.func if isinstance(call, ir.Call) else call
        cell = "" if place.cell is None else f"{place.cell}:"
        return Subject(
            id=f"{place.path}:{cell}{place.line}:{place.column}",
            kind=kind,
            place=place,
            header=header,
            function=function.node.qualname,
            label=text_of(callee),
            framework=framework,
            shape=f"{kind} {framework} {dotted(callee).rpartition('.')[2]}",
            verdicts=verdicts,
            envelope=envelope,
        )


def _worst(verdict: Verdict) -> str:
    if verdict.state == "missing":
        return "∞"
    if verdict.state == "leaks" and verdict.how == "off-by-default":
        return "∞"
    if verdict.state == "unknown" or verdict.how == "unpinned":
        return "?"
    return next((e.value for e in verdict.evidence if e.value), "?")
