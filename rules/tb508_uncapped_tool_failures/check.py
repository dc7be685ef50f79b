"""Failures that nobody counts."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the loop; the handler that answers is shown beside it."""
    yield Hit(fault.place)
