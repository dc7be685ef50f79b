from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from toolbind_lint.facts import Unreadable
from toolbind_lint.index import Import, ModuleIndex, Project, Words, build_index
from toolbind_lint.index.modern import read_modern
from toolbind_lint.index.reader import read_module
from toolbind_lint.snapshot import Memory, Overlay
from toolbind_lint.source import Source, parse_ast

WORDS = Words(frozenset({"tool_calls", "call_tool", "litellm", "tools/call"}))
TURN = "def ask(m):\n    return client.chat(m).tool_calls\n"


def project(files: dict[str, str], words: Words = WORDS, roots: tuple[str, ...] = ()) -> Project:
    return build_index(Memory({path: dedent(text).encode() for path, text in files.items()}), words, roots=roots)


def index(text: str) -> ModuleIndex:
    return project({"a.py": text}).modules["a.py"]


def named(found: Project) -> dict[str, list[str]]:
    """The candidates by the first name that they define."""
    return {
        path: [(found.modules[path].statements[number].defines or ("",))[0] for number in numbers]
        for path, numbers in found.candidates().items()
    }


# --- Statements


def test_statements_and_what_they_define() -> None:
    found = index(
        """\
        import os, sys
        from . import x as y
        MAX: int = 3
        A, (B, *C) = 1, (2, 3); D = 4
        @decorator(
            1,
        )
        def f(): pass

        class K(Base):
            limit = 3
            def m(self): pass
            class Inner:
                def n(self): pass
        try:
            import fast
        except ImportError:
            def fast(): pass
        else:
            flag = True
        print(
            "x"
        )
        """
    )
    assert [(each.first, each.last, each.kind, each.defines) for each in found.statements] == [
        (1, 1, "import", ()),
        (2, 2, "import", ()),
        (3, 3, "assignment", ("MAX",)),
        (4, 4, "assignment", ("A", "B", "C", "D")),
        (5, 8, "function", ("f",)),
        (10, 14, "class", ("K", "K.limit", "K.m", "K.Inner", "K.Inner.n")),
        (15, 20, "compound", ("fast", "flag")),
        (21, 23, "expression", ()),
    ]
    assert [(each.name, each.kind, each.line, each.statement) for each in found.definitions][5:9] == [
        ("f", "function", 8, 4),
        ("K", "class", 10, 5),
        ("K.limit", "assignment", 11, 5),
        ("K.m", "function", 12, 5),
    ]


def test_statements_that_share_a_line_are_one() -> None:
    found = index("import os; x = 1\ny = 2; z = (\n3); import sys\nclass C: pass\n")
    assert [(each.first, each.last, each.kind) for each in found.statements] == [
        (1, 1, "compound"),
        (2, 3, "compound"),
        (4, 4, "class"),
    ]
    assert [each.statement for each in found.definitions] == [0, 1, 1, 2]


def test_imports() -> None:
    found = index(
        """\
        import a.b, c as d
        from ..e import f, g as h
        from . import *
        if x:
            import i
        def k():
            from l import m
        class N:
            import o
            def p(self):
                def q():
                    import r.s
        """
    )
    assert found.imports == (
        Import("a.b", 0, None, "a", 1, ""),
        Import("c", 0, None, "d", 1, ""),
        Import("e", 2, "f", "f", 2, ""),
        Import("e", 2, "g", "h", 2, ""),
        Import("", 1, "*", "*", 3, ""),
        Import("i", 0, None, "i", 5, ""),
        Import("l", 0, "m", "m", 7, "k"),
        Import("o", 0, None, "o", 9, "N"),
        Import("r.s", 0, None, "r", 12, "N.p"),
    )


def test_calls_are_last_names_of_callees_arguments_decorators_and_bases() -> None:
    found = index(
        """\
        @deco.rate(limit=n)
        class K(pkg.Base, metaclass=Meta):
            def m(self):
                a.b.c(self.x, key=y)(z)
                f"{g(1)}"
                [h() for _ in w]
                super().m()
                not_called
                d[0].e()
        """
    )
    (statement,) = found.statements
    assert statement.calls == frozenset({"rate", "Base", "Meta", "c", "x", "y", "g", "h", "m", "e", "super", "z", "n"})


