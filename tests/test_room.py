"""Room on the stack: work that recurses far ends, and what it raises reaches the caller."""

from __future__ import annotations

import sys

import pytest

from toolbind_lint.room import with_room


def test_recursion_goes_deeper_than_the_interpreter_allows_of_itself() -> None:
    def down(levels: int) -> int:
        return 0 if levels == 0 else 1 + max(down(levels - 1) for _ in (0,))

    deep = sys.getrecursionlimit() * 2
    with pytest.raises(RecursionError):
        down(deep)
    assert with_room(lambda: down(deep)) == deep


def test_the_limit_is_as_before_afterwards() -> None:
    before = sys.getrecursionlimit()
    assert with_room(sys.getrecursionlimit) > before
    assert sys.getrecursionlimit() == before


def test_what_is_raised_inside_is_raised_outside() -> None:
    def fails() -> None:
        raise LookupError("there is none")

    with pytest.raises(LookupError, match="there is none"):
        with_room(fails)
