"""What is installed, and what travels in the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import tomli

import toolbind_lint
from toolbind_lint.check import rules_folder

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False, cwd=ROOT)


def test_python_m_runs_the_command() -> None:
    result = run("-m", "toolbind_lint", "--version")
    assert (result.returncode, result.stdout) == (0, f"toolbind-lint {toolbind_lint.__version__}\n")


def test_the_console_script_is_the_command() -> None:
    module, _, function = PROJECT["project"]["scripts"]["toolbind-lint"].partition(":")
    code = f"import sys; sys.argv = ['toolbind-lint', '--version']; from {module} import {function}; {function}()"
    result = run("-c", code)
    assert (result.returncode, result.stdout) == (0, f"toolbind-lint {toolbind_lint.__version__}\n")


def test_the_version_is_written_once() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", toolbind_lint.__version__)
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "toolbind_lint/__init__.py"
    assert "version" not in PROJECT["project"]


def test_only_the_named_packages_are_needed() -> None:
    names = {re.split(r"[<>=!~ ]", requirement)[0] for requirement in PROJECT["project"]["dependencies"]}
    assert names == {"libcst", "pathspec", "rich", "tomli"}


def test_types_and_licence_travel() -> None:
    assert (ROOT / "toolbind_lint/py.typed").is_file()
    assert [(ROOT / name).is_file() for name in PROJECT["project"]["license-files"]] == [True]


def test_the_rules_travel_inside_the_package() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["toolbind_lint"]
    assert wheel["force-include"] == {"rules": "toolbind_lint/rules"}
    assert rules_folder() == ROOT / "rules"


def test_every_supported_version_is_declared() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.10"
    declared = {line.rsplit(" ", 1)[1] for line in PROJECT["project"]["classifiers"] if ":: 3." in line}
    assert declared == {"3.10", "3.11", "3.12", "3.13", "3.14"}


def test_nothing_byte_compiles_badly(tmp_path: Path) -> None:
    """An installer compiles every ``.py`` of a wheel: what must not parse ends in ``.py.txt``."""
    for path in sorted((ROOT / "rules").rglob("*.py")):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
