"""The baseline: what it hides, what it does not, and that its file changes only when findings come or go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from report_samples import at, finding

from toolbind_lint.baseline import (
    FILE_NAME,
    Accepted,
    BaselineError,
    accept,
    apply,
    line_of,
    read,
    refresh,
    told,
    written,
)
from toolbind_lint.cli import main
from toolbind_lint.findings import Finding, Fingerprint

LOOP = """\
from openai import OpenAI

client = OpenAI()
TOOLS = {"search": print}


def run(messages, tools):
    while True:
        made = client.chat.completions.create(messages=messages, tools=tools, tool_choice="required")
        reply = made.choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
"""


def given(code: str, path: str, place: str = "a", shape: str = "b", **fields: object) -> Finding:
    made = finding(code, at(path, 3), fingerprint=Fingerprint(place * 16, shape * 16), function="run")
    return made._replace(**fields)  # type: ignore[arg-type]


def hidden(old: list[Finding], new: list[Finding], linted: list[str], there: list[str]) -> list[bool]:
    applied = apply(accept(old), new, linted, there)
    return [f.disposition == "baselined" for f in applied.findings]


def test_what_was_there_is_hidden_and_what_came_is_not() -> None:
    old = [given("TB101", "a.py")]
    new = [given("TB101", "a.py"), given("TB201", "a.py", "c", "d")]
    assert hidden(old, new, ["a.py"], ["a.py"]) == [True, False]


def test_twins_are_counted() -> None:
    old = [given("TB101", "a.py")]
    assert hidden(old, [given("TB101", "a.py"), given("TB101", "a.py", "c")], ["a.py"], ["a.py"]) == [True, False]


def test_a_moved_finding_stays_hidden() -> None:
    old, new = [given("TB101", "a.py")], [given("TB101", "b.py", "c")]
    assert hidden(old, new, ["b.py"], ["b.py"]) == [True]


def test_an_entry_of_a_file_that_was_not_linted_hides_nothing_elsewhere() -> None:
    """A hook lints one file: a twin of what another file has in the baseline is new there."""
    old, new = [given("TB101", "a.py")], [given("TB101", "b.py", "c")]
    applied = apply(accept(old), new, ["b.py"], ["a.py", "b.py"])
    assert [f.disposition for f in applied.findings] == ["new"]
    assert applied.stale == ()


def test_findings_on_changes_are_never_in_it() -> None:
    assert accept([given("TB901", "a.py")]) == ()
    forged = Accepted("TB901", "a.py", Fingerprint("a" * 16, "b" * 16), "x")
    assert apply([forged], [given("TB901", "a.py")], ["a.py"], ["a.py"]).findings[0].disposition == "new"


def test_what_has_gone_is_told_and_what_is_suppressed_is_not_gone() -> None:
    entries = accept([given("TB101", "a.py"), given("TB201", "a.py", "c", "d")])
    applied = apply(entries, [given("TB201", "a.py", "c", "d", disposition="suppressed")], ["a.py"], ["a.py"])
    assert [each.code for each in applied.stale] == ["TB101"]
    assert told(applied.stale, "b.json") == (
        "b.json: 1 entry without a finding (TB101 in a.py): `toolbind-lint baseline` removes what is gone"
    )
    assert told((), "b.json") == ""


def test_only_what_is_shown_is_accepted() -> None:
    states = ["new", "baselined", "suppressed", "unselected", "existing"]
    entries = accept([given("TB101", f"{state}.py", disposition=state) for state in states])
    assert {each.path for each in entries} == {"new.py", "baselined.py"}


def test_other_files_keep_their_entries() -> None:
    old = accept([given("TB101", "a.py"), given("TB101", "b.py"), given("TB101", "gone.py")])
    new = accept([given("TB201", "a.py")])
    assert [(e.code, e.path) for e in refresh(old, new, ["a.py"], ["a.py", "b.py"])] == [
        ("TB201", "a.py"),
        ("TB101", "b.py"),
    ]


def test_the_file_is_read_as_it_was_written_one_entry_a_line() -> None:
    entries = accept([given("TB101", "b.py"), given("TB101", "a\udce9.py"), given("TB201", "a.py", "c", "d")])
    text = written(entries)
    assert read(text.encode("ascii"), "x") == entries
    assert text == written(reversed(entries))
    assert len(text.splitlines()) == 3 + len(entries) + 2
    assert line_of(text, entries[0].fingerprint) == 4
    assert read(written(()).encode(), "x") == ()
    assert json.loads(text)["schema_version"] == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is no baseline"),
        ("[]", "no list of findings"),
        ('{"schema_version": 2, "findings": []}', "schema_version"),
        ('{"schema_version": 1, "findings": [1]}', "entry 1 lacks"),
        (
            '{"schema_version": 1, "findings": [{"code": "a", "path": "b", "fingerprint": "c", "description": ""}]}',
            "v1",
        ),
        ("\udcff", "is no baseline"),
        ("[" * 100_000, "is no baseline"),
    ],
)
def test_a_file_that_is_none_is_refused(text: str, fault: str) -> None:
    with pytest.raises(BaselineError, match=fault):
        read(text.encode("utf-8", "surrogateescape"), "b.json")


# The command


class Project:
    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys
        (root / "pyproject.toml").write_text("[tool.toolbind-lint]\n", encoding="utf-8")
        (root / "agent.py").write_text(LOOP, encoding="utf-8")

    def run(self, *args: str) -> tuple[int, str, str]:
        status = main(list(args))
        out, said = self.capsys.readouterr()
        return status, out, said

    def check(self, *args: str) -> tuple[int, dict[str, Any], str]:
        status, out, said = self.run("check", "--output-format", "json", *args)
        return status, json.loads(out) if out else {}, said

    @property
    def text(self) -> str:
        return (self.root / FILE_NAME).read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path, capsys)


def test_written_read_and_shrunk(project: Project) -> None:
    status, report, _ = project.check()
    number = len(report["findings"])
    assert (status, number > 1) == (1, True)
    status, out, _ = project.run("baseline")
    assert (status, out) == (0, f"{FILE_NAME}: {number} findings, {number} added, 0 removed\n")
    status, report, said = project.check()
    assert (status, report["findings"], report["baselined"], said) == (0, [], number, "")
    before = project.text
    (project.root / "agent.py").write_text("# a line more\n" + LOOP.replace("reply", "answer"), encoding="utf-8")
    assert project.run("baseline")[0] == 0
    assert project.text == before, "nothing came and nothing went"
    mended = LOOP.replace(', tool_choice="required"', "")
    (project.root / "agent.py").write_text(mended, encoding="utf-8")
    status, report, said = project.check()
    assert status == 0
    assert "without a finding (TB601 in agent.py)" in said
    project.run("baseline")
    assert "TB601" in before
    assert "TB601" not in project.text


def test_what_comes_later_fails(project: Project) -> None:
    project.run("baseline")
    (project.root / "other.py").write_text(LOOP.replace("while True:", "while True and messages:"), encoding="utf-8")
    status, report, _ = project.check()
    assert status == 1
    assert {f["path"] for f in report["findings"]} == {"other.py"}


def test_it_can_be_left_out_and_lie_elsewhere(project: Project) -> None:
    project.run("baseline", "--baseline", "old.json")
    assert project.check()[0] == 1
    assert project.check("--baseline", "old.json")[0] == 0
    (project.root / "pyproject.toml").write_text("[tool.toolbind-lint]\nbaseline = 'old.json'\n", encoding="utf-8")
    assert project.check()[0] == 0
    assert project.check("--no-baseline")[0] == 1
    assert project.check("--baseline", "gone.json")[0] == 2


def test_a_broken_one_is_no_empty_one(project: Project) -> None:
    (project.root / FILE_NAME).write_text("{", encoding="utf-8")
    status, _, said = project.check()
    assert status == 2
    assert f"{FILE_NAME}: is no baseline" in said


def test_a_run_that_broke_writes_none(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolbind_lint.recognise import loops

    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("made to break")

    monkeypatch.setattr(loops.LoopFinder, "find", broken)
    assert project.run("baseline")[0] == 2
    assert not (project.root / FILE_NAME).exists()
