"""Where a number comes from and whether it is committed with the code.

``probe(x)`` in a source marks the expression that a test asks about. A value is written ``origin number pin``:
``pinned`` is committed with the code, ``loose`` is set elsewhere, ``?`` is not known.
"""

from __future__ import annotations

import pytest
from recognising import Files, line_of, world

from toolbind_lint.facts import Value


def alternatives(files: Files, path: str = "agent.py") -> tuple[Value, ...]:
    here = world(files)
    call, function = here.call("probe", path)
    return here.tools.values.alternatives(call.args[0].value, function)


def said(value: Value) -> str:
    number = "" if value.number is None else f" {value.number:g}"
    pin = {True: "pinned", False: "loose", None: "?"}[value.pinned]
    return f"{value.origin}{number} {pin}"


def values(files: Files, path: str = "agent.py") -> list[str]:
    return [said(value) for value in alternatives(files, path)]


# ---- what is written there


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("8", "literal 8 pinned"),
        ("-1", "literal -1 pinned"),
        ("2.5", "literal 2.5 pinned"),
        ("1_000", "literal 1000 pinned"),
        ("0x20", "literal 32 pinned"),
        ("True", "literal 1 pinned"),
        ("False", "literal 0 pinned"),
        ("None", "absent pinned"),
        ("'auto'", "unknown pinned"),
        ("1e999", "infinite inf pinned"),
        ("[1, 2]", "unknown ?"),
        ("unheard_of", "unknown ?"),
        ("unheard_of.limit", "unknown ?"),
        ("unheard_of()", "unknown ?"),
        ("unheard_of['n']", "unknown ?"),
    ],
)
def test_a_literal_is_pinned_and_an_unknown_name_is_not_known(text: str, wanted: str) -> None:
    assert values(f"probe({text})") == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        'probe(float("inf"))',
        "probe(float('INF'))",
        "probe(float('+infinity'))",
        "import math\nprobe(math.inf)",
        "from math import inf\nprobe(inf)",
        "from math import inf as forever\nprobe(forever)",
        "import sys\nprobe(sys.maxsize)",
        "from sys import maxsize\nprobe(maxsize)",
        "import numpy as np\nprobe(np.inf)",
        "import math\nNO_LIMIT = math.inf\nprobe(NO_LIMIT)",
        "import sys\nclass A:\n    cap = sys.maxsize\nprobe(A.cap)",
        "import sys\ndef f(cap=sys.maxsize):\n    probe(cap)",
        "import math\nprobe(math.inf - 1)",
        "import sys\nprobe(max(3, sys.maxsize))",
    ],
)
def test_infinity_is_known_in_all_its_forms(text: str) -> None:
    assert "infinite inf pinned" in values(text)


def test_the_smaller_of_a_number_and_infinity_is_the_number() -> None:
    assert values("import math\nprobe(min(math.inf, 20))") == ["computed 20 pinned"]


@pytest.mark.parametrize(
    "text",
    [
        "CAP = 8\nprobe(CAP)",
        "CAP: int = 8\nprobe(CAP)",
        "from typing import Final\nCAP: Final = 8\nprobe(CAP)",
        "CAP = 8\ndef f():\n    probe(CAP)",
        "A = 8\nB = A\nprobe(B)",
        "CAP, OTHER = 8, 9\nprobe(CAP)",
        "CAP = LIMIT = 8\nprobe(LIMIT)",
    ],
)
def test_a_module_level_name_is_a_constant(text: str) -> None:
    assert values(text) == ["constant 8 pinned"]


@pytest.mark.parametrize(
    "text",
    [
        "from limits import CAP\nprobe(CAP)",
        "from limits import CAP as N\ndef f():\n    probe(N)",
        "import limits\nprobe(limits.CAP)",
        "def f():\n    from limits import CAP\n    probe(CAP)",
        "from conf import CAP\nprobe(CAP)",
    ],
)
def test_a_constant_is_found_in_another_module(text: str) -> None:
    found = values({"agent.py": text, "limits.py": "CAP = 8\n", "conf.py": "from limits import CAP\n"})
    assert [f.split(" ", 1)[1] for f in found] == ["8 pinned"]


