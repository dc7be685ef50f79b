"""Every key of the shipped tables, broken in turn: the loader refuses it and names the place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import tomli

from toolbind_lint.catalogue import CHOICES, SCHEMAS, CatalogueError, load_catalogue

FOLDER = Path(__file__).resolve().parents[1] / "rules" / "frameworks"
Table = dict[str, object]


def keys() -> Iterator[tuple[str, str, Table]]:
    """One shipped row for each kind and key, with the kind and the key."""
    seen: set[tuple[str, str]] = set()
    for path in sorted(FOLDER.glob("*/catalogue.toml")):
        data = tomli.loads(path.read_text(encoding="utf-8"))
        for kind, rows in data.items():
            for row in rows if kind in SCHEMAS else ():
                for key in row:
                    if (kind, key) not in seen:
                        seen.add((kind, key))
                        yield kind, key, row


KEYS = {f"{kind}.{key}": (kind, key, row) for kind, key, row in keys()}


def refused(kind: str, row: Table) -> str:
    """The place that is named; the second of two rows is the broken one."""
    with pytest.raises(CatalogueError) as caught:
        load_catalogue([{kind: [{}, row]}])
    return caught.value.key


def wrong(value: object) -> list[object]:
    """Values of other types than that of a value."""
    others: list[object] = [7, 1.5, None, {"a": "b"}, ["a", 7], [["a"]]]
    return [*others, "yes"] if isinstance(value, bool) else [*others, True]


@pytest.mark.parametrize("name", KEYS)
def test_a_key_that_is_spelled_wrong_is_refused(name: str) -> None:
    kind, key, row = KEYS[name]
    for other in (key + "s", key[1:] or "x", key.upper(), key.replace("-", "_") + "_"):
        broken = {other if k == key else k: v for k, v in row.items()}
        assert refused(kind, broken) == f"{kind}[1].{other}"


@pytest.mark.parametrize("name", KEYS)
def test_a_value_of_another_type_is_refused(name: str) -> None:
    kind, key, row = KEYS[name]
    for value in wrong(row[key]):
        assert refused(kind, {**row, key: value}) == f"{kind}[1].{key}"
    if SCHEMAS[kind].get(key, "text") == "text":
        assert refused(kind, {**row, key: ["a", "b"]}) == f"{kind}[1].{key}"


@pytest.mark.parametrize(("kind", "key"), CHOICES)
def test_a_word_outside_a_closed_set_is_refused(kind: str, key: str) -> None:
    for word in sorted(CHOICES[kind, key]):
        load_catalogue([{kind: [{key: word}]}])
        for other in (word + "s", word.upper(), " " + word, ""):
            assert refused(kind, {key: other}) == f"{kind}[1].{key}"


@pytest.mark.parametrize("name", sorted({kind for kind, _, _ in KEYS.values()}))
def test_a_kind_that_is_spelled_wrong_is_refused(name: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue([{name + "x": [{}]}])
    assert caught.value.key == name + "x"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/catalogue.toml")), ids=lambda p: p.parent.name)
def test_a_shipped_row_says_where_it_was_read(path: Path) -> None:
    """Runs, bounds and toolsets stand on a place in a package's own source."""
    data = tomli.loads(path.read_text(encoding="utf-8"))
    for kind in ("agent", "run", "bound", "toolset", "forced-setting", "retry", "model-timeout", "gathers"):
        for row in data.get(kind, []):
            assert ":" in row.get("source", ""), (kind, row)
