"""The examples beside the catalogues: a bounded run of each framework is silent, and what nothing bounds fires."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolbind_lint.catalogue import load_catalogue
from toolbind_lint.config import Settings
from toolbind_lint.index import Words, build_index
from toolbind_lint.lint import lint
from toolbind_lint.recognise import Limits, recognise
from toolbind_lint.snapshot import Memory

FOLDER = Path(__file__).resolve().parents[1] / "rules" / "frameworks"
EXAMPLES = sorted(FOLDER.glob("*/example_*.py"))
EXPECTED = re.compile(r"#\s*expect:\s*(TB\d{3}(?:\s*,\s*TB\d{3})*)")

JUDGED = ("TB102", "TB107", "TB109", "TB108", "TB311", "TB312", "TB601")
"""The rules of which an example tells all; that a run has no wall-clock budget goes without saying."""


def identify(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def expected(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        match = EXPECTED.search(line)
        for code in re.findall(r"TB\d{3}", match[1]) if match else ():
            yield number, code


@pytest.mark.parametrize("path", EXAMPLES, ids=identify)
def test_an_example_shows_what_is_expected(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = lint(Memory({"agent.py": text.encode()}), ["agent.py"], Settings())
    assert report.crashes == ()
    found = sorted((f.place.line, f.code) for f in report.findings if f.code in JUDGED)
    assert found == sorted(expected(text))


def owners() -> set[str]:
    """The folders whose catalogue knows a run."""
    return {
        path.parent.name
        for path in FOLDER.glob("*/catalogue.toml")
        if re.search(r"^\[\[(agent|run)\]\]", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


def test_every_framework_that_owns_a_loop_has_an_example() -> None:
    assert owners() <= {path.parent.name for path in EXAMPLES}


@pytest.mark.parametrize("name", sorted(owners()))
def test_the_examples_of_a_framework_hold_a_silent_run(name: str) -> None:
    """Every run of a framework being reported would show nothing of its bounds."""
    shown = {}
    for path in FOLDER.glob(f"{name}/example_*.py"):
        report = lint(Memory({"agent.py": path.read_bytes()}), ["agent.py"], Settings())
        shown.update({s.id: any(v.state == "missing" and v.gate == "cap" for v in s.verdicts) for s in report.subjects})
    assert shown, "no subject at all"
    rows = [row for row in load_catalogue().rows if row.framework == name and row.kind == "bound"]
    bounded = any(row.one("gate") in {"", "cap"} and row.flags.get("stops-loop", True) for row in rows)
    assert not bounded or not all(shown.values())


# ---- what the documentation tells a newcomer

PAGE = Path(__file__).resolve().parents[1] / "docs" / "frameworks.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_framework_of_the_documentation_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue and the example of the page, as they stand there, in a folder of their own."""
    (catalogue,) = blocks("toml")
    (example,) = blocks("python")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "catalogue.toml").write_text(catalogue, encoding="utf-8")
    monkeypatch.setattr("toolbind_lint.catalogue._folder", lambda: tmp_path)
    report = lint(Memory({"agent.py": example.encode()}), ["agent.py"], Settings())
    assert report.crashes == ()
    found = sorted((f.place.line, f.code) for f in report.findings if f.code in JUDGED)
    assert found == sorted(expected(example))
    assert len(found) == 1


def test_the_page_names_every_kind_of_row_for_runs() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for kind in ("agent", "run", "bound", "forced-setting", "toolset", "retry"):
        assert f"| `{kind}` |" in text


def test_a_wrapper_of_the_project_is_described_by_the_same_tables() -> None:
    text = "from acme_desk.agents import make_desk\ndesk = make_desk()\ndesk.ask('hi')\ndesk.ask('hi', limit=4)\n"
    files = {"agent.py": text.encode()}
    rows = {
        "agent": [{"call": "acme_desk.agents.make_desk", "id": "desk", "runs": ["ask"]}],
        "bound": [{"of": "desk", "param": "limit", "where": ["call"], "default": "none", "suggest": "5"}],
    }
    catalogue = load_catalogue([rows], lazy=True)
    project = build_index(Memory(files), Words(catalogue.seeds, catalogue.run_roots))
    found = recognise(project, catalogue, lambda _: Limits(), ["agent.py"], snapshot=Memory(files))
    assert [(s.place.line, s.verdict("cap").state) for s in found.subjects] == [(3, "missing"), (4, "held")]
