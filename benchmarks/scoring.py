"""The arithmetic of the benchmarks: labels, intervals, how findings are held against labels. Reads and runs nothing."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

SLACK = 3
"""Lines by which a finding may miss a marked place."""


class Label(NamedTuple):
    """What one reader found at one construct of one package.

    ``line`` to ``end_line`` is the construct (loop header to loop end, or the retry). ``fires`` names, per rule, the
    lines at which the mark is expected; ``alt`` other lines that are right, a number in this file or ``path:line``.
    ``silent`` are the rules that must not speak about this construct. ``maybe`` is not scored.
    """

    package: str
    version: str
    path: str
    line: int
    end_line: int
    function: str
    kind: str
    fires: Mapping[str, Sequence[int]]
    silent: Sequence[str]
    alt: Mapping[str, Sequence[int | str]] = {}
    maybe: Sequence[str] = ()
    note: str = ""


class Seen(NamedTuple):
    """One finding as the linter reported it; ``loops`` are the ``(path, line)`` of the subjects that it is about."""

    code: str
    path: str
    line: int
    loops: tuple[tuple[str, int], ...] = ()
    package: str = ""
    message: str = ""


class Tally(NamedTuple):
    """Counts of one rule: expected marks found and missed, silent marks kept and broken."""

    hit: int = 0
    miss: int = 0
    quiet: int = 0
    broken: int = 0

    def __add__(self, other: object) -> Tally:
        """Sum field by field, not a longer tuple."""
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def recall(self) -> float | None:
        """Share of the expected marks that were found; None without any."""
        return share(self.hit, self.hit + self.miss)

    @property
    def precision(self) -> float | None:
        """Share of the scored marks of this rule that were right; None when it was not seen."""
        return share(self.hit, self.hit + self.broken)

    @property
    def silence(self) -> float | None:
        """Share of the silent marks that stayed silent; None without any."""
        return share(self.quiet, self.quiet + self.broken)


class Outcome(NamedTuple):
    """One scored mark that went wrong: ``miss`` or ``false``, with the label and the finding that broke a silence."""

    what: str
    code: str
    label: Label
    finding: Seen | None = None


def share(part: int, whole: int) -> float | None:
    """``part / whole``, or None of nothing."""
    return part / whole if whole else None


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval of a proportion (95% by default). Without trials it is (0, 1): nothing is known."""
    if trials == 0:
        return 0.0, 1.0
    p = successes / trials
    spread = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    centre = p + z * z / (2 * trials)
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def places(label: Label, code: str) -> list[tuple[str, int]]:
    """The ``(path, line)`` pairs at which a mark of this rule is right."""
    found: list[tuple[str, int]] = [(label.path, line) for line in label.fires.get(code, ())]
    for mark in label.alt.get(code, ()):
        if isinstance(mark, str):
            path, _, line = mark.rpartition(":")
            found.append((path, int(line)))
        else:
            found.append((label.path, mark))
    return found


def is_hit(label: Label, finding: Seen) -> bool:
    """Whether a finding is the expected mark: at a right place, or about the loop that starts there."""
    starts = [(label.path, label.line), *places(label, finding.code)]
    return any(
        path == place and abs(line - at) <= SLACK
        for path, line in ((finding.path, finding.line), *finding.loops)
        for place, at in starts
    )


def is_intrusion(label: Label, finding: Seen) -> bool:
    """Whether a finding speaks about the labelled construct itself.

    By the loops that it names; one that names none must stand on the construct's lines, as must any about a handler,
    which is part of a loop that may start elsewhere.
    """
    if finding.loops and label.kind != "handler":
        return any(path == label.path and abs(line - label.line) <= 1 for path, line in finding.loops)
    return finding.path == label.path and label.line <= finding.line <= label.end_line


def score(label: Label, findings: Iterable[Seen]) -> tuple[dict[str, Tally], list[Outcome]]:
    """Hold the findings of one package against one label: counts per rule, and what went wrong."""
    by_code: dict[str, list[Seen]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    tallies: dict[str, Tally] = {}
    wrong: list[Outcome] = []
    for code in label.fires:
        found = any(is_hit(label, finding) for finding in by_code[code])
        tallies[code] = Tally(hit=int(found), miss=int(not found))
        if not found:
            wrong.append(Outcome("miss", code, label))
    for code in label.silent:
        if code in label.fires or code in label.maybe:
            continue
        broken = next((finding for finding in by_code[code] if is_intrusion(label, finding)), None)
        tallies[code] = Tally(quiet=int(broken is None), broken=int(broken is not None))
        if broken is not None:
            wrong.append(Outcome("false", code, label, broken))
    return tallies, wrong


def total(parts: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Sum tallies per rule, in order of the codes."""
    sums: dict[str, Tally] = {}
    for part in parts:
        for code, tally in part.items():
            sums[code] = sums.get(code, Tally()) + tally
    return dict(sorted(sums.items()))


def below(tallies: Mapping[str, Tally], floors: Mapping[str, Mapping[str, float]]) -> list[str]:
    """One sentence per figure that is under its floor. A floor whose figure cannot be had is under it too."""
    faults = []
    for code, wanted in sorted(floors.items()):
        tally = tallies.get(code, Tally())
        for figure, floor in sorted(wanted.items()):
            if figure not in {"recall", "precision", "silence"}:
                raise ValueError(f"floors.{code}.{figure}: unknown figure")
            value: float | None = getattr(tally, figure)
            if value is None or value < floor:
                shown = "not measured" if value is None else f"{value:.2f}"
                faults.append(f"{code}: {figure} {shown}, floor {floor:.2f}")
    return faults


def draw(findings: Iterable[Seen], count: int, seed: int) -> list[Seen]:
    """Draw findings balanced over rules, then over packages, the same for the same seed and set of findings.

    One rule after the other gives one finding, and within a rule one package after the other, until enough are drawn
    or none are left.
    """
    chooser = random.Random(seed)
    pools: dict[str, dict[str, list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for finding in sorted(set(findings)):
        pools[finding.code][finding.package].append(finding)
    queues = {code: _interleave(pools[code], chooser) for code in sorted(pools)}
    codes = list(queues)
    chooser.shuffle(codes)
    drawn: list[Seen] = []
    while len(drawn) < count and any(queues.values()):
        for code in codes:
            if queues[code] and len(drawn) < count:
                drawn.append(queues[code].pop(0))
    return drawn


def _interleave(packages: Mapping[str, list[Seen]], chooser: random.Random) -> list[Seen]:
    """One finding of each package in turn; order of packages and findings by chance."""
    names = sorted(packages)
    chooser.shuffle(names)
    queues = {name: chooser.sample(packages[name], len(packages[name])) for name in names}
    order: list[Seen] = []
    while any(queues.values()):
        order.extend(queues[name].pop(0) for name in names if queues[name])
    return order


def counts(findings: Iterable[Seen]) -> Counter[str]:
    """How many findings each rule has."""
    return Counter(finding.code for finding in findings)
