"""A dead run that goes on."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report what sets the budget back, or the call that goes on under the old id."""
    yield Hit(fault.place)
