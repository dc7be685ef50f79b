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
