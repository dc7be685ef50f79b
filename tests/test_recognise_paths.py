"""The paths through one pass of a loop.

A walk is written as the calls on it and how it ends: ``again`` at the head of the loop, ``end`` behind the loop,
``return`` and ``raise``. Calls of one-letter functions are code outside the project; inside a ``try`` any may fail.
"""

from __future__ import annotations

import re
from textwrap import dedent, indent

import pytest
from recognising import case, loop, world

from toolbind_lint.recognise import ir, paths
from toolbind_lint.recognise.paths import Builder, Cell, Frame, Graph, Point


def build(text: str, rest: str = "", other: str = "") -> tuple[Graph, Builder]:
    """The graph of the first loop of a function ``run`` with that body."""
    inside = indent(dedent(text), "    ")
    files = {"agent.py": f"def run(x, y, items):\n{inside}\n{dedent(rest)}", "other.py": other}
    here = world(files)
    function = here.function("run")
    first = next(n for n in function.nodes if isinstance(n, (ir.While, ir.For)))
    builder = Builder(here.program, here.tools.roles, here.tools.catalogue)
    return builder.loop(first, function), builder


def marked(text: str) -> str:
    """A source in which each call of a one-letter function sets its own name first: that is always a point."""
    return re.sub(r"\b([a-z])\(([^()]*)\)", lambda m: f"{m[1]}({m[2]}{', ' if m[2] else ''}({m[1]} := 'mark'))", text)


def walks(text: str, rest: str = "", other: str = "") -> set[str]:
    """All walks from the head back to it or out, each point passed at most twice."""
    graph, _ = build(marked(text), marked(rest), marked(other))
    found: set[str] = set()
    assert graph.head is not None

    def follow(point: Point, passed: dict[Point, int], said: tuple[str, ...]) -> None:
        if isinstance(point.node, ir.Walrus) and isinstance(point.value, ir.Const) and point.cell is not None:
            said = (*said, point.cell[-1])
        if point.kind == "exit":
            found.add(" ".join((*said, point.op)))
            return
        assert point.to, "a path without an end"
        for _, target in point.to:
            if target is graph.head:
                found.add(" ".join((*said, "again")))
            elif passed.get(target, 0) < 2:
                follow(target, {**passed, target: passed.get(target, 0) + 1}, said)

    follow(graph.head, {}, ())
    return found


# ---- conditions


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("a()", {"a z again", "a end"}),
        ("not a()", {"a z again", "a end"}),
        ("a() and b()", {"a end", "a b end", "a b z again"}),
        ("a() or b()", {"a z again", "a b z again", "a b end"}),
        ("not (a() or b())", {"a end", "a b end", "a b z again"}),
        ("not (a() and not b())", {"a z again", "a b z again", "a b end"}),
        ("a() and (b() or c())", {"a end", "a b z again", "a b c z again", "a b c end"}),
        ("bool(a())", {"a z again", "a end"}),
        ("any([a(), b()])", {"a z again", "a b z again", "a b end"}),
        ("all((a(), b()))", {"a end", "a b end", "a b z again"}),
        ("(n := a())", {"a z again", "a end"}),
        ("a(b(), c(), (a := 'mark'))", {"b c a z again", "b c a end"}),
    ],
)
def test_a_condition_is_taken_apart(test: str, wanted: set[str]) -> None:
    assert walks(f"while {test}:\n    z()") == wanted


@pytest.mark.parametrize(
    ("test", "wanted"), [("True", {"z again"}), ("1", {"z again"}), ("False", {"end"}), ("None", {"end"})]
)
def test_a_constant_condition_has_one_way(test: str, wanted: set[str]) -> None:
    assert walks(f"while {test}:\n    z()") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a() if b() else c()", {"b a again", "b c again", "end"}),
        ("a() and b()", {"a again", "a b again", "end"}),
        ("a() or b()", {"a again", "a b again", "end"}),
        ("n = [a() for i in b()]", {"b again", "b a again", "end"}),
        ("if a(): b()\nelif c(): d()\nelse: e()", {"a b again", "a c d again", "a c e again", "end"}),
        ("with a() as n, b():\n    c()", {"a b c again", "end"}),
        ("assert a()\nb()", {"a b again", "a raise", "end"}),
        ("def inner():\n    a()\nb()", {"b again", "end"}),
    ],
)
def test_what_a_statement_runs_is_in_order(text: str, wanted: set[str]) -> None:
    assert walks("while x:\n" + indent(text, "    ")) == wanted


