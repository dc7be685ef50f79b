"""A cap that zero switches off without a word: ``if cap and n >= cap``."""

from __future__ import annotations

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault


def faults(case: Case, bounds: list[Bound]) -> list[Fault]:
    """The bounds that a falsy cap skips, where no other bound stands beside them."""
    out = []
    for bound in bounds:
        guard = next(
            (g for g in bound.guards if g.cell in bound.cap_cells and isinstance(g.node, (ir.Name, ir.Attr))), None
        )
        if guard is None:
            return []  # another bound holds for zero, too
        words = (("cap", text_of(bound.cap)),)
        related = (Step(place_of(case, bound.tests[0]), "compared here, where it is not zero"),)
        out.append(Fault("falsy", place_of(case, guard), words, related=related))
    return out
