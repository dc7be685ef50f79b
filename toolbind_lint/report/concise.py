"""``path:line:col: CODE message``, one line a finding, for editors and grep."""

from __future__ import annotations

from toolbind_lint.findings import Report
from toolbind_lint.report import Options
from toolbind_lint.report.paint import Paint
from toolbind_lint.report.places import Reader, order
from toolbind_lint.report.plain import one_line
from toolbind_lint.report.tally import totals


def render(report: Report, options: Options) -> str:
    """Findings in order, then crashes, then (unless quiet) the counts."""
    reader, paint = Reader(report, options), Paint(options.colour)
    lines = []
    for finding in sorted(report.shown, key=order):
        place = paint(reader.place(finding.place), "strong")
        lines.append(f"{place}: {paint(finding.code, finding.severity)} {one_line(finding.message)}")
    for crash in report.crashes:
        where = paint(reader.path(crash.path), "strong")
        lines.append(f"{where}: {paint('crashed', 'error')} {one_line(crash.stage)}: {one_line(crash.error)}")
    if not options.quiet:
        lines.append(totals(report))
    return "".join(f"{line}\n" for line in lines)
