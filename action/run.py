"""The step of the action: inputs and event -> the command line, and where its reports go.

Everything comes from environment variables and the event file, as the runner documents them. Exit status is the
linter's. Started with ``python -I``, so that nothing of the linted repository can be imported.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from toolbind_lint.cli import main as command  # noqa: E402 - it lies in the checkout of the action
from toolbind_lint.git import GitError, Repository  # noqa: E402

INTERRUPTED = 130
NOTHING = "0" * 40
"""What a push event names as the commit before the first one."""

SUMMARY_BYTES = 1024 * 1024 - 1024
"""GitHub drops a step's summary above a mebibyte."""


class InputError(Exception):
    """The inputs do not fit together."""


class Plan(NamedTuple):
    """What is run: the base, or an empty string for all of the project, and why."""

    base: str
    why: str


def main() -> int:
    """Lint; returns the exit status."""
    environ = os.environ
    try:
        plan = choose(environ)
        words = arguments(environ, plan)
    except InputError as error:
        print(f"::error title=toolbind-lint::{_escaped(str(error))}")
        return 2
    print(f"toolbind-lint: {_plain(plan.why)}", flush=True)
    reports = Path(environ["RUNNER_TEMP"]) / "toolbind-lint-reports"
    reports.mkdir(parents=True, exist_ok=True)
    summary, sarif = reports / "summary.md", reports / "toolbind-lint.sarif"
    for old in (summary, sarif):
        old.unlink(missing_ok=True)
    extra = ["--output-format", "github"]
    if _on(environ, "summary"):
        extra += ["--report", f"markdown={summary}"]
    whole = _on(environ, "sarif") and plan.base and environ.get("GITHUB_EVENT_NAME") == "push"
    if _on(environ, "sarif") and not whole:
        extra += ["--report", f"sarif={sarif}"]
    status = lint([*words, *extra])
    if whole and status in {0, 1}:
        # Code scanning takes what a branch's analysis leaves out for mended: a push needs all of it.
        wide = arguments(environ, plan._replace(base=""))
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
            status = max(
                status, 2 * (lint([*wide, "--output-format", "sarif", "--report", f"sarif={sarif}"], nowhere) > 1)
            )
    publish(environ, summary, sarif, status)
    return status


# What is compared with what


def choose(environ: Mapping[str, str]) -> Plan:
    """The base for the event: what the input names, the target of a pull request, what a push came on top of."""
    given = environ.get("TOOLBIND_BASE", "").strip()
    if given == "none":
        return Plan("", "all of the project, as `base: none` says")
    if given:
        return Plan(given, f"what is new against `{given}`, which the input names")
    event, name = _event(environ), environ.get("GITHUB_EVENT_NAME", "")
    if name in {"pull_request", "pull_request_target"}:
        return _pull_request(event)
    if name == "merge_group":
        base = str(_dig(event, "merge_group", "base_sha") or "")
        if _commit(base):
            return Plan(base, "what is new against the branch that the queue merges into")
    if name == "push":
        return _push(event)
    return Plan("", "all of the project")


def _pull_request(event: Mapping[str, Any]) -> Plan:
    """Of the merge commit that GitHub checks out, the first parent is the target: it is there with `fetch-depth: 2`."""
    head = str(_dig(event, "pull_request", "head", "sha") or "")
    base = str(_dig(event, "pull_request", "base", "sha") or "")
    parents = _git("rev-list", "--parents", "--max-count=1", "HEAD").split()[1:]
    if len(parents) == 2 and parents[1] == head:
        return Plan("HEAD^1", "what is new against the target of the pull request")
    if not base:
        raise InputError("the event names no base: give `base`")
    return Plan(base, "what is new against the target of the pull request")


def _push(event: Mapping[str, Any]) -> Plan:
    before = str(event.get("before") or "")
    if before in {"", NOTHING} or event.get("created") is True:
        return Plan("", "all of the project, as the branch is new")
    if not _commit(before):
        why = "a forced push replaced it" if event.get("forced") is True else "the clone is shallow"
        return Plan("", f"all of the project, as what was pushed upon is not here ({why})")
    if not _git("merge-base", before, "HEAD"):
        return Plan("", "all of the project, as it has no history in common with what was there")
    return Plan(before, "what is new against what was pushed upon")