@pytest.mark.parametrize(
    ("cases", "wanted"),
    [
        ("case 1: a()\ncase 2: b()", {"a again", "b again", "again", "end"}),
        ("case 1: a()\ncase _: b()", {"a again", "b again", "end"}),
        ("case 1 if a(): b()\ncase n: c()", {"a b again", "a c again", "c again", "end"}),
        ("case {'k': n}: a(); break\ncase [1, *_]: return 1\ncase _: b()", {"a end", "return", "b again", "end"}),
    ],
)
def test_a_match_tries_its_cases_in_order(cases: str, wanted: set[str]) -> None:
    assert walks("while x:\n    match y:\n" + indent(cases, " " * 8)) == wanted


@pytest.mark.parametrize(
    "text", ["n = lambda: a()", "n = lambda: exit()", "x.sort(key=lambda i: exit())", "x(ask=lambda: input())"]
)
def test_the_body_of_a_lambda_need_not_run(text: str) -> None:
    assert "b again" in walks(f"while x:\n    {text}\n    b()")


# ---- jumps


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("while x:\n    if a(): break\n    b()\nelse:\n    c()", {"a end", "a b again", "c end"}),
        ("while x:\n    if a(): continue\n    b()", {"a again", "a b again", "end"}),
        ("while True:\n    if a(): return 1\n    b()", {"a return", "a b again"}),
        ("for i in items:\n    if a(): break\n    b()\nelse:\n    c()", {"a end", "a b again", "c end"}),
        ("for i in a():\n    b()", {"b again", "end"}),
        ("while True:\n    raise a()", {"a raise"}),
        ("import sys\nwhile True:\n    if a(): sys.exit(1)\n    b()", {"a raise", "a b again"}),
        ("while True:\n    if a(): exit()\n    b()", {"a raise", "a b again"}),
    ],
)
def test_jumps_lead_where_they_lead(text: str, wanted: set[str]) -> None:
    assert walks(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("while y:\n    if a(): break\nb()", {"a b again", "b again", "a a b again", "end"}),
        (
            "while y:\n    if a(): break\nelse:\n    b()\nc()",
            {"a c again", "b c again", "a b c again", "a a c again", "end"},
        ),
        ("for i in items:\n    if a(): continue\n    b()\nc()", {"c again", "a c again", "a b c again", "end"}),
        ("for i in items:\n    if a(): return 2\nb()", {"a return", "a b again", "b again", "a a return", "end"}),
    ],
)
def test_an_inner_loop_is_left_alone(text: str, wanted: set[str]) -> None:
    found = walks("while x:\n" + indent(text, "    "))
    assert wanted <= found
    assert not any("again" in walk and "end" in walk for walk in found)


def test_break_of_an_inner_loop_does_not_leave_the_outer() -> None:
    assert not any(
        walk.endswith("end") for walk in walks("while True:\n    for i in items:\n        if a(): break\n    b()")
    )


# ---- exceptions


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("try:\n    a()\nexcept E:\n    b()\nc()", {"a c again", "a b c again", "end"}),
        (
            "try:\n    a()\n    b()\nexcept E:\n    c()\nelse:\n    d()",
            {"a b d again", "a c again", "a b c again", "end"},
        ),
        ("try:\n    n = x\nexcept E:\n    b()\nc()", {"c again", "end"}),
        ("try:\n    a()\nexcept E:\n    raise\nb()", {"a b again", "a raise", "end"}),
        ("try:\n    a()\nexcept E as e:\n    raise F from e\nb()", {"a b again", "a raise", "end"}),
        ("try:\n    a()\nexcept E:\n    b()\nexcept F:\n    c()", {"a again", "a b again", "a c again", "end"}),
        ("try:\n    a()\nexcept Exception:\n    b()\nexcept F:\n    c()", {"a again", "a b again", "end"}),
        ("try:\n    a()\nexcept:\n    b()\n", {"a again", "a b again", "end"}),
        ("try:\n    a()\nexcept* E:\n    b()\n", {"a again", "a b again", "end"}),
    ],
)
def test_a_call_in_a_try_may_fail(text: str, wanted: set[str]) -> None:
    assert walks("while x:\n" + indent(text, "    ")) == wanted


