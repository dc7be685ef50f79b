"""Project, catalogue -> subjects with their verdicts.

Two passes: first every statement that may matter is searched for turns known by shape (a reply whose calls are read),
then loops, recursions, retries and dispatchers are judged. A crash in one statement is told and costs only that
statement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.facts import Step, Unreadable
from toolbind_lint.findings import Crash
from toolbind_lint.index import Project
from toolbind_lint.room import with_room
from toolbind_lint.snapshot import Snapshot
from toolbind_lint.verdicts import Subject

if TYPE_CHECKING:
    from toolbind_lint.recognise.judging import Judge, Judged, Spot


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
    jobs: int = 1,
) -> Recognised:
    """Finds and judges the tool loops, agent runs, bindings, retries and dispatchers of a project.

    ``snapshot`` is where manifests are read, for the versions that the project admits, and data files, for the numbers
    in them; without it the newest version counts, and such numbers are not known.

    With ``targets`` only those that stand in one of these files or in a file that leads to one by its imports: no
    other loop can have a place there. With ``only`` those of these files, whatever the targets are. ``library`` are
    files of the project that are not its own: their loops are told where these files call them. ``jobs`` is how many
    processes may work; the answer is the same for any.
    """
    from toolbind_lint.recognise.agents import files_with_runs
    from toolbind_lint.recognise.judging import Judge, Scope, settled
    from toolbind_lint.recognise.scopes import in_scope

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
    judge = Judge(project, catalogue, limits, Scope(judged, read, tuple(running), library, borrowed), snapshot)
    with_room(judge.mark)
    marking = judge.crashes
    judge.crashes = []
    loops, dispatchers = _judged(judge, jobs)
    subjects = [in_scope(s, limits(s.header.path).scope) for s in (*settled(loops), *settled(dispatchers))]
    subjects.sort(key=lambda s: (s.place.path, s.place.cell or 0, s.place.line, s.place.column, s.kind))
    files = (*loops, *dispatchers)
    return Recognised(
        tuple(subjects),
        tuple(sorted({fault for file in files for fault in file.unreadable}.union(judge.program.unreadable))),
        (*marking, *(crash for file in files for crash in file.crashes)),
        tuple(step for file in loops for step in file.passed_over),
    )


def _judged(judge: Judge, jobs: int) -> tuple[list[Judged], list[Judged]]:
    """What the files give: first loops and runs, then dispatchers."""
    from toolbind_lint.recognise.workers import Workers, can_fork

    paths = judge.paths
    shares = judge.shares(paths)
    if len(shares) > 1 and can_fork():

        def first(number: int) -> Judged:
            return judge.loops(paths[number])

        def second(number: int, owned: frozenset[Spot]) -> Judged:
            return judge.dispatchers(paths[number], owned)

        with Workers(shares, jobs, first, second) as workers:
            loops = workers.first()
            return loops, workers.second(frozenset().union(*(file.owned for file in loops)))

    def alone() -> tuple[list[Judged], list[Judged]]:
        loops = [judge.loops(path) for path in paths]
        owned: frozenset[Spot] = frozenset().union(*(file.owned for file in loops))
        return loops, [judge.dispatchers(path, owned) for path in paths]

    return with_room(alone)


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