def test_a_local_constant_hides_one_of_the_same_name_from_the_environment() -> None:
    files = {
        "settings.py": "import os\nCAP = int(os.environ['CAP'])\n",
        "agent.py": "import settings\nCAP = 8\ndef f():\n    probe(CAP)\n",
    }
    assert values(files) == ["constant 8 pinned"]


def test_a_name_bound_twice_has_both_values() -> None:
    assert values("CAP = 8\nif x:\n    CAP = 20\nprobe(CAP)") == ["constant 8 pinned", "constant 20 pinned"]


def test_a_local_bound_twice_has_both_values() -> None:
    text = "def f(deep):\n    cap = 8\n    if deep:\n        cap = 20\n    probe(cap)"
    assert values(text) == ["literal 8 pinned", "literal 20 pinned"]


# ---- arithmetic


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("CAP + 2", ["computed 10 pinned"]),
        ("CAP - 2", ["computed 6 pinned"]),
        ("CAP * 2", ["computed 16 pinned"]),
        ("CAP / 2", ["computed 4 pinned"]),
        ("CAP // 3", ["computed 2 pinned"]),
        ("CAP ** 2", ["computed 64 pinned"]),
        ("CAP // 0", ["computed pinned"]),
        ("2 * (CAP + 1)", ["computed 18 pinned"]),
        ("min(CAP, 5)", ["computed 5 pinned"]),
        ("min(user, CAP)", ["computed 8 pinned"]),
        ("min(CAP, user)", ["computed 8 pinned"]),
        ("min(user, CAP, 3)", ["computed 3 pinned"]),
        ("int(CAP)", ["constant 8 pinned"]),
        ("CAP or 50", ["constant 8 pinned", "literal 50 pinned"]),
        ("None or 50", ["literal 50 pinned"]),
        ("0 or 50", ["literal 50 pinned"]),
        ("5 if user else CAP", ["literal 5 pinned", "constant 8 pinned"]),
        ("(n := 5)", ["literal 5 pinned"]),
        ("CAP + user", ["unknown ?"]),
    ],
)
def test_numbers_are_computed(text: str, wanted: list[str]) -> None:
    assert values(f"CAP = 8\nprobe({text})") == wanted


@pytest.mark.parametrize(
    "text", ["max(CAP, int(os.environ['N']))", "CAP + int(os.environ['N'])", "int(os.environ['N']) * 2"]
)
def test_what_is_computed_with_a_loose_number_is_loose(text: str) -> None:
    found = alternatives(f"import os\nCAP = 8\nprobe({text})")
    assert [v.origin for v in found if v.pinned is False] == ["environment"]


def test_a_committed_number_clamps_a_loose_one() -> None:
    text = "import os\nCAP = 8\nprobe(min(int(os.getenv('N', '5')), CAP))"
    assert values(text) == ["computed 8 pinned"]


def test_a_clamp_of_two_unknown_numbers_is_not_known() -> None:
    assert set(values("probe(min(user, other))")) == {"unknown ?"}


def test_a_clamp_of_two_loose_numbers_is_loose() -> None:
    found = alternatives("import os\nprobe(min(int(os.environ['A']), int(os.environ['B'])))")
    assert {v.pinned for v in found} == {False}


# ---- parameters


def test_a_finite_default_of_a_parameter_is_pinned_whatever_callers_pass() -> None:
    assert values("import os\ndef f(cap=8):\n    probe(cap)\nf(int(os.environ['N']))") == ["default 8 pinned"]


def test_a_default_that_is_off_is_joined_with_what_callers_pass() -> None:
    assert values("def f(cap=None):\n    probe(cap)\nf(cap=5)\nf()") == ["absent pinned", "literal 5 pinned"]


def test_an_infinite_default_stands_for_the_parameter() -> None:
    assert "infinite inf pinned" in values("import math\ndef f(cap=math.inf):\n    probe(cap)\nf(5)")


