"""JSON lines, GitLab Code Quality, JUnit and Markdown: what each holds, and several of them in one run."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from report_samples import at, crashed, finding, sample

from toolbind_lint.cli import main
from toolbind_lint.facts import Place
from toolbind_lint.findings import Cell, Finding, Fingerprint, Report
from toolbind_lint.report import FORMATS, render


def report(*findings: Finding) -> Report:
    return Report(root="..", findings=findings, subjects=(), files_checked=2, files_screened=1)


def test_lines_of_json_begin_with_the_run_and_end_with_the_summary() -> None:
    rows = [json.loads(line) for line in render(sample(), "jsonl").splitlines()]
    whole = json.loads(render(sample(), "json"))
    assert [row.pop("type") for row in rows] == [
        "run",
        *["finding"] * len(whole["findings"]),
        *["loop"] * len(whole["loops"]),
        "summary",
    ]
    assert rows[1 : 1 + len(whole["findings"])] == whole["findings"]
    assert rows[-1]["findings"] == len(whole["findings"])
    assert "crash" in {json.loads(line)["type"] for line in render(crashed(), "jsonl").splitlines()}


def test_gitlab_has_one_issue_a_finding_with_a_fingerprint_of_its_own() -> None:
    same = Fingerprint("a" * 16, "b" * 16)
    found = [finding("TB101", at("a.py", n, end_line=n + 1), fingerprint=same) for n in (3, 5)]
    issues = json.loads(render(report(*found), "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == 2
    assert issues[0]["severity"] == "critical"
    assert issues[0]["location"] == {"path": "a.py", "lines": {"begin": 3, "end": 4}}
    assert issues[0]["description"].startswith("TB101 a-rule: ")
    assert json.loads(render(report(), "gitlab")) == []
    assert json.loads(render(crashed(), "gitlab"))[0]["severity"] == "blocker"


def test_gitlab_has_the_line_of_the_file_in_notebooks() -> None:
    place = Place("n.ipynb", 2, 1, 2, 6, cell=3)
    made = report(finding("TB101", place))._replace(cells=(Cell("n.ipynb", 3, 10, (41, 42)),))
    (issue,) = json.loads(render(made, "gitlab"))
    assert issue["location"]["lines"]["begin"] == 42


def test_junit_has_a_case_a_finding_and_one_for_the_run() -> None:
    root = ElementTree.fromstring(
        render(report(finding("TB101", at("a.py", 3)), finding("TB1", at("b.py", 4))), "junit")
    )
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("3", "2", "0")
    assert [suite.get("name") for suite in root] == ["a.py", "b.py", "toolbind-lint"]
    case = root[0][0]
    assert (case.get("classname"), case.get("line"), case[0].get("type")) == ("a.py", "3", "error")
    clean = ElementTree.fromstring(render(report(), "junit"))
    assert (clean.get("tests"), clean.get("failures")) == ("1", "0")
    assert ElementTree.fromstring(render(crashed(), "junit")).get("errors") == "1"


def test_markdown_shows_reviews_first_and_the_gate_matrix() -> None:
    made = sample()
    review = finding("TB901", at("agent/core.py", 1), severity="review", name="limit-raised", kind="change")
    text = render(made._replace(findings=(*made.findings, review)), "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[0] == "|  | rule | where | what |"
    assert "TB901" in rows[1]
    assert "### Gates" in text
    assert any("❌" in row for row in rows)


def test_markdown_counts_what_does_not_fit() -> None:
    many = [finding("TB101", at(f"a{n}.py", 1)) for n in range(230)]
    text = render(report(*many), "markdown")
    assert "and 30 more, which the other reports hold" in text
    assert len(text.encode()) < 1024 * 1024


def test_markdown_says_what_crashed() -> None:
    assert "**Crashed, so nothing is proved by this run:**" in render(crashed(), "markdown")


def test_several_reports_are_written_in_one_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    names = sorted(FORMATS)
    options = [f"--report={name}=out/{name}" for name in names]
    (tmp_path / "out").mkdir()
    assert main(["a.py", "--output-format", "concise", *options]) == 0
    printed = capsys.readouterr().out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert (tmp_path / "out" / "concise").read_text(encoding="utf-8") == printed
    assert json.loads((tmp_path / "out" / "sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
