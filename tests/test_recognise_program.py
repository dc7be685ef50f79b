"""What names stand for, across the files of a project: imports, classes, fields, annotations, callers, subclasses.

``probe(x)`` in a source marks the expression that a test asks about.
"""

from __future__ import annotations

import pytest
from recognising import Files, World, world

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import (
    ClassRef,
    External,
    Function,
    FunctionRef,
    Meaning,
    ModuleRef,
)


def said(meaning: Meaning) -> str:
    """A meaning in short: ``mod.py:f``, ``class mod.py:C``, ``object mod.py:C``, ``module mod.py``, ``lib.f()``."""
    if isinstance(meaning, External):
        return meaning.name
    if isinstance(meaning, ModuleRef):
        return f"module {meaning.module.path}"
    if isinstance(meaning, FunctionRef):
        return named(meaning.function)
    return f"{'class' if isinstance(meaning, ClassRef) else 'object'} {meaning.cls.key}"


def named(function: Function) -> str:
    return f"{function.module.path}:{function.node.qualname}"


def probed(here: World, path: str = "agent.py") -> tuple[ir.Expr, Function]:
    call, function = here.call("probe", path)
    return call.args[0].value, function


def means(files: Files, path: str = "agent.py") -> list[str]:
    """The meanings of what is probed."""
    here = world(files)
    return [said(m) for m in here.program.resolve(*probed(here, path))]


def runs(files: Files, path: str = "agent.py") -> list[str]:
    """The functions that the probed call may run."""
    here = world(files)
    call, function = probed(here, path)
    assert isinstance(call, ir.Call)
    return [named(f) for f in here.program.targets(call, function)]


def calls_of(here: World, qualname: str, path: str = "agent.py") -> list[tuple[str, int]]:
    """The callers of a function, each with the line of its call."""
    found = here.program.callers(here.function(qualname, path))
    return [(named(scope), call.span[0]) for call, scope in found]


# ---- imports

PACKAGE = {
    "pkg/__init__.py": "from .tools import search\nfrom .tools import fetch as get\n",
    "pkg/tools.py": "def search(q): ...\ndef fetch(q): ...\n",
    "pkg/deep/__init__.py": "",
    "pkg/deep/inner.py": "LIMIT = 3\ndef run(): ...\n",
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import pkg.tools\nprobe(pkg.tools.search)", "pkg/tools.py:search"),
        ("import pkg.deep.inner\nprobe(pkg.deep.inner.run)", "pkg/deep/inner.py:run"),
        ("import pkg.deep.inner\nprobe(pkg.search)", "pkg/tools.py:search"),
        ("import pkg.tools as t\nprobe(t.fetch)", "pkg/tools.py:fetch"),
        ("from pkg import tools\nprobe(tools.search)", "pkg/tools.py:search"),
        ("from pkg import tools\nprobe(tools)", "module pkg/tools.py"),
        ("from pkg.tools import search as s\nprobe(s)", "pkg/tools.py:search"),
        ("from pkg import search\nprobe(search)", "pkg/tools.py:search"),
        ("from pkg import get\nprobe(get)", "pkg/tools.py:fetch"),
        ("import pkg\nprobe(pkg.get)", "pkg/tools.py:fetch"),
        ("from pkg.tools import *\nprobe(search)", "pkg/tools.py:search"),
        ("from pkg import *\nprobe(get)", "pkg/tools.py:fetch"),
        ("def f():\n    from pkg.deep.inner import run\n    probe(run)", "pkg/deep/inner.py:run"),
        ("def f():\n    import pkg.tools as t\n    probe(t.search)", "pkg/tools.py:search"),
    ],
)
def test_an_import_leads_to_the_definition(text: str, wanted: str) -> None:
    assert means({**PACKAGE, "agent.py": text}) == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from .inner import run\nprobe(run)", "pkg/deep/inner.py:run"),
        ("from . import inner\nprobe(inner.run)", "pkg/deep/inner.py:run"),
        ("from ..tools import search\nprobe(search)", "pkg/tools.py:search"),
        ("from .. import tools\nprobe(tools.fetch)", "pkg/tools.py:fetch"),
        ("from .. import get\nprobe(get)", "pkg/tools.py:fetch"),
        ("from .inner import *\nprobe(run)", "pkg/deep/inner.py:run"),
    ],
)
def test_a_relative_import_counts_from_its_own_file(text: str, wanted: str) -> None:
    assert means({**PACKAGE, "pkg/deep/here.py": text}, "pkg/deep/here.py") == [wanted]


