"""The README says what this version does: its commands, output, rules, options, settings and links."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from toolbind_lint.cli import COMMANDS, main
from toolbind_lint.report import FORMATS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CUT = "[...]"


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[list[str]]:
    """The commands of a block of shell, each as its words."""
    return [shlex.split(part) for line in block.splitlines() for part in line.split("&&")]


def linted() -> str:
    """The file that the first command lints."""
    (command,) = (words for words in commands(blocks("sh")[0]) if words[0] == "toolbind-lint")
    return command[-1]


def output(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    status = main(argv)
    return status, capsys.readouterr().out


def table(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_two_commands_do_all_set_up() -> None:
    first, second = blocks("sh")
    assert [words[:4] for words in commands(first)] == [
        ["python", "-m", "pip", "install"],
        ["toolbind-lint", linted()],
    ]
    assert [words[:3] for words in commands(second)] == [["python", "-m", "pip"], ["python", "-m", "pytest"]]
    assert ".[test]" in second


def test_the_output_is_what_the_first_command_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / linted()
    path.parent.mkdir(parents=True)
    path.write_bytes((ROOT / linted()).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    status, printed = output(capsys, linted())
    assert status == 1
    (shown,) = blocks("text")
    pieces = [piece.strip("\n") for piece in shown.split(CUT)]
    assert len(pieces) >= 2
    assert printed.startswith(pieces[0] + "\n")
    assert printed.endswith(pieces[-1] + "\n")
    places = [printed.find(piece) for piece in pieces]
    assert -1 not in places
    assert places == sorted(places)


def test_the_table_of_rules_is_complete(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = output(capsys, "rules", "--output-format", "json")
    rules = [[rule["code"], f"`{rule['name']}`", rule["severity"], rule["summary"]] for rule in json.loads(text)]
    assert table("What it finds") == rules


def test_every_rule_that_is_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = output(capsys, "rules", "--output-format", "json")
    codes = {rule["code"] for rule in json.loads(text)}
    named = set(re.findall(r"\bTB\d{3}\b", README))
    assert named == codes


def test_every_command_and_no_other_is_named() -> None:
    (named,) = ({word for row in table("Commands")[:7] for word in re.findall(r"`toolbind-lint \[?([a-z]+)", row[0])},)
    assert named == set(COMMANDS)


def test_every_option_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    known: set[str] = set()
    for argv in (["--help"], *([name, "--help"] for name in COMMANDS)):
        status, text = output(capsys, *argv)
        assert status == 0
        known |= set(re.findall(r"--[a-z][a-z-]*", text))
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README))
    assert named >= {"--fail-on", "--output-format", "--report", "--select"}
    assert named <= known


def test_every_format_is_named() -> None:
    sentence = re.search(r"Formats for `--output-format`:(.*?)\. `--report", README, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`([a-z]+)`", sentence[1])) == set(FORMATS)


def test_the_configuration_is_accepted_and_each_key_of_it_is_set(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (configuration,) = blocks("toml")
    (tmp_path / "pyproject.toml").write_text(configuration, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    status, text = output(capsys, "config")
    assert status == 0
    keys = set(re.findall(r"^([a-z-]+) =", configuration.split("\n[tool.toolbind-lint.severity]")[0], re.MULTILINE))
    assert len(keys) >= 8
    for key in (*keys, "severity", "per-file-ignores"):
        assert re.search(rf"^{key} = .* # pyproject\.toml:\d+$", text, re.MULTILINE), key
    assert "[[turn]]: 1" in text
    assert "[[gate-error]]: 1" in text


def test_the_suppression_hides_what_it_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment = blocks("python")[0].splitlines()[0]
    source = (ROOT / linted()).read_text(encoding="utf-8")
    (tmp_path / "agent.py").write_text(source.replace("    while True:", f"    {comment}\n    while True:"), "utf-8")
    monkeypatch.chdir(tmp_path)
    _, text = output(capsys, "agent.py", "--output-format", "concise", "--select", "TB0,TB101,TB201")
    assert "TB" not in text
    assert "2 suppressed" in text


def test_the_hook_exists() -> None:
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (block,) = (each for each in blocks("yaml") if "- id:" in each)
    assert set(re.findall(r"- id: (\S+)", manifest)) == {"toolbind-lint", "toolbind-lint-all"}
    assert re.findall(r"- id: (\S+)", block) == ["toolbind-lint"]
    assert "`toolbind-lint-all`" in README


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    headings = {
        re.sub(r"[^\w -]", "", line[3:].lower()).replace(" ", "-") for line in README.splitlines() if line[:3] == "## "
    }
    assert targets
    for target in targets:
        assert target[1:] in headings if target[0] == "#" else (ROOT / target).is_file(), target


def test_settings_without_effect_are_settings() -> None:
    from toolbind_lint.config import KEYS

    sentence = re.search(r"The keys (.*?) are\s+accepted and have no effect", README, re.DOTALL)
    assert sentence is not None
    keys: Any = re.findall(r"`([a-z-]+)`", sentence[1])
    assert set(keys) <= set(KEYS)
