"""One cause, one finding: what one place mends is said once, and of a chain of faults only the heaviest is said.

The check says everything it knows, for each subject apart. Here faults that hide behind a heavier one of the same gate
become its related places, and findings of several loops that one place would mend become one that lists the loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import SEVERITIES, Finding
from toolbind_lint.verdicts import Subject


class Chain(NamedTuple):
    """Hows of one gate, heaviest rank first; hows of one rank stand side by side.

    ``at_one_place`` holds the chain to faults whose places overlap: two handlers are two matters.
    """

    ranks: tuple[frozenset[str], ...]
    at_one_place: bool = False

    def rank(self, how: str) -> int | None:
        """The rank of a how, 0 is heaviest, or None when it is not in the chain."""
        return next((index for index, rank in enumerate(self.ranks) if how in rank), None)


def _chain(text: str, at_one_place: bool = False) -> Chain:
    return Chain(tuple(frozenset(rank.replace(",", " ").split()) for rank in text.split(">")), at_one_place)


CHAINS: Mapping[str, tuple[Chain, ...]] = {
    "cap": (
        _chain("none, infinite, never-moves > off-by-default, unpinned > too-high"),
        _chain("none, infinite, never-moves > dead"),
        _chain("off-by-default, unpinned > falsy"),
    ),
    "wall": (_chain("none, re-armed-each-pass > off-by-default, unpinned > too-long"),),
    "allowlist": (
        _chain("code-by-name > whole-server > unpinned"),
        _chain("code-by-name > unknown-goes-on"),
    ),
    "tool-timeout": (_chain("post-hoc > none, off-by-default"),),
    "schema": (_chain("raw-fallback > none"), _chain("unbounded-size > cut-late")),
    "errors": (_chain("gate-error-as-payload > stop-signal-as-payload > broad-hides-gate", at_one_place=True),),
    "exit": (
        _chain("spins > truncated-answer"),
        _chain("silent-end > one-anonymous-end"),
    ),
}
"""Per gate, what is said instead of what. A how that must fall silent while another stands is a chain of the two."""


def unite(
    findings: Iterable[Finding],
    subjects: Sequence[Subject],
    selected: Callable[[Finding], bool] = lambda finding: True,
) -> tuple[Finding, ...]:
    """Findings as a person should see them, ordered by path, cell, line, column, code.

    ``findings`` come from the check, one for each subject and fault. Chains are formed among the ``selected`` ones: a
    rule that is switched off hides nothing behind it. ``subject_shape`` is emptied where a finding stands outside
    its subjects, so that its identity is that of its own place (see ``fingerprint``).
    """
    known = {subject.id: subject for subject in subjects}
    told = _fold_chains(list(findings), selected)
    groups: dict[tuple[str, str, str, Place], list[Finding]] = defaultdict(list)
    for finding in told:
        groups[finding.code, finding.gate, finding.how, finding.place].append(finding)
    return tuple(sorted((_one(group, known) for group in groups.values()), key=source_order))


def source_order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    """Sort key of findings: path, cell, line, column, code, how."""
    place = finding.place
    return place.path, -1 if place.cell is None else place.cell, place.line, place.column, finding.code, finding.how


# Chains


def _fold_chains(findings: Sequence[Finding], selected: Callable[[Finding], bool]) -> list[Finding]:
    """Take from each finding the loops for which something heavier is said; one without loops left becomes related."""
    active = [bool(finding.loops) and selected(finding) for finding in findings]
    of_gate: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, finding in enumerate(findings):
        for loop in finding.loops if active[index] else ():
            of_gate[loop, finding.gate].append(index)
    lost: dict[int, set[str]] = defaultdict(set)
    under: dict[int, set[int]] = defaultdict(set)
    for (loop, gate), members in of_gate.items():
        for index in members:
            leader = _leader(findings, index, members, CHAINS.get(gate, ()))
            if leader is not None:
                lost[index].add(loop)
                under[leader].add(index)
    kept = []
    for index, finding in enumerate(findings):
        loops = tuple(loop for loop in finding.loops if loop not in lost[index])
        if loops or not finding.loops:
            lighter = sorted((findings[other] for other in under[index]), key=source_order)
            steps = tuple(Step(other.place, f"{other.code}: {other.message}") for other in lighter)
            kept.append(finding._replace(loops=loops, related=_joined(finding.related, steps)))
    return kept


def _leader(findings: Sequence[Finding], index: int, members: Sequence[int], chains: Sequence[Chain]) -> int | None:
    """The heaviest finding that is said instead of this one, of several the nearest; None when there is none."""
    finding = findings[index]
    for chain in chains:
        rank = chain.rank(finding.how)
        if not rank:
            continue
        for heavier in chain.ranks[:rank]:
            found = [
                other
                for other in members
                if findings[other].how in heavier
                and (not chain.at_one_place or _overlap(findings[other].place, finding.place))
            ]
            if found:
                nearest = min(found, key=lambda other: _distance(findings[other].place, finding.place))
                above = _leader(findings, nearest, members, chains)
                return nearest if above is None else above
    return None


def _distance(one: Place, other: Place) -> tuple[bool, int, str, int, int]:
    away = (one.path, one.cell) != (other.path, other.cell)
    return away, 0 if away else abs(one.line - other.line), one.path, one.line, one.column


def _overlap(one: Place, other: Place) -> bool:
    if (one.path, one.cell) != (other.path, other.cell):
        return False
    return one == other or (_start(one) < _end(other) and _start(other) < _end(one))


# Several subjects, one place


def _one(group: Sequence[Finding], subjects: Mapping[str, Subject]) -> Finding:
    """The finding that stands for a group of the same code, how and place."""
    ordered = sorted(group, key=lambda finding: _nearness(finding, subjects))
    lead = ordered[0]
    loops = sorted(
        {loop for finding in group for loop in finding.loops}, key=lambda loop: _header_order(loop, subjects)
    )
    related = lead.related
    for finding in ordered[1:]:
        related = _joined(related, finding.related)
    related = _with_headers(related, _headers(loops, subjects), lead.place)
    inside = any(_within(lead.place, subjects[loop].place) for loop in lead.loops if loop in subjects)
    unknown = not any(loop in subjects for loop in lead.loops)
    return lead._replace(
        severity=max((finding.severity for finding in group), key=SEVERITIES.index),
        confidence="high" if any(finding.confidence == "high" for finding in group) else "medium",
        loops=tuple(loops),
        related=related,
        subject_shape=lead.subject_shape if inside or unknown else "",
    )


def _nearness(finding: Finding, subjects: Mapping[str, Subject]) -> tuple[object, ...]:
    """Smallest for the finding of the narrowest subject around the place, then by the order of the headers."""
    around = [
        subjects[loop].place
        for loop in finding.loops
        if loop in subjects and _within(finding.place, subjects[loop].place)
    ]
    size = min((place.end_line - place.line for place in around), default=0)
    first = min((_header_order(loop, subjects) for loop in finding.loops), default=())
    return not around, size, first, finding.message


def _headers(loops: Iterable[str], subjects: Mapping[str, Subject]) -> tuple[Step, ...]:
    found = (subjects[loop] for loop in loops if loop in subjects)
    return tuple(Step(subject.header, subject.label or subject.kind) for subject in found)


def _header_order(loop: str, subjects: Mapping[str, Subject]) -> tuple[object, ...]:
    subject = subjects.get(loop)
    if subject is None:
        return "", -1, 0, 0, loop
    header = subject.header
    return header.path, -1 if header.cell is None else header.cell, header.line, header.column, loop


def _joined(steps: Sequence[Step], more: Iterable[Step]) -> tuple[Step, ...]:
    """Related places, each said once."""
    return tuple(dict.fromkeys((*steps, *more)))


def _with_headers(steps: Sequence[Step], headers: Iterable[Step], own: Place) -> tuple[Step, ...]:
    """The headers of the subjects before all else, but for one whose line is shown already."""
    shown = {_line(own), *(_line(step.place) for step in steps)}
    return (*(step for step in headers if _line(step.place) not in shown), *steps)


def _line(place: Place) -> tuple[str, int | None, int]:
    return place.path, place.cell, place.line


def _start(place: Place) -> tuple[int, int]:
    return place.line, place.column


def _end(place: Place) -> tuple[int, int]:
    return place.end_line, place.end_column


def _within(inner: Place, outer: Place) -> bool:
    same_text = (inner.path, inner.cell) == (outer.path, outer.cell)
    return same_text and _start(outer) <= _start(inner) and _end(inner) <= _end(outer)