def test_a_name_is_followed_through_two_re_exports() -> None:
    files = {
        "a/__init__.py": "from .b import thing as other",
        "a/b/__init__.py": "from .c import *",
        "a/b/c.py": "def thing(): ...",
        "agent.py": "from a import other\nprobe(other)",
    }
    assert means(files) == ["a/b/c.py:thing"]


def test_modules_that_import_each_other_resolve() -> None:
    files = {
        "one.py": "from two import second\ndef first(): ...",
        "two.py": "from one import first\ndef second(): ...\nprobe(first)",
        "agent.py": "import one\nprobe(one.second)",
    }
    assert means(files) == ["two.py:second"]
    assert means(files, "two.py") == ["one.py:first"]


@pytest.mark.parametrize(
    "files",
    [
        {"one.py": "from two import x", "two.py": "from one import x", "agent.py": "from one import x\nprobe(x)"},
        {"one.py": "from two import *", "two.py": "from one import *", "agent.py": "from one import x\nprobe(x)"},
        {"agent.py": "from agent import x\nprobe(x)"},
        {"agent.py": "x = y\ny = x\nprobe(x)"},
        {"agent.py": "x = x\nprobe(x)"},
        {"agent.py": "def f():\n    return f()\nprobe(f())"},
        {"agent.py": "def f():\n    return g()\ndef g():\n    return f()\nprobe(f())"},
        {"agent.py": "class A(A):\n    pass\nprobe(A().m)"},
        {"agent.py": "class A(B):\n    pass\nclass B(A):\n    pass\nprobe(A().m)"},
        {"agent.py": "class A:\n    @property\n    def p(self):\n        return self.p\nprobe(A().p)"},
        {
            "agent.py": "class A:\n    def __init__(self):\n        self.x = self.y\n"
            "        self.y = self.x\nprobe(A().x)"
        },
        {"agent.py": "for x in x:\n    probe(x)"},
        {"agent.py": "def f(x=f):\n    probe(x())"},
    ],
)
def test_a_ring_of_names_ends_and_means_nothing_of_the_project(files: dict[str, str]) -> None:
    assert [m for m in means(files) if ":m" in m or "module" in m] == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import openai\nprobe(openai.OpenAI)", "openai.OpenAI"),
        ("import openai as o\nprobe(o.OpenAI().chat)", "openai.OpenAI().chat"),
        (
            "from openai import OpenAI as O\nc = O(timeout=3)\nprobe(c.chat.completions.create)",
            "openai.OpenAI().chat.completions.create",
        ),
        ("import os\nprobe(os.environ['A'])", "os.environ[]"),
        ("import os.path\nprobe(os.environ)", "os.environ"),
        ("import openai.types\nprobe(openai.OpenAI().chat)", "openai.OpenAI().chat"),
        ("from a.b import c\nprobe(c.d()['e'].f)", "a.b.c.d()[].f"),
        ("probe(getattr)", "builtins.getattr"),
        ("from a import *\nprobe(len)", "builtins.len"),
    ],
)
def test_what_is_outside_the_project_keeps_its_dotted_name(text: str, wanted: str) -> None:
    assert means(text) == [wanted]


def test_an_alternative_import_gives_both() -> None:
    text = "try:\n    from fast import run\nexcept ImportError:\n    from slow import run\nprobe(run)"
    assert means({"agent.py": text, "slow.py": "def run(): ..."}) == ["fast.run", "slow.py:run"]


