"""The reference dispatcher, imported from the package: read as the project's own helper, and reported on nowhere."""

from __future__ import annotations

from typing import Any

import pytest
from test_recognise_dispatcher import HELD, OURS, OWN

from toolbind_lint import imported as module
from toolbind_lint import lint as stage
from toolbind_lint.config import Settings
from toolbind_lint.findings import Report
from toolbind_lint.index import Project, Words, build_index
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory
from toolbind_lint.verdicts import Subject

IMPORTING = OWN.replace("from gates import", "from toolbind_lint.runtime import")
READY = """\
from openai import AsyncOpenAI

from toolbind_lint.runtime import Budget, Tool, run_loop
from toolbind_lint.runtime.adapters import OpenAIChat

TOOLS = [Tool("search", "tools:search", timeout_s=2.0, result=("hits",))]


def answer(messages, sink):
    model = OpenAIChat(AsyncOpenAI, "m")
    return run_loop(model, TOOLS, Budget(max_steps=6, max_wall_s=20.0), messages, sink=sink).text
"""


def run(files: dict[str, str], *targets: str) -> Report:
    report = lint(Memory({path: text.encode() for path, text in files.items()}), targets or tuple(files), Settings())
    assert report.crashes == () and report.unreadable == () and report.notes == ()
    return report


def states(subject: Subject) -> dict[str, tuple[str, str]]:
    """State and number of each gate that the dispatcher owns."""
    judged = [v for v in subject.verdicts if v.gate in OURS]
    return {v.gate: (v.state, next((e.value for e in v.evidence if e.value), "")) for v in judged}


@pytest.mark.parametrize(
    ("text", "by"),
    [
        (IMPORTING, "name"),
        (IMPORTING.replace("Budget(", "kit.Budget(").replace("import Budget, ", "import "), "module"),
        (OWN.replace("from gates import", "from toolbind_lint.runtime.core import"), "core"),
    ],
    ids=["name", "module", "core"],
)
def test_an_own_loop_is_held_by_what_the_dispatcher_does(text: str, by: str) -> None:
    if by == "module":
        text = text.replace("from openai", "from toolbind_lint import runtime as kit\nfrom openai")
    report = run({"app/agent.py": text})
    (found,) = report.subjects
    assert (found.header.path, found.function) == ("app/agent.py", "own_loop")
    gates = states(found)
    assert {state for state, _ in gates.values()} <= {"held", "not-applicable"}, gates
    assert {gate: gates[gate][1] for gate in HELD} == HELD
    assert {f.gate for f in report.shown} <= {"exit"}


def test_the_ready_loop_is_told_at_the_call() -> None:
    report = run({"app/agent.py": READY})
    (found,) = report.subjects
    line = READY[: READY.index("return run_loop")].count("\n") + 1
    assert (found.header.path, found.header.line, found.function, found.kind) == (
        "app/agent.py",
        line,
        "answer",
        "tool-loop",
    )
    gates = states(found)
    assert {state for state, _ in gates.values()} <= {"held", "not-applicable"}, gates
    assert (gates["cap"], gates["wall"]) == (("held", "6"), ("held", "20"))
    assert report.shown == ()


def test_a_weak_budget_is_found_where_the_project_writes_it() -> None:
    text = READY.replace("max_steps=6", 'max_steps=int(os.environ["STEPS"])').replace(
        "from openai", "import os\nfrom openai"
    )
    report = run({"app/agent.py": text})
    (finding,) = report.shown
    (found,) = report.subjects
    assert (finding.code, finding.place.path, finding.loops) == ("TB102", "app/agent.py", (found.id,))
    assert states(found)["cap"][0] == "leaks"


def test_each_call_is_a_loop_of_its_own() -> None:
    report = run({"app/agent.py": READY, "app/other.py": READY}, "app/other.py")
    assert [s.header.path for s in report.subjects] == ["app/other.py"]
    report = run({"app/agent.py": READY, "app/other.py": READY})
    assert [s.header.path for s in report.subjects] == ["app/agent.py", "app/other.py"]


def test_an_own_model_is_asked_alone() -> None:
    text = READY.replace("from toolbind_lint.runtime.adapters import OpenAIChat\n", "").replace(
        '    model = OpenAIChat(AsyncOpenAI, "m")\n', ""
    )
    files = {"agent.py": text.replace("def answer(", "def answer(model, ").encode()}
    project = build_index(Memory(files), Words(frozenset({"openai"})))
    seen = module.with_dispatcher(Memory(files), project)
    assert seen is not None and "toolbind_lint/runtime/adapters.py" not in seen.paths()


@pytest.mark.parametrize(
    "files",
    [
        {"agent.py": IMPORTING.replace("toolbind_lint.runtime", "toolbind_lint.findings")},
        {"agent.py": OWN + '\n"""toolbind_lint.runtime"""\n'},
        {"agent.py": IMPORTING, "toolbind_lint/__init__.py": ""},
        {"agent.py": OWN},
    ],
    ids=["another module", "only a word", "a package of that name", "vendored"],
)
def test_nobody_else_pays_for_it(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []

    def counted(*given: Any, **named: Any) -> Project:
        built.append(given)
        return build_index(*given, **named)

    monkeypatch.setattr(stage, "build_index", counted)
    run(files)
    assert len(built) == 1


def test_it_is_no_file_of_the_project() -> None:
    report = run({"app/agent.py": IMPORTING, "app/ready.py": READY})
    assert report.files_checked == 2
    assert all(path.startswith("app/") for path, _ in report.sources)
    assert all(f.place.path.startswith("app/") for f in report.findings)
    assert all(step.place.path.startswith("app/") for step in report.passed_over)
