"""Bodies that are read late give the same program as bodies read at once."""

from __future__ import annotations

from typing import Any

import pytest

from toolbind_lint.index import Words, build_index
from toolbind_lint.recognise import ir, program
from toolbind_lint.snapshot import Memory

CODE = """\
import os

@cache
def plain(a, *, b: int = 3) -> int:
    '''Says what it does.

    At length.'''
    # a remark
    text = '''
not indented
'''
    yield text
    return (
        first,
        second,
    )  # behind the end

class Outer(Base):
    field: int = 1

    def header_and_body(self): return (
        1,
        2,
        3,
        4,
    )

    @property
    async def long(
        self,
        other,
    ):
        first = 1
        # a remark
        if first:
            await other
        return first

    class Inner:
        def deep(self):
            @wraps
            def inside():
                return 1
            a = "é" * 2; b = 3
            c = lambda: 4
            return "é", inside, a

if os:
    def conditional():
        x = 1
        y = 2
        z = 3
        return x
"""


def dump(value: Any) -> Any:
    if isinstance(value, ir.Node):
        kind = "FuncDef" if isinstance(value, ir.FuncDef) else type(value).__name__
        header = getattr(value, "header", None)
        return (kind, value.span, header, [(name, dump(getattr(value, name))) for name in ir._FIELDS[type(value)]])
    return [dump(item) for item in value] if isinstance(value, tuple) else repr(value)


def lowered(monkeypatch: pytest.MonkeyPatch, code: str, short: int) -> list[ir.Stmt]:
    monkeypatch.setattr(program, "SHORT_BODY", short)
    module = program.Program(build_index(Memory({"a.py": code.encode()}), Words(frozenset({"x"})))).module("a.py")
    assert module is not None
    return [stmt for number in range(len(module.index.statements)) for stmt in module.statements(number)]


def test_the_same_nodes_at_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    late = lowered(monkeypatch, CODE, 2)
    lazy = [node for node in ir.walk_all(tuple(late), into_functions=True) if isinstance(node, ir.LazyFuncDef)]
    assert [node.name for node in lazy] == ["plain", "long", "deep", "conditional"]
    assert dump(tuple(late)) == dump(tuple(lowered(monkeypatch, CODE, 10_000)))


def test_a_body_is_read_once_and_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    late = lowered(monkeypatch, CODE, 2)
    node = next(each for each in late if isinstance(each, ir.LazyFuncDef))
    assert node._load is not None
    assert node.is_generator
    assert node._load is None
    assert node.body is node.body
    assert [type(stmt).__name__ for stmt in node.body][-1] == "Return"


def test_only_wanted_functions_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "SHORT_BODY", 2)
    whole = program.Program(build_index(Memory({"a.py": CODE.encode()}), Words(frozenset({"x"}))))
    module = whole.module("a.py")
    assert module is not None
    number = next(n for n, s in enumerate(module.index.statements) if s.kind == "class")
    found = whole.functions_of(module, number, lambda unit: unit.name == "Outer.Inner.deep")
    assert [f.node.qualname for f in found] == ["<module>", "Outer.Inner.deep", "Outer.Inner.deep.inside"]
    cls = next(s for s in module.statements(number) if isinstance(s, ir.ClassDef))
    rest = [n for n in cls.body if isinstance(n, ir.LazyFuncDef)]
    assert [n._load is None for n in rest] == [False]


def test_an_attribute_is_looked_for_only_where_it_may_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "SHORT_BODY", 1)
    code = """\
class C:
    def a(self):
        self.one = 1
        self.both, x = 2, 3

    def b(self):
        with open("f") as self.two:
            pass
        self.both += 1
"""
    whole = program.Program(build_index(Memory({"a.py": code.encode()}), Words(frozenset({"x"}))))
    module = whole.module("a.py")
    assert module is not None
    (node,) = module.statements(0)
    assert isinstance(node, ir.ClassDef)
    cls = module.cls(node, module.toplevel(0))
    assert [b.kind for b in whole.own_field(cls, "two")] == ["context"]
    late = [n for n in node.body if isinstance(n, ir.LazyFuncDef)]
    assert [n._load is None for n in late] == [False, True]
    assert [b.kind for b in whole.own_field(cls, "both")] == ["assign", "augment"]