REPLACED = [
    "def f(cap=None):\n    if cap is None:\n        cap = 8\n    probe(cap)",
    "def f(cap=None):\n    if not cap:\n        cap = 8\n    probe(cap)",
    "def f(cap=None):\n    cap = cap or 8\n    probe(cap)",
    "def f(cap=None):\n    cap = 8 if cap is None else cap\n    probe(cap)",
    "def f(cap=None):\n    probe(8 if cap is None else cap)",
    "def f(cap=None):\n    probe(cap if cap is not None else 8)",
    "def f(cap=None):\n    probe(cap if cap else 8)",
    "class A:\n    def __init__(self, cap=None):\n"
    "        self.cap = 8 if cap is None else cap\n    def m(self):\n"
    "        probe(self.cap)",
    "class A:\n    def __init__(self, cap=None):\n        self.cap = cap or 8\n"
    "    def m(self):\n        probe(self.cap)",
    "class A:\n    cap = None\n    def __init__(self):\n        self.cap = 8\n"
    "    def m(self):\n        probe(self.cap)",
]


@pytest.mark.parametrize("text", REPLACED)
def test_a_default_that_is_replaced_where_it_is_absent_is_not_absent(text: str) -> None:
    found = values(text)
    assert "absent pinned" not in found
    assert "literal 8 pinned" in found


def test_a_required_parameter_is_what_callers_pass() -> None:
    text = "CAP = 9\ndef f(m, cap):\n    probe(cap)\nf(1, 5)\nf(1, cap=CAP)"
    assert values(text) == ["literal 5 pinned", "constant 9 pinned"]


def test_a_required_parameter_that_a_caller_elsewhere_takes_from_the_environment_is_loose() -> None:
    files = {
        "agent.py": "def f(m, *, cap):\n    probe(cap)\n",
        "cli.py": "import os\nfrom agent import f\n\ndef main():\n    f(1, cap=int(os.environ['N']))\n",
    }
    assert values(files) == ["environment loose"]


def test_a_required_parameter_without_callers_is_not_known() -> None:
    assert values("def f(cap):\n    probe(cap)") == ["argument ?"]


def test_what_is_splatted_from_a_display_is_passed() -> None:
    assert values("OPTIONS = {'cap': 6}\ndef f(m, cap):\n    probe(cap)\nf(1, **OPTIONS)") == ["literal 6 pinned"]


def test_a_parameter_is_followed_through_two_functions() -> None:
    text = "def inner(cap):\n    probe(cap)\ndef outer(cap):\n    inner(cap)\nouter(7)"
    assert values(text) == ["literal 7 pinned"]


def test_a_method_parameter_counts_without_the_receiver() -> None:
    text = "class A:\n    def run(self, m, cap):\n        probe(cap)\n    def go(self):\n        self.run(1, 4)"
    assert values(text) == ["literal 4 pinned"]


def test_a_parameter_that_is_set_before_use_has_both_values() -> None:
    text = "def f(cap=None):\n    cap = cap or 12\n    probe(cap)"
    assert "literal 12 pinned" in values(text)


@pytest.mark.parametrize(
    "text", ["def f(n):\n    probe(n)\n    f(n - 1)", "def f(n):\n    n = n\n    probe(n)", "n = n\nprobe(n)"]
)
def test_a_value_that_leads_back_to_itself_ends(text: str) -> None:
    assert all(value.pinned is not False for value in alternatives(text))


# ---- fields


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    cap = 8\n    def m(self):\n        probe(self.cap)",
        "class A:\n    cap: int = 8\n    def m(self):\n        probe(self.cap)",
        "class A:\n    cap = 8\nprobe(A.cap)",
        "class A:\n    cap = 8\nprobe(A().cap)",
        "class A:\n    cap = 8\nclass B(A):\n    def m(self):\n        probe(self.cap)",
        "class A:\n    def __init__(self):\n        self.cap = 8\n    def m(self):\n        probe(self.cap)",
        "class A:\n    def __init__(self, cap=8):\n        self.cap = cap\n    def m(self):\n        probe(self.cap)",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    cap: int = 8\ndef f(a: A):\n    probe(a.cap)",
        "from dataclasses import field\nclass A:\n    cap: int = field(default=8)\ndef f(a: A):\n    probe(a.cap)",
        "from dataclasses import field\nclass A:\n"
        "    cap: int = field(default_factory=lambda: 8)\ndef f(a: A):\n    probe(a.cap)",
        "from pydantic import BaseModel, Field\nclass A(BaseModel):\n"
        "    cap: int = Field(8, ge=1)\ndef f(a: A):\n    probe(a.cap)",
        "from pydantic import BaseModel, Field\nclass A(BaseModel):\n"
        "    cap: int = Field(default=8)\ndef f(a: A):\n    probe(a.cap)",
        "import enum\nclass A(enum.IntEnum):\n    CAP = 8\nprobe(A.CAP)",
        "class A:\n    @property\n    def cap(self):\n        return 8\n    def m(self):\n        probe(self.cap)",
        "class A:\n    def cap(self):\n        return 8\n    def m(self):\n        probe(self.cap())",
        "class C:\n    cap = 8\nclass A:\n    def __init__(self, c: C):\n"
        "        self.c = c\n    def m(self):\n        probe(self.c.cap)",
        "class A:\n    cap = 8\na = A()\nprobe(getattr(a, 'cap', 50))",
        "class A:\n    class Limits:\n        cap = 8\n    def m(self):\n        probe(self.Limits.cap)",
    ],
)
def test_a_finite_field_is_pinned(text: str) -> None:
    assert [v.split(" ", 1)[1] for v in values(text)] == ["8 pinned"]


