"""Recall, precision and silence per rule against the hand labels: ``python -m benchmarks.accuracy CACHE``.

Brings the packages that have labels, lints each, prints a table with counts and 95% Wilson intervals, and exits 1 when
the linter crashed or a figure is under its floor in ``packages.toml``.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.fetch import HERE, bring, read_settings
from benchmarks.run import lint
from benchmarks.scoring import Label, Outcome, Tally, below, score, total, wilson


def read_labels(path: Path = HERE / "labels.jsonl") -> list[Label]:
    """All labels, one a line."""
    return [Label(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def figure(part: int, whole: int) -> str:
    """A share with its counts and interval, or a dash of nothing."""
    if whole == 0:
        return f"{'-':>28}"
    low, high = wilson(part, whole)
    return f"{part}/{whole} {part / whole:.2f} [{low:.2f}, {high:.2f}]".rjust(28)


def table(tallies: dict[str, Tally]) -> str:
    """The figures of every rule, one a line."""
    lines = [f"{'rule':8}{'recall':>28}{'precision':>28}{'silence':>28}"]
    for code, t in tallies.items():
        cells = ((t.hit, t.hit + t.miss), (t.hit, t.hit + t.broken), (t.quiet, t.quiet + t.broken))
        lines.append(f"{code:8}" + "".join(figure(part, whole) for part, whole in cells))
    return "\n".join(lines)


def describe(outcome: Outcome) -> str:
    """One line about a mark that went wrong."""
    label = outcome.label
    where = f"{label.package} {label.path}:{label.line} {label.kind} {label.function}"
    at = f" at {outcome.finding.path}:{outcome.finding.line}" if outcome.finding else ""
    return f"{outcome.what.upper():6}{outcome.code}{at} for {where}: {label.note}"


def main() -> int:
    """Measure and compare with the floors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="only these; floors are not compared")
    parser.add_argument("--show", action="store_true", help="every mark that went wrong")
    options = parser.parse_args()
    packages, floors = read_settings()
    labels: dict[str, list[Label]] = defaultdict(list)
    for label in read_labels():
        labels[label.package].append(label)
    parts: list[dict[str, Tally]] = []
    faults: list[str] = []
    for package in packages:
        if package.name not in labels or (options.only and package.name not in options.only):
            continue
        run = lint(bring(package, options.cache), package.name)
        print(f"{package.folder:36}{run.loops:4} loops {len(run.findings):5} findings {run.seconds:6.1f} s", flush=True)
        if run.crashed:
            faults.append(f"{package.folder}: exit {run.status}: {run.errors}")
        for label in labels[package.name]:
            if label.version != package.version:
                faults.append(f"{package.folder}: a label was written for {label.version}")
            tallies, wrong = score(label, run.findings)
            parts.append(tallies)
            if options.show:
                print(*map(describe, wrong), sep="\n", end="\n" if wrong else "")
    sums = total(parts)
    print(table(sums))
    if not options.only:
        faults += below(sums, floors)
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