def test_a_project_file_goes_before_a_library_of_its_name() -> None:
    assert means({"agent.py": "from openai import OpenAI\nprobe(OpenAI)", "openai.py": "class OpenAI: ..."}) == [
        "class openai.py:OpenAI"
    ]


def test_a_name_that_a_project_module_does_not_have_means_nothing() -> None:
    assert means({"agent.py": "from tools import gone\nprobe(gone)", "tools.py": "def here(): ..."}) == []


# ---- scopes


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def len(x): ...\nprobe(len)", ["agent.py:len"]),
        ("def f(): ...\ndef g():\n    f = open\n    probe(f)", ["builtins.open"]),
        ("def g():\n    def f(): ...\n    def h():\n        probe(f)", ["agent.py:g.f"]),
        ("def f(): ...\nclass A:\n    def f(self): ...\n    def m(self):\n        probe(f)", ["agent.py:f"]),
        ("x = open\nx = len\nprobe(x)", ["builtins.open", "builtins.len"]),
        ("x = open if a else len\nprobe(x)", ["builtins.open", "builtins.len"]),
        ("def g(a=None):\n    x = a or len\n    probe(x)", ["builtins.len"]),
        ("a, b = open, len\nprobe(b)", ["builtins.len"]),
        ("pair = open, len\na, b = pair\nprobe(a)", ["builtins.open"]),
        ("for f in [open, len]:\n    probe(f)", ["builtins.open", "builtins.len"]),
        ("def g(f=open):\n    probe(f)", ["builtins.open"]),
        ("def g():\n    global x\n    x = open\ndef h():\n    probe(x)\nx = None", ["builtins.open"]),
        ("t = {'a': open, 'b': len}\nprobe(t['b'])", ["builtins.len"]),
        ("probe(lambda: 1)", ["agent.py:<lambda>"]),
    ],
)
def test_a_name_means_what_its_scope_binds(text: str, wanted: list[str]) -> None:
    assert means(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from functools import partial\ndef f(a): ...\ng = partial(f, 1)\nprobe(g())", ["agent.py:f"]),
        ("import functools\ndef f(a): ...\nprobe(functools.partial(f, 1)())", ["agent.py:f"]),
        ("def f(a): ...\ng = f\nh = g\nprobe(h(1))", ["agent.py:f"]),
        ("class A:\n    def __call__(self): ...\na = A()\nprobe(a())", ["agent.py:A.__call__"]),
        ("class A:\n    def run(self): ...\na = A()\nprobe(getattr(a, 'run')())", ["agent.py:A.run"]),
        ("t = {'k': lambda: 1}\nprobe(t['k']())", ["agent.py:<lambda>"]),
        ("def f(): ...\ndef g(): ...\nprobe((f if a else g)())", ["agent.py:f", "agent.py:g"]),
        ("def f():\n    def inner(): ...\n    return inner\nprobe(f()())", ["agent.py:f.inner"]),
        ("async def f(): ...\nasync def g():\n    probe(f())", ["agent.py:f"]),
    ],
)
def test_a_call_runs_what_its_callee_stands_for(text: str, wanted: list[str]) -> None:
    assert runs(text) == wanted


# ---- classes