def test_a_field_without_default_is_what_constructors_give() -> None:
    files = {
        "agent.py": "from dataclasses import dataclass\n@dataclass\nclass A:\n    cap: int\n"
        "    def m(self):\n        probe(self.cap)",
        "cli.py": "import os\nfrom agent import A\nA(cap=4)\nA(cap=int(os.getenv('N')))\n",
    }
    assert values(files) == ["literal 4 pinned", "environment loose"]


def test_a_field_from_a_required_parameter_is_what_constructors_give() -> None:
    text = (
        "class A:\n    def __init__(self, cap):\n        self.cap = cap\n"
        "    def m(self):\n        probe(self.cap)\nA(8)"
    )
    assert values(text) == ["literal 8 pinned"]


def test_a_field_without_default_and_without_constructors_is_not_known() -> None:
    assert values("class A:\n    cap: int\n    def m(self):\n        probe(self.cap)") == ["argument ?"]


def test_a_subclass_overrides_a_field() -> None:
    text = "class A:\n    cap = 8\nclass B(A):\n    cap = 5\n    def m(self):\n        probe(self.cap)"
    assert "default 5 pinned" in values(text)


@pytest.mark.parametrize(
    "text",
    [
        "class Settings(BaseSettings):\n    cap: int = 8\nprobe(Settings().cap)",
        "class Settings(BaseSettings):\n    cap: int = 8\nsettings = Settings()\nprobe(settings.cap)",
        "class Settings(BaseSettings):\n    cap: int\ndef f(s: Settings):\n    probe(s.cap)",
        "class Base(BaseSettings): ...\nclass Settings(Base):\n    cap: int = 8\nprobe(Settings().cap)",
        "class Settings(BaseSettings):\n    cap: int = 8\ndef get() -> Settings: ...\nprobe(get().cap)",
    ],
)
def test_a_field_of_a_settings_class_is_the_environments(text: str) -> None:
    assert values("from pydantic_settings import BaseSettings\n" + text) == ["environment loose"]


def test_a_settings_object_is_known_across_files() -> None:
    files = {
        "conf.py": "from pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n"
        "    cap: int = 8\nsettings = Settings()\n",
        "agent.py": "from conf import settings\ndef f():\n    probe(settings.cap)\n",
    }
    found = alternatives(files)
    assert [(said(v), v.trail[-1].message) for v in found] == [("environment loose", "settings field cap")]


# ---- environment, arguments, services


@pytest.mark.parametrize(
    "text",
    [
        "import os\nprobe(os.environ['N'])",
        "import os\nprobe(os.environ.get('N'))",
        "import os\nprobe(os.getenv('N'))",
        "import os\nprobe(os.getenv('N', '20'))",
        "import os\nprobe(int(os.environ.get('N', 20)))",
        "from os import environ\nprobe(int(environ['N']))",
        "from os import getenv as env\nprobe(float(env('N')))",
        "import os as system\nprobe(system.getenv('N'))",
        "import os\nE = os.environ\nprobe(E['N'])",
        "import os\nCAP = int(os.getenv('N', '20'))\nprobe(CAP)",
        "import os\nclass A:\n    cap = int(os.getenv('N', '20'))\nprobe(A.cap)",
        "import os\ndef f(cap=int(os.getenv('N', '20'))):\n    probe(cap)",
        "import os\ndef read():\n    return int(os.environ['N'])\nprobe(read())",
        "import os\nclass A:\n    def __init__(self):\n"
        "        self.cap = int(os.environ['N'])\n    def m(self):\n"
        "        probe(self.cap)",
    ],
)
def test_the_environment_is_loose(text: str) -> None:
    found = alternatives(text)
    assert [said(v) for v in found] == ["environment loose"]
    assert found[0].trail[-1].message == "environment variable N"


