"""The hooks of ``.pre-commit-hooks.yaml``, run by the real pre-commit on a temporary repository.

Installing a hook's environment needs the network; so the manifest is read, and the same entry, arguments and file
types run as a local hook of language ``system`` in the environment of the tests.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
yaml: Any = importlib.import_module("yaml")  # comes with pre-commit, without types
MANIFEST = ROOT / ".pre-commit-hooks.yaml"

BOUNDED = """
import json

TOOLS = {"search": print}


def run(client, messages, tools):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("cap reached")
"""
UNBOUNDED = BOUNDED.replace("for _ in range(8):", "while True:")


def hooks() -> dict[str, dict[str, Any]]:
    loaded = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in loaded}


class Repository:
    """A git repository with our hooks, and an environment in which ``toolbind-lint`` is on the path."""

    def __init__(self, root: Path) -> None:
        self.root = root / "repo"
        self.root.mkdir()
        scripts = root / "bin"
        scripts.mkdir()
        script = scripts / "toolbind-lint"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolbind_lint "$@"\n')
        script.chmod(0o755)
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PRE_COMMIT_HOME": str(root / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        self.git("init", "-q")

    def git(self, *args: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", *identity, *args], cwd=self.root, env=self.environment, check=True)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.git("add", name)

    def use(self, id: str) -> None:
        known = {key: value for key, value in hooks()[id].items() if key != "minimum_pre_commit_version"}
        local = {"repos": [{"repo": "local", "hooks": [{**known, "language": "system", "verbose": True}]}]}
        self.write(".pre-commit-config.yaml", yaml.safe_dump(local))

    def run(self, *args: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never", *args]
        result = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        return result.returncode, result.stdout + result.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_the_manifest_is_valid() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)]
    assert subprocess.run(command, check=False).returncode == 0


def test_the_hooks_are_as_promised() -> None:
    known = hooks()
    assert set(known) == {"toolbind-lint", "toolbind-lint-all"}
    changed = known["toolbind-lint"]
    assert changed["types_or"] == ["python", "pyi", "jupyter"]
    assert changed["require_serial"] is True
    assert "--force-exclude" in [*changed["entry"].split(), *changed["args"]]
    assert changed.get("pass_filenames", True)
    assert known["toolbind-lint-all"]["pass_filenames"] is False
    assert {hook["language"] for hook in known.values()} == {"python"}


def test_a_changed_file_with_an_unbounded_loop_fails(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.write("agent.py", UNBOUNDED)
    status, output = repository.run()
    assert status == 1, output
    assert "TB101" in output
    assert re.search(r"exit code: 1", output)


def test_a_plain_change_passes(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.write("old/agent.py", UNBOUNDED)
    repository.git("commit", "-qm", "x", "--no-verify")
    repository.write("plain.py", "x = 1\n")
    repository.write("README.md", "while True: tool_calls\n")
    status, output = repository.run()
    assert status == 0, output
    assert "TB101" not in output


def test_a_helper_is_seen_with_its_importer(repository: Repository) -> None:
    """The hook passes one file; the loop that calls into it is read, and reported only where it stands in the
    change.
    """
    repository.use("toolbind-lint")
    repository.write("pkg/__init__.py", "")
    head = BOUNDED.split("            result = ", maxsplit=1)[0]
    repository.write(
        "pkg/agent.py", f"from pkg.run import dispatch\n{head}            messages.append(dispatch(call))\n"
    )
    repository.git("commit", "-qm", "x", "--no-verify")
    repository.write("pkg/run.py", "def dispatch(call):\n    return globals()[call.function.name](call)\n")
    status, output = repository.run()
    assert status == 1, output
    assert "pkg/run.py" in output
    assert "TB311" in output


def test_excluded_files_stay_out_although_they_are_passed(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.write("pyproject.toml", "[tool.toolbind-lint]\nextend-exclude = ['vendored']\n")
    repository.write("vendored/agent.py", UNBOUNDED)
    status, output = repository.run("--all-files")
    assert status == 0, output


def test_the_whole_project_is_seen_whatever_changed(repository: Repository) -> None:
    repository.use("toolbind-lint-all")
    repository.write("agent.py", UNBOUNDED)
    repository.git("commit", "-qm", "x", "--no-verify")
    repository.write("notes.md", "hello\n")
    status, output = repository.run()
    assert status == 1, output
    assert "TB101" in output


def test_a_notebook_is_passed(repository: Repository) -> None:
    repository.use("toolbind-lint")
    cell: dict[str, Any] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": UNBOUNDED,
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    repository.write("demo.ipynb", json.dumps(notebook, indent=1))
    status, output = repository.run()
    assert status == 1, output
    assert "demo.ipynb" in output


# What stands in the index, and what does not


def test_what_is_not_staged_is_not_judged(repository: Repository) -> None:
    """pre-commit puts the working tree into the state of the index before it runs a hook."""
    repository.use("toolbind-lint")
    repository.write("agent.py", BOUNDED)
    (repository.root / "agent.py").write_text(UNBOUNDED, encoding="utf-8")
    status, output = repository.run("--hook-stage", "pre-commit")
    assert "TB101" not in output
    assert (repository.root / "agent.py").read_text(encoding="utf-8") == UNBOUNDED, "the edit is still there"
    assert status in {0, 1}


def test_what_is_staged_is_judged_although_the_working_tree_has_mended_it(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.write("agent.py", UNBOUNDED)
    (repository.root / "agent.py").write_text(BOUNDED, encoding="utf-8")
    status, output = repository.run()
    assert status == 1, output
    assert "TB101" in output


def test_of_a_partly_staged_file_the_staged_part_is_judged(repository: Repository) -> None:
    repository.use("toolbind-lint")
    second = UNBOUNDED.replace("def run(", "def run_on(").replace("import json\n", "").replace("TOOLS = ", "MORE = ")
    repository.write("agent.py", BOUNDED + second)
    (repository.root / "agent.py").write_text("# not staged\n\n\n" + BOUNDED, encoding="utf-8")
    status, output = repository.run()
    assert status == 1, output
    number = (BOUNDED + second).split("\n").index("    while True:") + 1
    assert f"agent.py:{number}" in output, output


def test_an_untracked_file_is_not_reported_on(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.write("plain.py", "x = 1\n")
    (repository.root / "agent.py").write_text(UNBOUNDED, encoding="utf-8")
    status, output = repository.run()
    assert status == 0, output


def test_windows_newlines_are_lines(repository: Repository) -> None:
    repository.use("toolbind-lint")
    repository.git("config", "core.autocrlf", "false")
    path = repository.root / "agent.py"
    path.write_bytes(UNBOUNDED.replace("\n", "\r\n").encode("utf-8"))
    repository.git("add", "agent.py")
    status, output = repository.run()
    assert status == 1, output
    number = UNBOUNDED.split("\n").index("    while True:") + 1
    assert f"agent.py:{number}" in output


def test_many_files_in_several_batches(repository: Repository) -> None:
    """A command line holds so many names: the hook runs several times, one after the other, and each run counts."""
    repository.use("toolbind-lint")
    folder = repository.root / ("a" * 120) / ("b" * 120)
    folder.mkdir(parents=True)
    for number in range(2000):
        (folder / f"plain_{number:04}.py").write_text(f"x = {number}\n", encoding="utf-8")
    (folder / "plain_0001.py").write_text(UNBOUNDED, encoding="utf-8")
    (folder / "plain_1999.py").write_text(UNBOUNDED, encoding="utf-8")
    repository.git("add", "-A")
    status, output = repository.run()
    assert status == 1, output[-2000:]
    assert len(re.findall(r"plain_(?:0001|1999)\.py:\d+:\d+ ", output)) >= 2
    assert {"0001", "1999"} <= set(re.findall(r"plain_(\d{4})\.py", output))
    assert len(re.findall(r"^\d+ findings?: ", output, re.MULTILINE)) > 1, "one batch"


def test_the_whole_project_in_one_run_whatever_is_staged(repository: Repository) -> None:
    repository.use("toolbind-lint-all")
    repository.write("agent.py", BOUNDED)
    (repository.root / "agent.py").write_text(UNBOUNDED, encoding="utf-8")
    _, output = repository.run()
    assert "TB101" not in output, "what is not staged is out of the way"
