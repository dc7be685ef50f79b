"""The checklist is made from the rules, leaves no item without a rule or a reason, and no rule without an item."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from toolbind_lint.check import load_rules

PATH = Path(__file__).resolve().parents[1] / "docs" / "checklist.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("checklist", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CHECKLIST = load()


def test_the_page_is_what_the_rules_say_today(capsys: pytest.CaptureFixture[str]) -> None:
    assert CHECKLIST.main(["--check"]) == 0, "run python docs/checklist.py"
    assert "up to date" in capsys.readouterr().out


def test_a_page_that_is_not_is_told_and_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(CHECKLIST, "PAGE", tmp_path / "checklist.md")
    assert CHECKLIST.main(["--check"]) == 1
    assert "python docs/checklist.py" in capsys.readouterr().out
    assert CHECKLIST.main([]) == 0
    assert CHECKLIST.main(["--check"]) == 0


def test_each_item_has_a_rule_or_a_reason() -> None:
    served = CHECKLIST.served()
    assert [key for key in CHECKLIST.items() if not served.get(key) and not CHECKLIST.REASONS.get(key)] == []
    assert set(CHECKLIST.REASONS) <= set(CHECKLIST.items())


def test_an_item_without_either_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CHECKLIST, "REASONS", {})
    empty = CHECKLIST.Item("A.item11", "Something that no rule holds.")
    assert "| Something that no rule holds. |  |\n" in "".join(CHECKLIST._rows([empty], CHECKLIST.served()))


def test_each_rule_serves_an_item_of_the_list() -> None:
    items = CHECKLIST.items()
    assert [(rule.code, key) for rule in load_rules() for key in rule.serves if key not in items] == []


def test_the_list_holds_every_kind_of_item_and_each_once() -> None:
    keys = [item.key for part in CHECKLIST.PARTS.values() for item in part]
    assert len(keys) == len(set(keys))
    numbered = {
        **{f"A.gate{n}": 0 for n in range(1, 5)},
        **{f"A.item{n}": 0 for n in range(1, 11)},
        **{f"A.bypass{n}": 0 for n in range(1, 6)},
        **{f"B.bound{n}": 0 for n in range(1, 6)},
        **{f"B.mistake{n}": 0 for n in range(1, 6)},
    }
    assert set(numbered) <= set(keys)