def test_an_environment_variable_with_a_way_out_has_both_values() -> None:
    assert values("import os\nprobe(int(os.getenv('N') or 20))") == ["environment loose", "literal 20 pinned"]


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nprobe(int(sys.argv[1]))",
        "import argparse\np = argparse.ArgumentParser()\na = p.parse_args()\nprobe(a.steps)",
        "from argparse import ArgumentParser\ndef main():\n    p = ArgumentParser()\n"
        "    a = p.parse_args()\n    probe(a.steps)",
        "import argparse\ndef read():\n    p = argparse.ArgumentParser()\n"
        "    return p.parse_args()\nprobe(read().steps)",
        "import argparse\nprobe(argparse.ArgumentParser().parse_args().steps)",
    ],
)
def test_the_command_line_is_loose(text: str) -> None:
    assert values(text) == ["argument loose"]


def test_what_a_service_answers_is_loose() -> None:
    assert values("import httpx\nprobe(httpx.get('https://x').json()['cap'])") == ["remote loose"]


# ---- displays


@pytest.mark.parametrize(
    "text",
    [
        "C = {'cap': 8}\nprobe(C['cap'])",
        "C = {'cap': 8}\nprobe(C.get('cap'))",
        "C = {'cap': 8}\nprobe(C.get('cap', 50))",
        "CAP = 8\nC = {'cap': CAP}\ndef f():\n    probe(C['cap'])",
        "class A:\n    C = {'cap': 8}\n    def m(self):\n        probe(self.C['cap'])",
        "from conf import C\nprobe(C['cap'])",
    ],
)
def test_a_number_in_a_display_is_found_by_its_key(text: str) -> None:
    found = values({"agent.py": text, "conf.py": "C = {'cap': 8}\n"})
    assert [v.split(" ", 1)[1] for v in found] == ["8 pinned"]


def test_a_key_that_is_not_constant_is_not_known() -> None:
    assert values("C = {'cap': 8}\nprobe(C[x])") == ["unknown ?"]


# ---- what a value tells


def test_the_trail_starts_where_the_number_stands() -> None:
    text = """\
    from limits import CAP

    def f():
        probe(CAP)
    """
    limits = "\nCAP = 8\n"
    (found,) = alternatives({"agent.py": text, "limits.py": limits})
    place = found.trail[0].place
    assert (place.path, place.line, place.column) == ("limits.py", 2, 7)


def test_the_trail_of_a_default_is_at_the_parameter() -> None:
    text = "def f(\n    m,\n    cap=8,\n):\n    probe(cap)"
    (found,) = alternatives(text)
    assert (found.trail[0].place.line, found.text) == (line_of("cap=8", text), "8")


def test_no_more_than_eight_alternatives_are_kept() -> None:
    text = "def f(cap):\n    probe(cap)\n" + "".join(f"f({n})\n" for n in range(20))
    assert len(alternatives(text)) == 8


def test_equal_alternatives_are_one() -> None:
    text = "import os\nCAP = 8\ndef f(cap):\n    probe(cap)\nf(CAP)\nf(CAP)\n"
    assert values(text) == ["constant 8 pinned"]


# ---- displays in displays


@pytest.mark.parametrize(
    "text",
    [
        "C = {'agent': {'cap': 8}}\nprobe(C['agent']['cap'])",
        "C = {'agent': {'cap': 8}}\nprobe(C['agent'].get('cap', 50))",
        "C = {'agent': {'cap': 8}}\nprobe(C.get('agent').get('cap'))",
        "C = {'agent': {'cap': 8}}\nagent = C['agent']\nprobe(agent['cap'])",
        "B = {'cap': 8}\nC = {**B, 'wall': 60}\nprobe(C['cap'])",
        "C = dict(cap=8)\nprobe(C['cap'])",
        "C = {'agent': dict(cap=8)}\nprobe(C['agent']['cap'])",
        "C = (8, 60)\nprobe(C[0])",
        "C = [60, 8]\nprobe(C[-1])",
        "class A:\n    C = {'agent': {'cap': 8}}\n    def m(self):\n        probe(self.C['agent']['cap'])",
    ],
)
def test_a_number_in_a_nested_display_is_found(text: str) -> None:
    assert [v.split(" ", 1)[1] for v in values(text)] == ["8 pinned"]