@pytest.mark.parametrize(
    "text",
    [
        "def f(): x.tool_calls",
        "def f(tool_calls): pass",
        "x = f(tool_calls=1)",
        "x = {'tool_calls': 1}",
        "def f(x: 'tool_calls'): pass",
        "def f() -> list[tool_calls]: pass",
        "x: tool_calls = 1",
        "match x:\n    case K(tool_calls=1): pass",
        "class tool_calls: pass",
        "def f():\n    global tool_calls",
        "try: pass\nexcept E as tool_calls: pass",
        "from x import tool_calls as t\ny = t",
    ],
)
def test_words(text: str) -> None:
    assert index(text).statements[-1].words == {"tool_calls"}


@pytest.mark.parametrize("text", ["x = 'my tool_calls'", "# tool_calls\nx = 1", "tool_callsx = 1", "'''tool_calls '''"])
def test_no_words(text: str) -> None:
    assert index(text).statements[-1].words == frozenset()


def test_a_word_may_be_any_literal() -> None:
    assert index("x = {'method': 'tools/call'}").statements[0].words == {"tools/call"}


def test_names_imported_from_a_library_that_is_a_word_are_words() -> None:
    found = index("from litellm.main import completion as ask\ndef f(): ask()\ndef g(): other()\n")
    assert [each.words for each in found.statements] == [{"litellm"}, {"litellm"}, frozenset()]


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("def f():\n    while x: pass", True),
        ("async def f():\n    async for x in y: pass", True),
        ("for x in y: pass", True),
        ("def f(): f()", True),
        ("class K:\n    def m(self): self.n()\n    def n(self): pass", True),
        ("def f():\n    def g(): pass\n    run(g)", True),
        ("def f(): g()", False),
        ("x = [y for y in z]", False),
    ],
)
def test_loops(text: str, loops: bool) -> None:
    assert index(text).statements[0].loops is loops


# --- The two readers

HARD = """\
'''doc'''
import a.b as c, d
from .. import e, f as g
from h import *
type_ = 1
X, Y = [1, 2]
with open(p) as W, q() as (V, U): pass
for I in J: K = 1
x[0] = y.z = 3
@deco(1)
@pkg.other
class C(Base[int], pkg.Mixin, metaclass=M, **kw):
    field: "tool_calls" = make(1)
    opt: Optional[pkg.Client] = None
    @property
    def m(self, a: Agent, *args: int, k: str = d(), **kwargs) -> "R":
        import inner.mod
        self.client = pkg.Client(a)
        return self.client.chat(a.b, key=c).tool_calls
    class D(C2):
        async def n(self):
            async with self.lock as l:
                async for x in await self.go(step=self.m):
                    yield f"{x!r:>{width(x)}} {call_tool(x)}"
    if COND:
        def o(self): return super().o() or self.o()
try:
    from fast import f
except* (ImportError, E) as err:
    def f(*, a=lambda v: v.tool_calls(v)): nonlocal_ = {**a, 'k': b, **c()}
else: Z = 2
finally:
    done()
def g():
    global G
    def h(): return h
    while (n := step(g)): h()
    match n:
        case {"tools/call": v, **rest}: pass
        case K(tool_calls=w) | [1, *u]: pass
        case _ if cond(): pass
    del n, x[1]
    return [i for i in a().b if c(i)], {j: k for j, k in l}, a if b else c, not d, e @ f, g < h < i
assert f(1), "tools/call"
async def z(a, /, b): raise E("a" "b") from await a(b)
a = b
c = d(None, True)
"""


def both(text: str) -> tuple[ModuleIndex, ModuleIndex]:
    return read_module("a.py", parse_ast(text), WORDS.seeds), read_modern(Source("a.py", text), WORDS.seeds)


