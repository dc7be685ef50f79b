"""Answers to questions that ask each other, kept where they are final.

A question met again while it is being answered gets the bottom value, and what was answered on the strength of that is
no answer yet. So the questions of such a ring are asked again, each taking what the last round said of the others,
until a round changes nothing: then all of them are final. What led too deep to be followed is kept only until the
question that began it is done: kept for ever, it would be wrong for whoever asks from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_NEVER = 1 << 30
_CUT = -1
"""How deep an answer leans that a limit cut off."""
MAX_ROUNDS = 6
"""Rounds after which a ring that does not settle is left as it is."""


class Memo(Generic[T]):
    """One kind of question. ``limit`` bounds how deep questions may lead; beyond it the answer is the bottom value.

    With ``settles`` more in one answer never means less in another, so rings settle. Without, each question of a ring
    is answered as if it were asked first.
    """

    def __init__(self, bottom: T, limit: int, *, settles: bool = True) -> None:
        self._bottom = bottom
        self._limit = limit
        self._settles = settles
        self._asked_first: dict[Hashable, T] = {}
        self._final: dict[Hashable, T] = {}
        self._passing: dict[Hashable, tuple[T, int]] = {}
        self._assumed: dict[Hashable, T] = {}
        self._active: dict[Hashable, int] = {}
        self._low = _NEVER

    def answer(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The answer to a question, computed where it is not known."""
        if key in self._final:
            return self._final[key]
        if key in self._passing:
            value, low = self._passing[key]
            self._low = min(self._low, low)
            return value
        if key in self._active:
            self._low = min(self._low, self._active[key])
            return self._assumed.get(key, self._bottom)
        depth = len(self._active)
        if depth == 0 and key in self._asked_first:
            return self._asked_first[key]
        if depth >= self._limit:
            self._low = _CUT
            return self._bottom
        self._active[key] = depth
        outer, self._low = self._low, _NEVER
        before = len(self._passing)
        try:
            value = compute()
            if self._low == depth and self._settles:
                value = self._settle(key, value, compute, before)
        finally:
            del self._active[key]
            low, self._low = self._low, outer
        if low > depth or (self._settles and depth in {low, 0}):
            self._final[key] = value
        elif depth == 0:
            self._asked_first[key] = value
        else:
            self._passing[key] = (value, low)
            self._low = min(outer, low)
        if depth == 0:
            self._passing.clear()
            self._assumed.clear()
        return value

    def _settle(self, key: Hashable, value: T, compute: Callable[[], T], before: int) -> T:
        """Asks the questions of a ring again until a round changes nothing; ``key`` is where the ring was entered.

        ``before`` counts the passing answers that are older than the ring.
        """
        depth = self._active[key]
        for _ in range(MAX_ROUNDS):
            ring = dict(list(self._passing.items())[before:])
            said = {key: value, **{each: answer for each, (answer, _) in ring.items()}}
            if all(self._assumed.get(each, self._bottom) == answer for each, answer in said.items()):
                for each, (answer, low) in ring.items():
                    if low >= depth:
                        self._final[each] = answer
                        del self._passing[each]
                break
            self._assumed.update(said)
            for each in ring:
                del self._passing[each]
            self._low = _NEVER
            value = compute()
            if self._low < depth:
                break  # it leans on what is further out, where the same is done
        return value