BASE = "class Base:\n    def ask(self): ...\n    def tell(self): ...\n    limit = 3\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("class A(Base):\n    def m(self):\n        probe(self.ask)", ["base.py:Base.ask"]),
        ("class A(Base):\n    def ask(self): ...\n    def m(self):\n        probe(self.ask)", ["agent.py:A.ask"]),
        ("class A(Base):\n    def ask(self):\n        probe(super().ask)", ["base.py:Base.ask"]),
        ("class A(Base):\n    def ask(self):\n        probe(super(A, self).ask)", ["base.py:Base.ask"]),
        ("class A(Base): ...\nclass B(A):\n    def m(self):\n        probe(self.tell)", ["base.py:Base.tell"]),
        ("class A(Base): ...\nprobe(A().tell)", ["base.py:Base.tell"]),
        ("class A(Base): ...\nprobe(A)", ["class agent.py:A"]),
        ("class A(Base): ...\nprobe(A())", ["object agent.py:A"]),
        ("class A(Base):\n    @classmethod\n    def make(cls):\n        probe(cls.ask)", ["base.py:Base.ask"]),
        ("class A(Base):\n    @classmethod\n    def make(cls):\n        probe(cls())", ["object agent.py:A"]),
        ("class A(Base):\n    @staticmethod\n    def make(x):\n        probe(x)", []),
        ("class A:\n    class In:\n        def m(self): ...\nprobe(A.In().m)", ["agent.py:A.In.m"]),
        ("class A(Base):\n    def m(self):\n        def inner():\n            probe(self.ask)", ["base.py:Base.ask"]),
        ("class A(Base, metaclass=type): ...\nprobe(A().ask)", ["base.py:Base.ask"]),
        ("import base\nclass A(base.Base): ...\nprobe(A().ask)", ["base.py:Base.ask"]),
        ("class A(Base[int]): ...\nprobe(A().ask)", ["base.py:Base.ask"]),
    ],
)
def test_a_member_is_found_along_the_bases(text: str, wanted: list[str]) -> None:
    assert means({"base.py": BASE, "agent.py": "from base import Base\n" + text}) == wanted


def test_of_two_bases_the_first_wins() -> None:
    text = "class A:\n    def m(self): ...\nclass B:\n    def m(self): ...\nclass C(A, B): ...\nprobe(C().m)"
    assert means(text) == ["agent.py:A.m"]


def test_super_is_the_next_class_that_has_the_method_of_several_bases() -> None:
    text = (
        "class A:\n    def m(self):\n        raise NotImplementedError\nclass B(A): ...\n"
        "class C(A):\n    def m(self): ...\nclass D(B, C):\n    def m(self):\n        probe(super().m)"
    )
    assert means(text) == ["agent.py:C.m"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("f'{kind}_runner'", ["agent.py:A.code_runner", "agent.py:A.plugin_runner"]),
        ("f'run_{kind}'", ["agent.py:A.run_it"]),
        ("f'{kind}'", []),
        ("f'_{kind}'", []),
    ],
)
def test_an_attribute_whose_name_is_pieced_together_is_one_of_those_that_fit(name: str, wanted: list[str]) -> None:
    text = (
        "class A:\n    def code_runner(self): ...\n    def plugin_runner(self): ...\n    def run_it(self): ...\n"
        f"    def m(self, kind):\n        probe(getattr(self, {name}))"
    )
    assert sorted(means(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("class A(OpenAI): ...\nprobe(A().chat)", ["openai.OpenAI().chat"]),
        ("class A(OpenAI):\n    def m(self):\n        probe(self.chat.create)", ["openai.OpenAI().chat.create"]),
        ("class A(OpenAI):\n    def chat(self): ...\nprobe(A().chat)", ["agent.py:A.chat"]),
        ("class A(OpenAI):\n    def m(self):\n        probe(super().m)", ["openai.OpenAI().m"]),
    ],
)
def test_a_base_outside_the_project_answers_for_what_is_not_here(text: str, wanted: list[str]) -> None:
    assert means("from openai import OpenAI\n" + text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        ("class A:\n    def __init__(self):\n        self.c = OpenAI()\n    def m(self):\n        probe(self.c.chat)"),
        (
            "class A:\n    def __init__(self):\n        self.c, self.d = 1, OpenAI()\n"
            "    def m(self):\n        probe(self.d.chat)"
        ),
        "class A:\n    def open(self):\n        self.c = OpenAI()\n    def m(self):\n        probe(self.c.chat)",
        "class A:\n    c = OpenAI()\n    def m(self):\n        probe(self.c.chat)",
        "class A:\n    c = OpenAI()\nprobe(A.c.chat)",
        "class A:\n    c: OpenAI\n    def m(self):\n        probe(self.c.chat)",
        (
            "class A:\n    def __init__(self, c: OpenAI):\n        self.c = c\n"
            "    def m(self):\n        probe(self.c.chat)"
        ),
        (
            "class A:\n    def __init__(self, c=None):\n        self.c = c or OpenAI()\n"
            "    def m(self):\n        probe(self.c.chat)"
        ),
        (
            "class A:\n    def __init__(self):\n        self.c: OpenAI = make()\n"
            "    def m(self):\n        probe(self.c.chat)"
        ),
        "class A:\n    async def m(self):\n        async with OpenAI() as self.c:\n            probe(self.c.chat)",
        (
            "class A:\n    def __init__(self):\n        self.c = OpenAI()\nclass B(A):\n"
            "    def m(self):\n        probe(self.c.chat)"
        ),
        (
            "class A:\n    @property\n    def c(self):\n        return OpenAI()\n"
            "    def m(self):\n        probe(self.c.chat)"
        ),
        (
            "from functools import cached_property\nclass A:\n    @cached_property\n"
            "    def c(self) -> OpenAI:\n        return make()\nprobe(A().c.chat)"
        ),
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    c: OpenAI\ndef f(a: A):\n    probe(a.c.chat)",
    ],
)
def test_a_field_means_what_is_put_into_it(text: str) -> None:
    assert means("from openai import OpenAI\n" + text) == ["openai.OpenAI().chat"]


