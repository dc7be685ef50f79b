"""The report for programs: JSON as ``schema.json`` describes it.

Paths are relative to the project root. The text is ASCII, so a path that is no UTF-8 survives as lone surrogates.
"""

from __future__ import annotations

import json
from typing import Any

from toolbind_lint import __version__
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Finding, Report
from toolbind_lint.report import Options
from toolbind_lint.report.places import order
from toolbind_lint.report.tally import subject_order, tally
from toolbind_lint.verdicts import GATES, Subject, Verdict

SCHEMA_VERSION = 1


def render(report: Report, options: Options) -> str:
    """The report as indented JSON; how it is shown (``options``) changes nothing."""
    del options
    return json.dumps(document(report), ensure_ascii=True, indent=2) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    sums = tally(report)
    subjects = sorted((s for s in report.subjects if s.kind != "binding"), key=subject_order)
    bindings = frozenset(s.id for s in report.subjects if s.kind == "binding")
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "toolbind-lint", "version": __version__},
        "root": report.root,
        "files_checked": report.files_checked,
        "files_screened": report.files_screened,
        "files_unreadable": sums.unreadable,
        "findings": [_finding(finding, bindings) for finding in sorted(report.shown, key=order)],
        "loops": [_loop(subject) for subject in subjects],
        "suppressed": sums.suppressed,
        "baselined": sums.baselined,
        "relaxed": sums.relaxed,
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of the report, as shipped in the package."""
    from importlib.resources import files

    text = files("toolbind_lint.report").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _finding(finding: Finding, bindings: frozenset[str]) -> dict[str, Any]:
    place = finding.place
    loops = [id for id in finding.loops if id not in bindings]
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "how": finding.how,
        "gate": finding.gate,
        "message": finding.message,
        "help": finding.help,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        **_cell(place),
        "loop": loops[0] if loops else None,
        "loops": loops,
        "related": [_related(step) for step in finding.related],
        "trail": [{"path": at.path, "line": at.line, "message": message} for at, message in finding.trail],
        "fix": None,
        "fingerprint": None if finding.fingerprint is None else str(finding.fingerprint),
    }


def _cell(place: Place) -> dict[str, int]:
    return {} if place.cell is None else {"cell": place.cell}


def _related(step: Step) -> dict[str, Any]:
    place = step.place
    return {"path": place.path, "line": place.line, "column": place.column, "message": step.message}


def _loop(subject: Subject) -> dict[str, Any]:
    return {
        "id": subject.id,
        "kind": subject.kind,
        "path": subject.header.path,
        "line": subject.header.line,
        "end_line": subject.place.end_line,
        **_cell(subject.header),
        "function": subject.function,
        "framework": subject.framework,
        "gates": {gate: _gate(subject.verdict(gate)) for gate in GATES},
        "envelope": subject.envelope._asdict(),
    }


def _gate(verdict: Verdict) -> dict[str, Any]:
    return {
        "state": verdict.state,
        "how": verdict.how,
        "evidence": [
            {"path": place.path, "line": place.line, "value": value, "message": message}
            for place, value, message, _ in verdict.evidence
        ],
    }
