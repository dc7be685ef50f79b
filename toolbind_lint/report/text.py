"""The report for a person: a summary that fits a screen, then the cards, then one line that counts everything.

First what never ends, then what leaks, then what lacks, grouped by the place that mends it. Errors get a code frame and
the state of the other gates of their subject; the rest is said in few lines unless ``verbose``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolbind_lint.findings import SEVERITIES, Finding, Report
from toolbind_lint.report import Options
from toolbind_lint.report.cards import NONE_FOUND, Writer, gate_name, has_worst_case, worst_case
from toolbind_lint.report.frame import frame
from toolbind_lint.report.paint import Paint, Style
from toolbind_lint.report.places import Reader, line_of, order
from toolbind_lint.report.plain import cells, clip, clip_start, count, labelled, one_line, pad, shorten
from toolbind_lint.report.tally import (
    GROUPS,
    Group,
    by_id,
    grouped,
    kinds,
    lacking,
    native,
    owners,
    standing,
    subject_order,
    totals,
)
from toolbind_lint.verdicts import GATES, Subject

LABELS: Mapping[Group, tuple[str, Style]] = {
    "changed": ("CHANGED", "review"),
    "unbounded": ("UNBOUNDED", "error"),
    "leaks": ("LEAKS", "error"),
    "lacks": ("LACKS", "warning"),
    "unknown": ("UNKNOWN", "review"),
    "unread": ("UNREAD", "error"),
    "ignores": ("IGNORES", "warning"),
}

ROWS = 6
"""Rows of one group in the summary, so that all of it fits a screen; the others are named by code."""

_LABEL = 11
_WHERE = 40
_WHAT = 24
_WIDE = 90
"""Narrower reports leave the name of the subject to the cards."""

_COLUMN = 10
"""Where the text of a card's labelled lines begins."""


def render(report: Report, options: Options) -> str:
    """The whole report. ``statistics`` shows counts by rule instead of cards, ``quiet`` only the cards."""
    blocks: list[list[str]] = []
    if not options.quiet:
        blocks.append(_Summary(report, options).lines())
    blocks += [_statistics(report, options)] if options.statistics else _Cards(report, options).blocks()
    if not options.quiet:
        blocks.append([totals(report)])
    return "\n".join("".join(f"{line.rstrip()}\n" for line in block) for block in blocks if block)


class _Row(NamedTuple):
    """One line of the summary, unpadded. A row without ``code`` lets its message run to the edge."""

    label: str
    style: Style
    where: str
    what: str = ""
    message: str = ""
    code: str = ""
    more: str = ""


