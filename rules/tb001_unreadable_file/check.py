"""Files, and cells of notebooks, in which nothing was checked."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Unreadable
from toolbind_lint.findings import Hit


def check(unreadable: Unreadable) -> Iterator[Hit]:
    """Report what may hold something that we look for; the rest is counted only."""
    if unreadable.relevant:
        yield Hit(unreadable.place)
