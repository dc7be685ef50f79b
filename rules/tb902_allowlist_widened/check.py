"""Names that a change admits."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.changes import Change
from toolbind_lint.findings import Hit


def check(change: Change) -> Iterator[Hit]:
    """Report the name, or the pattern that took the place of names."""
    yield Hit(change.place)
