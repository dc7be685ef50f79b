"""What a run comes to: which findings belong together, how the subjects stand, and the counts that nothing escapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from toolbind_lint.facts import Place
from toolbind_lint.findings import SEVERITIES, Finding, Report, Severity
from toolbind_lint.report.places import line_of, order, place_order
from toolbind_lint.report.plain import count
from toolbind_lint.verdicts import GATES, Kind, Subject

Group = Literal["changed", "unbounded", "leaks", "lacks", "unknown", "unread", "ignores"]

GROUPS: tuple[Group, ...] = ("changed", "unbounded", "leaks", "lacks", "unknown", "unread", "ignores")
"""The order in which a person should look at them: ``changed`` is what a change did, ``unread`` and ``ignores`` are the
linter's own.
"""

KIND_NAMES: Mapping[Kind, tuple[str, str]] = {
    "tool-loop": ("tool loop", "tool loops"),
    "agent-run": ("agent run", "agent runs"),
    "dispatcher": ("dispatcher", "dispatchers"),
    "retry": ("retry", "retries"),
    "binding": ("tool binding", "tool bindings"),
}

_SHORT_NAMES: Mapping[str, tuple[str, str]] = {"tool loop": ("loop", "loops"), "agent run": ("run", "runs")}

_NO_BOUND = frozenset({"none", "infinite", "never-moves", "unbounded-retry"})
_NO_EXIT = frozenset({"spins", "never-met"})


class Totals(NamedTuple):
    """Everything that the last line of a report counts."""

    shown: Mapping[Severity, int]
    suppressed: int
    baselined: int
    existing: int
    unselected: int
    relaxed: int
    unreadable: int
    screened: int
    crashes: int


def tally(report: Report) -> Totals:
    """Count a report. ``relaxed`` counts what is shown, or no longer is, at a severity that its place lowered."""
    by_disposition = Counter(finding.disposition for finding in report.findings)
    return Totals(
        shown=Counter(finding.severity for finding in report.shown),
        suppressed=by_disposition["suppressed"],
        baselined=by_disposition["baselined"],
        existing=by_disposition["existing"],
        unselected=by_disposition["unselected"],
        relaxed=sum(finding.relaxed and finding.disposition in {"new", "unselected"} for finding in report.findings),
        unreadable=len({fact.place.path for fact in report.unreadable}),
        screened=report.files_screened,
        crashes=len(report.crashes),
    )


def totals(report: Report) -> str:
    """The last line: findings by severity, then all that was counted and not shown."""
    sums = tally(report)
    words = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "review": ("to review", "to review")}
    by_severity = [
        count(sums.shown[severity], *words.get(severity, (severity, severity)))
        for severity in reversed(SEVERITIES)
        if sums.shown.get(severity)
    ]
    number = sum(sums.shown.values())
    head = f"{count(number, 'finding')}: {', '.join(by_severity)}" if number else "No findings"
    rest = [
        f"{value:,} {word}"
        for value, word in (
            (sums.suppressed, "suppressed"),
            (sums.baselined, "baselined"),
            (sums.existing, "existing"),
            (sums.unselected, "not selected"),
            (sums.relaxed, "relaxed"),
        )
        if value
    ]
    if sums.unreadable:
        rest.append(f"{count(sums.unreadable, 'file')} unreadable")
    if sums.screened:
        rest.append(f"{count(sums.screened, 'file')} screened")
    if sums.crashes:
        rest.append(count(sums.crashes, "crash", "crashes"))
    return " · ".join([head, *rest])


def by_id(report: Report) -> dict[str, Subject]:
    """The subjects of a report by id."""
    return {subject.id: subject for subject in report.subjects}


def owners(finding: Finding, subjects: Mapping[str, Subject]) -> list[Subject]:
    """The subjects that a finding is about, as far as the report holds them, in their order."""
    return sorted((subjects[id] for id in set(finding.loops) if id in subjects), key=subject_order)


def subject_order(subject: Subject) -> tuple[str, int, int, int, str]:
    """Path, cell, line, column, id."""
    return (*place_order(subject.header), subject.id)


def native(finding: Finding) -> Severity:
    """The severity before the place of the finding (tests, examples, a notebook) lowered it by one step."""
    if not finding.relaxed or finding.severity == "error":
        return finding.severity
    return "error" if finding.severity == "warning" else "warning"


def group(finding: Finding, subjects: Mapping[str, Subject]) -> Group:
    """Where a finding belongs: what never ends, what leaks, what lacks, what is not known, or the linter's own."""
    if finding.kind == "change":
        return "changed"
    if finding.kind == "suppression":
        return "ignores"
    if not finding.gate:
        return "unknown" if finding.loops else "unread"
    concerned = owners(finding, subjects)
    verdicts = [verdict for subject in concerned for verdict in subject.verdicts if verdict.gate == finding.gate]
    if native(finding) == "error" and _never_ends(finding, concerned):
        return "unbounded"
    if native(finding) == "error" or any(verdict.state == "leaks" for verdict in verdicts):
        return "leaks"
    return "lacks"