def test_a_call_outside_a_try_is_not_guessed_to_fail() -> None:
    assert walks("while True:\n    a()") == {"a again"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("try:\n    a()\nfinally:\n    b()\nc()", {"a b c again", "end"}),
        ("try:\n    if a(): return 1\n    c()\nfinally:\n    b()", {"a b return", "a c b again", "end"}),
        ("try:\n    if a(): break\n    c()\nfinally:\n    b()\nd()", {"a b end", "a c b d again", "end"}),
        ("try:\n    if a(): continue\n    c()\nfinally:\n    b()\nd()", {"a b again", "a c b d again", "end"}),
        ("try:\n    if a(): raise KeyError\nfinally:\n    b()\nc()", {"a b raise", "a b c again", "end"}),
        ("try:\n    a()\nexcept E:\n    c()\nfinally:\n    b()", {"a b again", "a c b again", "end"}),
        ("try:\n    a()\nexcept E:\n    return 1\nfinally:\n    b()", {"a b again", "a b return", "end"}),
    ],
)
def test_finally_runs_on_every_way_out(text: str, wanted: set[str]) -> None:
    assert walks("while x:\n" + indent(text, "    ")) == wanted


ERRORS = """
class Stop(Exception): ...
class Budget(Stop): ...
class Other(Exception): ...
class Hard(BaseException): ...
class Late(TimeoutError): ...
"""


@pytest.mark.parametrize(
    ("raised", "handlers", "wanted"),
    [
        ("Stop", "except Stop: b()", {"b again"}),
        ("Stop('x')", "except Stop: b()", {"b again"}),
        ("Budget", "except Stop: b()", {"b again"}),
        ("Stop", "except Budget: b()", {"raise"}),
        ("Stop", "except Other: b()", {"raise"}),
        ("Stop", "except (Other, Stop): b()", {"b again"}),
        ("Stop", "except Exception: b()", {"b again"}),
        ("Stop", "except BaseException: b()", {"b again"}),
        ("Stop", "except: b()", {"b again"}),
        ("Hard", "except Exception: b()", {"raise"}),
        ("Hard", "except BaseException: b()", {"b again"}),
        ("Budget", "except Stop: b()\nexcept Exception: c()", {"b again"}),
        ("Stop", "except Budget: b()\nexcept Exception: c()", {"c again"}),
        ("Stop", "except Stop: raise\nexcept Exception: c()", {"raise"}),
        ("KeyError", "except KeyError: b()", {"b again"}),
        ("KeyError", "except Exception: b()", {"b again"}),
        ("KeyError", "except Stop: b()", {"raise"}),
        ("KeyError", "except LookupError: b()", {"b again"}),
        ("TimeoutError", "except OSError: b()", {"b again"}),
        ("UnicodeDecodeError", "except ValueError: b()", {"b again"}),
        ("Late", "except OSError: b()", {"b again"}),
        ("OSError", "except TimeoutError: b()", {"raise"}),
        ("Stop", "except STOPS: b()", {"b again"}),
    ],
)
def test_the_first_handler_that_fits_takes_an_exception(raised: str, handlers: str, wanted: set[str]) -> None:
    text = f"while True:\n    try:\n        raise {raised}\n{indent(handlers, '    ')}"
    assert walks(text, ERRORS + "STOPS = (Other, Stop)\n") == wanted


def test_what_a_handler_raises_is_not_for_its_own_try() -> None:
    text = "while True:\n    try:\n        a()\n    except Stop:\n        raise Other\n    except Other:\n        b()"
    assert walks(text, ERRORS) == {"a again", "a raise", "a b again"}


def test_an_else_is_not_under_the_handlers() -> None:
    text = "while True:\n    try:\n        x = y\n    except Stop:\n        b()\n    else:\n        raise Stop"
    assert walks(text, ERRORS) == {"raise"}


def test_an_outer_try_takes_what_the_inner_lets_go() -> None:
    text = """\
    while True:
        try:
            try:
                raise Stop
            except Other:
                a()
        except Stop:
            b()
    """
    assert walks(text, ERRORS) == {"b again"}