def test_a_key_that_a_display_lacks_has_the_default() -> None:
    assert "literal 8 pinned" in values("C = {'wall': 60}\nprobe(C.get('cap', 8))")


# ---- tuples


@pytest.mark.parametrize(
    "text",
    [
        "def limits():\n    return 8, 60\ncap, wall = limits()\nprobe(cap)",
        "PAIR = (8, 60)\ncap, wall = PAIR\nprobe(cap)",
    ],
)
def test_an_item_of_a_tuple_is_found(text: str) -> None:
    assert [v.split(" ", 1)[1] for v in values(text)] == ["8 pinned"]


# ---- enums, negation, classes and their subclasses


@pytest.mark.parametrize(
    "text",
    [
        "import enum\nclass Cap(enum.Enum):\n    STEPS = 8\nprobe(Cap.STEPS.value)",
        "from enum import IntEnum\nclass Cap(IntEnum):\n    STEPS = 8\nprobe(Cap.STEPS)",
        "import enum\nclass Cap(enum.Enum):\n    STEPS = 8\ndef f(m, n=Cap.STEPS.value):\n    probe(n)",
    ],
)
def test_a_member_of_an_enum_has_its_value(text: str) -> None:
    assert [v.split(" ", 1)[1] for v in values(text)] == ["8 pinned"]


def test_a_negated_name_is_negated() -> None:
    assert values("OFF = 1\nprobe(-OFF)") == ["constant -1 pinned"]


def test_the_nearest_class_hides_its_bases() -> None:
    text = "class A:\n    cap = 8\nclass B(A):\n    cap = 5\n    def m(self):\n        probe(self.cap)"
    assert values(text) == ["default 5 pinned"]


def test_what_a_subclass_puts_in_its_place_counts_for_the_method_of_the_base() -> None:
    text = (
        "import os\nclass A:\n    cap = 8\n    def m(self):\n        probe(self.cap)\n"
        "class B(A):\n    cap = int(os.environ['N'])\n"
    )
    assert values(text) == ["default 8 pinned", "environment loose"]


@pytest.mark.parametrize(
    "head",
    [
        "import attr\n@attr.s\nclass A:\n    cap = attr.ib(default=8)",
        "import attrs\n@attrs.define\nclass A:\n    cap: int = attrs.field(default=8)",
        "from pydantic import BaseModel, Field\nclass A(BaseModel):\n    cap: int = Field(default_factory=lambda: 8)",
    ],
)
def test_a_default_inside_a_field_is_found(head: str) -> None:
    assert [v.split(" ", 1)[1] for v in values(f"{head}\ndef f(a: A):\n    probe(a.cap)")] == ["8 pinned"]


# ---- the command line

ARGPARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--steps', type=int, default=8)\n"


@pytest.mark.parametrize(
    "text",
    [
        ARGPARSE + "a, rest = p.parse_known_args()\nprobe(a.steps)",
        ARGPARSE + "a = vars(p.parse_args())\nprobe(a['steps'])",
        ARGPARSE + "probe(vars(p.parse_args())['steps'])",
        ARGPARSE + "a = vars(p.parse_args())\nprobe(a.get('steps', 8))",
        ARGPARSE + "probe(p.parse_known_args()[0].steps)",
        ARGPARSE + "def f(cap):\n    probe(cap)\nf(p.parse_args().steps)",
        "import click\n@click.command()\n@click.option('--steps', default=8)\ndef f(steps):\n    probe(steps)",
        "import click\n@click.option('-n', '--max-steps', default=8)\ndef f(max_steps):\n    probe(max_steps)",
        "import typer\ndef f(steps: int = typer.Option(8)):\n    probe(steps)",
        "import typer\nfrom typing import Annotated\n"
        "def f(steps: Annotated[int, typer.Option()] = 8):\n    probe(steps)",
        "import typer\napp = typer.Typer()\n@app.command()\ndef f(steps: int = 8):\n    probe(steps)",
    ],
)
def test_an_option_of_the_command_line_is_loose_whatever_its_default(text: str) -> None:
    assert "argument loose" in values(text)


