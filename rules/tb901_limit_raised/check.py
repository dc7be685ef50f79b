"""Limits that a change raises."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.changes import Change
from toolbind_lint.findings import Hit


def check(change: Change) -> Iterator[Hit]:
    """Report the new number."""
    yield Hit(change.place)
