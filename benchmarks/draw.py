"""Draw findings to be judged by a reader: ``python -m benchmarks.draw CACHE [--count 30] [--seed 1]``.

Lints the pinned packages and prints findings balanced over rules and packages, each with ten lines of source. The same
seed and the same findings give the same draw.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.fetch import bring, read_settings
from benchmarks.run import lint
from benchmarks.scoring import Seen, counts, draw

CONTEXT = 10
"""Lines of source shown with each finding."""


def frame(text: str, line: int) -> str:
    """Numbered lines around ``line`` (from 1), which is marked."""
    lines = text.splitlines()
    first = max(1, min(line - CONTEXT // 2 + 1, len(lines) - CONTEXT + 1))
    shown = range(first, min(first + CONTEXT, len(lines) + 1))
    return "\n".join(f"{'>' if number == line else ' '}{number:6} {lines[number - 1]}" for number in shown)


def main() -> int:
    """Lint, draw, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--rules", nargs="*", default=[], metavar="CODE")
    options = parser.parse_args()
    packages, _ = read_settings()
    findings: list[Seen] = []
    folders: dict[str, Path] = {}
    crashed = False
    for package in packages:
        if options.only and package.name not in options.only:
            continue
        folders[package.name] = bring(package, options.cache)
        run = lint(folders[package.name], package.name)
        crashed |= run.crashed
        findings += [f for f in run.findings if not options.rules or f.code in options.rules]
    for number, finding in enumerate(draw(findings, options.count, options.seed), 1):
        print(f"\n[{number}] {finding.package} {finding.path}:{finding.line} {finding.code} {finding.message}")
        for path, line in finding.loops:
            print(f"      about the loop at {path}:{line}")
        if not finding.path.endswith(".ipynb"):
            text = (folders[finding.package] / finding.path).read_text(encoding="utf-8", errors="replace")
            print(frame(text, finding.line))
    print("\n" + "  ".join(f"{code} {number}" for code, number in sorted(counts(findings).items())))
    return 1 if crashed else 0


if __name__ == "__main__":
    raise SystemExit(main())