def comparable(found: ModuleIndex) -> dict[str, object]:
    return {
        "statements": found.statements,
        "imports": sorted(found.imports, key=repr),
        "definitions": found.definitions,
        "units": [
            (u.statement, u.name, u.kind, u.owner, u.seeded, u.loops, u.calls, u.passes, u.made, u.bases)
            for u in found.units
        ],
    }


@pytest.mark.parametrize("name", ["statements", "imports", "definitions", "units"])
def test_both_readers_say_the_same(name: str) -> None:
    text = HARD if sys.version_info >= (3, 11) else HARD.replace("except* (ImportError, E)", "except (ImportError, E)")
    one, other = both(text)
    assert comparable(one)[name] == comparable(other)[name]


@pytest.mark.parametrize(
    "path", sorted(Path(__file__).parents[1].glob("toolbind_lint/index/*.py")), ids=lambda path: path.name
)
def test_both_readers_say_the_same_of_real_code(path: Path) -> None:
    one, other = both(path.read_text(encoding="utf-8"))
    assert comparable(one) == comparable(other)


def test_syntax_that_is_newer_than_the_interpreter() -> None:
    text = 'type Reply[T] = list[T]\ndef f[T](x: T): return f"{x["a"].tool_calls}"\nx = t\'{y}\'\n'
    found = project({"a.py": text})
    assert found.unreadable == ()
    assert found.modules["a.py"].statements[0].defines == ("Reply",)
    assert named(found) == {"a.py": ["f"]}


# --- What cannot be read


def test_unreadable_files_are_told_with_their_relevance() -> None:
    found = project({"a.py": "x = tool_calls\ny = (\n", "b.py": "b = )\n", "c.py": "# \x00", "d.py": "x = 1"})
    assert [(each.place.path, each.place.line, each.reason, each.relevant) for each in found.unreadable] == [
        ("a.py", 2, "syntax", True)
    ]
    assert found.modules.get("b.py") is None
    assert list(found.modules) == ["d.py"]
    assert [(each.place.path, each.relevant) for each in found.unreadable] == [
        ("a.py", True),
        ("b.py", False),
        ("c.py", False),
    ]
    with pytest.raises(KeyError):
        found.source("c.ipynb")


def test_bytes_that_cannot_be_decoded() -> None:
    found = build_index(Memory({"a.py": b"# \xff tool_calls", "b.py": b"# \xff"}), WORDS)
    assert [(each.place.path, each.reason, each.relevant) for each in found.unreadable] == [("a.py", "encoding", True)]


def test_a_file_that_vanished() -> None:
    class Gone(Memory):
        def read(self, path: str) -> bytes:
            raise PermissionError(13, "Permission denied", path)

    found = build_index(Gone({"a.py": b"", "data.txt": b""}), WORDS)
    assert [(each.reason, each.message, each.relevant) for each in found.unreadable] == [
        ("unreadable", "Permission denied", True)
    ]


def test_a_generated_file_is_too_large() -> None:
    found = build_index(Memory({"a.py": b"x = 'tool_calls'\n" + b"#" * 100}), WORDS, max_bytes=50)
    assert [each.reason for each in found.unreadable] == ["too-large"]


@pytest.mark.parametrize(
    "expression",
    [
        "+".join(["a"] * 400),
        "a" + ".b()" * 400,
        "a" + ".b" * 400,
        " and ".join(["a"] * 400),
        "-" * 400 + "1",
        "[" * 150 + "tool_calls" + "]" * 150 + "+" + "+".join(["a"] * 300),
    ],
)
def test_a_statement_that_nests_too_deeply_hides_only_itself(expression: str) -> None:
    found = project({"a.py": f"x = 1\ny = f(tool_calls, {expression})\nz = tool_calls\n"})
    assert [(each.place.line, each.reason, each.relevant) for each in found.unreadable] == [(2, "syntax", True)]
    assert named(found) == {"a.py": ["z"]}


