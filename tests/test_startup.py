"""What a run imports: start-up is felt in every commit hook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

HEAVY = (
    "libcst",
    "rich",
    "pathspec",
    "multiprocessing",
    "concurrent.futures",
    "subprocess",
    "asyncio",
    "difflib",
    "logging",
)
"""Nothing of these is needed to say a version, or to see that there is nothing to find."""

PLAIN = "import os\n\n\ndef add(a, b):\n    return a + b\n\n\nwhile True:\n    break\n"
LOOP = """
TOOLS = {"search": print}


def run(client, messages, tools):
    while True:
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
"""


def imported(folder: Path, *args: str) -> tuple[int, set[str], str]:
    """Exit status, the heavy modules that a run imported, and its output."""
    code = (
        "import json, sys\n"
        "from toolbind_lint.cli import main\n"
        f"status = main({list(args)!r})\n"
        f"print('\\n' + json.dumps([status, [m for m in {HEAVY!r} if m in sys.modules]]))\n"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    output, _, last = result.stdout.rstrip("\n").rpartition("\n")
    status, modules = json.loads(last)
    return status, set(modules), output


def test_version_imports_nothing_heavy(tmp_path: Path) -> None:
    status, modules, output = imported(tmp_path, "--version")
    assert (status, modules) == (0, set())
    assert output.startswith("toolbind-lint ")


@pytest.mark.parametrize("format", ["text", "concise", "json", "github"])
def test_a_run_with_nothing_to_find_imports_nothing_heavy(tmp_path: Path, format: str) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    (tmp_path / "pyproject.toml").write_text("[tool.toolbind-lint]\nprofile = 'strict'\nselect = ['TB1']\n")
    (tmp_path / ".gitignore").write_text("# nothing\n")
    status, modules, _ = imported(tmp_path, "--output-format", format, ".")
    assert (status, modules) == (0, set())


def test_the_probe_sees_what_a_real_loop_needs(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(LOOP)
    (tmp_path / ".gitignore").write_text("*.log\n")
    status, modules, output = imported(tmp_path, "--output-format", "concise", ".")
    assert status == 1, output
    assert {"libcst", "pathspec"} <= modules


@pytest.mark.parametrize("args", [("rules",), ("explain", "TB101"), ("config",)])
def test_pages_need_no_parser(tmp_path: Path, args: tuple[str, ...]) -> None:
    status, modules, _ = imported(tmp_path, *args)
    assert (status, modules & {"libcst", "pathspec", "multiprocessing"}) == (0, set())