@pytest.mark.parametrize(
    "annotation",
    [
        "Tool",
        "'Tool'",
        "Optional[Tool]",
        "'Optional[Tool]'",
        "typing.Optional[Tool]",
        "Tool | None",
        "None | Tool",
        "'Tool | None'",
        "Union[None, Tool]",
        "Annotated[Tool, 'x']",
        "Final[Tool]",
        "'tools.Tool'",
        "tools.Tool",
        "Tool[int]",
    ],
)
def test_an_annotation_says_what_a_parameter_is(annotation: str) -> None:
    text = f"""\
    import typing
    import tools
    from typing import Annotated, Final, Optional, Union
    from tools import Tool

    def f(t: {annotation}):
        probe(t.run)
    """
    assert means({"agent.py": text, "tools.py": "class Tool:\n    def run(self): ...\n"}) == ["tools.py:Tool.run"]


@pytest.mark.parametrize(
    "annotation", ["int", "str | None", "Any", "'no such thing at all'", "Callable[[int], str]", "123"]
)
def test_an_annotation_that_names_no_object_means_nothing(annotation: str) -> None:
    assert means(f"from typing import Any, Callable\ndef f(t: {annotation}):\n    probe(t)") == []


def test_an_annotated_class_is_the_class() -> None:
    assert means("class A:\n    def m(self): ...\ndef f(a: type[A]):\n    probe(a())") == ["object agent.py:A"]


@pytest.mark.parametrize("annotation", ["list[Tool]", "Sequence[Tool]", "dict[str, Tool]"])
def test_the_elements_of_an_annotated_collection_are_known(annotation: str) -> None:
    collection = "ts.values()" if annotation.startswith("dict") else "ts"
    text = (
        f"class Tool:\n    def run(self): ...\ndef f(ts: {annotation}):\n"
        f"    for t in {collection}:\n        probe(t.run)"
    )
    assert means(text) == ["agent.py:Tool.run"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def make() -> A: ...\nprobe(make())", ["object agent.py:A"]),
        ("def make():\n    return A()\nprobe(make())", ["object agent.py:A"]),
        ("def make(x):\n    a = A()\n    return a\nprobe(make(1).m)", ["agent.py:A.m"]),
        ("async def make() -> A: ...\nasync def f():\n    probe((await make()).m)", ["agent.py:A.m"]),
        ("with A() as a:\n    probe(a.m)", ["agent.py:A.m"]),
        ("class B:\n    def __enter__(self):\n        return A()\nwith B() as a:\n    probe(a.m)", ["agent.py:A.m"]),
        ("class B:\n    def __getitem__(self, k) -> A: ...\nprobe(B()['x'].m)", ["agent.py:A.m"]),
        ("def f(a):\n    assert isinstance(a, A)\n    probe(a)", []),
        ("class B:\n    def me(self) -> 'A': ...\nprobe(B().me().m)", ["agent.py:A.m"]),
        ("try:\n    x\nexcept A as e:\n    probe(e.m)", ["agent.py:A.m"]),
    ],
)
def test_an_object_is_known_by_how_it_came_about(text: str, wanted: list[str]) -> None:
    assert means("class A:\n    def m(self): ...\n" + text) == wanted