def test_a_handler_around_the_loop_leaves_it() -> None:
    text = "try:\n    while True:\n        a()\nexcept Exception:\n    b()"
    assert walks(text) == {"a again"}


def test_suppress_is_a_handler() -> None:
    text = "import contextlib\nwhile x:\n    with contextlib.suppress(Stop):\n        raise Stop\n    b()"
    assert {walk.replace("suppress ", "") for walk in walks(text, ERRORS)} == {"b again", "end"}


def test_suppress_of_another_exception_is_no_handler() -> None:
    text = "import contextlib\nwhile True:\n    with contextlib.suppress(Other):\n        raise Stop\n    b()"
    assert walks(text, ERRORS) == {"raise"}


def test_what_was_caught_and_where_is_kept() -> None:
    graph, _ = build("while True:\n    try:\n        raise Budget\n    except Stop as e:\n        a()", ERRORS)
    assert [(h.kind, s.kind, raised.names[:2]) for h, s, raised in graph.caught] == [
        ("handler", "raise", ("Budget", "Stop"))
    ]


# ---- helpers laid in


@pytest.mark.parametrize(
    ("helper", "wanted"),
    [
        ("a(n)\nif n > 3: raise Stop", {"a z again", "a raise"}),
        ("if n > 3: return\na(n)\nif n > 5: raise Stop", {"z again", "a z again", "a raise"}),
        ("for i in n:\n    if i > 3: return\n    a(i)\nraise Stop", {"z again", "a z again", "raise", "a raise"}),
        ("inner(n)\nb()", {"b z again", "a raise", "a b z again"}),
        ("if n > 3: raise Stop\nhelper(n - 1)\na(n)", {"raise", "a z again"}),
        ("try:\n    a()\nexcept Other:\n    raise Stop", {"a z again", "a raise"}),
    ],
)
def test_a_helper_is_laid_in_where_it_is_called(helper: str, wanted: set[str]) -> None:
    rest = ERRORS + "def inner(n):\n    if n > 3: return\n    a(n)\n    if n > 5: raise Stop\n"
    assert wanted <= walks("while True:\n    helper(x)\n    z()", rest + "def helper(n):\n" + indent(helper, "    "))


@pytest.mark.parametrize(
    ("helper", "wanted"),
    [
        ("a(n)\nreturn n > 3", {"a end", "a z again"}),
        ("if n > 3:\n    return False\nreturn True", {"end", "z again"}),
        ("if n > 3:\n    return\na()\nreturn n > 2", {"end", "a end", "a z again"}),
        ("a()\nreturn not inner(n)", {"a b end", "a b z again"}),
        ("if n > 3:\n    a()\nreturn True", {"z again", "a z again"}),
        ("a()\nreturn None", {"a end"}),
        ("a()", {"a end"}),
        ("return n > 3 and n < 5 or n == 4", {"end", "z again"}),
    ],
)
def test_the_answer_of_a_helper_is_a_condition(helper: str, wanted: set[str]) -> None:
    rest = "def inner(n):\n    b()\n    return n > 3\n"
    assert walks("while helper(x):\n    z()", rest + "def helper(n):\n" + indent(helper, "    ")) == wanted


def test_the_answer_of_a_coroutine_is_a_condition() -> None:
    rest = "async def helper(n):\n    a()\n    return n > 3\n"
    assert walks("while await helper(x):\n    z()", rest) == {"a end", "a z again"}


def test_a_method_in_another_module_is_laid_in() -> None:
    other = "class Budget:\n    def spend(self, n):\n        if n > 3:\n            raise KeyError\n        a()\n"
    text = "from other import Budget\nb = Budget()\nwhile True:\n    b.spend(x)\n    z()"
    assert walks(text, other=other) == {"raise", "a z again"}


def test_what_a_helper_raises_is_caught_by_its_caller() -> None:
    text = "while True:\n    try:\n        helper(x)\n    except Stop:\n        b()"
    helper = "def helper(n):\n    if n > 3: raise Budget\n"
    assert walks(text, ERRORS + helper) == {"again", "b again"}