def test_a_file_that_no_parser_survives() -> None:
    found = project({"a.py": "tool_calls = " + "-" * 50_000 + "1\n"})
    assert [each.message for each in found.unreadable] == ["nested too deeply to read"]


def test_a_broken_cell_hides_only_itself() -> None:
    sources = ["x = tool_calls", "tool_calls = (", "y = tool_calls"]
    cells = [{"cell_type": "code", "source": each} for each in sources]
    found = build_index(Memory({"a.ipynb": json.dumps({"cells": cells}).encode()}), WORDS)
    assert named(found) == {"a.ipynb": ["x", "y"]}
    assert [(each.place.cell, each.relevant) for each in found.unreadable] == [(1, True)]


def test_words_that_follow_a_newline_in_json() -> None:
    cells = [{"cell_type": "code", "source": "\ntool_calls = 1\n"}, {"cell_type": "markdown", "source": "x"}]
    found = build_index(Memory({"a.ipynb": json.dumps({"cells": cells}).encode()}), WORDS)
    assert found.seeded == ("a.ipynb",)
    assert named(found) == {"a.ipynb": ["tool_calls"]}


# --- Imports


@pytest.mark.parametrize(
    ("importer", "module", "level", "path"),
    [
        ("pkg/a.py", "pkg.b", 0, "pkg/b.py"),
        ("pkg/a.py", "b", 1, "pkg/b.py"),
        ("pkg/a.py", "", 1, "pkg/__init__.py"),
        ("pkg/__init__.py", "b", 1, "pkg/b.py"),
        ("pkg/__init__.py", "sub.c", 1, "pkg/sub/c.py"),
        ("pkg/sub/c.py", "b", 2, "pkg/b.py"),
        ("pkg/sub/c.py", "", 2, "pkg/__init__.py"),
        ("pkg/sub/c.py", "b", 9, None),
        ("pkg/a.py", "pkg", 0, "pkg/__init__.py"),
        ("pkg/a.py", "pkg.sub", 0, "pkg/sub/__init__.py"),
        ("pkg/a.py", "pkg.gone", 0, None),
        ("pkg/a.py", "json", 0, None),
        ("pkg/a.py", "logging", 0, None),
        ("pkg/a.py", "litellm", 0, None),
        ("pkg/a.py", "b", 0, "pkg/b.py"),
        ("pkg/a.py", "c", 0, None),
        ("pkg/a.py", "pkg.typed", 0, "pkg/typed.pyi"),
        ("pkg/a.py", "pkg.both", 0, "pkg/both.py"),
        ("scripts/run.py", "helper", 0, "scripts/helper.py"),
        ("scripts/run.py", "json", 0, "scripts/json.py"),
        ("scripts/run.py", "pkg.b", 0, "pkg/b.py"),
        ("scripts/book.ipynb", "helper", 0, "scripts/helper.py"),
        ("top.py", "pkg.a", 0, "pkg/a.py"),
        ("top.py", "json", 0, None),
        ("tests/test_x.py", "lib.core", 0, "src/lib/core.py"),
        ("tests/test_x.py", "mono.core", 0, "packages/one/mono/core.py"),
        ("packages/two/mono/other.py", "mono.core", 0, "packages/two/mono/core.py"),
        ("packages/three/src/three/x.py", "three.y", 0, "packages/three/src/three/y.py"),
        ("packages/one/mono/core.py", "three.y", 0, "packages/three/src/three/y.py"),
        ("ns/part/a.py", "ns.other.b", 0, "ns/other/b.py"),
        ("ns/part/a.py", "other.b", 0, "ns/other/b.py"),
        ("vendored/deep/x.py", "core", 0, None),
        ("pkg/gap/inner/x.py", "inner", 0, None),
        ("pkg/gap/inner/x.py", "pkg.gap.inner.x", 0, "pkg/gap/inner/x.py"),
        ("pkg/demo/inner/deep/x.py", "inner.y", 0, "pkg/demo/inner/y.py"),
        ("pkg/demo/inner/deep/x.py", "litellm.z", 0, None),
    ],
)
def test_module_path(importer: str, module: str, level: int, path: str | None) -> None:
    files = """
        pkg/__init__.py pkg/a.py pkg/b.py pkg/json.py pkg/logging.py pkg/litellm.py pkg/typed.pyi pkg/both.py
        pkg/both.pyi pkg/sub/__init__.py pkg/sub/c.py pkg/gap/inner/__init__.py pkg/gap/inner/x.py
        scripts/run.py scripts/helper.py scripts/json.py scripts/book.ipynb top.py some/deep/json.py
        src/lib/__init__.py src/lib/core.py tests/test_x.py packages/one/mono/__init__.py
        packages/one/mono/core.py packages/two/mono/__init__.py packages/two/mono/core.py
        packages/two/mono/other.py packages/three/src/three/x.py packages/three/src/three/y.py ns/part/a.py
        ns/other/b.py vendored/deep/x.py pkg/demo/main.py pkg/demo/inner/__init__.py pkg/demo/inner/y.py
        pkg/demo/inner/deep/x.py pkg/demo/litellm/z.py
    """
    assert project(dict.fromkeys(files.split(), "")).module_path(importer, module, level) == path


