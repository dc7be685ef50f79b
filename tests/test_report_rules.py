"""The table of rules and a rule's page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from toolbind_lint.findings import Severity
from toolbind_lint.report import Options, explain, rules_table


class How(NamedTuple):
    severity: Severity
    message: str
    help: str


class Example(NamedTuple):
    caption: str
    text: str
    bad: bool
    fixed: str | None = None


BAD = '"""Ends when the model stops."""\n\nwhile True:  # expect: TB101\n    turn()\n'
LONG = "# Counted and not compared.\nstep = 0\n" + "step += 1\n" * 5


class Rule(NamedTuple):
    code: str = "TB101"
    name: str = "no-step-cap"
    severity: Severity = "error"
    gate: str = "cap"
    polarity: str = "absence"
    judges: tuple[str, ...] = ("tool-loop",)
    serves: tuple[str, ...] = ("A.item2",)
    since: str = "0.1.0"
    preview: bool = False
    summary: str = "A tool loop has no finite number of steps at which it ends."
    why: str = "The model decides.\nIt may ask for ever.\n\n* first\n* second, which is\n  continued\n"
    instead: str = "Count:\n\n```python\nfor step in range(MAX_STEPS):\n    ...\n```\n"
    hows: Mapping[str, How] = {"none": How("error", "Nothing ends {subject}[[ but `{cap}`]].", "Bound it.")}
    programs: tuple[Example, ...] = (
        Example("Counted and not compared.", LONG, True, "step = 1\n"),
        Example("Ends when the model stops.", BAD, True),
        Example("A range.", "for _ in range(8):\n    turn()\n", False),
    )

    def examples(self) -> tuple[Example, ...]:
        return self.programs


OTHER = Rule(code="TB001", name="unreadable-file", gate="", judges=(), summary="Cannot be read. " * 9, preview=True)


def test_the_table_is_by_code_aligned_and_wrapped() -> None:
    lines = rules_table.render([Rule(), OTHER]).splitlines()
    assert lines[0].startswith("TB001  unreadable-file  error         Cannot be read. ")
    column = lines[0].index("Cannot")
    assert lines[1].startswith(" " * column + "Cannot be read.")
    assert lines[1].endswith("(preview)")
    assert lines[2] == (
        "TB101  no-step-cap      error    cap  A tool loop has no finite number of steps at which it ends."
    )
    assert lines[-1] == "2 rules. A rule's page: toolbind-lint explain CODE"
    assert all(
        len(line) <= 80 and line == line.rstrip()
        for line in rules_table.render([OTHER], "text", Options(width=80)).splitlines()
    )


def test_the_table_as_json() -> None:
    rows = json.loads(rules_table.render([Rule(), OTHER], "json"))
    assert [row["code"] for row in rows] == ["TB001", "TB101"]
    assert rows[1] == {
        "code": "TB101",
        "name": "no-step-cap",
        "severity": "error",
        "gate": "cap",
        "polarity": "absence",
        "judges": ["tool-loop"],
        "serves": ["A.item2"],
        "since": "0.1.0",
        "preview": False,
        "summary": "A tool loop has no finite number of steps at which it ends.",
        "hows": {"none": "error"},
    }
    with pytest.raises(KeyError):
        rules_table.render([Rule()], "yaml")


def test_a_page_in_a_pipe_is_plain_text() -> None:
    text = explain.render(Rule())
    heads = [line for line in text.splitlines() if line and line == line.upper() and line[0].isalpha()]
    assert heads == ["WHY", "WHAT FIRES", "WHAT STAYS SILENT", "HOW TO FIX", "WHAT IT SAYS", "SUPPRESS", "CONFIGURE"]
    assert text.startswith("TB101 no-step-cap\n\nA tool loop has no finite number")
    assert "The model decides. It may ask for ever.\n\n* first\n* second, which is continued\n" in text
    assert "    for step in range(MAX_STEPS):\n        ...\n" in text
    assert "```" not in text
    assert "* none (error): Nothing ends the loop but `cap`. Bound it.\n" in text
    assert "    # toolbind: ignore[TB101] why" in text
    assert 'severity = { TB101 = "advice" }' in text
    assert all(line == line.rstrip() and len(line) <= 100 for line in text.splitlines())


def test_the_shortest_example_stands_for_the_others_unless_verbose() -> None:
    text = explain.render(Rule())
    fires = text.split("WHAT FIRES")[1].split("WHAT STAYS SILENT")[0]
    assert "* Counted and not compared.\n* Ends when the model stops.\n" in fires
    assert "    while True:  # <- TB101\n        turn()\n" in fires
    assert '"""' not in fires
    assert "step += 1" not in fires
    assert "Counted and not compared, mended:\n\n    step = 1\n" in text
    assert "step += 1" in explain.render(Rule(), Options(verbose=True))


def test_the_page_as_markdown() -> None:
    text = explain.markdown(Rule())
    assert text.startswith("# TB101 no-step-cap\n\n")
    assert "## What fires\n\n### Counted and not compared.\n\n```python\nstep = 0\n" in text
    assert text.count("```") % 2 == 0


def test_a_page_on_a_terminal_says_the_same_in_colour() -> None:
    text = explain.render(Rule(), Options(colour=True))
    assert "\x1b[" in text
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for words in ("TB101 no-step-cap", "What fires", "while True:", "• second, which is continued", "ignore[TB101]"):
        assert words in stripped
    assert "\n\n\n" not in text


def test_a_rule_of_files_and_one_without_examples_have_pages() -> None:
    text = explain.render(OTHER._replace(programs=()))
    assert "WHAT FIRES" not in text
    assert "error · fires on absence · since 0.1.0 · preview\n" in text
