"""JUnit XML, which most build servers show: a suite a file, a case a finding, and one case for the run itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from toolbind_lint.findings import Crash, Finding, Report
from toolbind_lint.report import Options
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import one_line, visible
from toolbind_lint.report.tally import totals

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}


def render(report: Report, options: Options) -> str:
    """Suites for files with findings, then one for the crashes, then one for the run itself."""
    del options
    reader = Reader(report, Options())
    findings = sorted(report.shown, key=order)
    suites = [
        _suite(path, [_case(reader, finding) for finding in group])
        for path, group in groupby(findings, key=lambda finding: finding.place.path)
    ]
    if report.crashes:
        suites.append(_suite("crashes", [_crash(crash) for crash in report.crashes], kind="errors"))
    suites.append(_suite("toolbind-lint", [_run(report)], failed=0))
    attributes = _attributes(
        name="toolbind-lint",
        tests=str(len(findings) + len(report.crashes) + 1),
        failures=str(len(findings)),
        errors=str(len(report.crashes)),
    )
    body = "".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {attributes}>\n{body}</testsuites>\n'


def _suite(name: str, cases: Sequence[str], *, kind: str = "failures", failed: int | None = None) -> str:
    counts = {"failures": "0", "errors": "0", kind: str(len(cases) if failed is None else failed)}
    attributes = _attributes(name=visible(name), tests=str(len(cases)), skipped="0", **counts)
    return f"  <testsuite {attributes}>\n{''.join(cases)}  </testsuite>\n"


def _case(reader: Reader, finding: Finding) -> str:
    place = finding.place
    line = reader.physical(place) or 1
    head = _attributes(
        name=f"{finding.code} {finding.name} at {reader.line(place)}",
        classname=visible(place.path),
        file=visible(place.path),
        line=str(line),
    )
    failure = _attributes(message=one_line(finding.message), type=finding.severity)
    lines = [f"{reader.place(place)}: {finding.code} {one_line(finding.message)}", one_line(finding.help)]
    lines += [f"{reader.line(at)}: {one_line(message)}" for at, message in finding.related]
    text = _text("\n".join(line for line in lines if line))
    return f"    <testcase {head}>\n      <failure {failure}>{text}</failure>\n    </testcase>\n"


def _crash(crash: Crash) -> str:
    head = _attributes(name=f"{one_line(crash.stage)} on {visible(crash.path)}", classname="toolbind-lint")
    error = _attributes(message=one_line(crash.error), type="crash")
    return f"    <testcase {head}>\n      <error {error}/>\n    </testcase>\n"


def _run(report: Report) -> str:
    name = f"{report.files_checked} files checked: {totals(report)}"
    return f"    <testcase {_attributes(name=name, classname='toolbind-lint')}/>\n"


def _attributes(**values: str) -> str:
    return " ".join(f'{name}="{_text(value)}"' for name, value in values.items())


def _text(text: str) -> str:
    return "".join(_characters(text))


def _characters(text: str) -> Iterable[str]:
    return (_ENTITIES.get(character, character) for character in text)
