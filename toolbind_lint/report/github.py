"""GitHub workflow commands: annotations in a pull request, made by printing.

A run shows at most ten annotations of a kind, so the heaviest come first and the rest is named in the last line. Format
and escapes: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolbind_lint.findings import SEVERITIES, Finding, Report, Severity
from toolbind_lint.report import Options
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import count, one_line, visible
from toolbind_lint.report.tally import totals

LIMIT = 10
"""Annotations of a kind that GitHub shows for one step."""

NAMED = 20
"""Places of a rule that the last line names; it says how many more there are."""

LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "review": "notice", "advice": "notice"}


def render(report: Report, options: Options) -> str:
    """Commands for crashes and the heaviest findings, then one plain line with the counts and what was left out."""
    reader = Reader(report._replace(root="."), Options())
    lines: list[str] = []
    used = dict.fromkeys(LEVELS.values(), 0)
    left_out: list[Finding] = []
    for crash in report.crashes[:LIMIT]:
        used["error"] += 1
        message = f"{reader.path(crash.path)}: {crash.stage} crashed: {crash.error}"
        lines.append(_command("error", {"title": "toolbind-lint crashed"}, one_line(message)))
    for finding in sorted(report.shown, key=lambda f: (-SEVERITIES.index(f.severity), *order(f))):
        level = LEVELS[finding.severity]
        if used[level] == LIMIT:
            left_out.append(finding)
            continue
        used[level] += 1
        lines.append(_annotation(reader, finding, level))
    if not options.quiet or left_out:
        lines.append(_summary(reader, report, left_out))
    return "".join(f"{line}\n" for line in lines)


def _annotation(reader: Reader, finding: Finding, level: str) -> str:
    place = finding.place
    properties = {"title": f"{finding.code} {finding.name}", "file": visible(place.path)}
    line = reader.physical(place)
    if line is not None:
        properties["line"] = str(line)
    if place.cell is None:
        properties["endLine"] = str(max(place.line, place.end_line))
        if place.end_line == place.line:  # columns on several lines are refused
            properties["col"] = str(place.column)
            properties["endColumn"] = str(max(place.column, place.end_column))
    # Newlines of our own, made after the text of linted code has lost its.
    message = "\n".join(part for part in (one_line(finding.message), one_line(finding.help)) if part)
    return _command(level, properties, message)


def _command(level: str, properties: Mapping[str, str], message: str) -> str:
    fields = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {fields}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(reader: Reader, report: Report, left_out: Sequence[Finding]) -> str:
    line = f"toolbind-lint: {totals(report)}"
    if not left_out:
        return line
    by_rule: dict[str, list[str]] = {}
    for finding in sorted(left_out, key=order):
        by_rule.setdefault(f"{finding.code} {finding.name}", []).append(reader.line(finding.place))
    named = []
    for rule, places in sorted(by_rule.items()):
        more = f" and {len(places) - NAMED:,} more" if len(places) > NAMED else ""
        named.append(f"{rule} at {', '.join(places[:NAMED])}{more}")
    return f"{line}. Without an annotation: {count(len(left_out), 'finding')}: {'; '.join(named)}"
