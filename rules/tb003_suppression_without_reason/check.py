"""Suppressions that do not say what they accept, or why."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.check import Suppressing
from toolbind_lint.findings import Hit


def check(suppression: Suppressing) -> Iterator[Hit]:
    """Report a blanket comment, or else one without a reason."""
    if not suppression.codes:
        yield Hit(suppression.place, "blanket")
    elif not suppression.reason:
        yield Hit(suppression.place, "no-reason")