class _Summary:
    """The lines before the cards."""

    def __init__(self, report: Report, options: Options) -> None:
        self.report = report
        self.options = options
        self.reader = Reader(report, options)
        self.paint = Paint(options.colour)
        self.subjects = by_id(report)
        self.groups = grouped(report)

    def lines(self) -> list[str]:
        rows = list(self._rows())
        return [self._headline(), *([""] if rows else []), *self._lay_out(rows)]

    def _headline(self) -> str:
        loud = [subject for subject in self.report.subjects if subject.kind != "binding"]
        found = kinds(loud) or NONE_FOUND
        return self.paint(f"{found} in {count(self.report.files_checked, 'file')}", "strong")

    def _rows(self) -> Iterator[_Row]:
        for crash in self.report.crashes:
            yield _Row("CRASHED", "error", self.reader.path(crash.path), one_line(crash.stage), one_line(crash.error))
        for name in GROUPS:
            if name == "lacks":
                yield from self._lacks()
            elif name == "ignores":
                yield from self._ignores()
            else:
                yield from self._findings(name)
        yield from self._standing()

    def _findings(self, name: Group) -> Iterator[_Row]:
        found = sorted(self.groups[name], key=_heaviest)
        label, style = LABELS[name]
        limit = len(found) if self.options.verbose or len(found) <= ROWS else ROWS - 1
        for finding in found[:limit]:
            concerned = owners(finding, self.subjects)
            what = one_line(concerned[0].label or concerned[0].function) if concerned else one_line(finding.function)
            message = self._short(finding, concerned)
            yield _Row(label, style, self.reader.line(finding.place), what, message, finding.code)
        if found[limit:]:
            yield _Row(label, style, f"and {len(found) - limit:,} more", "", _by_code(found[limit:]))

    def _short(self, finding: Finding, concerned: Sequence[Subject]) -> str:
        if finding.gate == "cap" and concerned and concerned[0].witness and len(concerned) == 1:
            return f"nothing ends it: {self.reader.walk(concerned[0].witness, concerned[0].header)}"
        message = one_line(finding.message)
        return message[:-1] if message.endswith(".") else message

    def _lacks(self) -> Iterator[_Row]:
        found = self.groups["lacks"]
        if not found:
            return
        sums = lacking(found, self.subjects)
        who = kinds(sums.subjects, short=True) if len(sums.subjects) == sums.ids else count(sums.ids, "subject")
        where = f"{who}, {count(sums.places, 'place')}" if who else count(sums.places, "place")
        gates = " · ".join(f"{gate_name(gate)} {number}" for gate, number in sums.gates)
        more = f"{self.reader.line(sums.best)} serves {sums.served:,} of them" if sums.best is not None else ""
        yield _Row(*LABELS["lacks"], where, message=gates, more=more)

    def _ignores(self) -> Iterator[_Row]:
        found = self.groups["ignores"]
        if found:
            yield _Row(*LABELS["ignores"], count(len(found), "comment"), message=_by_code(found))

    def _standing(self) -> Iterator[_Row]:
        holds, unknown, silent = standing(self.report)
        if unknown:
            gates = Counter(v.gate for subject in unknown for v in subject.verdicts if v.state == "unknown")
            text = " · ".join(f"{gate_name(gate)} {gates[gate]}" for gate in GATES if gates[gate])
            yield _Row("UNKNOWN", "review", kinds(unknown, short=True), message=text)
        if silent:
            yield _Row("SILENT", "faint", kinds(silent, short=True), message="gates missing, not reported: see `gates`")
        if holds:
            yield _Row("HOLDS", "good", kinds(holds, short=True))

    def _lay_out(self, rows: Sequence[_Row]) -> list[str]:
        """Align the columns over all rows; what does not fit is cut, and said in full in its card."""
        full = [row for row in rows if row.code]
        where = min(_WHERE, max((cells(row.where) for row in rows), default=0))
        what = min(_WHAT, max((cells(row.what) for row in full), default=0)) if self.options.width >= _WIDE else 0
        room = max(20, self.options.width - _LABEL - where - (what + 2 if what else 0) - 2 - 2 - 5)
        message = min(room, max((cells(row.message) for row in full), default=0))
        lines = []
        for row in rows:
            line = self.paint(pad(row.label, _LABEL), row.style) + pad(clip_start(row.where, where), where)
            if row.code:
                line += f"  {pad(clip(row.what, what), what)}" if what else ""
                line += f"  {pad(shorten(row.message, message), message)}  {self.paint(row.code, row.style)}"
                lines.append(line)
                continue
            lines += self._loose(row, line, where)
        return lines

    def _loose(self, row: _Row, head: str, where: int) -> list[str]:
        """A row whose message runs over the columns, and what else it says, beside it or below."""
        column = _LABEL + where + 2
        room = max(20, self.options.width - column)
        message = clip("  ".join(part for part in (row.what, row.message) if part), room)
        if not row.more:
            return [f"{head}  {message}".rstrip()]
        if cells(message) + 4 + cells(row.more) <= room:
            return [f"{head}  {message}    {row.more}"]
        return [f"{head}  {message}", " " * column + clip(row.more, room)]


