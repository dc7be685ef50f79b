"""Loops, runs and tools that a change adds without gates."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.changes import Change
from toolbind_lint.findings import Hit


def check(change: Change) -> Iterator[Hit]:
    """Report the loop, once for all the gates that it lacks."""
    yield Hit(change.place)
