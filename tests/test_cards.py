"""Whole programs with everything that all rules together say about them, written down by hand beside each.

A card is a file, or a folder for a program of several modules; ``<name>.expected.txt`` holds one line a finding:
``line CODE how``, with ``path:`` before the line in a folder and ``cellN:`` in a notebook. A member that must not parse
ends in ``.txt``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbind_lint.config import Settings
from toolbind_lint.findings import Finding, Report
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory

CARDS = Path(__file__).parent / "cards"
NAMES = sorted(path.name.removesuffix(".expected.txt") for path in CARDS.glob("*.expected.txt"))


def program(name: str) -> dict[str, bytes]:
    """The files of one card by their path in the snapshot."""
    folder = CARDS / name
    if folder.is_dir():
        members = sorted(path for path in folder.rglob("*") if path.suffix in {".py", ".txt"})
        return {path.relative_to(CARDS).as_posix().removesuffix(".txt"): path.read_bytes() for path in members}
    (path,) = (found for found in CARDS.glob(f"{name}.*") if found.suffix in {".py", ".ipynb"})
    return {path.name: path.read_bytes()}


def line_of(finding: Finding, name: str) -> str:
    """One finding as the expectation writes it."""
    place = finding.place
    inner = place.path.removeprefix(f"{name}/")
    where = f"{inner}:" if inner != place.path else "" if place.cell is None else f"cell{place.cell}:"
    return f"{where}{place.line} {finding.code} {finding.how}"


def lint_card(name: str) -> Report:
    """The report on one card, all rules of the strict profile."""
    files = program(name)
    return lint(Memory(files), list(files), Settings({"profile": "strict"}))


@pytest.mark.parametrize("name", NAMES)
def test_a_card_gets_exactly_what_stands_beside_it(name: str) -> None:
    report = lint_card(name)
    assert report.crashes == ()
    expected = (CARDS / f"{name}.expected.txt").read_text(encoding="utf-8").splitlines()
    assert [line_of(finding, name) for finding in report.shown] == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_card_gets_the_same_with_its_files_in_another_order(name: str) -> None:
    files = program(name)
    backwards = dict(reversed(files.items()))
    report = lint(Memory(backwards), list(reversed(files)), Settings({"profile": "strict"}))
    assert report == lint_card(name)


def test_every_program_has_its_expectation() -> None:
    programs = {path.name.split(".")[0] for path in CARDS.iterdir() if path.name != "__pycache__"}
    assert programs == set(NAMES)
    assert len(NAMES) >= 32


def test_cards_speak_of_most_rules() -> None:
    codes = {line.split()[1] for path in CARDS.glob("*.expected.txt") for line in path.read_text().splitlines()}
    assert len(codes) >= 42
