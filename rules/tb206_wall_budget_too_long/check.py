"""A wall-clock budget above the ceiling of the project."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the comparison, or the limit around the run."""
    yield Hit(fault.place)
