"""Real fixes as pull requests: ``python -m benchmarks.pairs PAIRS.jsonl --mirror MIRROR [--only ID ...]``.

A pair names a repository, the commits before and after a fix, the file and the rule that the fix takes away. MIRROR
holds ``<owner>+<name>/repo`` with git objects; of each commit the package that the file is in is laid into a temporary
repository. Linted as a pull request the fix must report nothing new of the rule, and undoing it must report the rule
as new in the construct. Only firm pairs whose rule exists are judged, and of one that the fix does not clear
(``after_clean``) only the first. The exit status is 1 when a pair fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from benchmarks.run import ROOT
from toolbind_lint.check import load_rules

SLACK = 3
"""Lines around the construct in which the undone fix may be reported."""
KEPT = (".py", ".pyi", ".toml", ".cfg", ".txt", ".lock", ".json", ".yaml", ".yml")
MANIFESTS = frozenset({"pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "uv.lock", "poetry.lock"})


class Outcome(NamedTuple):
    """What became of one pair: findings of the rule that the fix and its undoing report as new, and the seconds."""

    fixed: tuple[str, ...]
    undone: tuple[str, ...]
    seconds: float
    broken: str = ""


def package(path: str, files: Mapping[str, bytes]) -> str:
    """The folder of the outermost package that a file is in; empty for none."""
    folder = PurePosixPath(path).parent
    inside = [each for each in (folder, *folder.parents) if str(each / "__init__.py") in files]
    outermost = inside[-1] if inside else folder
    return "" if str(outermost) == "." else str(outermost)


def kept(path: str, folder: str) -> bool:
    """Whether a file is laid out: those of the package, and the manifests above it."""
    pure = PurePosixPath(path)
    if pure.name in MANIFESTS and (
        pure.parent == PurePosixPath(".") or PurePosixPath(folder).is_relative_to(pure.parent)
    ):
        return True
    return path.endswith(KEPT) and (not folder or pure.is_relative_to(folder))


def tree(repository: Path, commit: str) -> dict[str, str]:
    """Path -> object of the regular files of a commit."""
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", "-z", commit], capture_output=True, check=True
    ).stdout
    found = {}
    for row in filter(None, listed.split(b"\0")):
        head, _, path = row.partition(b"\t")
        mode, kind, name = head.split()
        if kind == b"blob" and mode != b"120000":
            found[os.fsdecode(path)] = name.decode()
    return found


def contents(repository: Path, wanted: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """The bytes of the files of ``tree``; what the mirror lacks is left out."""
    asked = "".join(f"{name}\n" for name in wanted.values()).encode()
    command = ["git", "-C", str(repository), "cat-file", "--batch"]
    told = subprocess.run(command, input=asked, capture_output=True, check=True).stdout
    at = 0
    for path in wanted:
        end = told.index(b"\n", at)
        head = told[at:end].split()
        at = end + 1
        if head[-1] != b"missing":
            size = int(head[2])
            yield path, told[at : at + size]
            at += size + 1


def sides(pair: Mapping[str, Any], mirror: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files before and after the fix."""
    repository = mirror / pair["repo"].replace("/", "+") / "repo"
    trees = [tree(repository, pair[side]) for side in ("before", "after")]
    folder = package(pair["path"], {path: b"" for each in trees for path in each})
    before, after = (
        dict(contents(repository, {path: name for path, name in each.items() if kept(path, folder)})) for each in trees
    )
    return before, after


def committed(top: Path, files: Mapping[str, bytes]) -> str:
    """Commit these files and no others; the new commit."""
    git = ["git", "-C", str(top), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run([*git, "rm", "-rqf", "--ignore-unmatch", "."], check=True, capture_output=True)
    for path, data in files.items():
        place = top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    subprocess.run([*git, "add", "-Af", "."], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "side"], check=True, capture_output=True)
    told = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return told.stdout.strip()


def proposed(rule: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> tuple[list[dict[str, Any]], str]:
    """What a pull request from ``old`` to ``new`` reports of a rule, and what broke."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        subprocess.run(["git", "init", "-q", str(top)], check=True, capture_output=True)
        base = committed(top, old)
        committed(top, new)
        command = [sys.executable, "-m", "toolbind_lint", "check", ".", "--base", base, "--isolated"]
        command += ["--select", rule, "--preview", "--output-format", "json"]
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            command, cwd=top, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
    if done.returncode not in {0, 1}:
        return [], f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
    return [each for each in json.loads(done.stdout)["findings"] if each["code"] == rule], ""


def judge(pair: Mapping[str, Any], mirror: Path) -> Outcome:
    """Both directions of one pair."""
    began = time.perf_counter()
    before, after = sides(pair, mirror)
    fixed, broken = proposed(pair["rule"], before, after)
    undone, failed = proposed(pair["rule"], after, before)
    return Outcome(
        tuple(f"{f['path']}:{f['line']}" for f in fixed),
        tuple(f"{f['path']}:{f['line']}" for f in undone if _concerns(f, pair)),
        time.perf_counter() - began,
        broken or failed,
    )


def _concerns(finding: Mapping[str, Any], pair: Mapping[str, Any]) -> bool:
    """Whether a finding, or what it speaks of, stands in the construct of a pair."""
    loops = [loop.partition(":")[::2] for loop in finding["loops"]]
    spots = [(finding["path"], finding["line"]), *((path, int(at.partition(":")[0])) for path, at in loops)]
    spots += [(step["path"], step["line"]) for step in finding["related"]]
    return any(
        path == pair["path"] and pair["before_line"] - SLACK <= line <= pair["before_end"] + SLACK
        for path, line in spots
    )


def told(pair: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """What is wrong with a pair."""
    wrong = [outcome.broken] if outcome.broken else []
    if outcome.fixed:
        wrong.append(f"the fix reports it as new: {', '.join(outcome.fixed[:5])}")
    if pair["after_clean"] and not outcome.undone:
        wrong.append("undoing the fix reports nothing new of it")
    return wrong


def main() -> int:
    """Judge the pairs, print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--mirror", type=Path, default=os.environ.get("MIRROR"), required="MIRROR" not in os.environ)
    parser.add_argument("--only", nargs="*", default=[], metavar="ID")
    parser.add_argument("--all", action="store_true", help="also those that two readers could see differently")
    options = parser.parse_args()
    codes = {rule.code for rule in load_rules()}
    failed = judged = 0
    for line in options.pairs.read_text("utf-8").splitlines():
        pair = json.loads(line)
        if (
            pair["rule"] not in codes
            or (pair["maybe"] and not options.all)
            or (options.only and pair["id"] not in options.only)
        ):
            continue
        outcome = judge(pair, options.mirror)
        wrong = told(pair, outcome)
        judged += 1
        failed += bool(wrong)
        state = "; ".join(wrong) or "holds"
        print(f"{pair['id']} {pair['rule']} {pair['path']} {outcome.seconds:.0f} s: {state}", flush=True)
    print(f"{judged - failed} of {judged} pairs hold")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
