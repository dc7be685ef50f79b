"""Finds and judges file by file, once the whole project's turns are marked.

Files are judged on the marked project alone, each for itself, so that several processes can; what spans files (a ring
of calls is told once, a loop owns its dispatches) is settled when all answers are in. Where hundreds of functions call
each other in rings, what was asked before may colour an answer: the files are therefore asked in a fixed order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.facts import Step, Unreadable
from toolbind_lint.findings import Crash
from toolbind_lint.index import Project
from toolbind_lint.recognise import Limits, ir
from toolbind_lint.recognise.agents import AgentFinder
from toolbind_lint.recognise.borrowed import at_call, calls_into
from toolbind_lint.recognise.dispatches import DispatchFinder
from toolbind_lint.recognise.loops import Case, LoopFinder, Tools
from toolbind_lint.recognise.program import Module, Program
from toolbind_lint.recognise.subjects import subject
from toolbind_lint.recognise.values import Values
from toolbind_lint.snapshot import Memory, Snapshot
from toolbind_lint.verdicts import Subject
from toolbind_lint.versions import Manifests

SECONDS_PER_FILE = 30.0
"""After this much processor time in one file the rest of it is told as unread (a busy machine changes nothing)."""

Spot = tuple[str, ir.Span]
"""A node by file and span."""


class Scope(NamedTuple):
    """The files of a run: those to judge, those whose turns matter to them (``read``), those with agent runs, and,
    of library code, all (``library``) and what is read of it (``borrowed``).
    """

    judged: frozenset[str]
    read: frozenset[str]
    running: tuple[str, ...]
    library: frozenset[str]
    borrowed: frozenset[str]


class Ring(NamedTuple):
    """A recursion: the function that it was found at, and all functions that the same ring would be found at."""

    function: str
    functions: frozenset[str]


class Judged(NamedTuple):
    """What one file gave: subjects, of a recursion with its ring; the dispatches that its loops own."""

    path: str
    subjects: tuple[tuple[Subject, Ring | None], ...] = ()
    owned: frozenset[Spot] = frozenset()
    crashes: tuple[Crash, ...] = ()
    passed_over: tuple[Step, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class Judge:
    """Judges the files of one project."""

    def __init__(
        self,
        project: Project,
        catalogue: Catalogue,
        limits: Callable[[str], Limits],
        scope: Scope,
        snapshot: Snapshot | None,
    ) -> None:
        self.program = Program(project)
        self.tools = Tools(
            self.program, catalogue, DispatchFinder(self.program, catalogue), Values(self.program, catalogue, snapshot)
        )
        self.finder = LoopFinder(self.tools)
        self.agents = AgentFinder(self.tools, self.finder, Manifests(snapshot or Memory({})))
        self.scope = scope
        self.limits = limits
        self.crashes: list[Crash] = []
        self._candidates: Mapping[str, tuple[int, ...]] = project.candidates()
        self._spent: dict[str, float] = {}
        self._slow: dict[str, Unreadable] = {}

    # ---- the whole project

    def mark(self) -> None:
        """Marks the turns of the project, and what leads to them; asked for once, before any file is judged."""
        for mark in (self.finder.mark, self.finder.wrap):
            for path in sorted(self.scope.read & self._candidates.keys()):
                for module, number in self._statements(path):
                    self._guarded("turns", path, lambda m=module, n=number, f=mark: f(m, n))  # type: ignore[misc]
        read = sorted(self.scope.read & self._candidates.keys())
        marked = [each for path in read for each in self._statements(path)]
        self._guarded("turns", "", lambda: self.finder.spread(marked))

    @property
    def paths(self) -> tuple[str, ...]:
        """The files to ask for loops and runs, in order."""
        paths = (self.scope.judged - self.scope.library | self.scope.borrowed) & self._candidates.keys()
        return tuple(sorted(paths | set(self.scope.running)))

    def shares(self, paths: Sequence[str]) -> list[list[int]]:
        """The files, by number, in as many runs of like weight as there is work for.

        How much work there is is counted in functions that may go round on the way to a turn.
        """
        weights = [1 + self.finder.weight(path) for path in paths]
        whole = sum(weights)
        count = 1 if whole < 300 else 2 if whole < 6_000 else 4
        found: list[list[int]] = [[] for _ in range(count)]
        before = 0
        for number, weight in enumerate(weights):
            found[min(before * count // max(whole, 1), count - 1)].append(number)
            before += weight
        return [share for share in found if share]

    # ---- one file

    def loops(self, path: str) -> Judged:
        """The tool loops, recursions, retries, agent runs and bindings of a file."""
        self.finder.begin()
        found: list[tuple[Subject, Ring | None]] = []

        def find(module: Module, number: int) -> None:
            for case in self.finder.find(module, number):
                found.extend(self._subjects(case, path))

        def run(module: Module, number: int) -> None:
            found.extend((s, None) for s in self.agents.find(module, number, self.limits(path)))

        if path in self.scope.borrowed or path in self.scope.judged - self.scope.library:
            for module, number in self._statements(path):
                self._guarded("loops", path, lambda m=module, n=number: find(m, n))  # type: ignore[misc]
        whole = self.program.module(path) if path in self.scope.running else None
        if whole is not None:
            for number in range(len(whole.index.statements)):
                self._guarded("runs", path, lambda m=whole, n=number: run(m, n))  # type: ignore[misc]
        owned = frozenset(self.finder.owned)
        return self._judged(path, found, owned)

    def dispatchers(self, path: str, owned: Collection[Spot]) -> Judged:
        """The functions of a file that run a tool by its name, but for dispatches that loops own."""
        self.finder.begin()
        found: list[tuple[Subject, Ring | None]] = []

        def find(module: Module, number: int) -> None:
            for case in self.finder.dispatchers(module, number, owned):
                found.append((subject(case, self.limits(path)), None))

        if path in self.scope.judged - self.scope.library:
            for module, number in self._statements(path):
                self._guarded("dispatchers", path, lambda m=module, n=number: find(m, n))  # type: ignore[misc]
        return self._judged(path, found, frozenset())

    def _subjects(self, case: Case, path: str) -> Iterator[tuple[Subject, Ring | None]]:
        if path in self.scope.library:
            calls = [
                call
                for call in calls_into(self.program, case.function, self.scope.library)
                if call[0].path in self.scope.judged
            ]
            if calls and case.kind == "tool-loop":
                made = subject(case, self.limits(calls[0][0].path))
                yield from ((at_call(made, place, qualname), None) for place, qualname in calls)
            return
        ring = None
        if case.kind == "tool-loop" and case.node is case.function.node:
            ring = Ring(case.function.key, frozenset(f.function.key for f in case.graph.frames))
        yield subject(case, self.limits(path)), ring

    def _judged(self, path: str, found: list[tuple[Subject, Ring | None]], owned: frozenset[Spot]) -> Judged:
        crashes, self.crashes = tuple(self.crashes), []
        slow = (self._slow[path],) if path in self._slow else ()
        return Judged(path, tuple(found), owned, crashes, tuple(self.finder.passed_over), slow)

    # ---- care

    def _statements(self, path: str) -> Iterator[tuple[Module, int]]:
        """The statements of a file that are worth reading, as long as there is time."""
        module = self.program.module(path)
        for number in sorted(self._candidates.get(path, ())) if module is not None else ():
            if path in self._slow:
                return
            started = time.process_time()
            yield module, number  # type: ignore[misc]
            spent = self._spent[path] = self._spent.get(path, 0.0) + time.process_time() - started
            if spent > SECONDS_PER_FILE:
                assert module is not None
                first = module.index.statements[number].first
                message = f"reading it took more than {SECONDS_PER_FILE:.0f} s; nothing below line {first} was checked"
                place = self.program.place(module, (first, 1, first, 1))
                self._slow[path] = Unreadable(place, "too-slow", message, True)

    def _guarded(self, stage: str, path: str, work: Callable[[], None]) -> None:
        try:
            work()
        except RecursionError:
            self.crashes.append(Crash(path, stage, "nested too deeply to follow"))
        except Exception as error:
            self.crashes.append(Crash(path, stage, f"{type(error).__name__}: {error}"))


def settled(files: Iterable[Judged]) -> list[Subject]:
    """The subjects of some files, in the order of these, each ring of calls told where it was found first."""
    told: set[str] = set()
    out: list[Subject] = []
    for file in files:
        for found, ring in file.subjects:
            if ring is not None:
                if ring.function in told:
                    continue
                told |= ring.functions
            out.append(found)
    return out
