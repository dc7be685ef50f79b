"""Cards: how each gate of one loop, run or dispatcher stands, what shows it, and the worst case that its bounds allow.

``render`` is the ``gates`` command, ``why_silent`` its answer for one line of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from toolbind_lint.facts import Step
from toolbind_lint.findings import Finding, Report
from toolbind_lint.report import DEFAULTS, Options
from toolbind_lint.report.paint import Paint, Style
from toolbind_lint.report.places import Reader, line_of, order
from toolbind_lint.report.plain import count, labelled, one_line, pad
from toolbind_lint.report.tally import KIND_NAMES, kinds, subject_order
from toolbind_lint.verdicts import GATES, Envelope, Fault, State, Subject, Verdict

INDENT = 2
GATE_COLUMN = 16
"""Where the state begins: behind the longest gate."""
TEXT_COLUMN = 26
"""Where the evidence begins: behind the longest state that is shown."""

STATE_STYLES: Mapping[State, Style] = {
    "held": "good",
    "leaks": "error",
    "missing": "error",
    "unknown": "review",
    "not-applicable": "faint",
}

_DISPOSITIONS = {
    "suppressed": "suppressed",
    "baselined": "in the baseline",
    "existing": "in the base revision",
    "unselected": "not selected",
}


class RuleLike(Protocol):
    """What ``why_silent`` needs to know of a rule."""

    @property
    def code(self) -> str:
        """``TB101``."""

    @property
    def gate(self) -> str:
        """The gate that it judges, or an empty string."""

    @property
    def judges(self) -> Sequence[str]:
        """The kinds of subjects that it judges."""


# The command


def render(report: Report, options: Options, path: str = "") -> str:
    """One card per subject, in order; with ``path`` (root-relative, a file or a folder) only those in it."""
    writer = Writer(report, options)
    within = [subject for subject in sorted(report.subjects, key=subject_order) if _inside(subject.header.path, path)]
    blocks = [writer.card(subject) for subject in within]
    ending = sum(all(verdict.state in {"held", "not-applicable"} for verdict in s.verdicts) for s in within)
    last = f"{kinds(within)}: {ending:,} with all gates held" if within else NONE_FOUND
    if not options.quiet:
        blocks.append([last])
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _inside(path: str, target: str) -> bool:
    target = target.rstrip("/")
    return target in {"", "."} or path == target or path.startswith(f"{target}/")


NONE_FOUND = "Found no tool loops, agent runs or dispatchers"
"""Said of what was read: code that is not recognised as one may be one all the same."""


def whenever(subject: Subject) -> str:
    """When the pass of a witness is taken."""
    if any(fault.how == "spins" for fault in subject.verdict("exit").faults) and not subject.verdict("cap").faults:
        return "whenever a reply is cut off"
    return "whenever the reply holds a call" if subject.dispatches else ""


def worst_case(envelope: Envelope) -> str:
    """``≤ 8 turns · ≤ 8 × ? calls · ≤ 4 h · tokens ∞``."""
    terms = [
        _term(envelope.turns, "turn"),
        _term(envelope.calls, "call"),
        f"≤ {_duration(envelope.seconds)}" if _known(envelope.seconds) else f"time {envelope.seconds}",
        _term(envelope.tokens, "token"),
    ]
    return one_line(" · ".join(terms))


def has_worst_case(subject: Subject) -> bool:
    """Whether the worst case is worth a line: always for what loops, else only when something of it is known."""
    return subject.kind in {"tool-loop", "agent-run"} or subject.envelope != Envelope()


def _known(text: str) -> bool:
    return text not in {"?", "∞", ""}


def _term(text: str, noun: str) -> str:
    if _known(text):
        return f"≤ {text} {noun}{'' if text == '1' else 's'}"
    return f"{noun}s {text or '?'}"


def _duration(text: str) -> str:
    """Seconds as a person says them: ``14400`` is ``4 h``. Text that is no number stays."""
    try:
        seconds = float(text)
    except ValueError:
        return text
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size and seconds % size == 0:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.10g} s"


def gate_name(gate: str) -> str:
    """``tool-timeout`` as words."""
    return gate.replace("-", " ")


class Writer:
    """Writes cards of one report."""

    def __init__(self, report: Report, options: Options) -> None:
        self.report = report
        self.options = options
        self.reader = Reader(report, options)
        self.paint = Paint(options.colour)
        self._of_subject: dict[str, list[Finding]] = {}
        for finding in sorted(report.findings, key=order):
            for id in finding.loops:
                self._of_subject.setdefault(id, []).append(finding)

    def name(self, subject: Subject) -> str:
        """``Agent._loop · tool loop · openai``."""
        parts = [one_line(subject.label or subject.function), KIND_NAMES[subject.kind][0], one_line(subject.framework)]
        return " · ".join(part for part in parts if part)

    def card(self, subject: Subject) -> list[str]:
        """The whole card: its head, a row for each gate, the witness and the worst case."""
        place = self.paint(self.reader.line(subject.header), "strong")
        return [f"{place}  {self.name(subject)}", *self.gates(subject), *self.foot(subject)]

    def gates(self, subject: Subject) -> list[str]:
        """A row for each gate that applies (with ``verbose``: for all)."""
        rows = []
        for gate in GATES:
            verdict = subject.verdict(gate)
            if verdict.state != "not-applicable" or verdict.evidence or self.options.verbose:
                rows += self.gate(subject, verdict)
        return rows

    def gate(self, subject: Subject, verdict: Verdict) -> list[str]:
        """One gate: its state and, each on a line of its own, the evidence or what is missing."""
        texts = self.reasons(subject, verdict) or [""]
        state = verdict.state.replace("-", " ")
        gap = max(1, TEXT_COLUMN - GATE_COLUMN - len(state))
        head = " " * INDENT + pad(gate_name(verdict.gate), GATE_COLUMN - INDENT)
        head += self.paint(state, STATE_STYLES[verdict.state]) + " " * gap
        rows: list[str] = []
        for text in texts:
            lines = labelled("", text, self.options.width, INDENT, TEXT_COLUMN)
            rows += [head + lines[0].lstrip() if not rows else lines[0], *lines[1:]]
        return [row.rstrip() for row in rows]

    def reasons(self, subject: Subject, verdict: Verdict) -> list[str]:
        """Why a gate stands as it does: its faults, then its evidence."""
        texts = [self._fault(subject, verdict, fault) for fault in (*verdict.faults, *verdict.beside)]
        for place, value, message, _ in verdict.evidence:
            words = ", ".join(part for part in (one_line(value), one_line(message)) if part)
            texts.append(f"{words} ({self.reader.line(place)})" if words else self.reader.line(place))
        return list(dict.fromkeys(texts))

    def _fault(self, subject: Subject, verdict: Verdict, fault: Fault) -> str:
        finding = self.finding(subject, verdict.gate, fault)
        at = "" if line_of(fault.place) == line_of(subject.header) else f" ({self.reader.line(fault.place)})"
        if finding is None:
            return f"{gate_name(fault.how)}{at}"
        note = _DISPOSITIONS.get(finding.disposition, "")
        if note and finding.reason:
            note += f": {one_line(finding.reason)}"
        return f"{finding.code} {one_line(finding.message)}{at}" + (f" [{note}]" if note else "")

    def finding(self, subject: Subject, gate: str, fault: Fault) -> Finding | None:
        """The finding that speaks of this fault, shown or not; the one at its own place first."""
        about = [f for f in self.findings(subject) if f.gate == gate and f.how == fault.how]
        here = [finding for finding in about if line_of(finding.place) == line_of(fault.place)]
        return next(iter(here or about), None)

    def findings(self, subject: Subject) -> Sequence[Finding]:
        """All findings about a subject, whatever their disposition, in order."""
        return self._of_subject.get(subject.id, ())

    def foot(self, subject: Subject) -> list[str]:
        """For a loop that nothing ends the witness and what was considered as a bound; then the worst case."""
        rows: list[str] = []
        if subject.witness:
            walk = self.reader.walk(subject.witness, subject.header)
            rows += self._foot("one pass", f"{walk} {whenever(subject)}".rstrip())
            considered = [step for gate in ("cap", "exit") for f in subject.verdict(gate).faults for step in f.related]
            for place, message in dict.fromkeys(considered):
                rows += self._foot("no bound", f"{self.reader.line(place)} {one_line(message)}")
        return rows + (self._foot("worst case", worst_case(subject.envelope)) if has_worst_case(subject) else [])

    def _foot(self, label: str, text: str) -> list[str]:
        return labelled(label, text, self.options.width, INDENT, GATE_COLUMN)


# Why nothing is said at a line


def why_silent(
    report: Report, path: str, line: int, rules: Iterable[RuleLike] = (), options: Options = DEFAULTS
) -> str:
    """Explain what is, and what is not, said about a line: root-relative ``path``, line from 1 in the file on disk.

    Shows every subject that covers the line or has a turn, a dispatch, a fault or evidence there: each gate's state,
    what shows it, which rules speak of it and which therefore stay silent. Without a subject it says why there is none.
    """
    writer = Writer(report, options)
    at = f"{writer.reader.path(path)}:{line}"
    found = [s for s in sorted(report.subjects, key=subject_order) if _touches(writer.reader, s, path, line)]
    if not found:
        return _nothing_there(writer, path, line, at)
    known = sorted(rules, key=lambda rule: rule.code)
    blocks = [[f"{at} belongs to {kinds(found)}"]]
    blocks += [_answer(writer, subject, known) for subject in found]
    others = [f for f in sorted(report.findings, key=order) if not f.loops and _here(writer.reader, f, path, line)]
    if others:
        blocks.append([f"{f.code} {one_line(f.message)} [{_DISPOSITIONS.get(f.disposition, 'shown')}]" for f in others])
    return "\n".join("".join(f"{row}\n" for row in block) for block in blocks)


def _here(reader: Reader, finding: Finding, path: str, line: int) -> bool:
    return finding.place.path == path and (reader.physical(finding.place) or finding.place.line) == line


def _touches(reader: Reader, subject: Subject, path: str, line: int) -> bool:
    first = subject.place
    if first.path == path:
        start = reader.physical(first) or first.line
        if start <= line <= start + first.end_line - first.line:
            return True
    places = [step.place for step in (*subject.turns, *subject.dispatches, *subject.witness)]
    for verdict in subject.verdicts:
        places += [fault.place for fault in verdict.faults] + [evidence.place for evidence in verdict.evidence]
    return any(place.path == path and (reader.physical(place) or place.line) == line for place in places)


def _nothing_there(writer: Writer, path: str, line: int, at: str) -> str:
    rows = [f"{at}: no tool loop, agent run, dispatcher, retry or tool binding was recognised around this line"]
    for place, why in _passed_over(writer, path, line):
        rows.append(f"{writer.reader.line(place)} is a loop, and none of these: {one_line(why)}")
    for fact in writer.report.unreadable:
        if fact.place.path == path:
            rows.append(f"nothing was checked there: {one_line(fact.message)} ({writer.reader.line(fact.place)})")
    near = [subject for subject in writer.report.subjects if subject.header.path == path]
    for subject in sorted(near, key=lambda subject: (abs(subject.header.line - line), subject_order(subject)))[:3]:
        rows.append(f"near: {writer.reader.line(subject.header)}  {writer.name(subject)}")
    if len(rows) == 1:
        rows.append("nothing in this file was recognised as one")
    return "".join(f"{row}\n" for row in rows)


def _passed_over(writer: Writer, path: str, line: int) -> list[Step]:
    """The loops around a line that are no subjects, the innermost first."""
    found = []
    for step in writer.report.passed_over:
        start = writer.reader.physical(step.place) or step.place.line
        if step.place.path == path and start <= line <= start + step.place.end_line - step.place.line:
            found.append(step)
    return sorted(found, key=lambda step: step.place.end_line - step.place.line)


def _answer(writer: Writer, subject: Subject, rules: Sequence[RuleLike]) -> list[str]:
    place = writer.paint(writer.reader.line(subject.header), "strong")
    rows = [f"{place}  {writer.name(subject)}"]
    for gate in GATES:
        verdict = subject.verdict(gate)
        judging = [rule.code for rule in rules if rule.gate == gate and subject.kind in rule.judges]
        if verdict.state == "not-applicable" and not judging:
            continue
        rows += writer.gate(subject, verdict)
        shown = [f.code for f in writer.findings(subject) if f.gate == gate and f.disposition == "new"]
        silent = [code for code in judging if code not in shown]
        if silent:
            text = f"silent: {', '.join(silent)}; {_why(verdict, bool(shown))}"
            rows += labelled("", text, writer.options.width, INDENT, TEXT_COLUMN)
    hidden = [finding for finding in writer.findings(subject) if finding.disposition != "new"]
    if hidden:
        rows += labelled("hidden", count(len(hidden), "finding"), writer.options.width, INDENT, GATE_COLUMN)
    return rows + writer.foot(subject)


def _why(verdict: Verdict, spoken: bool) -> str:
    """In one clause, why the other rules of a gate say nothing."""
    if verdict.state == "held":
        return "the gate is held"
    if verdict.state == "unknown":
        return "what they look for is not known, and unknown is never reported as missing"
    if verdict.state == "not-applicable":
        return "the gate does not apply here, or was not looked at"
    if spoken:
        return "the fault found is not of their kind, or lighter than the one reported"
    return "the finding is hidden as said above, or none of them speaks of this fault"
