"""A tool that nothing interrupts."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Subject


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the dispatch."""
    # Of a framework's run it is better practice: the framework has a parameter for it.
    yield Hit(fault.place, severity="advice" if subject.kind == "agent-run" else None)
