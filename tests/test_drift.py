"""Which rows of the catalogue a release no longer bears out. No network: releases are made up."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.drift import Release, check, known, releases  # noqa: E402
from toolbind_lint.catalogue import load_catalogue  # noqa: E402

SOURCE = """
from pydantic import Field

LIMIT = 10_000


class Agent:
    max_steps: int = 20
    limit: int = Field(title="turns", default=25, description="turns")

    def __init__(self, tools=None, *, max_seconds=None, recursion=LIMIT): ...


def run(agent, config=None): ...
"""


def drifts(table: dict[str, object]) -> list[str]:
    kind, row = next(iter(table.items()))
    made = load_catalogue([{kind: [row]}]).rows[-1]
    release = Release("acme", "2.0", {"acme/agent.py": SOURCE})
    return [drift.what for drift in check(made, release, known(release))]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"agent": {"call": "acme.agent.Agent"}}, []),
        ({"agent": {"call": "acme.agent.Assistant"}}, ["acme.agent.Assistant is not defined"]),
        ({"run": {"call": "acme.Agent().run"}}, []),
        ({"run": {"call": "acme.Agent().go"}}, ["acme.Agent().go is not defined"]),
        ({"bound": {"param": "max_steps", "default": "20"}}, []),
        ({"bound": {"param": "max_steps", "default": "30"}}, ["max_steps is 20, not 30"]),
        ({"bound": {"param": "limit", "default": "25"}}, []),
        ({"bound": {"param": "recursion", "default": "10000"}}, []),
        ({"bound": {"param": "recursion", "default": "25"}}, ["recursion is 10000, not 25"]),
        ({"bound": {"param": "max_seconds", "default": "none"}}, []),
        ({"bound": {"param": "max_steps", "default": "none"}}, ["max_steps is 20 by default"]),
        ({"bound": {"param": "gone", "default": "5"}}, ["the parameter gone is gone"]),
        ({"bound": {"param": "config", "path": ["limits.max_steps"], "default": "20"}}, []),
        ({"toolset": {"call": "acme.Agent", "filter": ["only"]}}, ["the parameter only is gone"]),
    ],
)
def test_a_row_is_held_against_a_release(table: dict[str, object], told: list[str]) -> None:
    assert drifts(table) == told


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"call": "a", "source": "acme-sdk-1.4.2:acme/a.py:3"}, [("acme-sdk", "1.4.2"), ("acme-sdk", "")]),
        ({"call": "a", "source": "acme-sdk-1.4.2:acme/a.py:3", "versions": "<2"}, [("acme-sdk", "1.4.2")]),
        ({"call": "a", "source": "acme:acme/a.py"}, [("acme", "")]),
    ],
)
def test_the_releases_of_a_row(row: dict[str, object], wanted: list[tuple[str, str]]) -> None:
    catalogue = load_catalogue([{"agent": [row]}])
    assert list(releases(catalogue.rows[-1], catalogue)) == wanted


def test_the_file_that_a_source_names_counts_before_others() -> None:
    files = {"acme/agent.py": "DEFAULT_MAX_STEPS = 20\n", "acme/team.py": "def run(max_steps=7): ...\n"}
    release = Release("acme", "2.0", files)

    def told(**keys: str) -> list[str]:
        row = {"param": "max_steps", "source": "acme-2.0:acme/agent.py:1", **keys}
        made = load_catalogue([{"bound": [row]}]).rows[-1]
        return [drift.what for drift in check(made, release, known(release))]

    assert told(default="20") == []
    assert told(default="7") == ["max_steps is 20, not 7"]
    assert told(default="7", source="acme-2.0:acme/team.py:1") == []
    assert told(default="7", source="acme-2.0:acme/gone.py:1") == []
    assert told(default="8", source="acme-2.0:acme/gone.py:1") == ["max_steps is 20, 7, not 8"]


def test_a_default_may_stand_in_a_dict_or_come_from_another_file() -> None:
    files = {
        "acme/limits.py": "CAP: int = 40\n",
        "acme/agent.py": "from acme.limits import CAP\nBASE = {'max_steps': CAP}\n",
    }
    release = Release("acme", "2.0", files)
    made = load_catalogue([{"bound": [{"param": "max_steps", "default": "40"}]}]).rows[-1]
    other = load_catalogue([{"bound": [{"param": "max_steps", "default": "30"}]}]).rows[-1]
    facts = known(release)
    assert list(check(made, release, facts)) == []
    assert [drift.what for drift in check(other, release, facts)] == ["max_steps is 40, not 30"]


def test_what_is_gone_is_held_against_its_own_release_alone() -> None:
    row = {"call": "a", "source": "acme-sdk-1.4.2:acme/a.py:3", "gone-in": "2.0"}
    catalogue = load_catalogue([{"agent": [row]}])
    assert list(releases(catalogue.rows[-1], catalogue)) == [("acme-sdk", "1.4.2")]


@pytest.mark.parametrize(
    ("line", "now", "told"),
    [
        ("2", "base = 1\ncap = options.get('max_steps')\nrest = 2\n", []),
        ("2", "new = 0\nbase = 1\n    cap = options.get('max_steps')\n    rest = 2\n", []),
        ("2", "base = 1\ncap = options.get('max_steps', 9)\nrest = 2\n", ["max_steps is 7 by default"]),
        ("1", "base = 1\nother = 3\n", ["max_steps is 7 by default"]),
        ("9", "base = 1\ncap = options.get('max_steps')\nrest = 2\n", ["max_steps is 7 by default"]),
    ],
)
def test_the_line_that_a_source_names_decides_as_long_as_it_stands(line: str, now: str, told: list[str]) -> None:
    then = "base = 1\ncap = options.get('max_steps')\nrest = 2\n"
    other = {"acme/team.py": "def run(max_steps=7): ...\n"}
    origin = Release("acme", "1.0", {"acme/agent.py": then, **other})
    release = Release("acme", "2.0", {"acme/agent.py": now, **other})
    row = {"param": "max_steps", "default": "none", "source": f"acme-1.0:acme/agent.py:{line}"}
    made = load_catalogue([{"bound": [row]}]).rows[-1]
    assert [drift.what for drift in check(made, release, known(release), origin)] == told
