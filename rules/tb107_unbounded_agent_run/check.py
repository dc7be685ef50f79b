"""An agent run that nothing bounds."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the run call, or the constructor of what runs by itself."""
    yield Hit(fault.place)
