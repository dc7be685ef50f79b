"""A call without an answer."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report what lets the call go: a handler, a test, the loop over the calls or the pick of the first."""
    yield Hit(fault.place)