class _Cards:
    """The blocks between the summary and the last line."""

    def __init__(self, report: Report, options: Options) -> None:
        self.report = report
        self.options = options
        self.writer = Writer(report, options)
        self.reader = self.writer.reader
        self.paint = self.writer.paint
        self.subjects = by_id(report)
        self.helped: set[str] = set()

    def blocks(self) -> list[list[str]]:
        groups = grouped(self.report)
        blocks = self._crashes()
        for name in GROUPS:
            if groups[name]:
                blocks.append([self.paint(*LABELS[name])])
                blocks += self._places(groups[name]) if name == "lacks" else self._subjects(groups[name])
        blocks += self._gates() if self.options.show_gates else []
        blocks += self._hidden() if self.options.verbose else []
        return blocks

    def _crashes(self) -> list[list[str]]:
        if not self.report.crashes:
            return []
        rows = []
        for crash in self.report.crashes:
            text = f"{one_line(crash.stage)} crashed; what it would have said is missing: {one_line(crash.error)}"
            rows += [self.paint(self.reader.path(crash.path), "strong"), *labelled("", text, self.options.width, 2, 2)]
        return [[self.paint("CRASHED", "error")], rows]

    def _subjects(self, findings: Sequence[Finding]) -> list[list[str]]:
        """Findings of one subject together, the heaviest subject first; its other gates under its last error."""
        bundles: dict[str, list[Finding]] = {}
        for finding in findings:
            concerned = owners(finding, self.subjects)
            key = concerned[0].id if concerned else f"{finding.place.path}\0{line_of(finding.place)}"
            bundles.setdefault(key, []).append(finding)
        blocks = []
        for bundle in sorted(bundles.values(), key=lambda bundle: min(map(_heaviest, bundle))):
            own = sorted(bundle, key=_heaviest)
            cards = [self._finding(finding) for finding in own]
            concerned = owners(own[0], self.subjects)
            if concerned and (own[0].severity == "error" or self.options.verbose) and not self.options.show_gates:
                cards[-1] += self._standing(concerned[0])
            blocks += cards
        return blocks

    def _places(self, findings: Sequence[Finding]) -> list[list[str]]:
        """Findings by the place that mends them, the place that serves most subjects first."""
        bundles: dict[tuple[str, int, int], list[Finding]] = {}
        for finding in findings:
            bundles.setdefault(line_of(finding.place), []).append(finding)

        def rank(bundle: list[Finding]) -> tuple[int, tuple[str, int, int]]:
            return -len({id for finding in bundle for id in finding.loops}), line_of(bundle[0].place)

        return [self._place(bundle) for bundle in sorted(bundles.values(), key=rank)]

    def _place(self, bundle: Sequence[Finding]) -> list[str]:
        concerned = _union(owners(finding, self.subjects) for finding in bundle)
        rows = [self._head(bundle[0], concerned)]
        rows += self._serves(concerned)
        for finding in sorted(bundle, key=_heaviest):
            rows += self._sentence(finding)
            if self.options.verbose:
                rows += self._frame(finding)
            rows += self._help(finding, indent=4)
        if self.options.verbose and len(concerned) == 1 and not self.options.show_gates:
            rows += self._standing(concerned[0])
        return rows

    def _finding(self, finding: Finding) -> list[str]:
        """One finding as a block of its own."""
        concerned = owners(finding, self.subjects)
        rows = [self._head(finding, concerned), *self._serves(concerned), *self._sentence(finding)]
        if finding.severity == "error" or self.options.verbose:
            rows += self._frame(finding)
        if finding.gate in {"cap", "exit"} and concerned and concerned[0].witness:
            rows += self._labelled("pass", self.reader.walk(concerned[0].witness, concerned[0].header))
        rows += self._help(finding, indent=2)
        return rows

    def _head(self, finding: Finding, concerned: Sequence[Subject]) -> str:
        place = self.paint(self.reader.place(finding.place), "strong")
        if len(concerned) == 1:
            return f"{place}  {self.writer.name(concerned[0])}"
        return f"{place}  {one_line(finding.function)}".rstrip()

    def _serves(self, concerned: Sequence[Subject]) -> list[str]:
        """The subjects of a finding that one place mends for several."""
        if len(concerned) < 2:
            return []
        limit = len(concerned) if self.options.verbose or len(concerned) <= 4 else 3
        names = [f"{self.reader.line(s.header)} {one_line(s.label or s.function)}" for s in concerned[:limit]]
        if concerned[limit:]:
            names.append(f"{len(concerned) - limit:,} more")
        return self._labelled("serves", f"{kinds(concerned, short=True)}: {', '.join(names)}")

    def _sentence(self, finding: Finding) -> list[str]:
        """``error TB101 no-step-cap: what is wrong``, wrapped under itself."""
        mark = f"{finding.severity} {finding.code}"
        doubt = ", please confirm" if finding.confidence == "medium" else ""
        eased = ", relaxed" if finding.relaxed else ""
        text = f"{mark} {finding.name}{eased}{doubt}: {one_line(finding.message)}"
        rows = labelled("", text, self.options.width - 2, 2, 2)
        rows[0] = rows[0].replace(mark, self.paint(mark, finding.severity), 1)
        return [rows[0], *(f"  {row}" for row in rows[1:])]

    def _frame(self, finding: Finding) -> list[str]:
        """The code, with a blank line on both sides, and the places that it does not show."""
        drawn = frame(
            self.reader,
            finding.place,
            finding.related,
            width=self.options.width,
            paint=self.paint,
            style=finding.severity,
        )
        here = (finding.place.path, finding.place.cell)
        away = [s for s in finding.related if not drawn or (s.place.path, s.place.cell) != here]
        rows = ["", *drawn, ""] if drawn else []
        for step in away:
            rows += self._labelled("see", f"{self.reader.line(step.place)} {one_line(step.message)}".rstrip())
        if finding.trail:
            rows += self._labelled("trail", self.reader.walk(finding.trail))
        return rows

    def _help(self, finding: Finding, indent: int) -> list[str]:
        """How to mend it: with every error, otherwise once in a report."""
        text = one_line(finding.help)
        if not text or (text in self.helped and finding.severity != "error"):
            return []
        self.helped.add(text)
        return self._labelled("help", text, indent)

    def _standing(self, subject: Subject) -> list[str]:
        """All gates of the subject in a line, and what they allow."""
        states = [
            f"{gate_name(gate)} {subject.verdict(gate).state}"
            for gate in GATES
            if subject.verdict(gate).state != "not-applicable"
        ]
        gates = self._labelled("gates", " · ".join(states)) if states else []
        return gates + (self._labelled("worst", worst_case(subject.envelope)) if has_worst_case(subject) else [])

    def _gates(self) -> list[list[str]]:
        """Every subject's card, those that hold included."""
        found = sorted(self.report.subjects, key=subject_order)
        return [[self.paint("GATES", "strong")], *(self.writer.card(subject) for subject in found)] if found else []

    def _hidden(self) -> list[list[str]]:
        """What was found and not reported, and what was not read: a line each."""
        rows = []
        for finding in sorted(self.report.findings, key=order):
            if finding.disposition in {"suppressed", "baselined", "existing"}:
                reason = f": {one_line(finding.reason)}" if finding.reason else ""
                rows.append(f"{self.reader.line(finding.place)}  {finding.code} {finding.disposition}{reason}")
        told = {line_of(finding.place) for finding in self.report.findings}
        for fact in sorted(self.report.unreadable, key=lambda fact: line_of(fact.place)):
            if line_of(fact.place) not in told:
                rows.append(f"{self.reader.line(fact.place)}  unreadable: {one_line(fact.message)}")
        return [[self.paint("NOT REPORTED", "strong")], rows] if rows else []

    def _labelled(self, label: str, text: str, indent: int = 2) -> list[str]:
        rows = labelled(label, text, self.options.width, indent, _COLUMN + indent - 2)
        return [rows[0].replace(label, self.paint(label, "faint"), 1), *rows[1:]]


