"""Which rules speak: profiles, and codes, prefixes and names that switch rules on and off. A leaf module.

A profile is a threshold on the severity that the project gives a finding (its ``severity`` table included) before
``relaxed`` lowers it: a finding in ``tests/`` is shown more mildly, not hidden. ``select`` replaces the profile's
set and shows what it names at any severity. Of two selectors of one layer the longer wins, ``ignore`` among equals;
the command line's layer stands above the file's, and its ``select`` starts afresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from toolbind_lint.findings import SEVERITIES, Severity

PROFILES: tuple[str, ...] = ("core", "default", "strict")
LIGHTEST: dict[str, Severity] = {"core": "error", "default": "warning", "strict": "advice"}
"""The lightest severity that each profile shows."""

_PREFIX = re.compile(r"TB\d{0,3}")
_EXACT = 6
"""Rank of a code or name; a prefix ranks by its length, ``ALL`` below all."""


class RuleName(NamedTuple):
    """A rule as selectors see it. ``standing`` rules (on unreadable files) stay on unless they are ignored by name
    or prefix.
    """

    code: str
    name: str
    preview: bool = False
    standing: bool = False


class Layer(NamedTuple):
    """The selectors of one file or of the command line; ``select`` is None where it says nothing. ``origin`` names
    it.
    """

    select: tuple[str, ...] | None
    extend: tuple[str, ...]
    ignore: tuple[str, ...]
    origin: str


class Selection(NamedTuple):
    """All that decides whether a finding is shown, outermost layer last."""

    layers: tuple[Layer, ...] = ()
    profile: str = "default"
    preview: bool = False

    def objection(self, rule: RuleName, severity: Severity) -> str:
        """Why a finding of ``rule`` with this severity is not shown; empty when it is."""
        state, why, named = self._state(rule)
        if state == "off":
            return why
        if rule.preview and not self.preview and not named:
            return f"{rule.code} is a preview: it needs --preview or its own code in a selection"
        least = LIGHTEST[self.profile]
        # What a change asks a person to look at is shown whatever the profile.
        light = severity != "review" and SEVERITIES.index(severity) < SEVERITIES.index(least)
        if state == "profile" and light:
            return f"profile {self.profile} leaves out {severity}"
        return ""

    def _state(self, rule: RuleName) -> tuple[Literal["profile", "on", "off"], str, bool]:
        state: Literal["profile", "on", "off"] = "profile"
        why, named = "", False
        for layer in self.layers:
            if layer.select is not None:
                state = "on" if rule.standing else "off"
                why, named = f"not selected by {layer.origin}", False
            wanted = best_rank(rule, (*(layer.select or ()), *layer.extend))
            unwanted = best_rank(rule, layer.ignore)
            if unwanted >= 0 and unwanted >= wanted:
                state, why = "off", f"ignored by {layer.origin}"
            elif wanted >= 0:
                state, named = "on", named or wanted == _EXACT
        return state, why, named


def rank(rule: RuleName, selector: str) -> int:
    """How exactly a selector means a rule: -1 not at all, 0 ``ALL``, the length of a prefix, 6 for its code or name."""
    if selector in {rule.code, rule.name}:
        return _EXACT
    if selector == "ALL":
        return 0
    return len(selector) if rule.code.startswith(selector) and _PREFIX.fullmatch(selector) else -1


def best_rank(rule: RuleName, selectors: Iterable[str]) -> int:
    """The highest rank among the selectors, -1 when none means the rule."""
    return max((rank(rule, selector) for selector in selectors), default=-1)


def valid_selector(selector: str, rules: Sequence[RuleName]) -> bool:
    """Whether a selector means any rule that there is."""
    return selector == "ALL" or any(rank(rule, selector) >= 0 for rule in rules)


def nearest(word: str, candidates: Iterable[str]) -> str:
    """`` (did you mean `x`?)`` for the candidate that looks most like ``word``, or an empty string."""
    from difflib import SequenceMatcher

    folded = word.lower().replace("_", "-")
    best, score = "", 0.6
    for candidate in candidates:
        other = candidate.lower()
        # Among words that share as much, the one that differs by a slip of one key: `TB1O1` is TB101, not TB311.
        same = sum(one == another for one, another in zip(folded, other, strict=False)) / max(len(folded), 1)
        closeness = SequenceMatcher(None, folded, other).ratio() + same / 10
        if closeness > score:
            best, score = candidate, closeness
    return f" (did you mean `{best}`?)" if best else ""