def test_a_parameter_that_is_no_option_stays_pinned() -> None:
    text = "import click\n@click.option('--steps', default=8)\ndef f(steps, cap=5):\n    probe(cap)"
    assert values(text) == ["default 5 pinned"]


# ---- committed files

TOML = "[agent]\nname = 'x'\nmax_steps = 8\n"
YAML = "agent:\n  name: x  # who\n  max_steps: 8\nwall: 60\n"
JSON = '{"agent": {"name": "x", "max_steps": 8}}'
HERE = "from pathlib import Path\nimport json, os, tomllib, yaml\n"
JOINED = "with open(os.path.join(os.path.dirname(__file__), 'limits.toml'), 'rb') as f:\n    C = tomllib.load(f)"


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("C = tomllib.loads(Path('conf/limits.toml').read_text())", "conf/limits.toml"),
        ("C = tomllib.loads(Path(__file__).with_name('limits.toml').read_text())", "app/limits.toml"),
        ("C = tomllib.loads((Path(__file__).parent / 'limits.toml').read_text())", "app/limits.toml"),
        ("C = tomllib.loads((Path(__file__).resolve().parents[1] / 'limits.toml').read_text())", "limits.toml"),
        ("with open('limits.toml', 'rb') as f:\n    C = tomllib.load(f)", "limits.toml"),
        ("with open('limits.toml', 'rb') as f:\n    C = tomllib.load(f)", "app/limits.toml"),
        (JOINED, "app/limits.toml"),
        ("with Path('limits.json').open() as f:\n    C = json.load(f)", "limits.json"),
        ("C = json.load(open('limits.json'))", "limits.json"),
        ("C = yaml.safe_load(open('limits.yaml'))", "limits.yaml"),
        ("NAME = 'limits.yml'\nC = yaml.safe_load(open(NAME).read())", "limits.yml"),
        ("def read():\n    return yaml.safe_load(open('limits.yaml'))\nC = read()", "limits.yaml"),
    ],
)
@pytest.mark.parametrize("read", ["C['agent']['max_steps']", "int(C.get('agent').get('max_steps', 50))"])
def test_a_number_of_a_committed_file_is_pinned(text: str, file: str, read: str) -> None:
    content = TOML if file.endswith("toml") else JSON if file.endswith("json") else YAML
    files = {"app/agent.py": f"{HERE}{text}\nprobe({read})\n", file: content}
    (found,) = alternatives(files, "app/agent.py")
    line = 1 if file.endswith("json") else 3
    assert (said(found), found.text) == ("file 8 pinned", f"{file}:{line}")


@pytest.mark.parametrize(
    "text",
    [
        "C = json.load(open(os.environ['CONF']))",
        "C = json.load(open('elsewhere.json'))",
        "import sys\nC = json.load(open(sys.argv[1]))",
    ],
)
def test_a_file_that_is_not_committed_or_not_constant_is_loose(text: str) -> None:
    files = {"agent.py": f"{HERE}{text}\nprobe(C['agent']['max_steps'])\n", "limits.json": JSON}
    assert values(files) == ["file loose"]


def test_a_key_that_is_null_is_absent() -> None:
    files = {"agent.py": f"{HERE}C = json.load(open('a.json'))\nprobe(C['cap'])\n", "a.json": '{"cap": null}'}
    assert values(files) == ["absent pinned"]


# ---- other ways into the environment


@pytest.mark.parametrize(
    "text",
    [
        "from decouple import config\nprobe(config('N', default=8, cast=int))",
        "from environs import Env\nenv = Env()\nprobe(env.int('N', 8))",
        "import os\nE = dict(os.environ)\nprobe(int(E['N']))",
        "import math, os\nprobe(math.ceil(float(os.environ['N'])))",
    ],
)
def test_the_environment_by_other_ways_is_loose(text: str) -> None:
    assert [v.split()[-1] for v in values(text)] == ["loose"]
