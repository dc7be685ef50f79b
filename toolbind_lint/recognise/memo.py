"""Answers to questions that ask each other, kept where they are final.

A question met again while it is being answered gets the bottom value. What was answered on the strength of that is
kept only until the question at the bottom of it is done: kept for ever, it would be wrong for whoever asks from
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_NEVER = 1 << 30


class Memo(Generic[T]):
    """One kind of question. ``limit`` bounds how deep questions may lead; beyond it the answer is the bottom value."""

    def __init__(self, bottom: T, limit: int) -> None:
        self._bottom = bottom
        self._limit = limit
        self._final: dict[Hashable, T] = {}
        self._passing: dict[Hashable, tuple[T, int]] = {}
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
            return self._bottom
        depth = len(self._active)
        if depth >= self._limit:
            self._low = min(self._low, 0)
            return self._bottom
        self._active[key] = depth
        outer, self._low = self._low, _NEVER
        try:
            value = compute()
        finally:
            del self._active[key]
            low, self._low = self._low, outer
        if low >= depth:
            self._final[key] = value
        else:
            self._passing[key] = (value, low)
            self._low = min(outer, low)
        if depth == 0:
            self._passing.clear()
        return value