def _event(environ: Mapping[str, str]) -> Mapping[str, Any]:
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"the event file cannot be read: {error}") from error
    return event if isinstance(event, dict) else {}


def _dig(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _commit(name: str) -> bool:
    return name.isalnum() and bool(_git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"))


def _git(*args: str) -> str:
    """What git says, by the linter's own hardened way to run it; empty where it fails."""
    try:
        with Repository(os.getcwd()) as repository:  # noqa: PTH109 - the working directory may not resolve
            return repository.ask(*args)
    except GitError:
        return ""


# The command line


def arguments(environ: Mapping[str, str], plan: Plan) -> list[str]:
    """The words of the command line. Paths are one a line; nothing goes through a shell."""
    words = ["check"]
    if plan.base:
        words.append(f"--base={plan.base}")
    level = environ.get("TOOLBIND_FAIL_ON", "").strip()
    if level:
        words.append(f"--fail-on={level}")
    try:
        words += shlex.split(environ.get("TOOLBIND_ARGS", ""))
    except ValueError as error:
        raise InputError(f"args: {error}") from error
    paths = [line.strip() for line in environ.get("TOOLBIND_PATHS", "").splitlines() if line.strip()]
    return words + [f"./{path}" if path.startswith("-") else path for path in paths]


def lint(words: list[str], out: Any = None) -> int:
    """Run the command in this process; a cancelled job ends it as an interrupt does."""
    signals: list[int] = []

    def end(number: int, frame: object) -> NoReturn:
        signals.append(number)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    kept = sys.stdout
    try:
        sys.stdout = out or kept
        status = command(words)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        sys.stdout = kept
    if signals and status != INTERRUPTED:  # native code may have swallowed it
        print("toolbind-lint: interrupted", file=sys.stderr)
        return INTERRUPTED
    return status


# Where the reports go


def publish(environ: Mapping[str, str], summary: Path, sarif: Path, status: int) -> None:
    """Append the summary to the step's, and name the SARIF file for the step that uploads it."""
    target = environ.get("GITHUB_STEP_SUMMARY", "")
    if target and summary.is_file():
        text = summary.read_bytes()
        if len(text) > SUMMARY_BYTES:
            text = b"## toolbind-lint\n\nThe summary is too long to show; the log has the findings.\n"
        with Path(target).open("ab") as file:
            file.write(text)
    output = environ.get("GITHUB_OUTPUT", "")
    if output:
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(f"status={status}\n")
            if status != INTERRUPTED and sarif.is_file() and sarif.stat().st_size:
                file.write(f"sarif={sarif}\n")


def _on(environ: Mapping[str, str], name: str) -> bool:
    value = environ.get(f"TOOLBIND_{name.upper()}", "").strip().lower()
    if value not in {"", "true", "false"}:
        raise InputError(f"{name} is `{value}`, and must be true or false")
    return value == "true"


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text).replace("##[", "# #[")


def _escaped(text: str) -> str:
    return _plain(text).replace("%", "%25")


def _trust(folder: str) -> None:
    """In a container the checkout may belong to another user, and git would not read it: here it may."""
    home = Path(os.environ["RUNNER_TEMP"]) / "toolbind-lint-home"
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["git", "config", "--file", str(home / ".gitconfig"), "safe.directory", folder],
        check=False,
        capture_output=True,
    )
    os.environ["HOME"] = str(home)
    os.environ.pop("XDG_CONFIG_HOME", None)


if __name__ == "__main__":
    _trust(os.environ.get("GITHUB_WORKSPACE") or str(Path.cwd()))
    try:
        sys.exit(main())
    except InputError as wrong:
        print(f"::error title=toolbind-lint::{_escaped(str(wrong))}")
        sys.exit(2)