def test_configured_roots() -> None:
    files = {"app/main.py": "", "libs/deep/helper.py": ""}
    assert project(files).module_path("app/main.py", "helper", 0) is None
    assert project(files, roots=("libs/deep/",)).module_path("app/main.py", "helper", 0) == "libs/deep/helper.py"


def test_importers_are_direct_and_sorted() -> None:
    found = project(
        {
            "p/__init__.py": "from .a import f",
            "p/a.py": "def f(): pass",
            "z.py": "import p.a",
            "b.py": "def g():\n    from p import a",
            "c.py": "from p import f",
        }
    )
    assert found.importers("p/a.py") == ("b.py", "p/__init__.py", "z.py")
    assert found.importers("p/__init__.py") == ("b.py", "c.py")
    assert found.importers("c.py") == ()


def test_definitions_are_found_through_reexports() -> None:
    found = project(
        {
            "p/__init__.py": "from .a import f as g\nfrom .b import *\nfrom . import sub",
            "p/a.py": "def f(): pass",
            "p/b.py": "from .c import k",
            "p/c.py": "from .b import k\ndef k(): pass",
            "p/sub.py": "",
        }
    )
    for name, path, inner in [("g", "p/a.py", "f"), ("k", "p/c.py", "k")]:
        ((place, definition),) = found.definitions_of("p/__init__.py", name)
        assert definition is not None
        assert (place, definition.name) == (path, inner)
    assert found.definitions_of("p/__init__.py", "sub") == (("p/sub.py", None),)
    assert found.definitions_of("p/__init__.py", "gone") == ()


# --- Candidates


def test_words_make_candidates_and_imports_are_none() -> None:
    found = project(
        {"a.py": f"from mcp import call_tool\n{TURN}\ndef other(): pass\nX = 'tool_calls'\n", "b.pyi": TURN}
    )
    assert named(found) == {"a.py": ["ask", "X"]}
    assert found.screened == 0


def test_a_loop_that_says_nothing_is_found_in_another_module() -> None:
    found = project(
        {
            "brain.py": "class Brain:\n    def think(self, h):\n        return self.c.create(h).tool_calls\n",
            "loop.py": """\
                class Loop:
                    def __init__(self, brain): self.brain = brain
                    def go(self, h):
                        while h.open: h.add(self.brain.think(h))
                def unrelated():
                    while True: pass
                """,
            "main.py": "from loop import Loop\ndef main(): Loop(None).go(1)\n",
        }
    )
    assert named(found) == {"brain.py": ["Brain"], "loop.py": ["Loop"]}
    assert found.screened == 1


