"""The one function: what goes through all stages, and what happens when one of them breaks.

Recognition has tests of its own; here subjects are made by hand where a stage behind it is the matter.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from toolbind_lint import lint as module
from toolbind_lint.config import Settings
from toolbind_lint.facts import Place
from toolbind_lint.findings import Crash, Report
from toolbind_lint.index import build_index
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory
from toolbind_lint.verdicts import Fault, Subject, Verdict

LOOP = """\
def run(client, messages, tools):
    while True:
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


TOOLS = {"search": print}
"""


def subject(path: str, line: int = 2, *, hows: Sequence[tuple[str, str, int]] = (("cap", "none", 2),)) -> Subject:
    """A loop at a line, with faults (gate, how, line)."""
    verdicts = tuple(
        Verdict(gate, "missing", (Fault(how, Place(path, at, 5, at, 16)),))  # type: ignore[arg-type]
        for gate, how, at in hows
    )
    place = Place(path, line, 5, line + 8, 20)
    header = Place(path, line, 5, line, 16)
    return Subject(f"{path}:{line}", "tool-loop", place, header, "run", "run", "", "while True", verdicts)


def given(monkeypatch: pytest.MonkeyPatch, *subjects: Subject) -> None:
    monkeypatch.setattr(module, "_recognise", lambda *given: (subjects, (), [], ()))


def run(files: dict[str, str], *targets: str, settings: Settings | None = None) -> Report:
    data = {path: text.encode("utf-8") for path, text in files.items()}
    return lint(Memory(data), targets or tuple(files), settings or Settings())


def codes(report: Report) -> list[tuple[str, str]]:
    return [(finding.place.path, finding.code) for finding in report.shown]


def test_from_bytes_to_a_finding() -> None:
    report = run({"agent.py": LOOP, "plain.py": "x = 1\n"})
    assert ("agent.py", "TB101") in codes(report)
    assert (report.files_checked, report.files_screened, report.crashes) == (2, 1, ())
    assert [(s.kind, s.header.path, s.header.line) for s in report.subjects] == [("tool-loop", "agent.py", 2)]
    assert dict(report.sources)["agent.py"] == tuple(LOOP.splitlines())
    finding = next(f for f in report.shown if f.code == "TB101")
    assert str(finding.fingerprint).startswith("v1:")


def test_only_targets_are_reported_on() -> None:
    report = run({"a.py": LOOP, "b.py": LOOP}, "b.py")
    assert {path for path, _ in codes(report)} == {"b.py"}
    assert [s.header.path for s in report.subjects] == ["b.py"]
    assert report.files_checked == 1


def test_a_finding_in_a_helper_brings_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = subject("a.py")
    away = Verdict("allowlist", "missing", (Fault("code-by-name", Place("helper.py", 1, 1, 1, 5)),))
    given(monkeypatch, loop._replace(verdicts=(*loop.verdicts, away)))
    report = run({"a.py": LOOP, "helper.py": "x = 1\n"}, "helper.py")
    assert codes(report) == [("helper.py", "TB311")]
    assert [s.id for s in report.subjects] == ["a.py:2"]


def test_order_is_by_path_line_and_code(monkeypatch: pytest.MonkeyPatch) -> None:
    hows = (("wall", "none", 2), ("cap", "none", 2), ("exit", "spins", 3))
    given(monkeypatch, subject("b.py", hows=hows), subject("a.py", hows=hows))
    report = run({"b.py": LOOP, "a.py": LOOP}, "b.py", "a.py")
    assert codes(report) == [(path, code) for path in ("a.py", "b.py") for code in ("TB101", "TB201", "TB602")]


def test_what_nobody_selected_is_kept_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, subject("a.py", hows=(("wall", "none", 2), ("cap", "none", 2))))
    report = run({"a.py": LOOP}, settings=Settings({"profile": "core"}))
    assert codes(report) == [("a.py", "TB101")]
    hidden = [(f.code, f.disposition, f.reason) for f in report.findings if f.disposition != "new"]
    assert hidden == [("TB201", "unselected", "profile core leaves out warning")]


def test_relaxed_places_lower_and_do_not_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, subject("tests/a.py", hows=(("wall", "none", 2), ("cap", "none", 2))))
    report = run({"tests/a.py": LOOP})
    assert [(f.code, f.severity, f.relaxed) for f in report.shown] == [
        ("TB101", "warning", True),
        ("TB201", "advice", True),
    ]


def test_suppressions_hide_with_a_reason_and_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, subject("a.py"))
    text = LOOP.replace("while True:", "while True:  # toolbind: ignore[TB101, TB601] a person watches it")
    report = run(
        {"a.py": text, "b.py": "x = 1  # toolbind: ignore[TB1]\n", "c.py": "# toolbind: ignore[TB1] old\n"},
        "a.py",
        "b.py",
    )
    assert [(f.code, f.disposition) for f in report.findings if f.place.path == "a.py"] == [
        ("TB101", "suppressed"),
        ("TB002", "new"),
    ]
    assert [code for path, code in codes(report) if path == "b.py"] == ["TB003"]
    assert not [path for path, _ in codes(report) if path == "c.py"]


def test_a_broken_file_is_told_when_it_may_matter() -> None:
    report = run({"a.py": LOOP + "def broken(:\n", "b.py": "def broken(:\n", "c.py": LOOP})
    assert ("a.py", "TB001") in codes(report)
    assert ("b.py", "TB001") not in codes(report)
    assert ("c.py", "TB101") in codes(report)
    assert {fact.place.path for fact in report.unreadable if fact.relevant} == {"a.py"}
    assert report.crashes == ()


def test_what_was_to_be_read_for_facts_and_could_not_is_noted() -> None:
    files = {"a.py": "x = 1\n", **{f"b{n}.py": LOOP + "def broken(:\n" for n in range(5)}, "c.py": "def broken(:\n"}
    report = run(files, "a.py")
    assert report.unreadable == ()
    assert [note.rpartition(": ")[2] for note in report.notes] == ["b0.py, b1.py, b2.py and 2 more"]


def test_a_file_that_is_gone_is_a_crash() -> None:
    class Gone(Memory):
        def read(self, path: str) -> bytes:
            if path == "a.py":
                raise FileNotFoundError(2, "No such file or directory")
            return super().read(path)

    report = lint(Gone({"a.py": b"", "b.py": LOOP.encode()}), ["a.py", "b.py"], Settings())
    assert report.crashes == (Crash("a.py", "read", "No such file or directory"),)
    assert ("b.py", "TB101") in codes(report)


def test_a_crash_of_the_index_costs_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    real = build_index

    def build(snapshot: Any, words: Any, **options: Any) -> Any:
        if "a.py" in snapshot.paths():
            raise ZeroDivisionError("made to break")
        return real(snapshot, words, **options)

    monkeypatch.setattr(module, "build_index", build)
    report = run({"a.py": LOOP, "b.py": LOOP})
    assert report.crashes == (Crash("a.py", "index", "ZeroDivisionError: made to break"),)
    assert {path for path, _ in codes(report)} == {"b.py"}


def test_a_crash_of_the_index_that_no_file_explains_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(snapshot: Any, words: Any, **options: Any) -> Any:
        if len(snapshot.paths()) > 1:
            raise ZeroDivisionError("made to break")
        return real(snapshot, words, **options)

    real = build_index
    monkeypatch.setattr(module, "build_index", build)
    with pytest.raises(ZeroDivisionError):
        run({"a.py": LOOP, "b.py": LOOP})


def test_a_crash_of_recognition_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        raise ZeroDivisionError("made to break")

    monkeypatch.setattr("toolbind_lint.recognise.recognise", broken)
    report = run({"a.py": LOOP})
    assert report.crashes == (Crash("", "recognise", "ZeroDivisionError: made to break"),)


def test_a_crash_while_reading_suppressions_costs_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: Any) -> Any:
        raise ZeroDivisionError("made to break")

    monkeypatch.setattr(module, "read_suppressions", broken)
    report = run({"a.py": LOOP, "b.py": "# toolbind\n"})
    assert report.crashes == (Crash("b.py", "suppressions", "ZeroDivisionError: made to break"),)
    assert ("a.py", "TB101") in codes(report)


def test_limits_of_the_file_reach_recognition() -> None:
    text = LOOP.replace("while True:", "for _ in range(8):")
    assert ("a.py", "TB109") not in codes(run({"a.py": text}))
    assert ("a.py", "TB109") in codes(run({"a.py": text}, settings=Settings({"step-ceiling": 5})))


def test_notebook_cells_know_their_lines_on_disk() -> None:
    def cell(source: list[str]) -> dict[str, Any]:
        return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}

    text = json.dumps(
        {"cells": [cell(["x = 1\n", "y = 2"]), cell(LOOP.splitlines(True))], "metadata": {}, "nbformat": 4}, indent=1
    )
    report = run({"a.ipynb": text})
    cells = {each.cell: each for each in report.cells}
    assert [each.first for each in cells.values()] == [1, 3]
    physical = cells[1].physical[1]
    assert "while True" in text.splitlines()[physical - 1]
    finding = next(f for f in report.shown if f.code == "TB101")
    assert (finding.place.cell, finding.place.line) == (1, 2)


def test_identity_does_not_depend_on_what_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, subject("a.py", 2), subject("a.py", 12, hows=(("cap", "none", 12),)))
    files = {"a.py": LOOP + LOOP}

    def identities(settings: Settings) -> set[str]:
        return {str(f.fingerprint) for f in run(files, settings=settings).findings if f.code == "TB101"}

    assert len(identities(Settings())) == 2
    assert identities(Settings()) == identities(Settings({"select": ["TB2"]}))


def test_only_loops_that_can_have_a_place_in_a_target_are_judged() -> None:
    helper = "def pick(handlers, name, arguments):\n    return getattr(handlers, name)(**arguments)\n"
    importer = "import json\nfrom helper import pick\n\n\n" + LOOP.replace(
        "TOOLS[call.function.name](call.function.arguments)",
        "pick(client, call.function.name, json.loads(call.function.arguments))",
    )
    files = {"agent.py": importer, "helper.py": helper, "other.py": LOOP}
    report = run(files, "helper.py")
    assert set(codes(report)) == {("helper.py", code) for code in ("TB301", "TB311", "TB401", "TB403")}
    assert {s.place.path for s in report.subjects} == {"agent.py"}
    assert ("other.py", "TB101") in codes(run(files))
