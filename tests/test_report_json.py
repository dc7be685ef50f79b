"""The JSON report: exactly the fields of its schema, which is strict enough to notice a change."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from report_samples import at, crashed, finding, sample, subject, verdict

from toolbind_lint import __version__
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Report
from toolbind_lint.report import Options, render
from toolbind_lint.report.json import document, schema


def validate(report: Report) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(render(report, "json"))
    jsonschema.Draft202012Validator(schema()).validate(loaded)
    return loaded


def test_the_schema_is_one_and_reports_are_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validate(sample())
    validate(crashed())
    validate(Report(root=".", findings=(), subjects=(), files_checked=0, files_screened=0))


def test_the_document_says_what_the_report_says() -> None:
    loaded = validate(sample())
    assert loaded["tool"] == {"name": "toolbind-lint", "version": __version__}
    counts = {key: value for key, value in loaded.items() if isinstance(value, int)}
    assert counts == {
        "schema_version": 1,
        "files_checked": 212,
        "files_screened": 180,
        "files_unreadable": 1,
        "suppressed": 1,
        "baselined": 0,
        "relaxed": 1,
    }
    first = loaded["findings"][0]
    assert {key: first[key] for key in ("code", "path", "line", "column", "end_line", "end_column")} == {
        "code": "TB101",
        "path": "agent/core.py",
        "line": 3,
        "column": 9,
        "end_line": 3,
        "end_column": 20,
    }
    assert first["loop"] == "core"
    assert first["loops"] == ["core"]
    assert first["fix"] is None
    assert first["fingerprint"] == "v1:1a2b3c4d:5e6f7a8b"
    assert first["related"][0] == {"path": "agent/core.py", "line": 4, "column": 21, "message": "asks the model"}
    assert "cell" not in first
    assert [f["code"] for f in loaded["findings"]] == ["TB101", "TB201", "TB001", "TB104", "TB002", "TB301"]
    core = next(loop for loop in loaded["loops"] if loop["id"] == "core")
    assert (core["kind"], core["line"], core["end_line"], core["function"]) == ("tool-loop", 3, 8, "Agent._loop")
    assert core["gates"]["cap"] == {"state": "missing", "how": "none", "evidence": []}
    assert core["gates"]["allowlist"]["evidence"] == [
        {"path": "tools/table.py", "line": 7, "value": "4 names", "message": "a table of exact names"}
    ]
    assert core["gates"]["cost"]["state"] == "not-applicable"
    assert core["envelope"] == {"turns": "∞", "calls": "∞", "seconds": "∞", "tokens": "?"}


def test_findings_without_a_subject_have_no_loop() -> None:
    unread = next(f for f in validate(sample())["findings"] if f["code"] == "TB001")
    assert unread["loop"] is None
    assert unread["loops"] == []
    assert unread["gate"] == ""
    assert unread["fingerprint"] is None


def test_cells_and_order() -> None:
    places = [
        Place("n.ipynb", 2, 1, 2, 2, cell=10),
        Place("n.ipynb", 2, 9, 2, 10, cell=2),
        Place("n.ipynb", 1, 1, 1, 2),
        Place("n.ipynb", 2, 3, 2, 4, cell=2),
        Place("a.py", 99, 1, 99, 2),
    ]
    findings = [finding("TB201", places[4]), *(finding("TB101", place) for place in places)]
    trail = (Step(places[0], "there"),)
    owner = subject("s", "n.ipynb", 1)._replace(header=places[1], place=places[1])
    report = sample()._replace(findings=tuple(f._replace(trail=trail) for f in findings), subjects=(owner,))
    loaded = validate(report)
    order = [(f["path"], f.get("cell"), f["line"], f["column"], f["code"]) for f in loaded["findings"]]
    assert order == [
        ("a.py", None, 99, 1, "TB101"),
        ("a.py", None, 99, 1, "TB201"),
        ("n.ipynb", None, 1, 1, "TB101"),
        ("n.ipynb", 2, 2, 3, "TB101"),
        ("n.ipynb", 2, 2, 9, "TB101"),
        ("n.ipynb", 10, 2, 1, "TB101"),
    ]
    assert loaded["loops"][0]["cell"] == 2
    assert loaded["findings"][0]["trail"] == [{"path": "n.ipynb", "line": 2, "message": "there"}]


def test_bindings_are_no_loops() -> None:
    binding = subject("b", "a.py", 1, verdict("allowlist", "leaks", how="pattern"), kind="binding")
    report = sample()._replace(subjects=(binding,), findings=(finding("TB312", at("a.py", 1), loops=("b", "l")),))
    loaded = validate(report)
    assert loaded["loops"] == []
    assert (loaded["findings"][0]["loop"], loaded["findings"][0]["loops"]) == ("l", ["l"])


def test_lone_surrogates_and_controls_survive_as_ascii() -> None:
    path = "caf\udce9/\x7f\x1b\u202e.py"
    text = render(sample()._replace(findings=(finding("TB101", at(path, 3)),)), "json")
    assert text.isascii()
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "caf\\udce9" in text
    assert json.loads(text)["findings"][0]["path"] == path


def test_options_change_nothing_and_paths_are_of_the_root() -> None:
    report = sample()._replace(root="../..")
    assert render(report, "json", Options(colour=True, quiet=True, verbose=True, width=60)) == render(report, "json")
    loaded = validate(report)
    assert loaded["root"] == "../.."
    assert loaded["findings"][0]["path"] == "agent/core.py"


def _drop(*keys: str | int) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for key in keys[:-1]:
            value = value[key]
        del value[keys[-1]]

    return change


def _put(value: object, *keys: str | int) -> Callable[[Any], None]:
    def change(target: Any) -> None:
        for key in keys[:-1]:
            target = target[key]
        target[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _drop("relaxed"),
        _drop("findings", 0, "help"),
        _drop("findings", 0, "loop"),
        _drop("loops", 0, "gates", "cost"),
        _put("x", "extra"),
        _put("x", "findings", 0, "extra"),
        _put("fatal", "findings", 0, "severity"),
        _put(0, "findings", 0, "line"),
        _put("101", "findings", 0, "code"),
        _put("odd", "findings", 0, "gate"),
        _put("binding", "loops", 0, "kind"),
        _put("good", "loops", 0, "gates", "cap", "state"),
        _put({}, "findings", 0, "fix"),
        _put("2:a:b", "findings", 0, "fingerprint"),
    ],
)
def test_the_schema_refuses_other_shapes(change: Callable[[Any], None]) -> None:
    value = copy.deepcopy(document(sample()))
    validator = jsonschema.Draft202012Validator(schema())
    validator.validate(value)
    change(value)
    assert not validator.is_valid(value)
