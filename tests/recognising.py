"""Projects in memory, and what recognition makes of them, for the tests of the recogniser.

Sources are written indented in the tests and dedented here. The first file is ``agent.py`` where a test gives a bare
text; ``loop`` writes the usual tool loop with the parts that matter put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from textwrap import dedent, indent
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, load_catalogue
from toolbind_lint.index import Project, Words, build_index
from toolbind_lint.recognise import Limits, ir, recognise
from toolbind_lint.recognise.dispatches import DispatchFinder
from toolbind_lint.recognise.loops import Case, LoopFinder, Tools
from toolbind_lint.recognise.program import Function, Module, Program
from toolbind_lint.recognise.values import Values
from toolbind_lint.snapshot import Memory
from toolbind_lint.verdicts import Fault, Gate, Subject, Verdict

Files = str | Mapping[str, str]
Tables = Sequence[Mapping[str, object]]

ASK = "client.chat.completions.create(model='m', messages=messages, tools=tools)"
RUN = "handlers[call.function.name](**json.loads(call.function.arguments))"


@cache
def shipped() -> Catalogue:
    """The catalogue as it is shipped, read once."""
    return load_catalogue()


class World(NamedTuple):
    """A project and everything that recognition knows of it."""

    program: Program
    tools: Tools
    finder: LoopFinder

    @property
    def project(self) -> Project:
        """The index."""
        return self.program.project

    def module(self, path: str = "agent.py") -> Module:
        """A module by its path."""
        found = self.program.module(path)
        assert found is not None, path
        return found

    def functions(self, path: str = "agent.py") -> list[Function]:
        """All functions of a module, its module-level statements among them."""
        module = self.module(path)
        return [f for number in range(len(module.index.statements)) for f in self.program.functions(module, number)]

    def function(self, qualname: str, path: str = "agent.py") -> Function:
        """A function by its qualified name."""
        return next(f for f in self.functions(path) if f.node.qualname == qualname)

    def call(self, text: str, path: str = "agent.py") -> tuple[ir.Call, Function]:
        """The first call whose callee ends in a name, with the function in which it stands."""
        return next(
            (call, function)
            for function in self.functions(path)
            for call in function.calls
            if isinstance(call.func, (ir.Name, ir.Attr)) and _last(call.func) == text
        )


def _last(expr: ir.Name | ir.Attr) -> str:
    return expr.id if isinstance(expr, ir.Name) else expr.name


def sources(files: Files) -> dict[str, str]:
    """The texts of a project by path, dedented."""
    named = {"agent.py": files} if isinstance(files, str) else files
    return {path: dedent(text) for path, text in named.items()}


def index(files: Files, catalogue: Catalogue) -> Project:
    """The index of a project."""
    data = {path: text.encode() for path, text in sources(files).items()}
    return build_index(Memory(data), Words(catalogue.seeds, catalogue.run_roots))


def world(files: Files, tables: Tables = ()) -> World:
    """A project, ready to be asked; ``tables`` are a configuration's own."""
    catalogue = load_catalogue(tables) if tables else shipped()
    program = Program(index(files, catalogue))
    tools = Tools(
        program,
        catalogue,
        DispatchFinder(program, catalogue),
        Values(program, catalogue, Memory({p: t.encode() for p, t in sources(files).items()})),
    )
    return World(program, tools, LoopFinder(tools))


def subjects(files: Files, tables: Tables = (), limits: Limits | None = None) -> tuple[Subject, ...]:
    """The subjects of a project; a crash, or a file that could not be read, fails the test."""
    limits = limits or Limits()
    if tables:
        return recognised(files, load_catalogue(tables), limits)
    return _known(tuple(sources(files).items()), limits)


@cache
def _known(files: tuple[tuple[str, str], ...], limits: Limits) -> tuple[Subject, ...]:
    """What the shipped catalogue makes of a project, which several tests may ask."""
    return recognised(dict(files), shipped(), limits)


