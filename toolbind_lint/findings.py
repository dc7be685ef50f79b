"""What we say about the source: findings, and the report that carries them to a person or a program."""

from __future__ import annotations

from typing import Literal, NamedTuple

from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.verdicts import Confidence, Subject

Severity = Literal["error", "warning", "advice", "review"]
Disposition = Literal["new", "existing", "suppressed", "baselined", "unselected"]

SEVERITIES: tuple[Severity, ...] = ("advice", "review", "warning", "error")
"""Lightest first."""


class Hit(NamedTuple):
    """What a rule yields: one fault of one fact, put into words.

    ``words`` fill the message template; ``severity`` may lower the rule's own for this case, never raise it.
    """

    place: Place
    how: str = ""
    words: tuple[tuple[str, str], ...] = ()
    severity: Severity | None = None


class Fingerprint(NamedTuple):
    """Identity of a finding, without line, number or message: see ``fingerprint.py``."""

    place: str
    shape: str

    def __str__(self) -> str:
        return f"v1:{self.place}:{self.shape}"


class Finding(NamedTuple):
    """One statement about one place. ``loops`` are the ids of the subjects that it is about."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    how: str
    gate: str
    message: str
    help: str
    place: Place
    loops: tuple[str, ...] = ()
    related: tuple[Step, ...] = ()
    trail: tuple[Step, ...] = ()
    subject_shape: str = ""
    function: str = ""
    kind: str = ""
    fingerprint: Fingerprint | None = None
    disposition: Disposition = "new"
    reason: str = ""
    relaxed: bool = False


class Crash(NamedTuple):
    """A fault of the linter itself: which rule (or stage) broke on which file."""

    path: str
    stage: str
    error: str


class Cell(NamedTuple):
    """Where the lines of one notebook cell stand.

    ``first`` is the line in the file's entry of ``Report.sources`` at which the cell begins (from 1), ``physical`` the
    line of the file on disk for each line of the cell, ``shift`` the columns of indentation that the entry lacks.
    """

    path: str
    cell: int
    first: int
    physical: tuple[int, ...]
    shift: int = 0


class Report(NamedTuple):
    """All that one run knows. ``findings`` holds every disposition, ordered by path, cell, line, column, code.

    ``root`` is the project root relative to the working directory. ``sources`` holds the text of each file with a
    finding or a subject, as ``path -> lines``, so that no report opens a file; ``cells`` maps the lines of notebooks.
    ``passed_over`` are the loops that are neither tool loops nor retries, each with why.
    """

    root: str
    findings: tuple[Finding, ...]
    subjects: tuple[Subject, ...]
    files_checked: int
    files_screened: int
    unreadable: tuple[Unreadable, ...] = ()
    crashes: tuple[Crash, ...] = ()
    sources: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = ()
    passed_over: tuple[Step, ...] = ()

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that a report prints: neither suppressed, baselined, existing nor unselected."""
        return tuple(f for f in self.findings if f.disposition == "new")
