"""Profiles and selectors."""

from __future__ import annotations

import pytest

from toolbind_lint.findings import Severity
from toolbind_lint.selection import Layer, RuleName, Selection, nearest, valid_selector

CAP = RuleName("TB101", "no-step-cap")
FILE = RuleName("TB001", "unreadable-file", standing=True)
NEW = RuleName("TB504", "silent-end", preview=True)


def layer(
    select: list[str] | None = None,
    extend: list[str] | None = None,
    ignore: list[str] | None = None,
    origin: str = "x.toml",
) -> Layer:
    return Layer(None if select is None else tuple(select), tuple(extend or ()), tuple(ignore or ()), origin)


@pytest.mark.parametrize(
    ("profile", "severity", "shown"),
    [
        ("core", "error", True),
        ("core", "warning", False),
        ("default", "warning", True),
        ("default", "advice", False),
        ("strict", "advice", True),
    ],
)
def test_profile_is_a_threshold(profile: str, severity: Severity, shown: bool) -> None:
    assert (Selection(profile=profile).objection(CAP, severity) == "") is shown


@pytest.mark.parametrize(
    ("layers", "shown"),
    [
        ([layer(["TB1"])], True),
        ([layer(["ALL"])], True),
        ([layer(["no-step-cap"])], True),
        ([layer(["TB2"])], False),
        ([layer([])], False),
        ([layer(None, None, ["TB1"])], False),
        ([layer(None, None, ["ALL"])], False),
        ([layer(["TB1"], None, ["TB101"])], False),
        ([layer(["TB101"], None, ["TB1"])], True),
        ([layer(["TB101"], None, ["TB101"])], False),
        ([layer(["TB2"], ["TB10"])], True),
        ([layer(["TB1"]), layer(None, None, ["TB1"])], False),
        ([layer(None, None, ["TB101"]), layer(None, ["TB1"])], True),
        ([layer(None, None, ["TB101"]), layer(["TB1"])], True),
        ([layer(["TB1"]), layer(["TB2"])], False),
    ],
)
def test_layers(layers: list[Layer], shown: bool) -> None:
    assert (Selection(tuple(layers)).objection(CAP, "error") == "") is shown


def test_select_shows_every_severity() -> None:
    assert Selection((layer(["TB1"]),), "core").objection(CAP, "advice") == ""


def test_preview_needs_its_own_name_or_the_option() -> None:
    assert "preview" in Selection().objection(NEW, "error")
    assert "preview" in Selection((layer(["ALL"]),)).objection(NEW, "error")
    assert "preview" in Selection((layer(["TB5"]),)).objection(NEW, "error")
    assert Selection((layer(["TB504"]),)).objection(NEW, "error") == ""
    assert Selection((layer(None, ["silent-end"]),)).objection(NEW, "error") == ""
    assert Selection(preview=True).objection(NEW, "error") == ""


def test_unreadable_files_stay_unless_they_are_ignored() -> None:
    assert Selection((layer(["TB101"]),)).objection(FILE, "error") == ""
    assert "ignored by x.toml" in Selection((layer(None, None, ["TB001"]),)).objection(FILE, "error")


def test_objections_name_where_they_come_from() -> None:
    assert Selection((layer(["TB2"], origin="a.toml"),)).objection(CAP, "error") == "not selected by a.toml"
    assert Selection((layer(ignore=["TB1"], origin="b.toml"),)).objection(CAP, "error") == "ignored by b.toml"
    assert Selection().objection(CAP, "advice") == "profile default leaves out advice"


@pytest.mark.parametrize(
    ("selector", "valid"),
    [
        ("TB101", True),
        ("TB1", True),
        ("TB", True),
        ("ALL", True),
        ("no-step-cap", True),
        ("TB9", False),
        ("T", False),
        ("", False),
    ],
)
def test_valid_selectors(selector: str, valid: bool) -> None:
    assert valid_selector(selector, [CAP, FILE]) is valid


def test_nearest() -> None:
    assert nearest("slect", ["select", "ignore"]) == " (did you mean `select`?)"
    assert nearest("tb110", ["TB101"]) == " (did you mean `TB101`?)"
    assert nearest("zzzz", ["select"]) == ""
