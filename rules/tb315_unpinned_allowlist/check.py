"""Sets of tool names that are decided outside the code."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the place where the names come in."""
    yield Hit(fault.place)
