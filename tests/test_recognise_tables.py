"""Where the names of a table of tools come from. ``probe(x)`` in a source marks the table that a test asks about."""

from __future__ import annotations

import pytest
from recognising import Files, world

from toolbind_lint.recognise.tables import Tables


def origins(files: Files) -> set[str]:
    here = world(files)
    call, function = here.call("probe")
    tables = Tables(here.program, here.tools.catalogue, here.tools.roles)
    return {source.origin for source in tables.sources(call.args[0].value, function)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("probe({'a': a})", {"written"}),
        ("probe({'a', 'b'})", {"written"}),
        ("T = {'a': a}\nprobe(T)", {"written"}),
        ("T = {**{'a': a}, 'b': b}\nprobe(dict(T))", {"written"}),
        ("T = {}\nT['a'] = a\nprobe(T)", {"written"}),
        ("T = {f.__name__: f for f in [a, b]}\nprobe(T)", {"written"}),
        ("T = []\ndef tool(f):\n    T.append(f)\nprobe(T)", {"given"}),
        ("def f(tools):\n    probe({t.name: t for t in tools})", {"given"}),
        ("def f(tools):\n    probe(tools)\nf([a])", {"written"}),
        ("probe(unheard_of)", set()),
        ("probe(unheard_of())", set()),
        ("import os\nprobe(os.environ['X'].split(','))", {"environment"}),
        ("import os\nprobe(set(os.getenv('X', '').split(',')))", {"environment"}),
        ("import os\nT = {'a'} | set(os.getenv('X').split(','))\nprobe(T)", {"written", "environment"}),
        ("import inspect, m\nprobe(dict(inspect.getmembers(m)))", {"introspection"}),
        ("import m\nprobe([n for n in dir(m) if n[0] != '_'])", {"introspection"}),
        ("def f(x):\n    probe(x.__dict__)", {"introspection"}),
        ("import json\nprobe(json.load(open('tools.json')))", {"written"}),
        ("import json\ndef f(path):\n    probe(json.load(open(path)))", {"file"}),
        ("import json\nfrom pathlib import Path\nprobe(json.loads((Path.home() / 't.json').read_text()))", {"file"}),
        ("import requests\nprobe(requests.get('https://x.example').json())", {"remote"}),
    ],
)
def test_a_table_is_followed_to_what_fills_it(text: str, wanted: set[str]) -> None:
    assert origins(text) == wanted


SERVER = "from mcp import ClientSession\nasync def f(session: ClientSession):\n"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("    probe((await session.list_tools()).tools)", {"server"}),
        ("    listing = await session.list_tools()\n    probe({t.name: t for t in listing.tools})", {"server"}),
        ("    T = []\n    for t in await session.list_tools():\n        T.append(wrap(t))\n    probe(T)", {"server"}),
        ("    T = {'a': a}\n    T.update(await session.list_tools())\n    probe(T)", {"written", "server"}),
        ("    probe([t for t in await session.list_tools() if t.name in {'a', 'b'}])", {"written"}),
        ("    probe([t for t in await session.list_tools() if t.name == 'a'])", {"written"}),
        ("    probe([t for t in await session.list_tools() if t.name.startswith('a')])", {"pattern"}),
        ("    probe([t for t in await session.list_tools() if t.description])", {"server"}),
        ("    probe([t for t in await session.list_tools() if t.name not in {'a'}])", {"server"}),
    ],
)  # fmt: skip
def test_the_tools_of_a_server_stay_unfiltered_wherever_they_are_poured(body: str, wanted: set[str]) -> None:
    assert origins(SERVER + body) == wanted


def test_a_field_is_followed_to_all_that_its_class_puts_in() -> None:
    text = """\
    from mcp import ClientSession
    class Box:
        def __init__(self, tools):
            self.tools = list(tools)
        async def connect(self, session: ClientSession):
            self.tools.extend((await session.list_tools()).tools)
        def run(self):
            probe(self.tools)
    """
    assert origins(text) == {"given", "server"}


def test_an_entered_client_is_the_client() -> None:
    text = """\
    from mcp import ClientSession
    class Box:
        async def connect(self, streams):
            self.session = await ClientSession(*streams).__aenter__()
        async def run(self):
            probe((await self.session.list_tools()).tools)
    """
    assert origins(text) == {"server"}


def test_a_name_of_another_module_is_followed_there() -> None:
    files = {
        "agent.py": "from tools import TOOLS\nprobe(TOOLS)\n",
        "tools.py": "import os\nTOOLS = {}\nfor name in os.environ['X'].split(','):\n    TOOLS[name] = run\n",
    }
    assert origins(files) == {"environment"}


def test_a_table_that_is_made_of_itself_comes_to_an_end() -> None:
    assert origins("def f(t):\n    t = t or {}\n    t = dict(t)\n    probe(t)\n") == {"given"}
