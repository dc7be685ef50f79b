"""The vendored dispatcher: one file, on the standard library alone, that passes its own tests."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolbind_lint.runtime as package
from toolbind_lint.cli import main
from toolbind_lint.runtime import vendor
from toolbind_lint.runtime.core import CODES, Budget, Dispatcher
from toolbind_lint.runtime.evidence import _CODES, _FIELDS, schema

HERE = Path(package.__file__).parent


def python(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *argv], cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("folder", ["", "package/inner"])
def test_it_passes_its_own_tests_without_this_package(folder: str, tmp_path: Path) -> None:
    target = tmp_path / folder
    target.mkdir(parents=True, exist_ok=True)
    if folder:
        (target / "__init__.py").touch()
        (target.parent / "__init__.py").touch()
    written = vendor.write(target / "gates.py", tests=True)
    assert [path.name for path in written] == ["gates.py", "test_gates.py"]
    assert imported(written[0]) - set(sys.stdlib_module_names) == {"jsonschema", "referencing"}
    script = "import sys; sys.modules['toolbind_lint'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    done = python("-c", script, "-q", "-W", "error", "-p", "no:cacheprovider", str(target), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_the_shipped_acceptance_tests_pass_on_the_imported_dispatcher(tmp_path: Path) -> None:
    target = tmp_path / "test_imported.py"
    target.write_text((HERE / "acceptance.py").read_text())
    done = python("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", str(target), cwd=HERE.parents[1])
    assert "6 passed" in done.stdout, done.stdout + done.stderr


def test_it_is_written_again_only_over_what_was_written(tmp_path: Path) -> None:
    (path,) = vendor.write(tmp_path)
    assert path == tmp_path / "dispatcher.py"
    assert vendor.write(tmp_path) == [path]
    path.write_text(path.read_text().replace("_GRACE = 0.05", "_GRACE = 50.0"))
    with pytest.raises(FileExistsError):
        vendor.write(tmp_path)
    (tmp_path / "mine.py").write_text("mine = 1\n")
    assert main(["dispatcher", "--write", str(tmp_path / "mine.py")]) == 2
    assert (tmp_path / "mine.py").read_text() == "mine = 1\n"
    assert main(["dispatcher", "--write", str(tmp_path / "other.py"), "--tests"]) == 0
    assert main(["dispatcher"]) == 2
    assert main(["dispatcher", "--write", str(tmp_path / "no" / "such" / "folder.py")]) == 2


def test_what_stands_beside_is_written_beside(tmp_path: Path) -> None:
    """And runs there without this package."""
    assert main(["dispatcher", "--write", str(tmp_path / "gates.py"), "--with", "adapters", "--with", "sinks"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"gates.py", "gates_adapters.py", "gates_loop.py", "gates_sinks.py"}
    script = """
import sys; sys.modules['toolbind_lint'] = None
import asyncio, gates, gates_adapters, gates_loop, gates_sinks

class Model:
    async def turn(self, messages, tools, last, timeout_s):
        calls = () if messages else (gates.Call("1", "search", "{}"),)
        return gates_loop.Turn("done", calls, 1, "stop", ({},))
    def answers(self, answers):
        return answers

async def search():
    return {"hits": []}

with gates_sinks.FileSink("evidence.jsonl") as sink:
    tools = [gates.Tool("search", search, timeout_s=1.0, result=("hits",))]
    print(gates_loop.run_loop(Model(), tools, gates.Budget(4, 9.0), [], sink=sink).status)
"""
    done = python("-W", "error", "-c", script, cwd=tmp_path)
    assert done.stdout == "answered\n", done.stderr
    assert main(["evidence", str(tmp_path / "evidence.jsonl")]) == 0
    assert main(["dispatcher", "--write", str(tmp_path / "gates.py"), "--with", "evidence"]) == 2


def test_what_is_vendored_is_small_and_imports_nothing_of_the_linter(tmp_path: Path) -> None:
    (written,) = vendor.write(tmp_path)
    assert len(written.read_text().splitlines()) < 600
    for path in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [module]
            assert all(not name.startswith("toolbind_lint") or ".runtime" in name for name in names), path


def test_the_schema_and_the_verifier_know_the_same_words() -> None:
    known = schema()
    assert set(known["required"]) == set(_FIELDS)
    records: list[Any] = []
    Dispatcher([], records.append).start(Budget(1, 1.0)).end()
    assert set(records[1]) == set(_FIELDS)
    assert set(CODES) == _CODES <= set(known["properties"]["code"]["enum"])