def test_what_only_passes_a_call_on_is_no_candidate_but_leads_on() -> None:
    found = project(
        {
            "a.py": TURN,
            "b.py": "import a\ndef mid(m): return a.ask(m)\n",
            "c.py": "from b import mid\nfor x in y: mid(x)\n",
        }
    )
    assert named(found) == {"a.py": ["ask"], "c.py": ["x"]}


def test_rings_go_round() -> None:
    ring = """\
        from a import ask
        def one(m): two(ask(m))
        def two(m): three(m)
        def three(m): Thread(target=one).start()
        def before(m): one(m)
        """
    assert named(project({"a.py": TURN, "b.py": ring})) == {"a.py": ["ask"], "b.py": ["one", "two", "three"]}


@pytest.mark.parametrize(
    "files",
    [
        {"b.py": "from a import ask as q\nfor x in y: q(x)"},
        {"b.py": "import a as z\nfor x in y: z.ask(x)"},
        {"b.py": "from a import *\nfor x in y: ask(x)"},
        {"p/__init__.py": "from a import ask as put", "b.py": "from p import put\nfor x in y: put(x)"},
        {"p/__init__.py": "from a import ask as put", "b.py": "import p\nfor x in y: p.put(x)"},
        {"b.py": "from functools import partial\nimport a\nrun = partial(a.ask)\nfor x in y: run(x)"},
        {"b.py": "import a\nstep = a.ask\nfor x in y: step(x)"},
        {"b.py": "from a import ask\ndef drive(f):\n    while f(1): pass\ndrive(ask)"},
        {"b.py": "from a import ask\n@retry(3)\ndef f(m): return ask(m)\nfor x in y: f.delay(x)"},
        {"b.py": "for x in y:\n    from a import ask\n    ask(x)"},
        {"b.py": "class A:\n    def __init__(s):\n        from a import ask\n        ask(1)\nfor x in y: A()"},
        {"b.py": "import a\nclass A:\n    def __call__(s): a.ask(1)\ndef f(z: A):\n    while z(1): pass"},
        {"b.py": "import a\nclass A:\n    def __call__(s): a.ask(1)\nz = A()\nfor x in y: z(x)"},
        {"b.py": "import a\nclass A:\n    def go(s): a.ask(1)", "c.py": "from b import A\nfor x in y: A().go()"},
        {
            "b.py": "import a\nclass A:\n    def go(s): a.ask(1)",
            "c.py": "def f(pool, z):\n    for x in y: pool.submit(z.go)",
        },
        {
            "b.py": "import a\nclass A:\n    @staticmethod\n    def go(): a.ask(1)",
            "c.py": "import b\nfor x in y: b.A.go()",
        },
        {
            "b.py": "class B:\n    def go(s):\n        while s.step(): pass",
            "c.py": "from b import B\nimport a\nclass C(B):\n    def step(s): return a.ask(1)",
        },
        {
            "b.py": "import a\nclass B:\n    def step(s): return a.ask(1)",
            "c.py": "import b\nclass C(b.B):\n    def go(s):\n        for x in y: super().step()",
        },
        {"b.py": "try:\n    from a import ask\nexcept ImportError:\n    def ask(m): pass\nfor x in y: ask(x)"},
    ],
)
def test_ways_to_reach_a_hot_function(files: dict[str, str]) -> None:
    found = project({"a.py": TURN, **files})
    round_ = [
        path
        for path, numbers in found.candidates().items()
        if path != "a.py" and any("while" in _text(found, path, n) or "for " in _text(found, path, n) for n in numbers)
    ]
    assert round_


def _text(found: Project, path: str, number: int) -> str:
    statement = found.modules[path].statements[number]
    return "\n".join(found.source(path).lines[statement.first - 1 : statement.last])


