"""SARIF 2.1.0 for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

Trails become code flows, suppressed and baselined findings carry their reason, unreadable files and crashes are
notifications of the invocation. The file stays within what GitHub takes
(https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning):
the heaviest findings are kept, and what was cut is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolbind_lint import __version__
from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import SEVERITIES, Crash, Disposition, Finding, Report, Severity
from toolbind_lint.report import Options
from toolbind_lint.report.explain import RulePage, markdown
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import clip, one_line, visible

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RESULTS = 25_000
RELATED = 100
FLOW = 1_000
NOTIFICATIONS = 1_000
LONGEST = 2_000
"""Cells of a message."""

LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "advice": "note", "review": "note"}
PROBLEMS: Mapping[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "advice": "recommendation",
    "review": "recommendation",
}
RISK: Mapping[Severity, str] = {"error": "8.0", "warning": "5.5", "advice": "2.0", "review": "2.0"}
"""``security-severity`` of a rule: high, medium, low in GitHub's words."""

KINDS: Mapping[Disposition, str] = {"suppressed": "inSource", "baselined": "external"}


def render(report: Report, options: Options) -> str:
    """The report as indented SARIF; of the ``options`` only the rules count."""
    return json.dumps(document(report, options.rules), ensure_ascii=True, indent=2) + "\n"


def document(report: Report, pages: Sequence[RulePage] = ()) -> dict[str, Any]:
    """The report as plain values; ``pages`` describe the rules."""
    reader = Reader(report._replace(root="."), Options())
    told = [finding for finding in report.findings if finding.disposition != "unselected"]
    told.sort(key=lambda f: (f.disposition != "new", -SEVERITIES.index(f.severity), *order(f)))
    kept = sorted(told[:RESULTS], key=order)
    rules = {rule.code: rule for rule in pages}
    codes = sorted({finding.code for finding in kept})
    index = {code: number for number, code in enumerate(codes)}
    compared = any(finding.disposition == "existing" for finding in told)
    run = {
        "tool": {
            "driver": {
                "name": "toolbind-lint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(code, rules.get(code), kept) for code in codes],
            }
        },
        "invocations": [_invocation(reader, report, len(told) - len(kept))],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The project root."}}},
        "results": [_result(reader, finding, index[finding.code], compared) for finding in kept],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


# Rules


def _rule(code: str, rule: RulePage | None, findings: Sequence[Finding]) -> dict[str, Any]:
    if rule is None:
        name = next(finding.name for finding in findings if finding.code == code)
        return {"id": code, "name": name, "shortDescription": {"text": name}}
    confident = all(finding.confidence == "high" for finding in findings if finding.code == code)
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": " ".join(rule.why.split())},
        "help": {"text": " ".join(rule.instead.split()), "markdown": markdown(rule, every=False)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {
            "precision": "high" if confident else "medium",
            "problem.severity": PROBLEMS[rule.severity],
            "security-severity": RISK[rule.severity],
            "tags": ["security", "reliability", *([rule.gate] if rule.gate else [])],
        },
    }


# Results


def _result(reader: Reader, finding: Finding, index: int, compared: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": _message(finding.message if not finding.help else f"{finding.message}. {finding.help}"),
        "locations": [_location(reader, finding.place, finding.function)],
        "properties": {
            "severity": finding.severity,
            "confidence": finding.confidence,
            "how": finding.how,
            "gate": finding.gate,
        },
    }
    if finding.fingerprint is not None:
        name = str(finding.fingerprint)
        result["partialFingerprints"] = {"primaryLocationLineHash": name, "toolbindLint/v1": name}
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_step(reader, step)} for number, step in enumerate(finding.related[:RELATED], 1)
        ]
    if finding.trail:
        steps = (*finding.trail[: FLOW - 1], Step(finding.place, finding.message))
        flow = [{"location": _step(reader, step)} for step in steps]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if finding.disposition in KINDS:
        suppression = {"kind": KINDS[finding.disposition], "status": "accepted"}
        reason = finding.reason or ("in the baseline" if finding.disposition == "baselined" else "")
        result["suppressions"] = [{**suppression, "justification": _message(reason)["text"]} if reason else suppression]
    if compared:
        result["baselineState"] = "unchanged" if finding.disposition == "existing" else "new"
    return result


def _message(text: str) -> dict[str, str]:
    # `[text](target)` is a link in a message, and nothing from linted code may be one.
    return {"text": clip(one_line(text), LONGEST).replace("](", "] (") or "-"}


def _step(reader: Reader, step: Step) -> dict[str, Any]:
    return {"message": _message(step.message), **_physical(reader, step.place)}


def _location(reader: Reader, place: Place, function: str = "") -> dict[str, Any]:
    location = _physical(reader, place)
    if function and function != "<module>":
        location["logicalLocations"] = [{"fullyQualifiedName": visible(function), "kind": "function"}]
    return location


def _physical(reader: Reader, place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.path), "uriBaseId": "%SRCROOT%"}}
    region = _region(reader, place)
    if region:
        physical["region"] = region
    return {"physicalLocation": physical}


def _region(reader: Reader, place: Place) -> dict[str, int]:
    """Lines of the file on disk; in a notebook they are lines of JSON, in which the columns mean nothing."""
    if place.cell is not None:
        line = reader.physical(place)
        return {} if line is None else {"startLine": line}
    region = {"startLine": place.line, "startColumn": place.column, "endLine": max(place.line, place.end_line)}
    column = place.end_column if place.end_line > place.line else max(place.column, place.end_column)
    return {**region, "endColumn": column}


def _uri(path: str) -> str:
    from urllib.parse import quote

    try:
        data = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # no name of a file, which has bytes only
        data = path.encode("utf-8", "surrogatepass")
    return quote(data, safe="/") or "."


# The run


def _invocation(reader: Reader, report: Report, cut: int) -> dict[str, Any]:
    notes = [*(_crash(reader, crash) for crash in report.crashes), *(_unread(reader, f) for f in report.unreadable)]
    notes += [{"level": "note", "message": _message(note)} for note in report.notes]
    if cut:
        said = f"{cut} findings were left out: GitHub takes {RESULTS}"
        notes.insert(0, {"level": "warning", "message": _message(said)})
    for what, number in _shortened(report.findings):
        notes.insert(0, {"level": "note", "message": _message(f"{what} were cut in {number} findings")})
    if len(notes) > NOTIFICATIONS:
        rest = len(notes) - NOTIFICATIONS + 1
        notes = [*notes[: NOTIFICATIONS - 1], {"level": "note", "message": _message(f"{rest} more notes")}]
    return {"executionSuccessful": not report.crashes, "toolExecutionNotifications": notes}


def _shortened(findings: Iterable[Finding]) -> Iterable[tuple[str, int]]:
    shown = [finding for finding in findings if finding.disposition != "unselected"]
    related = sum(len(finding.related) > RELATED for finding in shown)
    flows = sum(len(finding.trail) >= FLOW for finding in shown)
    return [pair for pair in (("related places", related), ("trails", flows)) if pair[1]]


def _crash(reader: Reader, crash: Crash) -> dict[str, Any]:
    note: dict[str, Any] = {"level": "error", "message": _message(f"{crash.stage} crashed: {crash.error}")}
    if crash.path:
        note["locations"] = [_physical(reader, Place(crash.path, 1, 1, 1, 1))]
    return note


def _unread(reader: Reader, fact: Unreadable) -> dict[str, Any]:
    level = "error" if fact.relevant else "note"
    return {
        "level": level,
        "message": _message(f"not checked ({fact.reason}): {fact.message}"),
        "locations": [_physical(reader, fact.place)],
    }
