"""Run the linter on an unpacked package as a person would, and read what it said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from benchmarks.scoring import Seen

ROOT = Path(__file__).resolve().parents[1]


class Run(NamedTuple):
    """One run: exit status, findings, seconds, and the end of standard error."""

    status: int
    findings: tuple[Seen, ...]
    seconds: float
    errors: str
    loops: int = 0
    unreadable: int = 0

    @property
    def crashed(self) -> bool:
        """Neither 0 nor 1: the linter itself broke."""
        return self.status not in {0, 1}


def read(report: dict[str, Any], package: str) -> tuple[Seen, ...]:
    """The findings of a JSON report, their paths relative to the folder that was linted."""
    top = PurePosixPath(str(report.get("root", ".")))

    def here(path: str) -> str:
        return os.path.normpath(top / path).replace(os.sep, "/")

    loops = {loop["id"]: (here(loop["path"]), int(loop["line"])) for loop in report.get("loops", [])}
    return tuple(
        Seen(
            finding["code"],
            here(finding["path"]),
            int(finding["line"]),
            tuple(loops[name] for name in finding.get("loops") or () if name in loops),
            package,
            finding["message"],
        )
        for finding in report["findings"]
    )


def lint(folder: Path, package: str) -> Run:
    """Lint one folder with every rule; the linter of this checkout is used."""
    command = [sys.executable, "-m", "toolbind_lint", "check", ".", "--isolated", "--profile", "strict"]
    command += ["--output-format", "json", "--no-respect-gitignore"]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path}
    )
    seconds = time.perf_counter() - start
    if not done.stdout.lstrip().startswith("{"):
        return Run(done.returncode or 2, (), seconds, done.stderr[-2000:])
    report = json.loads(done.stdout)
    loops = sum(loop["kind"] == "tool-loop" for loop in report["loops"])
    return Run(
        done.returncode, read(report, package), seconds, done.stderr[-2000:], loops, report.get("files_unreadable", 0)
    )