@pytest.mark.parametrize(
    "text",
    [
        "for x in y: ask(x)",  # nobody's name
        "from other import ask\nfor x in y: ask(x)",
        "import other\nfor x in y: other.ask(x)",
        "def ask(): pass\nfor x in y: ask(x)",
        "class K:\n    def go(s):\n        for x in y: s.f.ask(x)",  # a function is no method
        "class K:\n    def ask(self): pass\n    def go(self):\n        for x in y: self.ask(x)",
        "import a\nfor x in y: a.other(x)",
        "import a\nfor x in y: z: a.ask = 1",
    ],
)
def test_the_same_word_for_something_else(text: str) -> None:
    assert named(project({"a.py": TURN, "b.py": text})) == {"a.py": ["ask"]}


def test_common_method_names_need_an_import() -> None:
    hot = "class Agent:\n    def {name}(self, m):\n        return m.tool_calls\n"
    cold = "class Other{n}:\n    def {name}(self): pass\n"
    loop = "def drive(x):\n    while x.{name}(1): pass\n"

    def candidates(name: str) -> list[str]:
        files = {f"other{n}.py": cold.format(n=n, name=name) for n in range(4)}
        files |= {"agent.py": hot.format(name=name), "far.py": loop.format(name=name)}
        files["near.py"] = "import agent\n" + loop.format(name=name)
        files["by_name.py"] = "from agent import Agent\n" + loop.format(name=name)
        return list(project(files).candidates())

    assert candidates("run") == ["agent.py", "by_name.py", "near.py"]
    assert candidates("get") == ["agent.py", "by_name.py"]


def test_a_method_that_many_modules_use_needs_an_import() -> None:
    files = {"agent.py": "class Agent:\n    def create_task(self, m):\n        return m.tool_calls\n"}
    loop = "def drive(x):\n    while x.create_task(1): pass\n"
    files |= {"far.py": loop, "near.py": "import agent\n" + loop}
    assert list(project(files).candidates()) == ["agent.py", "far.py", "near.py"]
    files |= {f"user{n}.py": f"def use{n}(x): x.create_task(1)\n" for n in range(20)}
    assert list(project(files).candidates()) == ["agent.py", "near.py"]


def test_a_property_of_something_unknown_needs_an_import() -> None:
    files = {"agent.py": "class Agent:\n    @property\n    def value(self):\n        return self.m.tool_calls\n"}
    loop = "class Driver:\n    def drive(self):\n        while self.agent.value: pass\n"
    files |= {"far.py": loop, "near.py": "import agent\n" + loop}
    assert list(project(files).candidates()) == ["agent.py", "near.py"]


def test_what_is_handed_a_hot_function_heats_no_other_caller() -> None:
    lib = "def drive(f):\n    while f(1): pass\n"
    other = "from lib import drive\ndef other(x):\n    while x: drive(print)\n"
    user = "from a import ask\nfrom lib import drive\ndef user(x):\n    while x: drive(ask)\n"
    found = project({"a.py": TURN, "lib.py": lib, "other.py": other, "user.py": user})
    assert named(found) == {"a.py": ["ask"], "lib.py": ["drive"], "user.py": ["user"]}


def test_a_function_that_is_handed_one_and_calls_another_is_hot_all_the_same() -> None:
    lib = "from a import ask\ndef drive(f):\n    while f(1): ask(1)\n"
    other = "from lib import drive\ndef other(x):\n    while x: drive(print)\n"
    user = "from a import ask\nfrom lib import drive\ndef user(x):\n    while x: drive(ask)\n"
    assert list(project({"a.py": TURN, "lib.py": lib, "other.py": other, "user.py": user}).candidates()) == [
        *("a.py", "lib.py", "other.py", "user.py")
    ]


def test_an_import_of_the_abstract_class_counts() -> None:
    files = {f"other{n}.py": f"class Other{n}:\n    def run(self): pass\n" for n in range(4)}
    files["base.py"] = "class Model:\n    def run(self): raise NotImplementedError\n"
    files["impl.py"] = "from base import Model\nclass Real(Model):\n    def run(self): return x.tool_calls\n"
    files["loop.py"] = "from base import Model\ndef go(m: Model):\n    while m.run(): pass\n"
    assert named(project(files)) == {"impl.py": ["Real"], "loop.py": ["go"]}


