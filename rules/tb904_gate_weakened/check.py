"""Gates, and the settings that guard them, that a change weakens."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.changes import Change
from toolbind_lint.findings import Hit


def check(change: Change) -> Iterator[Hit]:
    """Report what lost the gate, or the setting."""
    yield Hit(change.place)
