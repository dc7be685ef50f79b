"""A change against its base, through the command: what is new, what is not, and whose settings count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from repositories import Repo

from toolbind_lint.cli import main

LOOP = """\
import json

from openai import OpenAI

from helper import tick

client = OpenAI()
TOOLS = {"search": print}


def run(messages, tools):
    step = 0
    while True:
        step = step + 1
        tick(step)
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
"""

HELPER = """\
class BudgetExceeded(Exception):
    pass


def tick(step):
    if step > 8:
        raise BudgetExceeded("spent")
"""

PROJECT: Mapping[str, str | bytes | None] = {"agent.py": LOOP, "helper.py": HELPER, "plain.py": "x = 1\n"}


class Answer(NamedTuple):
    status: int
    report: dict[str, Any]
    said: str

    @property
    def found(self) -> list[tuple[str, str]]:
        return [(finding["path"], finding["code"]) for finding in self.report["findings"]]


class Project:
    """A repository with a base commit, and the command run in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = Repo(root)
        self.capsys = capsys
        monkeypatch.chdir(root)

    def check(self, *args: str, base: str = "HEAD") -> Answer:
        status = main(["--base", base, "--output-format", "json", *args])
        out, said = self.capsys.readouterr()
        return Answer(status, json.loads(out) if out else {}, said)


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path / "repo", capsys, monkeypatch)


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def test_no_change_is_nothing_new(project: Project) -> None:
    project.repo.commit(PROJECT)
    answer = project.check()
    assert (answer.status, answer.found) == (0, [])
    assert answer.report["files_checked"] == 0


def test_a_bound_deleted_in_a_helper_makes_the_finding_of_an_untouched_loop_new(project: Project) -> None:
    project.repo.commit(PROJECT)
    project.repo.write({"helper.py": changed(HELPER, "step > 8", "False")})
    answer = project.check()
    assert answer.status == 1
    assert ("agent.py", "TB101") in answer.found
    assert ("agent.py", "TB201") not in answer.found, "it is there since long"


def test_moved_renamed_and_formatted_code_is_nothing_new(project: Project) -> None:
    project.repo.commit({**PROJECT, "helper.py": changed(HELPER, "step > 8", "False")})
    moved = changed(changed(LOOP, "def run(", "def answer("), "    step = 0\n", "\n    # from none\n    step = 0\n")
    project.repo.write({"agent.py": None, "app/__init__.py": "", "app/core.py": moved})
    answer = project.check()
    assert answer.found == []
    assert answer.status == 0


def test_what_a_change_cannot_touch_is_not_judged(project: Project) -> None:
    project.repo.commit({**PROJECT, "far/loop.py": changed(LOOP, "from helper import tick\n", "from os import tick\n")})
    project.repo.write({"plain.py": "x = 2\n"})
    answer = project.check()
    assert answer.report["files_checked"] == 1
    project.repo.write({"helper.py": HELPER + "\n"})
    assert project.check().report["files_checked"] == 3


def test_a_caller_that_takes_the_cap_away_is_seen(project: Project) -> None:
    loop = changed(LOOP, "def run(messages, tools):", "def run(messages, tools, cap=None):")
    loop = changed(
        loop, "        tick(step)\n", "        if cap and step > cap:\n            raise RuntimeError('cap')\n"
    )
    project.repo.commit({"agent.py": loop, "main.py": "from agent import run\n\nrun([], [], cap=8)\n"})
    project.repo.write({"main.py": "import os\nfrom agent import run\n\nrun([], [], cap=int(os.environ['CAP']))\n"})
    assert "TB102" in {code for _, code in project.check().found}


def test_a_new_file_is_new_and_an_unrelated_old_one_is_not(project: Project) -> None:
    project.repo.commit(PROJECT)
    project.repo.write({"other.py": changed(LOOP, "        tick(step)\n", "")})
    answer = project.check()
    assert {path for path, _ in answer.found} == {"other.py"}


def test_the_configuration_of_the_base_counts(project: Project) -> None:
    project.repo.commit({**PROJECT, "pyproject.toml": "[tool.toolbind-lint]\nignore = ['TB201']\n"})
    project.repo.write({"other.py": LOOP.replace("tick(step)", "pass")})
    project.repo.write({"pyproject.toml": "[tool.toolbind-lint]\nignore = ['TB101', 'TB9']\n"})
    codes = {code for _, code in project.check("--select", "TB101,TB201").found}
    assert codes == {"TB101", "TB201"}, "the command line wins over the file"
    assert "TB201" not in {code for _, code in project.check().found}


def test_a_broken_configuration_of_the_base_can_be_mended(project: Project) -> None:
    project.repo.commit({**PROJECT, "pyproject.toml": "[tool.toolbind-lint]\nnonsense = 1\n"})
    project.repo.write({"pyproject.toml": "[tool.toolbind-lint]\n"})
    answer = project.check()
    assert answer.status == 0
    assert "the configuration of the base is wrong" in answer.said


def test_a_file_that_a_change_ignores_is_linted_all_the_same(project: Project) -> None:
    project.repo.commit(PROJECT)
    project.repo.commit({".gitignore": "hidden/\n", "hidden/agent.py": LOOP.replace("tick(step)", "pass")})
    answer = project.check(base="HEAD~1")
    assert answer.status == 1
    assert {path for path, _ in answer.found} == {"hidden/agent.py"}


@pytest.mark.parametrize("base", ["-x", "nothing", ""])
def test_a_base_that_is_none_is_an_error(project: Project, base: str) -> None:
    project.repo.commit(PROJECT)
    status = main([f"--base={base}"])
    assert status == 2
    assert "toolbind-lint: error:" in project.capsys.readouterr().err


def test_outside_a_repository_there_is_no_base(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--base", "HEAD"]) == 2
    assert "needs one" in capsys.readouterr().err


def test_standard_input_has_no_base(project: Project) -> None:
    assert main(["--base", "HEAD", "-"]) == 2


def test_a_crash_in_the_base_is_no_success(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolbind_lint.recognise import loops

    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("made to break")

    project.repo.commit(PROJECT)
    project.repo.write({"helper.py": HELPER + "\n"})
    monkeypatch.setattr(loops.LoopFinder, "find", broken)
    answer = project.check()
    assert answer.status == 2


GRAPH = """\
from langgraph.prebuilt import create_react_agent


def answer(model, tools, question):
    agent = create_react_agent(model, tools)
    return agent.invoke({"messages": [question]})
"""


def test_a_lock_file_that_moves_a_default_makes_the_finding_of_an_untouched_run_new(project: Project) -> None:
    project.repo.commit({"agent.py": GRAPH, "requirements.txt": "langgraph==1.0.0\n"})
    assert project.check().found == []
    project.repo.write({"requirements.txt": "# moved\nlanggraph==1.1.0\n"})
    answer = project.check()
    assert answer.status == 1
    unbounded = next(f for f in answer.report["findings"] if f["code"] == "TB107")
    assert "In the base: recursion_limit is 25 by default (requirements.txt:1)" in unbounded["message"]
    project.repo.write({"requirements.txt": "# the same\nlanggraph==1.0.1\n"})
    assert project.check().found == []


def test_a_manifest_that_comes_and_goes_counts(project: Project) -> None:
    project.repo.commit({"agent.py": GRAPH, "requirements.txt": "langgraph==1.0.0\n"})
    project.repo.write({"requirements.txt": None})
    assert "TB107" in {code for _, code in project.check().found}
    project.repo.commit()
    project.repo.write({"requirements.txt": "langgraph==1.0.0\n"})
    assert project.check().found == []
