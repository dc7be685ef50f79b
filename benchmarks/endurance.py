"""Whether the dispatcher's tests hold when they are repeated: ``python -m benchmarks.endurance [--kill N] [--rest N]``.

First the figures, in one run with TOOLBIND_REPEATS set: how late each bad tool is dead (median over 50), that it took
no memory, and ten thousand dispatches without a leak. Then the kill tests and the rest of ``tests/runtime``, each as
often as asked. It takes hours, most of them spent waiting; a flake is named with the numbers of its runs, and the exit
status is 1.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
KILL = "tests/runtime/test_runtime_kill.py"


def pytest(*argv: str, repeats: bool = False) -> tuple[bool, str]:
    """Whether a run of the tests was green, and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **({"TOOLBIND_REPEATS": "1"} if repeats else {})}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *argv]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def figures() -> bool:
    """Print what the repeated kill tests measure."""
    green, said = pytest(KILL, "-s", "-k", "dead_in_time or every_time or killed_with or leaks", repeats=True)
    for line in said.splitlines():
        if found := re.search(r"[\w ]+: \d+ ms late.*", line):
            print(found[0].strip(), flush=True)
    print(said.strip().splitlines()[-1], flush=True)
    if not green:
        print(said)
    return green


def repeated(name: str, count: int, *argv: str) -> bool:
    """Run tests ``count`` times and name those that failed."""
    failed: dict[str, list[int]] = defaultdict(list)
    began = time.monotonic()
    for number in range(1, count + 1):
        green, said = pytest("-q", *argv)
        for test in re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE) or (
            [] if green else ["(the run itself)"]
        ):
            failed[test].append(number)
            print(f"{name} {number}: {test}", flush=True)
    print(f"{name}: {count} repeats in {time.monotonic() - began:.0f} s, {len(failed)} tests failed", flush=True)
    for test, numbers in failed.items():
        print(f"  {test}: {numbers}")
    return not failed


def main() -> int:
    """Measure, repeat, report. 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kill", type=int, default=200, metavar="N", help="repeats of the kill tests (default: 200)")
    parser.add_argument("--rest", type=int, default=20, metavar="N", help="repeats of the other tests (default: 20)")
    parser.add_argument("--no-figures", action="store_true", help="only the repeats")
    given = parser.parse_args()
    held = [given.no_figures or figures()]
    held.append(repeated("kill", given.kill, KILL))
    held.append(repeated("rest", given.rest, "tests/runtime", f"--ignore={KILL}"))
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
