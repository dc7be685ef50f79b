"""Committed data files: numbers in TOML, YAML and JSON by the keys that lead to them, and the lines they stand on."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

SUFFIXES = (".toml", ".yaml", ".yml", ".json")
LARGEST = 1024 * 1024
"""Bytes. What is larger holds data, not limits, and is not parsed."""

_YAML_ROW = re.compile(r"^(?P<indent> *)(?P<key>[^\s#:\"'\-][^:#]*|\"[^\"]*\"|'[^']*')\s*:(?:\s+(?P<value>.*))?$")
_NUMBER = re.compile(r"[+-]?(\d[\d_]*)(\.\d+)?([eE][+-]?\d+)?")


class Entry(NamedTuple):
    """A value in a data file: ``value`` is what the parser gives, ``line`` counts from 1."""

    value: object
    line: int


def is_data_file(path: str) -> bool:
    """Whether a file may hold numbers that code reads."""
    return path.endswith(SUFFIXES)


def parse(path: str, data: bytes) -> object:
    """The content of a data file as dicts, lists and scalars; None where it cannot be read."""
    if len(data) > LARGEST:
        return None
    try:
        text = data.decode("utf-8-sig")
        if path.endswith(".json"):
            return json.loads(text)
        if path.endswith(".toml"):
            import tomli

            return tomli.loads(text)
    except (ValueError, RecursionError):  # of tomli and json, and of bytes that are no UTF-8
        return None
    return _yaml(text)


def find(path: str, data: bytes, keys: Sequence[str]) -> Entry | None:
    """The value under keys (``["agent", "max_steps"]``), with its line; None where there is none."""
    value: Any = parse(path, data)
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return Entry(value, _line(data.decode("utf-8", "replace"), keys))


def _line(text: str, keys: Sequence[str]) -> int:
    """The line of the last key: each is looked for behind the one before it."""
    lines = text.splitlines()
    at = 0
    for key in keys:
        named = re.compile(rf"(^|[\s{{,\[.\"'])[\"']?{re.escape(key)}[\"']?\s*([:=\].]|$)")
        at = next((number for number in range(at, len(lines)) if named.search(lines[number])), at)
    return at + 1


def _yaml(text: str) -> object:
    """Nested mappings of scalars, which is what limits are written in; lists, anchors and flow style are left out."""
    root: dict[str, Any] = {}
    stack: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for line in text.splitlines():
        row = _YAML_ROW.match(line.rstrip())
        if row is None:
            continue
        indent = len(row["indent"])
        while len(stack) > 1 and indent <= stack[-1][0]:
            stack.pop()
        key = row["key"].strip().strip("\"'")
        value = re.sub(r"\s+#.*$", "", row["value"] or "").strip()
        if value and not value.startswith("#"):
            stack[-1][1][key] = _scalar(value)
        else:
            inner: dict[str, Any] = {}
            stack[-1][1][key] = inner
            stack.append((indent, inner))
    return root


def _scalar(text: str) -> object:
    if _NUMBER.fullmatch(text):
        return float(text.replace("_", ""))
    words: dict[str, object] = {"true": True, "false": False, "null": None, "~": None}
    return words.get(text.lower(), text.strip("\"'"))
