"""Questions that ask each other: rings settle, each is answered once, and the order of asking does not matter."""

from __future__ import annotations

from itertools import permutations

import pytest

from toolbind_lint.recognise.memo import Memo

RING = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str](), "e": {"b"}, "f": {"f", "e"}}
OWN = {"a": {1}, "b": {2}, "c": {3}, "d": {4}, "e": {5}, "f": {6}}


class Questions:
    """What can be reached from a letter; ``asked`` counts how often each was computed."""

    def __init__(self, limit: int = 100) -> None:
        self.memo: Memo[frozenset[int]] = Memo(frozenset(), limit)
        self.asked: dict[str, int] = {}

    def ask(self, letter: str) -> frozenset[int]:
        return self.memo.answer(letter, lambda: self._compute(letter))

    def _compute(self, letter: str) -> frozenset[int]:
        self.asked[letter] = self.asked.get(letter, 0) + 1
        return frozenset(OWN[letter]).union(*(self.ask(each) for each in sorted(RING[letter])))


@pytest.mark.parametrize("order", list(permutations("abcf")))
def test_the_order_of_asking_does_not_matter(order: tuple[str, ...]) -> None:
    questions = Questions()
    for letter in order:
        questions.ask(letter)
    assert [questions.ask(letter) for letter in "abc"] == [{1, 2, 3, 4}] * 3
    assert questions.ask("f") == {1, 2, 3, 4, 5, 6}


def test_a_ring_that_has_settled_is_not_asked_again() -> None:
    questions = Questions()
    questions.ask("a")
    before = dict(questions.asked)
    for letter in "abcd":
        questions.ask(letter)
    assert questions.asked == before


def test_beyond_the_limit_the_bottom_is_given_and_not_kept() -> None:
    questions = Questions(limit=2)
    assert questions.ask("e") == {5, 2}
    assert questions.ask("c") >= {3, 1}, "asked for itself it is followed from there"


@pytest.mark.parametrize("first", ["f", "g"])
def test_where_more_may_mean_less_each_question_is_answered_as_if_asked_first(first: str) -> None:
    memo: Memo[bool] = Memo(False, 100, settles=False)

    def ask(letter: str) -> bool:
        return memo.answer(letter, lambda: not ask({"f": "g", "g": "f"}[letter]))

    ask(first)
    assert ask("f") is ask("g"), "neither is before the other"
