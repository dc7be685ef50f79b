"""What is wrong with a cap that ends the loop: late, off at zero, blind to calls or failures; and caps that do not."""

from __future__ import annotations

from toolbind_lint.recognise.gates import cap, dead, falsy, fanout, late, repeats
from toolbind_lint.recognise.loops import Case
from toolbind_lint.verdicts import Verdict


def verdict(case: Case, ceiling: int) -> Verdict:
    """How the step cap of a loop stands, with what is wrong beside its number."""
    found = cap.verdict(case, ceiling)
    again = repeats.handlers(case)
    if found.how == "none" and again and cap.ends_without(case, again):
        return Verdict("cap", "leaks", tuple(again.values()), found.evidence)  # the steps are counted, the failures not
    found = found._replace(beside=(*found.beside, *again.values()))
    bounds = cap.holding(case)
    if not bounds:
        return found
    tested = late.faults(case, bounds)
    uncounted = fanout.fault(case)
    beside = (
        *found.beside,
        *falsy.faults(case, bounds),
        *dead.faults(case, bounds),
        *([uncounted] if uncounted is not None else []),
    )
    state = "leaks" if tested else found.state
    return found._replace(state=state, faults=(*found.faults, *tested), beside=beside)
