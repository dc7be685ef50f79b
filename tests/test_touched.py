"""Which loops a change is judged to have touched: all whose findings it moves, and few besides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from test_pull import LOOP, Answer, Project, changed

from toolbind_lint import pull
from toolbind_lint.touched import changed_parts, parts

Files = Mapping[str, "str | bytes | None"]

BARE = changed(LOOP, "from helper import tick\n", "")
CAPPED = changed(
    changed(BARE, "def run(messages, tools):", "def run(messages, tools, cap):"),
    "        tick(step)\n",
    "        if step > cap:\n            raise RuntimeError('cap')\n",
)
METHOD = changed(
    changed(
        BARE, "def run(messages, tools):\n    step", "class Engine:\n  def drive(self, messages, tools, cap):\n    step"
    ),
    "        tick(step)\n",
    "        if step > cap:\n            raise RuntimeError('cap')\n",
)
FIELD = changed(
    changed(
        BARE,
        "def run(messages, tools):\n    step",
        "class Engine:\n  def __init__(self, limits):\n    self.limits = limits\n\n"
        "  def drive(self, messages, tools):\n    step",
    ),
    "        tick(step)\n",
    "        if step > self.limits.most:\n            raise RuntimeError('cap')\n",
)
BASE = changed(
    changed(
        BARE,
        "def run(messages, tools):\n    step",
        "class Engine:\n  def check(self, step):\n    raise NotImplementedError\n\n"
        "  def drive(self, messages, tools):\n    step",
    ),
    "tick(step)",
    "self.check(step)",
)
STEPS = "import os\n\nSTEPS = {}\n"
OPEN = "int(os.environ['STEPS'])"

SEEN: Mapping[str, tuple[Files, Files, str]] = {
    "a caller": (
        {"agent.py": CAPPED, "main.py": "from agent import run\n\nrun([], [], 8)\n"},
        {"main.py": f"import os\nfrom agent import run\n\nrun([], [], {OPEN})\n"},
        "TB102",
    ),
    "what a caller reads from a third file": (
        {
            "agent.py": CAPPED,
            "main.py": "from agent import run\nfrom settings import STEPS\n\nrun([], [], STEPS)\n",
            "settings.py": STEPS.format(8),
        },
        {"settings.py": STEPS.format(OPEN)},
        "TB102",
    ),
    "what a caller asks a third file for": (
        {
            "agent.py": CAPPED,
            "main.py": "import settings\nfrom agent import run\n\n\ndef main():\n    run([], [], settings.steps())\n",
            "settings.py": "import os\n\n\ndef steps():\n    return 8\n",
        },
        {"settings.py": f"import os\n\n\ndef steps():\n    return {OPEN}\n"},
        "TB102",
    ),
    "through a function in between": (
        {
            "agent.py": CAPPED,
            "middle.py": "from agent import run\n\n\ndef serve(most):\n    return run([], [], most)\n",
            "main.py": "from middle import serve\nfrom settings import STEPS as MOST\n\nserve(MOST)\n",
            "settings.py": STEPS.format(8),
        },
        {"settings.py": STEPS.format(OPEN)},
        "TB102",
    ),
    "a caller that does not import the loop": (
        {
            "engine.py": METHOD,
            "main.py": "def main(engine):\n    return engine.drive([], [], 8)\n",
        },
        {"main.py": f"import os\n\n\ndef main(engine):\n    return engine.drive([], [], {OPEN})\n"},
        "TB102",
    ),
    "a field of an object that is handed over": (
        {
            "engine.py": changed(FIELD, "import json\n", "import json\n\nfrom limits import Limits\n").replace(
                "self, limits)", "self, limits: Limits)"
            ),
            "limits.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Limits:\n    most: int\n",
            "main.py": "from engine import Engine\nfrom limits import Limits\n\nEngine(Limits(most=8)).drive([], [])\n",
        },
        {
            "main.py": "import os\n\nfrom engine import Engine\nfrom limits import Limits\n\n"
            f"Engine(Limits(most={OPEN})).drive([], [])\n"
        },
        "TB102",
    ),
    "a method that another file overrides": (
        {
            "engine.py": BASE,
            "careful.py": "from engine import Engine\n\n\nclass Careful(Engine):\n    def check(self, step):\n"
            "        if step > 8:\n            raise RuntimeError('cap')\n",
        },
        {
            "careful.py": "from engine import Engine\n\n\nclass Careful(Engine):\n    def check(self, step):\n"
            "        print(step)\n"
        },
        "TB101",
    ),
    "a helper of a helper": (
        {
            "agent.py": changed(LOOP, "helper", "outer"),
            "outer.py": "from inner import most\n\n\ndef tick(step):\n    most(step)\n",
            "inner.py": "def most(step):\n    if step > 8:\n        raise RuntimeError('cap')\n",
        },
        {"inner.py": "def most(step):\n    print(step)\n"},
        "TB101",
    ),
    "an import that means something else now": (
        {
            "agent.py": LOOP,
            "helper.py": "from strict import tick\n",
            "strict.py": "def tick(step):\n    if step > 8:\n        raise RuntimeError('cap')\n",
            "lax.py": "def tick(step):\n    print(step)\n",
        },
        {"helper.py": "from lax import tick\n"},
        "TB101",
    ),
}


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path / "repo", capsys, monkeypatch)


def new(answer: Answer) -> list[tuple[object, ...]]:
    return [(f["code"], f["path"], f["line"], f["message"]) for f in answer.report["findings"]]


@pytest.mark.parametrize("kind", SEEN)
def test_it_says_what_a_judgement_of_everything_would(
    kind: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after, code = SEEN[kind]
    far = {"far/__init__.py": "", "far/loop.py": BARE}
    project.repo.commit({**before, **far})
    project.repo.write(after)
    answer = project.check()
    assert code in {f["code"] for f in answer.report["findings"]}
    assert not any(loop["path"].startswith("far/") for loop in answer.report["loops"])
    monkeypatch.setattr(pull, "_touched", lambda side, *given: frozenset(side.project.paths))
    everything = project.check()
    assert new(answer) == new(everything)
    assert any(loop["path"].startswith("far/") for loop in everything.report["loops"])


def test_a_helper_that_a_tool_uses_judges_no_loop_without_it(project: Project) -> None:
    shared = "LIMIT = 3\n\n\ndef short(text):\n    return text[:9]\n"
    project.repo.commit(
        {
            "shared.py": shared,
            "one.py": changed(BARE, "import json\n", "import json\n\nfrom shared import short\n").replace(
                "        tick(step)\n", "        short('')\n"
            ),
            "two.py": changed(BARE, "import json\n", "import json\n\nfrom shared import LIMIT\n").replace(
                "        tick(step)\n", "        print(LIMIT)\n"
            ),
        }
    )
    project.repo.write({"shared.py": changed(shared, "[:9]", "[:8]")})
    assert {loop["path"] for loop in project.check().report["loops"]} == {"one.py"}


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("def f():\n    pass\n", "def f(  ):\n    pass  # said\n", []),
        ("def f():\n    pass\n\n\ndef g():\n    pass\n", "def g():\n    pass\n\n\ndef f():\n    pass\n", []),
        ("def f():\n    pass\n", "def f():\n    return 1\n", ["f"]),
        (
            "class C:\n    a = 1\n\n    def m(self):\n        pass\n",
            "class C:\n    a = 1\n\n    def m(self):\n        x\n",
            ["C.m"],
        ),
        (
            "class C:\n    a = 1\n\n    def m(self):\n        pass\n",
            "class C:\n    a = 2\n\n    def m(self):\n        pass\n",
            ["C"],
        ),
        ("a = 1\nb = 2\n", "b = 2\na = 1\n", ["", ""]),
        ("a = 1\na = 1\n", "a = 1\n", [""]),
        ("a = 1\n", "a = 1\nb = a\n", [""]),
    ],
)
def test_what_changed_is_told_part_by_part(before: str, after: str, names: list[str]) -> None:
    assert [part.name for part in changed_parts(parts(before), parts(after))] == names
