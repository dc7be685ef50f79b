"""A rule is one folder: put there, it is found, listed, explained, spoken and tested; taken away, it is gone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OLD, NEW = "tb109_step_cap_too_high", "tb198_marathon"
"""The new rule speaks for the how of an old one, which has to go, as no two rules may speak for the same."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of package and rules in which one folder has been exchanged for another, and nothing else."""
    root = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    for part in ("toolbind_lint", "rules"):
        shutil.copytree(ROOT / part, root / part, ignore=ignore)
    (root / "tests").mkdir()
    for file in ("pyproject.toml", "tests/test_rules.py"):
        shutil.copy(ROOT / file, root / file)
    before = fingerprints(root)
    (root / "rules" / OLD).rename(root / "rules" / NEW)
    for path in (root / "rules" / NEW).iterdir():
        text = path.read_text(encoding="utf-8").replace("TB109", "TB198")
        text = text.replace("step-cap-too-high", "marathon").replace("lies above the ceiling", "is a marathon")
        path.write_text(text, encoding="utf-8")
    after = fingerprints(root)
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path.split("/")[1] for path in touched} == {OLD, NEW}
    return root


def fingerprints(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def python(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module from the copy: the working directory comes first among the places to import from."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_it_is_listed(copy: Path) -> None:
    result = python(copy, "toolbind_lint", "rules", "--output-format", "json")
    assert result.returncode == 0, result.stderr
    assert "TB198" in result.stdout
    assert "TB109" not in result.stdout


def test_it_is_explained_by_code_and_name(copy: Path) -> None:
    for word in ("TB198", "marathon"):
        result = python(copy, "toolbind_lint", "explain", word)
        assert result.returncode == 0, result.stderr
        assert "TB198" in result.stdout
        assert "range(500)" in result.stdout
    assert python(copy, "toolbind_lint", "explain", "TB109").returncode == 2


def test_it_speaks_can_be_selected_and_suppressed(copy: Path, tmp_path: Path) -> None:
    text = (copy / "rules" / NEW / "bad_literal.py").read_text(encoding="utf-8")
    file = tmp_path / "agent.py"
    file.write_text(text, encoding="utf-8")
    command = ("toolbind_lint", "check", "--isolated", "--select", "TB198", "--output-format", "json", str(file))
    result = python(copy, *command)
    assert result.returncode == 1, result.stderr
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding["code"], finding["name"]) == ("TB198", "marathon")
    assert "is a marathon" in finding["message"]
    file.write_text(text.replace("# expect: TB198", "# toolbind: ignore[marathon] we have time"), encoding="utf-8")
    result = python(copy, *command)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["suppressed"] == 1


def test_it_is_tested(copy: Path) -> None:
    tests = ("pytest", "-p", "no:cacheprovider", "tests/test_rules.py", "-k", "tb198")
    result = python(copy, *tests)
    assert result.returncode == 0, result.stdout
    assert "passed" in result.stdout
    example = copy / "rules" / NEW / "bad_literal.py"
    text = example.read_text(encoding="utf-8")
    try:
        example.write_text(text.replace("range(500)", "range(5)"), encoding="utf-8")
        result = python(copy, *tests)
    finally:
        example.write_text(text, encoding="utf-8")
    assert result.returncode == 1
    assert "test_the_rule_fires_where_the_example_says[tb198_marathon/bad_literal.py]" in result.stdout
