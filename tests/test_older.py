"""Newer syntax in older words: the same places, the same meaning to whoever reads no types."""

from __future__ import annotations

import ast

import pytest

from toolbind_lint.index.modern import read_modern
from toolbind_lint.index.reader import read_module
from toolbind_lint.older import older
from toolbind_lint.source import Source, parse_ast

NEW = {
    "alias": ("type Reply = list[int]\n", "Reply      = list[int]\n"),
    "generic alias": (
        "if x:\n    type Reply[T: (int, str)] = list[T]\n",
        "if x:\n    Reply" + " " * 21 + "= list[T]\n",
    ),
    "function": ("async def run[T](x: T): return x\n", "async def run   (x: T): return x\n"),
    "method": ("class A[K, *Ts = *tuple[int]](B[K]):\n    def m[**P](self): pass\n", ""),
    "over lines": ("def run[\n    T,  # of the reply\n    U: list[T],\n](x): return x\n", ""),
}


@pytest.mark.parametrize("name", NEW)
def test_what_is_new_is_read_by_the_old_parser_at_the_same_places(name: str) -> None:
    text, expected = NEW[name]
    said = older(text)
    assert [len(line) for line in said.split("\n")] == [len(line) for line in text.split("\n")]
    assert not expected or said == expected
    mine = read_module("a.py", ast.parse(said), frozenset())
    theirs = read_modern(Source("a.py", text), frozenset())
    assert mine.statements == theirs.statements
    assert mine.definitions == theirs.definitions
    assert [(u.name, u.kind, u.owner, u.bases) for u in mine.units] == [
        (u.name, u.kind, u.owner, u.bases) for u in theirs.units
    ]


@pytest.mark.parametrize(
    "text",
    [
        "type = 1\ntype (x)\nprint(type)\n",
        "class A(B): x = C[D]\ndef f(a: list[int]) -> dict[str, int]: return a[0]\n",
        "def broken[T(x): pass\n",
    ],
)
def test_what_is_old_or_broken_stays(text: str) -> None:
    assert older(text) == text


def test_the_body_of_a_generic_function_is_where_it_was() -> None:
    text = "class A[T]:\n    def m[U](self, x: U) -> T:\n        while x:\n            x = f(x)\n        return x\n"
    unit = next(u for u in read_module("a.py", parse_ast(older(text)), frozenset()).units if u.name == "A.m")
    assert unit.body is not None and unit.loops
    assert (unit.body.first, unit.body.last, unit.body.indent) == (3, 5, 8)
