"""Calls of one turn that nothing counts."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report where all calls of a reply are run."""
    yield Hit(fault.place)