def _heaviest(finding: Finding) -> tuple[object, ...]:
    """Heaviest first (what a place lowered counts as it was), then in order."""
    return (-SEVERITIES.index(finding.severity), -SEVERITIES.index(native(finding)), *order(finding))


def _union(lists: Iterable[Sequence[Subject]]) -> list[Subject]:
    return sorted({subject.id: subject for subjects in lists for subject in subjects}.values(), key=subject_order)


def _by_code(findings: Sequence[Finding]) -> str:
    """``TB104 3 · TB501 2``."""
    numbers = Counter(finding.code for finding in findings)
    return " · ".join(f"{code} {number:,}" for code, number in sorted(numbers.items()))


def _statistics(report: Report, options: Options) -> list[str]:
    """A line a rule: how often, how heavy, which; the most frequent first."""
    paint = Paint(options.colour)
    rules = Counter((finding.code, finding.name) for finding in report.shown)
    heaviest = {
        code: max((f.severity for f in report.shown if f.code == code), key=SEVERITIES.index) for code, _ in rules
    }
    wide = max((len(f"{number:,}") for number in rules.values()), default=0)
    return [
        f"{number:>{wide},}  {paint(pad(heaviest[code], 7), heaviest[code])}  {code}  {one_line(name)}"
        for (code, name), number in sorted(rules.items(), key=lambda item: (-item[1], item[0]))
    ]