def test_a_library_call_through_a_module_of_the_project() -> None:
    found = project(
        {"compat.py": "from litellm import completion", "b.py": "from compat import completion as c\ndef f(): c()"}
    )
    assert named(found) == {"b.py": ["f"]}


def test_nothing_is_a_candidate_without_words() -> None:
    found = project({"a.py": TURN}, Words(frozenset()))
    assert (dict(found.candidates()), found.screened, found.unreadable) == ({}, 1, ())


# --- Order and cost


def test_answers_do_not_depend_on_order() -> None:
    files = {
        "a.py": TURN,
        "p/__init__.py": "from .x import Step as Step\n",
        "p/x.py": "import a\nclass Step:\n    def take(self, m): return a.ask(m)\n",
        "p/y.py": "from . import Step\nclass Deep(Step):\n    def go(self):\n        while self.take(1): self.more()\n",
        "q.py": "def go(s):\n    for x in y: s.take(x)\n",
        "bad.py": "take = (\n",
    }

    def answers(first: bool) -> tuple[dict[str, tuple[int, ...]], tuple[Unreadable, ...], int]:
        found = project(files if first else dict(reversed(files.items())))
        if not first:
            found.importers("a.py")
        return dict(found.candidates()), found.unreadable, found.screened

    assert answers(True) == answers(False)
    assert list(answers(True)[0]) == ["a.py", "p/y.py", "q.py"]


def test_hash_seeds_change_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from toolbind_lint.index import Words, build_index\n"
        "from toolbind_lint.snapshot import WorkingTree\n"
        f"root = Path({str(Path(__file__).parents[1])!r}, 'toolbind_lint', 'index')\n"
        "paths = [path.relative_to(root).as_posix() for path in root.rglob('*.py')]\n"
        "found = build_index(WorkingTree(str(root), paths), Words(frozenset({'candidates', 'loops', 'level'})))\n"
        "print(found.candidates(), found.screened, found.unreadable)\n"
        "print([(m.path, m.definitions, m.imports) for m in found.modules.values()])\n",
        encoding="utf-8",
    )
    outputs = {
        subprocess.run(
            [sys.executable, str(script)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert b"candidates" in outputs.pop()


def test_nothing_heavy_is_imported_for_files_that_the_interpreter_reads(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from toolbind_lint.index import Words, build_index\n"
        "from toolbind_lint.snapshot import Memory\n"
        "files = {'a.py': b'for x in tool_calls: pass', 'b.py': b'x = ('}\n"
        "found = build_index(Memory(files), Words(frozenset({'tool_calls'})))\n"
        "assert dict(found.candidates()) == {'a.py': (0,)}\n"
        "print(*{'libcst', 'rich', 'multiprocessing', 'subprocess', 'pathspec'} & set(sys.modules))\n"
    )
    environment = {"PYTHONPATH": str(Path(__file__).parents[1])}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_files_are_read_once_and_those_without_words_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    parsed: list[str] = []

    class Counting(Memory):
        def read(self, path: str) -> bytes:
            reads.append(path)
            return super().read(path)

    def count(path: str, *rest: Any) -> ModuleIndex:
        parsed.append(path)
        return read_module(path, *rest)

    monkeypatch.setattr("toolbind_lint.index.read_module", count)
    found = build_index(Counting({"a.py": TURN.encode(), "b.py": b"x = 1", "c.txt": b"tool_calls"}), WORDS)
    found.candidates()
    assert found.source("b.py").lines == ("x = 1",)
    assert sorted(reads) == ["a.py", "b.py"]
    assert parsed == ["a.py"]


def test_an_overlay_is_another_project() -> None:
    base = Memory({"a.py": TURN.encode(), "b.py": b"import a\nfor x in y: a.ask(x)\n"})
    assert list(build_index(base, WORDS).candidates()) == ["a.py", "b.py"]
    assert list(build_index(Overlay(base, {"b.py": None}), WORDS).candidates()) == ["a.py"]
