"""What a change did: a revision and the working tree, both judged, and what is new of the one against the other.

Only the loops that a change can have touched are judged, on both sides the same ones. What is new is decided by matched
findings alone. The settings are the base's: a change must not choose how it is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from toolbind_lint.config import Settings
from toolbind_lint.discover import LINTED
from toolbind_lint.findings import Finding, Report
from toolbind_lint.fingerprint import entry, match
from toolbind_lint.lint import Examined, Prepared, examine, prepare, report
from toolbind_lint.revision import Compared
from toolbind_lint.snapshot import Snapshot


class Sides(NamedTuple):
    """The base and the head of a change, judged alike."""

    base: Examined
    head: Examined
    compared: Compared


def check_change(now: Snapshot, targets: Collection[str], settings: Settings, compared: Compared) -> Report:
    """Lint ``now`` against the commit that it was compared with. ``targets`` are the files to report on.

    The report holds the findings of what the change can have touched; those that the base has are ``existing``. Raises
    as ``lint`` does.
    """
    sides = _judge(now, targets, settings, compared)
    findings = _disposed(sides)
    crashes = [
        *sides.head.crashes,
        *(crash._replace(error=f"in the base: {crash.error}") for crash in sides.base.crashes),
    ]
    made = report(sides.head._replace(findings=findings))
    return made._replace(crashes=tuple(dict.fromkeys(crashes)), notes=(*compared.notes, *made.notes))


# Judging both sides


def _judge(now: Snapshot, targets: Collection[str], settings: Settings, compared: Compared) -> Sides:
    head = prepare(now, targets, settings)
    base = prepare(compared.before, [p for p in compared.before.paths() if p.endswith(LINTED)], settings)
    touched = _touched(head, compared) | _touched(base, compared)
    wanted = _reachable(head, touched) | _reachable(base, touched)
    old = examine(_restricted(base, wanted), touched)
    new = examine(_restricted(head, wanted), touched)
    return Sides(_without_bystanders(old, compared), _without_bystanders(new, compared), compared)


def _touched(side: Prepared, compared: Compared) -> frozenset[str]:
    """The files whose loops a change can have touched: they read a changed file, or a changed file calls them.

    A changed file of data counts as one that names it.
    """
    from toolbind_lint.recognise import leading_to, led_to

    changed = set(compared.changed) & set(side.project.paths)
    changed |= _naming(side, compared.data)
    return leading_to(side.project, changed) | led_to(side.project, changed)


def _naming(side: Prepared, data: Collection[str]) -> set[str]:
    """The Python files that hold the name of a changed file of data."""
    names = {Path(path).name.encode("utf-8", "surrogateescape") for path in data}
    found = set()
    for path in side.project.seeded if names else ():
        try:
            text = side.snapshot.read(path)
        except OSError:
            continue
        if any(name in text for name in names):
            found.add(path)
    return found


def _reachable(side: Prepared, touched: frozenset[str]) -> frozenset[str]:
    """Where a finding of a loop of these files can stand."""
    from toolbind_lint.recognise import led_to

    return led_to(side.project, touched)


def _restricted(side: Prepared, wanted: Collection[str]) -> Prepared:
    return side._replace(targets=side.targets & frozenset(wanted) & frozenset(side.snapshot.paths()))


def _without_bystanders(side: Examined, compared: Compared) -> Examined:
    """Of files that did not change, what is said of suppressions is left out: not all that they hide was judged."""
    kept = tuple(f for f in side.findings if f.kind != "suppression" or f.place.path in compared.changed)
    return side._replace(findings=kept)


# What is new


def _disposed(sides: Sides) -> tuple[Finding, ...]:
    """The findings of the head; those of the base, and hidden there by nothing that is gone, are ``existing``."""
    old = [finding for finding in sides.base.findings if finding.disposition != "unselected"]
    new = list(sides.head.findings)
    renamed = sides.compared.renamed
    pairs = _pairs(old, new, renamed)
    return tuple(
        finding._replace(disposition="existing")
        if finding.disposition == "new" and index in pairs and old[pairs[index]].disposition != "suppressed"
        else finding
        for index, finding in enumerate(new)
    )


def _pairs(old: list[Finding], new: list[Finding], renamed: Mapping[str, str]) -> dict[int, int]:
    """Index of a finding of the head -> index of the same finding in the base.

    A renamed file goes by its old path, so that in it, too, twins are told apart.
    """
    then: Callable[[str], str] = lambda path: renamed.get(path, path)  # noqa: E731
    entries = [entry(finding) for finding in new]
    matching = match([entry(f) for f in old], [each._replace(path=then(each.path)) for each in entries])
    return {head: base for base, head in matching.pairs}
