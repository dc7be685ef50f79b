"""Project, catalogue -> subjects with their verdicts.

Two passes: first every statement that may matter is searched for turns known by shape (a reply whose calls are read),
then loops, recursions, retries and dispatchers are judged. A crash in one statement is told and costs only that
statement.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.facts import Step, Unreadable
from toolbind_lint.findings import Crash
from toolbind_lint.index import Project
from toolbind_lint.room import with_room
from toolbind_lint.snapshot import Memory, Snapshot
from toolbind_lint.verdicts import Subject
from toolbind_lint.versions import Manifests

SECONDS_PER_FILE = 30.0
"""After this much processor time in one file the rest of it is told as unread (a busy machine changes nothing)."""


class Limits(NamedTuple):
    """The ceilings that a project sets: turns, milliseconds, tokens."""

    step_ceiling: int = 100
    wall_ceiling_ms: int | None = None
    token_ceiling: int | None = None
    scope: str = ""
    """Why the bounds of a request do not fit here, where the project declares that; empty elsewhere."""


class Recognised(NamedTuple):
    """All subjects, in the order of their places; what could not be read; what broke; the loops that are no subjects,
    each with why.
    """

    subjects: tuple[Subject, ...]
    unreadable: tuple[Unreadable, ...]
    crashes: tuple[Crash, ...]
    passed_over: tuple[Step, ...] = ()


def recognise(
    project: Project,
    catalogue: Catalogue,
    limits: Callable[[str], Limits],
    targets: Collection[str] | None = None,
    only: frozenset[str] | None = None,
    snapshot: Snapshot | None = None,
    library: frozenset[str] = frozenset(),
) -> Recognised:
    """Finds and judges the tool loops, agent runs, bindings, retries and dispatchers of a project.

    ``snapshot`` is where manifests are read, for the versions that the project admits, and data files, for the numbers
    in them; without it the newest version counts, and such numbers are not known.

    With ``targets`` only those that stand in one of these files or in a file that leads to one by its imports: no
    other loop can have a place there. With ``only`` those of these files, whatever the targets are. ``library`` are
    files of the project that are not its own: their loops are told where these files call them.
    """
    return with_room(lambda: _recognise(project, catalogue, limits, targets, only, snapshot, library))


def _recognise(
    project: Project,
    catalogue: Catalogue,
    limits: Callable[[str], Limits],
    targets: Collection[str] | None,
    only: frozenset[str] | None,
    snapshot: Snapshot | None,
    library: frozenset[str],
) -> Recognised:
    from toolbind_lint.recognise.agents import AgentFinder, files_with_runs
    from toolbind_lint.recognise.borrowed import at_call, calls_into
    from toolbind_lint.recognise.dispatches import DispatchFinder
    from toolbind_lint.recognise.loops import LoopFinder, Tools
    from toolbind_lint.recognise.program import Program
    from toolbind_lint.recognise.scopes import in_scope
    from toolbind_lint.recognise.subjects import subject
    from toolbind_lint.recognise.values import Values

    candidates = project.candidates()
    if only is not None or targets is not None:
        judged = only if only is not None else leading_to(project, targets or ())
        read = led_to(project, judged)
    else:
        judged = read = frozenset(candidates) | frozenset(project.importing)
    running = files_with_runs(project, judged - library)
    borrowed = read & library
    if not running and not any(candidates.get(path) for path in judged | borrowed):
        return Recognised((), (), ())
    program = Program(project)
    tools = Tools(program, catalogue, DispatchFinder(program, catalogue), Values(program, catalogue, snapshot))
    finder = LoopFinder(tools)
    subjects: list[Subject] = []
    crashes: list[Crash] = []
    slow: dict[str, Unreadable] = {}
    spent: dict[str, float] = {}

    def each(paths: frozenset[str]) -> Iterator[tuple[str, int]]:
        for path in sorted(paths & candidates.keys()):
            for number in sorted(candidates[path]):
                if path in slow:
                    break
                started = time.process_time()
                yield path, number
                spent[path] = spent.get(path, 0.0) + time.process_time() - started
                if spent[path] > SECONDS_PER_FILE:
                    module = program.module(path)
                    assert module is not None
                    first = module.index.statements[number].first
                    message = (
                        f"reading it took more than {SECONDS_PER_FILE:.0f} s; nothing below line {first} was checked"
                    )
                    slow[path] = Unreadable(program.place(module, (first, 1, first, 1)), "too-slow", message, True)

    def guarded(stage: str, path: str, work: Callable[[], None]) -> None:
        try:
            work()
        except RecursionError:
            crashes.append(Crash(path, stage, "nested too deeply to follow"))
        except Exception as error:
            crashes.append(Crash(path, stage, f"{type(error).__name__}: {error}"))

    for path, number in each(read):
        module = program.module(path)
        if module is not None:
            guarded("turns", path, lambda module=module, number=number: finder.mark(module, number))  # type: ignore[misc]

    for path, number in each(read):
        module = program.module(path)
        if module is not None:
            guarded("turns", path, lambda module=module, number=number: finder.wrap(module, number))  # type: ignore[misc]

    marked = [(module, number) for path, number in each(read) if (module := program.module(path)) is not None]
    guarded("turns", "", lambda: finder.spread(marked))

    def loops(path: str, number: int) -> None:
        module = program.module(path)
        assert module is not None
        for case in finder.find(module, number):
            subjects.append(subject(case, limits(path)))

    def borrowing(path: str, number: int) -> None:
        module = program.module(path)
        assert module is not None
        for case in finder.find(module, number):
            calls = [c for c in calls_into(program, case.function, library) if c[0].path in judged]
            if calls and case.kind == "tool-loop":
                made = subject(case, limits(calls[0][0].path))
                subjects.extend(at_call(made, place, qualname) for place, qualname in calls)

    def dispatchers(path: str, number: int) -> None:
        module = program.module(path)
        assert module is not None
        for case in finder.dispatchers(module, number):
            subjects.append(subject(case, limits(path)))

    for path, number in each(judged - library):
        guarded("loops", path, lambda path=path, number=number: loops(path, number))  # type: ignore[misc]
    for path, number in each(borrowed):
        guarded("loops", path, lambda path=path, number=number: borrowing(path, number))  # type: ignore[misc]
    for path, number in each(judged - library):
        guarded("dispatchers", path, lambda path=path, number=number: dispatchers(path, number))  # type: ignore[misc]
    if running:
        agents = AgentFinder(tools, finder, Manifests(snapshot or Memory({})))
        for path in running:
            module = program.module(path)
            for number in range(len(module.index.statements)) if module is not None else ():
                guarded("runs", path, lambda m=module, n=number: subjects.extend(agents.find(m, n, limits(m.path))))  # type: ignore[misc]
    subjects = [in_scope(s, limits(s.header.path).scope) for s in subjects]
    subjects.sort(key=lambda s: (s.place.path, s.place.cell or 0, s.place.line, s.place.column, s.kind))
    unreadable = (*dict.fromkeys(program.unreadable), *slow.values())
    return Recognised(tuple(subjects), tuple(unreadable), tuple(crashes), tuple(finder.passed_over))


def leading_to(project: Project, targets: Collection[str]) -> frozenset[str]:
    """The targets and the files that import them, directly or not."""
    found = set(targets)
    stack = sorted(found)
    while stack:
        for path in project.importers(stack.pop()):
            if path not in found:
                found.add(path)
                stack.append(path)
    return frozenset(found)


def led_to(project: Project, paths: Collection[str]) -> frozenset[str]:
    """Files, and what they import, directly or not."""
    found = set(paths)
    stack = sorted(found)
    while stack:
        path = stack.pop()
        module = project.modules.get(path)
        for row in module.imports if module is not None else ():
            for target, _ in project.import_targets(path, row):
                if target not in found:
                    found.add(target)
                    stack.append(target)
    return frozenset(found)
