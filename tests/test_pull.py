"""A change against its base, through the command: what is new, what is not, and whose settings count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest
from repositories import Repo

from toolbind_lint.cli import main
from toolbind_lint.report.json import schema

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
        report = json.loads(out) if out else {}
        if report:
            jsonschema.validate(report, schema())
        return Answer(status, report, said)


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
    project.repo.write({"helper.py": HELPER + "\n\nLAST = 1\n"})
    assert project.check().report["files_checked"] == 2, "nobody reads it"
    project.repo.write({"helper.py": changed(HELPER, "step > 8", "step > 9")})
    assert project.check().report["files_checked"] == 3


def test_formatting_and_comments_cost_nothing(project: Project) -> None:
    project.repo.commit(PROJECT)
    project.repo.write({"helper.py": "# the bound of all loops\n" + changed(HELPER, "(step):", "(\n    step,\n):")})
    assert project.check().report["files_checked"] == 0
    project.repo.write({"helper.py": "# toolbind: ignore-file[TB101] it ends\n" + HELPER})
    assert project.check().report["files_checked"] == 2


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
    project.repo.write({"helper.py": changed(HELPER, "step > 8", "step > 9")})
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


# What accepts findings


UNBOUNDED = changed(LOOP, "        tick(step)\n", "")
COMMENT = "    # toolbind: ignore[TB101, TB201, TB301, TB903] the queue ends it\n    while True:\n"


def accepted(text: str) -> str:
    return changed(text, "    while True:\n", COMMENT)


def of(answer: Answer, code: str) -> list[dict[str, Any]]:
    return [finding for finding in answer.report["findings"] if finding["code"] == code]


def test_a_new_suppression_hides_and_is_shown_with_its_reason(project: Project) -> None:
    project.repo.commit({"agent.py": UNBOUNDED})
    project.repo.write({"agent.py": accepted(UNBOUNDED)})
    answer = project.check()
    (review,) = of(answer, "TB904")
    assert (answer.status, review["severity"], review["line"]) == (0, "review", 13)
    assert "the queue ends it" in review["message"]
    assert answer.report["suppressed"] >= 2


def test_it_fails_where_the_base_says_so(project: Project) -> None:
    strict = "[tool.toolbind-lint]\nfail-on-review = true\n"
    project.repo.commit({"agent.py": UNBOUNDED, "pyproject.toml": strict})
    project.repo.write({"agent.py": accepted(UNBOUNDED), "pyproject.toml": "[tool.toolbind-lint]\n"})
    answer = project.check()
    assert answer.status == 1
    assert {f["severity"] for f in answer.report["findings"]} == {"review"}
    assert any("`fail-on-review` is false now" in f["message"] for f in of(answer, "TB904"))


def test_new_suppressions_can_be_without_effect(project: Project) -> None:
    project.repo.commit({"plain.py": "", "pyproject.toml": "[tool.toolbind-lint]\nhonour-new-suppressions = false\n"})
    project.repo.write({"agent.py": accepted(UNBOUNDED)})
    answer = project.check()
    assert answer.status == 1
    assert of(answer, "TB903")


def test_no_suppression_hides_the_review_that_reports_it(project: Project) -> None:
    project.repo.commit({"agent.py": UNBOUNDED})
    everything = "# toolbind: ignore-file[TB1, TB2, TB3, TB4, TB5, TB6, TB7, TB9] because\n"
    project.repo.write({"agent.py": everything + UNBOUNDED, "other.py": everything + UNBOUNDED})
    answer = project.check()
    assert {f["path"] for f in of(answer, "TB904")} == {"agent.py", "other.py"}


def test_an_old_suppression_that_hides_something_new_is_shown(project: Project) -> None:
    project.repo.commit({"agent.py": accepted(LOOP), "helper.py": HELPER})
    project.repo.write({"helper.py": changed(HELPER, "step > 8", "False")})
    answer = project.check()
    assert "TB101" not in {code for _, code in answer.found}
    assert {f["path"] for f in of(answer, "TB904")} >= {"agent.py"}


def test_a_suppression_that_moves_with_its_code_is_not_shown(project: Project) -> None:
    project.repo.commit({"agent.py": accepted(UNBOUNDED)})
    project.repo.write({"agent.py": None, "app/core.py": "# moved\n" + accepted(UNBOUNDED)})
    assert project.check().found == []


def test_a_suppression_that_goes_shows_what_it_hid(project: Project) -> None:
    project.repo.commit({"agent.py": accepted(UNBOUNDED)})
    project.repo.write({"agent.py": UNBOUNDED})
    assert ("agent.py", "TB101") in project.check().found


def test_a_baseline_with_what_the_base_does_not_have_is_shown(project: Project) -> None:
    project.repo.commit({"agent.py": UNBOUNDED})
    project.repo.write({"other.py": changed(UNBOUNDED, "while True:", "while True and messages:")})
    assert main(["baseline"]) == 0
    project.capsys.readouterr()
    answer = project.check()
    (review,) = of(answer, "TB904")
    assert (review["path"], review["severity"]) == ("toolbind-lint-baseline.json", "review")
    assert "in other.py" in review["message"]
    assert of(answer, "TB903"), "a baseline hides nothing that a change did"


def test_a_baseline_of_what_the_base_has_weakens_nothing(project: Project) -> None:
    project.repo.commit({"agent.py": UNBOUNDED})
    assert main(["baseline"]) == 0
    project.capsys.readouterr()
    project.repo.write({"agent.py": "# touched\n" + UNBOUNDED})
    assert project.check().found == []


# Settings


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "ignore = ['TB201']", "`ignore` has `TB201` more"),
        ("", "select = ['TB1']", "`select` asks for `TB101`, `TB102`"),
        ("extend-select = ['TB110']", "", "`extend-select` has lost `TB110`"),
        ("", "profile = 'core'", "`profile` goes from `default` to `core`"),
        ("", "fail-on = 'never'", "`fail-on` goes from `warning` to `never`"),
        ("step-ceiling = 20", "step-ceiling = 50", "`step-ceiling` goes from 20 to 50"),
        ("wall-ceiling-ms = 1000", "", "`wall-ceiling-ms` goes from 1000 to none"),
        ("", "relaxed = ['src/', 'tests/', 'examples/', 'docs/', '*.ipynb']", "`relaxed` has `src/` more"),
        ("", "extend-exclude = ['app/']", "`extend-exclude` has `app/` more"),
        ("", "per-file-ignores = {'a.py' = ['TB101']}", "`per-file-ignores` has `TB101 in 'a.py'` more"),
        ("", "severity = {TB101 = 'advice'}", "`severity` lowers `TB101 to advice`"),
        ("honour-new-suppressions = false", "", "`honour-new-suppressions` is true now"),
        ("", "[[tool.toolbind-lint.dispatch]]\ncall = 'a.b'\nproves = ['schema']", "`a.b` proves `schema`"),
        ("", "[[tool.toolbind-lint.timer]]\ncall = 'a.b'", "a row of `timer` for `a.b`"),
        ("[[tool.toolbind-lint.gate-error]]\nname = 'a.E'", "", "the row of `gate-error` for `a.E` is gone"),
    ],
)
def test_a_setting_that_asks_for_less_is_shown_and_its_reverse_is_not(
    project: Project, before: str, after: str, said: str
) -> None:
    head = "[tool.toolbind-lint]\n"
    project.repo.commit({"pyproject.toml": head + before + "\n", "plain.py": ""})
    project.repo.write({"pyproject.toml": head + after + "\n"})
    (review,) = of(project.check(), "TB904")
    assert said in review["message"]
    assert review["path"] == "pyproject.toml"
    assert review["severity"] == ("error" if "proves" in said else "review")
    project.repo.commit()
    project.repo.write({"pyproject.toml": head + before + "\n"})
    assert project.check().found == []


def test_settings_of_a_folder_are_compared_in_that_folder(project: Project) -> None:
    project.repo.commit({"sub/toolbind-lint.toml": "ignore = ['TB110']\n", "sub/a.py": ""})
    project.repo.write({"sub/toolbind-lint.toml": "\n# more\nignore = ['TB110', 'TB101']\n"})
    (review,) = of(project.check(), "TB904")
    assert (review["path"], review["line"]) == ("sub/toolbind-lint.toml", 3)


def test_the_declaration_of_a_change_does_not_count_yet(project: Project) -> None:
    project.repo.commit({"agent.py": UNBOUNDED, "pyproject.toml": ""})
    project.repo.write(
        {
            "agent.py": changed(UNBOUNDED, "TOOLS[call.function.name](**", "acme.run_tool(call.function.name, **"),
            "pyproject.toml": "[[tool.toolbind-lint.dispatch]]\ncall = 'acme.run_tool'\nproves = ['tool-timeout']\n",
        }
    )
    assert any("proves `tool-timeout`" in f["message"] for f in of(project.check(), "TB904"))