def recognised(files: Files, catalogue: Catalogue, limits: Limits) -> tuple[Subject, ...]:
    """The subjects of a project, recognised anew."""
    found = recognise(index(files, catalogue), catalogue, lambda _: limits)
    assert found.crashes == ()
    assert found.unreadable == ()
    return found.subjects


def kinds(files: Files, tables: Tables = ()) -> list[tuple[str, str]]:
    """Kind and function of each subject."""
    return [(s.kind, s.function) for s in subjects(files, tables)]


def subject(files: Files, kind: str = "tool-loop", tables: Tables = (), limits: Limits | None = None) -> Subject:
    """The one subject of a kind."""
    found = [s for s in subjects(files, tables, limits) if s.kind == kind]
    assert len(found) == 1, [(s.kind, s.id) for s in found]
    return found[0]


def verdict(files: Files, gate: Gate, kind: str = "tool-loop", tables: Tables = ()) -> Verdict:
    """How a gate of the one subject of a kind stands."""
    return subject(files, kind, tables).verdict(gate)


def stands(files: Files, gate: Gate, kind: str = "tool-loop", tables: Tables = ()) -> str:
    """State and hows of a gate in short: ``held``, ``missing none``, ``leaks unpinned changed-in-run``."""
    found = verdict(files, gate, kind, tables)
    return " ".join([found.state, *(fault.how for fault in found.faults)])


def line_of(text: str, source: str) -> int:
    """The number of the first line of a source that holds a text."""
    return next(number for number, line in enumerate(dedent(source).split("\n"), 1) if text in line)


def at(fault: Fault, files: Files) -> str:
    """The source line on which a fault stands, without its indentation."""
    return sources(files)[fault.place.path].split("\n")[fault.place.line - 1].strip()


def case(files: Files, tables: Tables = ()) -> Case:
    """The case of the one tool loop of a project, with its graph."""
    here = world(files, tables)
    paths = sorted(here.project.candidates())
    places = [(here.module(path), number) for path in paths for number in here.project.candidates()[path]]
    for module, number in places:
        here.finder.mark(module, number)
    found = [c for module, number in places for c in here.finder.find(module, number) if c.kind == "tool-loop"]
    assert len(found) == 1, [c.header for c in found]
    return found[0]


def loop(
    head: str = "while True:",
    *,
    params: str = "",
    before: str = "",
    top: str = "",
    ask: str = ASK,
    leave: str = "if not message.tool_calls:\n    return message.content",
    inner: str = "",
    run: str = f"result = {RUN}",
    answer: str = 'messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})',
    foot: str = "",
    after: str = "",
    module: str = "",
    rest: str = "",
    is_async: bool = False,
) -> str:
    """The usual tool loop in a function ``run``, with statements put in at its places.

    ``before`` stands in front of the loop, ``top`` before the turn, ``inner`` before the dispatch in the ``for`` over
    the calls, ``foot`` at the end of the body, ``after`` behind the loop; ``module`` in front of the function and
    ``rest`` behind it.
    """
    body = "\n".join(
        part
        for part in (
            dedent(top),
            f"reply = {ask}",
            "message = reply.choices[0].message",
            "messages.append(message)",
            dedent(leave),
            "for call in message.tool_calls:",
            indent("\n".join(p for p in (dedent(inner), dedent(run), dedent(answer)) if p.strip()), "    "),
            dedent(foot),
        )
        if part.strip()
    )
    parts = [dedent(before), head, indent(body, "    "), dedent(after)]
    inside = "\n".join(part for part in parts if part.strip())
    extra = f", {params}" if params else ""
    return "\n".join(
        [
            "import json",
            "from openai import OpenAI",
            "client = OpenAI(timeout=2, max_retries=0)",
            dedent(module),
            f"{'async ' if is_async else ''}def run(messages, tools, handlers{extra}):",
            indent(inside, "    "),
            dedent(rest),
        ]
    )