# ---- abstract methods, subclasses, methods by name

MODEL = "from abc import ABC, abstractmethod\nclass Model(ABC):\n    @abstractmethod\n    def think(self, h): ...\n"


def test_an_abstract_method_runs_its_implementations_in_other_files() -> None:
    files = {
        "model.py": MODEL,
        "one.py": "from model import Model\nclass One(Model):\n    def think(self, h):\n        return 1\n",
        "two.py": "import one\nclass Two(one.One):\n    def think(self, h):\n        return 2\n",
        "agent.py": "from model import Model\ndef f(m: Model):\n    probe(m.think(1))",
    }
    assert sorted(runs(files)) == ["one.py:One.think", "two.py:Two.think"]


@pytest.mark.parametrize(
    "body", ["...", "pass", '"""Later."""', "raise NotImplementedError", 'raise NotImplementedError("x")']
)
def test_a_method_without_a_body_is_abstract(body: str) -> None:
    text = (
        f"class A:\n    def think(self):\n        {body}\nclass B(A):\n"
        "    def think(self):\n        return 1\nprobe(A().think())"
    )
    assert runs(text) == ["agent.py:B.think"]


def test_a_method_with_a_body_runs_itself() -> None:
    text = (
        "class A:\n    def think(self):\n        return 2\nclass B(A):\n"
        "    def think(self):\n        return 1\nprobe(A().think())"
    )
    assert runs(text) == ["agent.py:A.think"]


def test_an_abstract_method_without_implementations_is_itself() -> None:
    files = {"model.py": MODEL, "agent.py": "from model import Model\ndef f(m: Model):\n    probe(m.think(1))"}
    assert runs(files) == ["model.py:Model.think"]


def test_an_abstract_method_on_self_runs_what_a_subclass_elsewhere_does() -> None:
    files = {
        "agent.py": "class Base:\n    def step(self): raise NotImplementedError\n    def run(self):\n"
        "        probe(self.step())",
        "sub.py": "from agent import Base\nclass Sub(Base):\n    def step(self):\n        return 1",
    }
    assert runs(files) == ["sub.py:Sub.step"]


def test_subclasses_are_found_through_files_and_generations() -> None:
    files = {
        "agent.py": "class A: ...\nclass B(A): ...\nclass Other: ...",
        "sub/one.py": "import agent\nclass C(agent.B): ...",
        "sub/two.py": "from sub.one import C\nclass D(C, dict): ...",
    }
    here = world(files)
    module = here.module()
    cls = module.cls(module.statements(0)[0], module.toplevel(0))  # type: ignore[arg-type]
    assert sorted(c.key for c in here.program.subclasses(cls)) == ["agent.py:B", "sub/one.py:C", "sub/two.py:D"]


def test_a_method_of_an_unknown_receiver_is_found_by_a_rare_name() -> None:
    files = {
        "agent.py": "def f(x):\n    probe(x.summarise(1))",
        "other.py": "class A:\n    def summarise(self, n):\n        return n",
    }
    assert runs(files) == ["other.py:A.summarise"]