def _never_ends(finding: Finding, concerned: Sequence[Subject]) -> bool:
    if finding.gate == "exit" and finding.how in _NO_EXIT:
        return not concerned or any(subject.verdict("cap").state != "held" for subject in concerned)
    return finding.gate == "cap" and finding.how in _NO_BOUND


def grouped(report: Report) -> dict[Group, list[Finding]]:
    """The shown findings by group, in order; every group is there."""
    subjects = by_id(report)
    groups: dict[Group, list[Finding]] = {name: [] for name in GROUPS}
    for finding in sorted(report.shown, key=order):
        groups[group(finding, subjects)].append(finding)
    return groups


class Lacking(NamedTuple):
    """What the ``LACKS`` line says: who lacks something, at how many places it can be mended, and which gates."""

    subjects: tuple[Subject, ...]
    ids: int
    places: int
    gates: tuple[tuple[str, int], ...]
    best: Place | None
    served: int


def lacking(findings: Sequence[Finding], subjects: Mapping[str, Subject]) -> Lacking:
    """Sum up findings of missing gates. ``best`` is the place that serves most subjects, when it serves several."""
    ids: dict[str, set[str]] = {}
    served: dict[tuple[str, int, int], set[str]] = {}
    for finding in findings:
        ids.setdefault(finding.gate, set()).update(finding.loops)
        served.setdefault(line_of(finding.place), set()).update(finding.loops)
    everyone = set().union(*ids.values()) if ids else set()
    gates = tuple((gate, len(ids[gate])) for gate in GATES if gate in ids)
    best, most = None, 1
    for finding in findings:
        number = len(served[line_of(finding.place)])
        if number > most:
            best, most = finding.place, number
    found = sorted((subjects[id] for id in everyone if id in subjects), key=subject_order)
    return Lacking(tuple(found), len(everyone), len(served), gates, best, most)


class Standing(NamedTuple):
    """The subjects without a finding: all gates held; some gate not known; something failing that is not shown."""

    holds: tuple[Subject, ...]
    unknown: tuple[Subject, ...]
    silent: tuple[Subject, ...]


def standing(report: Report) -> Standing:
    """How the subjects stand of which no shown finding speaks."""
    spoken = {id for finding in report.shown for id in finding.loops}
    holds, unknown, silent = [], [], []
    for subject in sorted(report.subjects, key=subject_order):
        if subject.id in spoken:
            continue
        states = {verdict.state for verdict in subject.verdicts}
        if states & {"leaks", "missing"}:
            silent.append(subject)
        elif "unknown" in states:
            unknown.append(subject)
        else:
            holds.append(subject)
    return Standing(tuple(holds), tuple(unknown), tuple(silent))


def kinds(subjects: Iterable[Subject], *, short: bool = False) -> str:
    """``7 loops, 2 runs`` (short) or ``7 tool loops, 2 agent runs``."""
    numbers = Counter(subject.kind for subject in subjects)
    parts = []
    for kind, names in KIND_NAMES.items():
        one, many = _SHORT_NAMES.get(names[0], names) if short else names
        if numbers[kind]:
            parts.append(count(numbers[kind], one, many))
    return ", ".join(parts)
