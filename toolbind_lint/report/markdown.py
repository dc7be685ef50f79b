"""Markdown for the summary of a workflow's step or a comment: what was found, and the gate matrix.

Every text that may come from linted code passes through ``escaped``: no character of it can begin markup, a link or a
mention. A summary may have a mebibyte; what does not fit is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from toolbind_lint.findings import SEVERITIES, Crash, Finding, Report, Severity
from toolbind_lint.report import Options
from toolbind_lint.report.cards import worst_case
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import count, one_line, visible
from toolbind_lint.report.tally import kinds, subject_order, totals
from toolbind_lint.verdicts import GATES, Gate, State, Subject

ROWS = 200
"""Rows of each table."""

LONGEST = 600
"""Characters of a cell."""

SIGNS: Mapping[State, str] = {
    "held": "✅",
    "leaks": "⚠️",
    "missing": "❌",
    "unknown": "❔",
    "not-applicable": "·",
}
"""How the matrix shows the state of a gate."""

LABELS: Mapping[Severity, str] = {
    "error": "🛑 error",
    "warning": "⚠️ warning",
    "review": "👀 review",
    "advice": "💡 advice",
}

_MARKUP = re.compile(r"[!\"#$&'()*+.:<=>@\[\\\]^_`{|}~]")


def render(report: Report, options: Options) -> str:
    """Heading, what crashed, findings, the gate matrix with its key, and the counts."""
    del options
    reader = Reader(report._replace(root="."), Options())
    parts = [f"## toolbind-lint: {_headline(report)}"]
    if report.crashes:
        rows = [f"* {_code(visible(crash.path) or 'the run')}: {_crash(crash)}" for crash in report.crashes[:ROWS]]
        parts.append("**Crashed, so nothing is proved by this run:**\n\n" + "\n".join(rows))
    parts += [_findings(reader, report), _matrix(reader, report), escaped(totals(report))]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Text as Markdown that shows it and does nothing else: signs that could be markup as character references."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", visible(text))


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>" if text else ""


def _prose(text: str) -> str:
    """A message: what stands between backticks as code, all of it escaped."""
    parts = _clipped(one_line(text)).split("`")
    return "".join(_code(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _crash(crash: Crash) -> str:
    return f"{escaped(crash.stage)} crashed: {_prose(crash.error)}"


def _headline(report: Report) -> str:
    found = count(len(report.shown), "finding") if report.shown else "no findings"
    loops = kinds([subject for subject in report.subjects if subject.kind != "binding"])
    return escaped(f"{found} in {loops}" if loops else found)


# Findings


def _findings(reader: Reader, report: Report) -> str:
    found = sorted(report.shown, key=lambda f: (f.severity != "review", -SEVERITIES.index(f.severity), *order(f)))
    if not found:
        return ""
    rows = [_finding(reader, finding) for finding in found[:ROWS]]
    return _table(("", "rule", "where", "what"), rows, len(found))


def _finding(reader: Reader, finding: Finding) -> tuple[str, ...]:
    what = _prose(finding.message)
    if finding.help:
        what += f"<br><sub>{_prose(finding.help)}</sub>"
    return LABELS[finding.severity], f"{finding.code} {escaped(finding.name)}", _code(reader.line(finding.place)), what


# The matrix


def _matrix(reader: Reader, report: Report) -> str:
    subjects = sorted((s for s in report.subjects if s.kind != "binding"), key=subject_order)
    if not subjects:
        return ""
    gates = [gate for gate in GATES if any(s.verdict(gate).state != "not-applicable" for s in subjects)]
    heads = ("loop", *(gate.replace("-", " ") for gate in gates), "worst case")
    rows = [_subject(reader, subject, gates) for subject in subjects[:ROWS]]
    key = " · ".join(f"{sign} {state}" for state, sign in SIGNS.items() if state != "not-applicable")
    return f"### Gates\n\n{_table(heads, rows, len(subjects))}\n\n{key}"


def _subject(reader: Reader, subject: Subject, gates: Sequence[Gate]) -> tuple[str, ...]:
    name = _code(_clipped(subject.label or subject.function))
    place = _code(reader.line(subject.header))
    signs: Callable[[Gate], str] = lambda gate: SIGNS[subject.verdict(gate).state]  # noqa: E731
    return (f"{name} {place}", *map(signs, gates), _prose(worst_case(subject.envelope)))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], number: int) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    if number > ROWS:
        lines += ["", f"and {number - ROWS:,} more, which the other reports hold"]
    return "\n".join(lines)
