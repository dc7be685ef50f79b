"""JSON lines for logs and pipes: the JSON report, one object a line, each saying what it is.

First a ``run``, then each ``finding`` and each ``loop`` as the JSON report has them, last a ``summary``; a stream that
ends without one was cut.
"""

from __future__ import annotations

import json
from typing import Any

from toolbind_lint.findings import Report
from toolbind_lint.report import Options
from toolbind_lint.report.json import document

COUNTS = ("files_checked", "files_screened", "files_unreadable", "suppressed", "baselined", "relaxed")


def render(report: Report, options: Options) -> str:
    """The lines; how the report is shown (``options``) changes nothing."""
    del options
    whole = document(report)
    rows: list[dict[str, Any]] = [
        {"type": "run", **{key: whole[key] for key in ("schema_version", "tool", "root")}},
        *({"type": "finding", **finding} for finding in whole["findings"]),
        *({"type": "loop", **loop} for loop in whole["loops"]),
        *({"type": "crash", "path": path, "stage": stage, "error": error} for path, stage, error in report.crashes),
        {"type": "summary", "findings": len(whole["findings"]), **{key: whole[key] for key in COUNTS}},
    ]
    return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows)