def test_a_property_is_a_condition() -> None:
    rest = "class B:\n    @property\n    def spent(self):\n        a()\n        return self.n > 3\n"
    assert walks("b = B()\nwhile not b.spent:\n    z()", rest) == {"a z again", "a end"}


def test_a_callback_is_the_function_that_was_passed() -> None:
    rest = (
        "def each(tell, n):\n    a()\n    tell(n)\n    if n > 9: raise Stop\ndef other(n):\n"
        "    if n > 4: raise Stop\n    b()\n"
    )
    assert {"a raise", "a b again"} <= walks("while True:\n    each(other, x)", ERRORS + rest)


def test_a_generator_of_the_project_runs_between_the_passes() -> None:
    rest = "def steps(n):\n    while n > 3:\n        a()\n        yield n\n        b()\n"
    found = walks("for s in steps(x):\n    z()", rest)
    assert "z b a again" in found
    assert "z b end" in found


def test_a_delegated_generator_runs_too() -> None:
    rest = (
        "def outer(n):\n    yield from inner(n)\n    c()\ndef inner(n):\n"
        "    while n > 3:\n        a()\n        yield n\n"
    )
    found = walks("for s in outer(x):\n    z()", rest)
    assert "z a again" in found
    assert "z c end" in found


def test_a_helper_in_which_nothing_happens_stays_a_call_outside() -> None:
    graph, _ = build("while True:\n    helper(x)\n    z()", "def helper(n):\n    print(n)\n")
    assert [frame.function.node.name for frame in graph.frames] == ["run"]


def test_a_chain_of_helpers_ends() -> None:
    deep = "".join(f"def h{n}(x):\n    if x > {n}: raise KeyError\n    h{n + 1}(x)\n" for n in range(40))
    graph, _ = build("while True:\n    h0(x)", deep + "def h40(x): ...\n")
    assert 2 < len(graph.frames) <= 40


def test_too_large_a_graph_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_POINTS", 200)
    deep = "".join(
        f"def h{n}(x):\n" + "".join(f"    if x > {m}: raise KeyError\n    h{n + 1}(x)\n" for m in range(5))
        for n in range(5)
    )
    graph, _ = build("while True:\n    h0(x)", deep + "def h5(x): ...\n")
    assert graph.truncated
    assert len(graph.points) < 400


def test_a_small_graph_is_whole() -> None:
    graph, _ = build("while True:\n    a()")
    assert not graph.truncated


# ---- cells


def changes(text: str, rest: str = "", other: str = "") -> list[tuple[str, Cell | None]]:
    """What happens to cells, in the order of the source."""
    graph, _ = build(text, rest, other)
    found = [p for p in graph.points if p.kind in {"set", "move", "grow", "shrink"}]
    found.sort(key=lambda p: p.node.span)
    return [(f"{p.kind}{p.op}", p.cell) for p in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n = 1", ["set"]),
        ("n += 1", ["move+"]),
        ("n = n + 1", ["move+"]),
        ("n -= 1", ["move-"]),
        ("n = n - 1", ["move-"]),
        ("n *= 2", ["move*"]),
        ("n = 1 + 2", ["set"]),
        ("n: int = 1", ["set"]),
        ("n, m = 1, 2", ["set", "set"]),
        ("n = m = 1", ["set", "set"]),
        ("if (n := a()): pass", ["set"]),
        ("x.append(1)", ["grow"]),
        ("x.extend([1])", ["grow"]),
        ("x += [1]", ["move+"]),
        ("x.pop()", ["shrink"]),
        ("x.clear()", ["shrink"]),
        ("del x[0]", ["shrink"]),
        ("next(x)", ["move+"]),
        ("x['n'] += 1", ["move+"]),
        ("x.n += 1", ["move+"]),
        ("with a() as n: pass", ["set"]),
        ("print(n)", []),
    ],
)
def test_what_happens_to_a_cell(text: str, wanted: list[str]) -> None:
    assert [kind for kind, _ in changes("while True:\n    " + text)] == wanted


def same_cell(text: str, rest: str = "", other: str = "") -> bool:
    """Whether all changes in a loop are of one cell."""
    cells = {cell for _, cell in changes(text, rest, other)}
    return len(cells) == 1 and None not in cells


