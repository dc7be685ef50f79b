"""Which functions of the project a dispatch may run, and where not all of them can be seen."""

from __future__ import annotations

import pytest
from recognising import World, world

PAIR = "def a(x):\n    return x\n\ndef b(x):\n    return x\n\n"


def handlers(found: World) -> list[str] | None:
    """The handlers of the first dispatch of ``run_tool``, by name."""
    function = next(f for f in found.functions() if f.node.name == "run_tool")
    (dispatch, *_) = found.tools.roles.dispatches_in(function)
    got = found.tools.handlers.of(dispatch)
    return None if got is None else sorted(f.node.qualname for f in got.functions)


RUN = "def run_tool(tool_name, arguments):\n    return TOOLS[tool_name](**arguments)\n"
SEEN = {
    "a display": PAIR + "TOOLS = {'a': a, 'b': b}\n\n" + RUN,
    "got": PAIR
    + "TOOLS = {'a': a, 'b': b}\n\ndef run_tool(tool_name, arguments):\n"
    + "    tool = TOOLS.get(tool_name)\n    return tool(**arguments)\n",
    "merged": PAIR + "MORE = {'b': b}\nTOOLS = {'a': a, **MORE}\n\n" + RUN,
    "from a list": PAIR + "ALL = [a, b]\nTOOLS = {t.__name__: t for t in ALL}\n\n" + RUN,
}
HIDDEN = {
    "a parameter": "def run_tool(tools, tool_name, arguments):\n    return tools[tool_name](**arguments)\n",
    "an entry that nobody knows": PAIR + "import theirs\nTOOLS = {'a': a, 'b': theirs.b}\n\n" + RUN,
    "an open display": PAIR + "from theirs import MORE\nTOOLS = {'a': a, **MORE}\n\n" + RUN,
}


@pytest.mark.parametrize("text", SEEN.values(), ids=SEEN)
def test_the_handlers_of_a_table_are_seen(text: str) -> None:
    assert handlers(world(text)) == ["a", "b"]


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_where_not_all_are_seen_nothing_is_said(text: str) -> None:
    assert handlers(world(text)) is None


CLASSES = """\
from abc import ABC, abstractmethod

class Tool(ABC):
    name = ""
    @abstractmethod
    def run(self, x): ...

class A(Tool):
    def run(self, x):
        return x

class B(Tool):
    def run(self, x):
        return x

class Registry:
    def __init__(self, {params}):
        self.tools = {{tool.name: tool for tool in tools}}
    def run_tool(self, tool_name, arguments):
        return self.tools[tool_name].run(**arguments)
"""


@pytest.mark.parametrize("params", ["*tools: Tool", "tools: list[Tool]"])
def test_the_subclasses_stand_for_the_class_that_is_named(params: str) -> None:
    assert handlers(world(CLASSES.format(params=params))) == ["A.run", "B.run"]


def test_methods_are_picked_by_their_prefix() -> None:
    text = (
        "class Desk:\n    def tool_a(self, x):\n        return x\n    def tool_b(self, x):\n        return x\n"
        "    def other(self, x):\n        return x\n    def run_tool(self, tool_name, arguments):\n"
        "        return getattr(self, f'tool_{tool_name}')(**arguments)\n"
    )
    assert handlers(world(text)) == ["Desk.tool_a", "Desk.tool_b"]


def test_what_fits_a_protocol_stands_for_it() -> None:
    text = (
        "from typing import Protocol\n\nclass Box(Protocol):\n    def execute_call(self, tool_call) -> str: ...\n\n"
        "class Local:\n    def execute_call(self, tool_call):\n        return 'x'\n\n"
        "class Other:\n    def execute(self, tool_call):\n        return 'x'\n\n"
        "def fill(box: Box, call):\n    return box.execute_call(call)\n"
    )
    found = world(text)
    call, function = found.call("execute_call")
    got = found.tools.handlers.typed(call, function)
    assert [f.node.qualname for f in got] == ["Local.execute_call"]
