"""Numbers in committed TOML, YAML and JSON, and the lines they stand on."""

from __future__ import annotations

import pytest

from toolbind_lint.datafiles import LARGEST, find, is_data_file, parse

TOML = b"top = 1\n[agent]\nmax_steps = 8 # few\n[agent.wall]\nseconds = 60.5\n"
YAML = b"""\
top: 1
agent:
  # the cap
  max_steps: 8  # few
  wall:
    seconds: 60.5
  deep: true
other:
  max_steps: 9
"""
JSON = b'{\n "top": 1,\n "agent": {\n  "max_steps": 8,\n  "wall": {"seconds": 60.5}\n }\n}'


@pytest.mark.parametrize(
    ("path", "data", "keys", "value", "line"),
    [
        ("a.toml", TOML, ["top"], 1, 1),
        ("a.toml", TOML, ["agent", "max_steps"], 8, 3),
        ("a.toml", TOML, ["agent", "wall", "seconds"], 60.5, 5),
        ("a.yaml", YAML, ["top"], 1, 1),
        ("a.yml", YAML, ["agent", "max_steps"], 8, 4),
        ("a.yaml", YAML, ["agent", "wall", "seconds"], 60.5, 6),
        ("a.yaml", YAML, ["agent", "deep"], True, 7),
        ("a.yaml", YAML, ["other", "max_steps"], 9, 9),
        ("a.json", JSON, ["agent", "max_steps"], 8, 4),
        ("a.json", JSON, ["agent", "wall", "seconds"], 60.5, 5),
    ],
)
def test_a_value_is_found_with_its_line(path: str, data: bytes, keys: list[str], value: object, line: int) -> None:
    found = find(path, data, keys)
    assert found is not None
    assert (found.value, found.line) == (value, line)


@pytest.mark.parametrize(
    ("path", "data"),
    [("a.toml", b"= 1"), ("a.json", b"{"), ("a.json", b"\xff"), ("a.yaml", b"- 1\n- 2\n"), ("a.json", b"[1]")],
)
def test_what_cannot_be_read_holds_nothing(path: str, data: bytes) -> None:
    assert find(path, data, ["cap"]) is None


def test_a_vast_file_is_not_parsed() -> None:
    assert parse("a.json", b" " * (LARGEST + 1)) is None


def test_a_key_that_is_not_there_is_none() -> None:
    assert find("a.toml", TOML, ["agent", "cap"]) is None
    assert find("a.toml", TOML, ["top", "cap"]) is None


@pytest.mark.parametrize(("path", "wanted"), [("a/b.toml", True), ("b.yml", True), ("b.json", True), ("b.py", False)])
def test_data_files_are_known_by_their_suffix(path: str, wanted: bool) -> None:
    assert is_data_file(path) is wanted