@pytest.mark.parametrize(
    ("text", "rest", "one"),
    [
        ("n = 0\nwhile True:\n    n += 1\n    n += 1", "", True),
        ("n = m = 0\nwhile True:\n    n += 1\n    m += 1", "", False),
        (
            "b = B()\nwhile True:\n    b.n += 1\n    b.more()",
            "class B:\n    n = 0\n    def more(self):\n        self.n += 1\n",
            True,
        ),
        ("b = B()\nwhile True:\n    b.n += 1\n    b.m += 1", "class B:\n    n = 0\n    m = 0\n", False),
        ("while True:\n    x.n += 1\n    more(x)", "def more(b):\n    b.n += 1\n", True),
        ("while True:\n    x.n += 1\n    more(y)", "def more(b):\n    b.n += 1\n", False),
        ("while True:\n    x['n'] += 1\n    more(x)", "def more(b):\n    b['n'] += 1\n", True),
        ("while True:\n    x['n'] += 1\n    x['m'] += 1", "", False),
        ("while True:\n    G.n += 1\n    more()", "class B: ...\nG = B()\ndef more():\n    G.n += 1\n", True),
        (
            "n = 0\ndef tick():\n    nonlocal n\n    n += 1\n    if n > 3: raise KeyError\n"
            "while True:\n    n += 1\n    tick()",
            "",
            True,
        ),
        (
            "n = 0\nwhile True:\n    n += 1\n    tick()",
            "def tick():\n    global n\n    n += 1\n    if n > 3: raise KeyError\nn = 0\n",
            False,
        ),
        (
            "global n\nwhile True:\n    n += 1\n    tick()",
            "def tick():\n    global n\n    n += 1\n    if n > 3: raise KeyError\nn = 0\n",
            True,
        ),
        (
            "b = B()\nwhile True:\n    b.n += 1\n    b.more()",
            "class A:\n    n = 0\n    def more(self):\n        self.n += 1\nclass B(A): ...\n",
            True,
        ),
    ],
)
def test_a_cell_is_the_same_wherever_it_is_reached_from(text: str, rest: str, one: bool) -> None:
    assert same_cell(text, rest) is one


def test_the_counter_of_a_budget_in_another_module_is_one_cell() -> None:
    other = (
        "class Budget:\n    def __init__(self):\n        self.used = 0\n    def spend(self):\n        self.used += 1\n"
    )
    assert same_cell("from other import Budget\nb = Budget()\nwhile True:\n    b.spend()\n    b.used += 1", other=other)


def test_a_module_level_counter_of_another_module_is_one_cell() -> None:
    other = "steps = 0\ndef tick():\n    global steps\n    steps += 1\n    if steps > 3: raise KeyError\n"
    assert same_cell("import other\nwhile True:\n    other.steps += 1\n    other.tick()", other=other)


def test_a_parameter_that_is_set_anew_is_a_cell_of_its_own() -> None:
    rest = "def more(n):\n    n = n + 1\n    if n > 3: raise KeyError\n"
    assert not same_cell("n = 0\nwhile True:\n    n += 1\n    more(n)", rest)


# ---- what stands on a path


def test_turns_and_dispatches_are_points() -> None:
    found = case(loop())
    assert [(len(found.graph.of(kind))) for kind in ("turn", "dispatch", "person")] == [1, 1, 0]


@pytest.mark.parametrize(
    ("module", "ask"),
    [
        ("", "input()"),
        ("import click", "click.prompt('?')"),
        ("from rich.prompt import Prompt", "Prompt.ask('?')"),
        ("import queue\njobs = queue.Queue()", "jobs.get()"),
        ("", "socket.receive_text()"),
    ],
)
def test_a_wait_for_a_person_is_a_point(module: str, ask: str) -> None:
    graph, _ = build(f"while True:\n    x = {ask}", module + "\nsocket = make()")
    assert len(graph.of("person")) == 1


def test_a_condition_knows_the_cell_that_it_reads() -> None:
    graph, builder = build("n = 0\nwhile True:\n    if n > 3: break\n    if n: break\n    n += 1")
    frame: Frame = graph.frames[0]
    cell = builder.cell(ir.Name((1, 1, 1, 1), "n"), frame)
    assert [p.cell for p in graph.of("test")] == [cell, cell]
