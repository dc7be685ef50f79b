"""GitLab Code Quality: a list of issues that a merge request shows beside its lines.

The format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. A line is that of the file on
disk, also in notebooks. Fingerprints are unique in a report, or GitLab drops all but one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from toolbind_lint.findings import Crash, Finding, Report, Severity
from toolbind_lint.report import Options
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import one_line, visible

LEVELS: Mapping[Severity, str] = {"error": "critical", "warning": "major", "advice": "minor", "review": "info"}


def render(report: Report, options: Options) -> str:
    """Crashes and findings as JSON; how the report is shown (``options``) changes nothing."""
    del options
    reader = Reader(report, Options())
    issues = [_crash(crash) for crash in report.crashes]
    issues += [_issue(reader, finding) for finding in sorted(report.shown, key=order)]
    seen: dict[str, int] = {}
    for issue in issues:
        number = seen[issue["fingerprint"]] = seen.get(issue["fingerprint"], 0) + 1
        if number > 1:
            issue["fingerprint"] = _hash(f"{issue['fingerprint']} {number}")
    return json.dumps(issues, ensure_ascii=True, indent=2) + "\n"


def _issue(reader: Reader, finding: Finding) -> dict[str, Any]:
    place = finding.place
    line = reader.physical(place) or 1
    return {
        "description": one_line(f"{finding.code} {finding.name}: {finding.message}"),
        "check_name": finding.code,
        "fingerprint": _hash(str(finding.fingerprint or f"{finding.code} {place.path} {line}")),
        "severity": LEVELS[finding.severity],
        "location": {"path": visible(place.path), "lines": {"begin": line, "end": max(line, _last(reader, finding))}},
    }


def _last(reader: Reader, finding: Finding) -> int:
    place = finding.place
    return reader.physical(place._replace(line=place.end_line)) or 1


def _crash(crash: Crash) -> dict[str, Any]:
    return {
        "description": one_line(f"toolbind-lint crashed in {crash.stage}: {crash.error}"),
        "check_name": "crash",
        "fingerprint": _hash(f"crash {crash.stage} {crash.path}"),
        "severity": "blocker",
        "location": {"path": visible(crash.path) or ".", "lines": {"begin": 1, "end": 1}},
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