@pytest.mark.parametrize(
    ("name", "classes"),
    [("execute", 1), ("get", 1), ("__call__", 1), ("run", 1), ("summarise", 4)],
)
def test_a_method_of_an_unknown_receiver_is_not_guessed_by_a_common_name(name: str, classes: int) -> None:
    defined = "".join(f"class A{n}:\n    def {name}(self, n):\n        return n\n" for n in range(classes))
    assert runs({"agent.py": f"def f(x):\n    probe(x.{name}(1))", "other.py": defined}) == []


def test_a_receiver_from_outside_is_not_guessed() -> None:
    files = {
        "agent.py": "import lib\nprobe(lib.Thing().summarise(1))",
        "other.py": "class A:\n    def summarise(self, n):\n        return n",
    }
    assert runs(files) == []


# ---- callers


def test_callers_are_found_in_other_files_and_scopes() -> None:
    files = {
        "agent.py": "def run(m, cap=3): ...\n\ndef here():\n    run(1)\n\nrun(2)",
        "cli.py": "from agent import run as go\nimport agent\n\ndef main():\n    agent.run(3)\n",
        "off.py": "def run(m): ...\nrun(4)",
    }
    assert calls_of(world(files), "run") == [("agent.py:here", 4), ("agent.py:<module>", 6), ("cli.py:main", 5)]


def test_callers_of_a_method_know_the_receiver() -> None:
    text = (
        "class A:\n    def run(self): ...\n    def go(self):\n        self.run()\n"
        "class B:\n    def run(self): ...\n    def go(self):\n        self.run()\n"
    )
    assert calls_of(world(text), "A.run") == [("agent.py:A.go", 4)]


def test_a_constructor_is_called_by_the_name_of_its_class() -> None:
    files = {
        "agent.py": "class A:\n    def __init__(self, cap): ...\n",
        "b.py": "from agent import A\ndef f():\n    return A(3)\n",
    }
    assert calls_of(world(files), "A.__init__") == [("b.py:f", 3)]


def test_a_caller_under_another_name_is_found() -> None:
    files = {"agent.py": "def run(m): ...\n", "b.py": "from agent import run as go\ndef f():\n    go(3)\n"}
    assert calls_of(world(files), "run") == [("b.py:f", 3)]


def test_a_recursive_function_calls_itself() -> None:
    assert calls_of(world("def f(n):\n    return f(n - 1)\n"), "f") == [("agent.py:f", 2)]


# ---- displays


@pytest.mark.parametrize(
    "text",
    [
        "p = {'tools': T}\nprobe(p)",
        "class A:\n    p = {'tools': T}\nprobe(A.p)",
        "class A:\n    def __init__(self):\n        self.p = {'tools': T}\n    def m(self):\n        probe(self.p)",
        "def f(p={'tools': T}):\n    probe(p)",
        "probe({'tools': T} if a else None)",
        "from conf import P\nprobe(P)",
        "import conf\nprobe(conf.P)",
    ],
)
def test_a_display_is_found_behind_names_fields_and_imports(text: str) -> None:
    here = world({"agent.py": text, "conf.py": "P = {'tools': 1}"})
    found = list(here.program.displays(*probed(here)))
    assert [display.get("tools") is not None for display, _ in found] == [True]


# ---- what cannot be read


def test_a_statement_is_lowered_once() -> None:
    here = world("def f(): ...\n")
    module = here.module()
    assert module.statements(0) is module.statements(0)
    assert here.program.module("agent.py") is module


def test_a_path_that_is_not_of_the_project_is_no_module() -> None:
    assert world("x = 1").program.module("gone.py") is None


def test_a_field_declared_on_a_class_with_a_base_from_outside_is_what_it_says() -> None:
    found = world(
        "from pydantic import BaseModel\n\nclass Engine:\n    def start(self):\n        return 1\n\n"
        "class Car(BaseModel):\n    engine: Engine | None = None\n    def go(self):\n"
        "        return self.engine.start()\n"
    )
    call, function = found.call("start")
    assert [t.node.qualname for t in found.program.targets(call, function)] == ["Engine.start"]
