"""A tool loop without a finite number of steps."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.findings import Hit
from toolbind_lint.verdicts import Fault, Gate, Subject

# Leaks of the other two budgets that still leave a number at which a run ends in practice. A budget that is off by
# default, or starts anew on each pass, ends nothing.
STILL_ENDS: dict[Gate, frozenset[str]] = {
    "wall": frozenset({"unpinned", "too-long", "not-monotonic", "checked-once", "one-turn-unbounded"}),
    "cost": frozenset({"stream-without-usage"}),
}


def check(fault: Fault, subject: Subject) -> Iterator[Hit]:
    """Report the header: an error, or a warning where a deadline or a token budget ends the run all the same."""
    yield Hit(fault.place, severity="warning" if any(_ends(subject, gate) for gate in STILL_ENDS) else None)


def _ends(subject: Subject, gate: Gate) -> bool:
    verdict = subject.verdict(gate)
    if verdict.state == "held":
        return True
    return verdict.state == "leaks" and all(fault.how in STILL_ENDS[gate] for fault in verdict.faults)
