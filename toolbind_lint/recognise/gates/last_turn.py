"""The last permitted turn: does a capped loop ask for an answer in words before it gives up?"""

from __future__ import annotations

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, reach
from toolbind_lint.recognise.gates.cap import header, holding
from toolbind_lint.recognise.gates.ends import behind
from toolbind_lint.recognise.gates.owned import is_inner
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault


def faults(case: Case) -> list[Fault]:
    """One fault, at the header, where the cap is spent with tools on offer and no error says so."""
    turns = [t for t in case.turns if not is_inner(case, t)]
    bounds = [b for b in holding(case) if b.leaves and b.reached]
    if not bounds or not turns or not all(_offers(t) for t in turns) or _asks_behind(case):
        return []
    if any(_raises(case, b) for b in bounds):
        return []  # it fails by design
    return [Fault("no-final-answer", header(case), (("cap", text_of(bounds[0].cap)),))]


def _offers(point: Point) -> bool:
    """Whether a turn offers its tools whatever the step: nothing in it is decided on the way."""
    turn = point.turn
    if turn is None or turn.row is None or turn.tools != "yes" or any(a.star for a in turn.call.args):
        return False
    choices = [turn.call.keyword(name) for name in turn.row.all("choice")]
    offered = [turn.call.keyword(name) for name in turn.row.all("tools")]
    constant = all(c is None or isinstance(c, ir.Const) for c in choices)
    return constant and not any(isinstance(o, (ir.IfExp, ir.Bool, ir.Call)) for o in offered)


def _raises(case: Case, bound: Bound) -> bool:
    here = reach(bound.reached, frozenset({case.head}), raising=False)
    return any(p.kind == "raise" for p in here) or any(isinstance(s, ir.Raise) for s in behind(case))


def _asks_behind(case: Case) -> bool:
    """Whether a turn stands behind the loop."""
    roles = case.tools.roles
    calls = [n for s in behind(case) for n in ir.walk(s) if isinstance(n, ir.Call)]
    if any(roles.turn(c, case.function) is not None for c in calls):
        return True
    below = (t for c in calls for t in case.tools.program.targets(c, case.function))
    return any(roles.turns_in(t) for t in below)
