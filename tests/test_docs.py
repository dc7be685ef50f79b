"""The pages: their links lead somewhere, and the options, settings, inputs and rules that they name exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
import tomli

from toolbind_lint.check import load_rules
from toolbind_lint.cli import COMMANDS, main
from toolbind_lint.config import KEYS, Settings, rule_names
from toolbind_lint.report import FORMATS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
yaml: Any = importlib.import_module("yaml")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", prose):
        assert (page.parent / target).exists(), target


@every_page
def test_rules_that_are_named_exist(page: Path) -> None:
    codes = {rule.code for rule in load_rules()}
    assert set(re.findall(r"\bTB\d{3}\b", page.read_text(encoding="utf-8"))) <= codes


@every_page
def test_settings_are_accepted(page: Path) -> None:
    for block in blocks(page, "toml"):
        table = tomli.loads(block).get("tool", {}).get("toolbind-lint", {})
        Settings({key: value for key, value in table.items() if key in KEYS})


@every_page
def test_commands_are_accepted(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known: set[str] = set()
    for argv in (["--help"], *([name, "--help"] for name in COMMANDS)):
        assert main(argv) == 0
        known |= set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    for line in "\n".join(blocks(page, "sh")).splitlines():
        if line.startswith("toolbind-lint"):
            assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", line.partition("#")[0])) <= known
            assert set(re.findall(r"--report ([a-z]+)=", line)) <= set(FORMATS)


def test_the_inputs_of_the_action_are_described() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    text = (ROOT / "docs" / "pull-requests.md").read_text(encoding="utf-8")
    section = text.split("## Inputs of the action")[1]
    assert re.findall(r"^\| `([a-z-]+)` \| (?!the|what)", section, re.MULTILINE)[: len(action["inputs"])] == list(
        action["inputs"]
    )
    assert all(f"`{name}`" in section for name in action["outputs"])


def test_every_rule_on_changes_is_explained() -> None:
    text = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    assert all(rule.code in text for rule in load_rules() if rule.subject == "change")
    assert rule_names()
