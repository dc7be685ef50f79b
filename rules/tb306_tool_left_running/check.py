"""A tool that nobody waits for, and nobody ends."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the task, or the wait that drops it."""
    yield Hit(fault.place)
