"""The one function under the command, the tests and the proof of a fix: index -> recognise -> check -> causes ->
triage.

It reads bytes from a snapshot alone and knows no file system. All of the snapshot is read for facts; only the
targets are reported on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from toolbind_lint.catalogue import Catalogue, load_catalogue
from toolbind_lint.causes import source_order, unite
from toolbind_lint.check import Rule, check, check_suppressions, load_rules
from toolbind_lint.config import Settings
from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Cell, Crash, Finding, Report
from toolbind_lint.fingerprint import assign
from toolbind_lint.imported import with_dispatcher
from toolbind_lint.index import Project, Words, build_index
from toolbind_lint.snapshot import Memory, Overlay, Snapshot
from toolbind_lint.triage import Policy, Suppression, complaints, read_suppressions, triage
from toolbind_lint.verdicts import Subject

if TYPE_CHECKING:
    from toolbind_lint.recognise import Limits
    from toolbind_lint.source import Source

MARK = b"toolbind"
"""A file without it holds no suppression."""


class Prepared(NamedTuple):
    """What is known of a snapshot before anything is judged. ``targets`` are the files that are reported on."""

    snapshot: Snapshot
    targets: frozenset[str]
    settings: Settings
    rules: tuple[Rule, ...]
    catalogue: Catalogue
    project: Project
    crashes: tuple[Crash, ...]


class Examined(NamedTuple):
    """All that a run found in the targets: ``findings`` of every disposition, with fingerprints, and all ``subjects``
    that were judged, also those of other files.
    """

    prepared: Prepared
    policy: Policy
    findings: tuple[Finding, ...]
    subjects: tuple[Subject, ...]
    suppressions: tuple[Suppression, ...]
    unreadable: tuple[Unreadable, ...]
    crashes: tuple[Crash, ...]
    notes: tuple[str, ...]
    passed_over: tuple[Step, ...] = ()


def lint(snapshot: Snapshot, targets: Collection[str], settings: Settings) -> Report:
    """Lint the ``targets`` (paths of the snapshot). ``root`` of the report is left at ``.``: the caller knows where
    that is.

    A crash in a stage or rule becomes a Crash and the rest goes on; what could not be read is Unreadable. Raises
    ConfigError for a configuration that is met too late to be read before, RuleError and CatalogueError for a broken
    installation.
    """
    return report(examine(prepare(snapshot, targets, settings)))


def prepare(snapshot: Snapshot, targets: Collection[str], settings: Settings) -> Prepared:
    """Rules, catalogue and index of a run. Raises as ``lint`` does."""
    wanted = frozenset(targets)
    for folder in sorted({path.rpartition("/")[0] for path in wanted}):
        settings.config_for(folder)  # a broken configuration is told whether or not something is found under it
    rules = load_rules()
    catalogue = load_catalogue(settings.tables, lazy=True)
    project, crashes = _index(snapshot, Words(catalogue.seeds, catalogue.run_roots), settings)
    catalogue = catalogue.completed(root for found in project.imported_roots.values() for root in found)
    return Prepared(snapshot, wanted, settings, rules, catalogue, project, tuple(crashes))


def examine(prepared: Prepared, judged: frozenset[str] | None = None) -> Examined:
    """Judge, word and dispose. With ``judged`` only the subjects of these files are looked at."""
    snapshot, wanted, settings, rules, catalogue, project, met = prepared
    crashes = list(met)
    subjects, later, broken, passed_over = _recognise(project, catalogue, settings, wanted, judged, snapshot)
    everything = (*project.unreadable, *later)
    unreadable = _distinct(everything, wanted)
    found, failed = check(subjects, unreadable, rules)
    crashes += [*broken, *failed, *_vanished(unreadable)]
    policy = Policy(settings, rules)
    united = [finding for finding in unite(found, subjects, policy.selected) if finding.place.path in wanted]
    suppressions = _suppressions(snapshot, project, wanted, crashes)
    disposed = _triaged(united, suppressions, subjects, policy, rules=rules, crashes=crashes)
    return Examined(
        prepared=prepared,
        policy=policy,
        findings=assign(disposed, text_of(project)),
        subjects=subjects,
        suppressions=suppressions,
        unreadable=unreadable,
        crashes=tuple(sorted(set(crashes))),
        notes=_unread_facts(everything, wanted),
        passed_over=tuple(step for step in passed_over if step.place.path in wanted),
    )


def report(examined: Examined) -> Report:
    """What was examined, as a report."""
    wanted, project = examined.prepared.targets, examined.prepared.project
    shown = _concerned(examined.subjects, examined.findings, wanted)
    sources, cells = _texts(project, examined.findings, shown)
    return Report(
        root=".",
        findings=examined.findings,
        subjects=shown,
        files_checked=len(wanted),
        files_screened=_screened(project, wanted),
        unreadable=examined.unreadable,
        crashes=examined.crashes,
        sources=sources,
        cells=cells,
        notes=examined.notes,
        passed_over=examined.passed_over,
    )


def _index(snapshot: Snapshot, words: Words, settings: Settings) -> tuple[Project, list[Crash]]:
    """The index of the snapshot, without the files on which indexing itself breaks."""
    roots = cast("tuple[str, ...]", settings.value("roots").value)

    def build(files: Snapshot) -> Project:
        project = build_index(files, words, roots=roots)
        more = with_dispatcher(files, project)
        if more is not None:
            project = build_index(more, words, roots=roots)
        project.candidates()
        return project

    try:
        return build(snapshot), []
    except Exception:
        crashes = list(_breaking(snapshot, build))
        if not crashes:
            raise
    return build(Overlay(snapshot, {crash.path: None for crash in crashes})), crashes


def _breaking(snapshot: Snapshot, build: Callable[[Snapshot], Project]) -> Iterator[Crash]:
    """The files that cannot be indexed even alone."""
    for path in snapshot.paths():
        try:
            data = snapshot.read(path)
        except OSError:
            continue
        try:
            build(Memory({path: data}))
        except Exception as error:
            yield Crash(path, "index", f"{type(error).__name__}: {error}")


def _recognise(
    project: Project,
    catalogue: Catalogue,
    settings: Settings,
    wanted: frozenset[str],
    judged: frozenset[str] | None = None,
    snapshot: Snapshot | None = None,
) -> tuple[tuple[Subject, ...], tuple[Unreadable, ...], list[Crash], tuple[Step, ...]]:
    """What is recognised and what is passed over; nothing, and no recogniser imported, where nothing is to be read."""
    if not project.importing and not any(project.candidates().values()):
        return (), (), [], ()
    from toolbind_lint.recognise import Limits, recognise

    library = frozenset(project.paths).difference(snapshot.paths()) if snapshot is not None else frozenset()

    def limits(path: str) -> Limits:
        file = settings.for_file(path)
        return Limits(file.step_ceiling, file.wall_ceiling_ms, file.token_ceiling, file.scope)

    try:
        found = recognise(project, catalogue, limits, wanted, judged, snapshot, library, _jobs(settings))
    except Exception as error:
        return (), (), [Crash("", "recognise", f"{type(error).__name__}: {error}")], ()
    return found.subjects, found.unreadable, list(found.crashes), found.passed_over


def _jobs(settings: Settings) -> int:
    """How many processes may work: as set, else as many as there are processors for this one."""
    asked = settings.value("jobs").value
    if isinstance(asked, int):
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _suppressions(
    snapshot: Snapshot, project: Project, targets: Iterable[str], crashes: list[Crash]
) -> tuple[Suppression, ...]:
    """The suppressions of the targets, also of those that hold nothing else of interest: they are unused there."""
    found: list[Suppression] = []
    for path in sorted(targets):
        try:
            if MARK in snapshot.read(path).lower():
                found.extend(read_suppressions(project.source(path)))
        except OSError:
            continue  # told as unreadable
        except Exception as error:
            crashes.append(Crash(path, "suppressions", f"{type(error).__name__}: {error}"))
    return tuple(found)


def _triaged(
    findings: Sequence[Finding],
    suppressions: Sequence[Suppression],
    subjects: Sequence[Subject],
    policy: Policy,
    *,
    rules: Sequence[Rule],
    crashes: list[Crash],
) -> list[Finding]:
    """Dispositions of the findings, and of what is to be said about the suppressions themselves."""
    wrong = complaints(suppressions, findings, subjects, policy, crashes)
    told, broken = check_suppressions(wrong, rules)
    crashes.extend(broken)
    judged = (*triage(findings, suppressions, subjects, policy), *triage(told, (), subjects, policy))
    return sorted(judged, key=source_order)


def _distinct(unreadable: Iterable[Unreadable], targets: Collection[str]) -> tuple[Unreadable, ...]:
    """What is unreadable of the targets, each fact once, in order."""
    own = {fact for fact in unreadable if fact.place.path in targets}
    return tuple(sorted(own, key=lambda fact: (fact.place.path, fact.place.cell or -1, fact.place.line, fact.reason)))


def _unread_facts(unreadable: Iterable[Unreadable], targets: Collection[str]) -> tuple[str, ...]:
    """A note on files beside the targets that hold a word we look for and could not be read for their facts."""
    paths = sorted({fact.place.path for fact in unreadable if fact.relevant and fact.place.path not in targets})
    if not paths:
        return ()
    named = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    return (f"could not be read for facts, so what they hold is unknown here: {named}",)


def _screened(project: Project, targets: Collection[str]) -> int:
    """How many targets were read and hold nothing that is worth a closer look."""
    candidates = {*project.candidates(), *project.importing}
    unread = {fact.place.path for fact in project.unreadable if fact.place.cell is None}
    return sum(path not in candidates and path not in unread for path in targets)


def _vanished(unreadable: Iterable[Unreadable]) -> list[Crash]:
    """A target that was found and then could not be read makes the run no success, whatever it held."""
    return [Crash(fact.place.path, "read", fact.message) for fact in unreadable if fact.reason == "unreadable"]


def text_of(project: Project) -> Callable[[Place], str]:
    """The source of a place, empty where the file cannot be read."""

    def text(place: Place) -> str:
        source = _readable(project, place.path)
        if source is None:
            return ""
        first = source.text_line(place)
        lines = list(source.lines[first - 1 : first + place.end_line - place.line])
        if lines:
            lines[-1] = lines[-1][: place.end_column - 1]
            lines[0] = lines[0][place.column - 1 :]
        return "\n".join(lines)

    return text


def _readable(project: Project, path: str) -> Source | None:
    try:
        source = project.source(path)
    except Exception:  # told as unreadable, or as a crash of the stage that met it
        return None
    return source


def _concerned(
    subjects: Iterable[Subject], findings: Iterable[Finding], targets: Collection[str]
) -> tuple[Subject, ...]:
    """The subjects of the targets, and those elsewhere that a finding in a target speaks of."""
    spoken = {loop for finding in findings for loop in finding.loops}
    return tuple(s for s in subjects if s.header.path in targets or s.id in spoken)


def _texts(
    project: Project, findings: Iterable[Finding], subjects: Iterable[Subject]
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[Cell, ...]]:
    """The lines of each file that a report may quote, and where the lines of notebook cells stand."""
    paths = {finding.place.path for finding in findings} | {subject.header.path for subject in subjects}
    sources: list[tuple[str, tuple[str, ...]]] = []
    cells: list[Cell] = []
    for path in sorted(paths):
        source = _readable(project, path)
        if source is not None:
            sources.append((path, source.lines))
            cells.extend(_cells(source) if source.notebook else ())
    return tuple(sources), tuple(cells)


def _cells(source: Source) -> Iterator[Cell]:
    """One Cell for each code cell of a notebook."""
    starts = ((number, source.place(number, 1, number, 1)) for number in range(1, len(source.lines) + 1))
    for index, lines in groupby(starts, key=lambda pair: pair[1].cell):
        members = list(lines)
        yield Cell(source.path, index or 0, members[0][0], tuple(source.physical_line(place) for _, place in members))
