"""SARIF: what GitHub shows of it, what it may hold, and the parts of the schema that our output uses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from report_samples import at, crashed, finding, sample

from toolbind_lint.check import load_rules
from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Cell, Finding, Fingerprint, Report
from toolbind_lint.report import Options, render, sarif

TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
NUMBER = {"type": "integer", "minimum": 1}
PHYSICAL = {
    "type": "object",
    "properties": {
        "artifactLocation": {
            "type": "object",
            "properties": {"uri": {"type": "string", "pattern": "^[^\\s:]+$"}, "uriBaseId": {"const": "%SRCROOT%"}},
            "required": ["uri", "uriBaseId"],
            "additionalProperties": False,
        },
        "region": {
            "type": "object",
            "properties": dict.fromkeys(("startLine", "startColumn", "endLine", "endColumn"), NUMBER),
            "required": ["startLine"],
            "additionalProperties": False,
        },
    },
    "required": ["artifactLocation"],
    "additionalProperties": False,
}
LOCATION = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": TEXT,
        "physicalLocation": PHYSICAL,
        "logicalLocations": {"type": "array", "items": {"type": "object"}, "uniqueItems": True},
    },
    "required": ["physicalLocation"],
    "additionalProperties": False,
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
NOTIFICATION = {
    "type": "object",
    "properties": {"level": LEVEL, "message": TEXT, "locations": {"type": "array", "items": LOCATION}},
    "required": ["message"],
    "additionalProperties": False,
}
RULE = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^TB\\d{3}$"},
        "name": {"type": "string"},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "help": {**TEXT, "properties": {**TEXT["properties"], "markdown": {"type": "string"}}},  # type: ignore[dict-item]
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}},
        "properties": {
            "type": "object",
            "properties": {
                "precision": {"enum": ["very-high", "high", "medium", "low"]},
                "problem.severity": {"enum": ["error", "warning", "recommendation"]},
                "security-severity": {"type": "string", "pattern": "^\\d+\\.\\d$"},
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 20},
            },
        },
    },
    "required": ["id", "shortDescription"],
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION, "minItems": 1, "maxItems": 1},
        "relatedLocations": {"type": "array", "items": LOCATION, "uniqueItems": True, "maxItems": 1000},
        "codeFlows": {"type": "array", "minItems": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "suppressions": {"type": "array", "uniqueItems": True},
        "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
        "properties": {"type": "object"},
    },
    "required": ["message"],
    "additionalProperties": False,
}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {
                "type": "object",
                "properties": {
                    "tool": {
                        "type": "object",
                        "properties": {
                            "driver": {
                                "type": "object",
                                "properties": {"rules": {"type": "array", "items": RULE, "uniqueItems": True}},
                                "required": ["name"],
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "toolExecutionNotifications": {"type": "array", "items": NOTIFICATION},
                            },
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                        },
                    },
                    "columnKind": {"const": "unicodeCodePoints"},
                    "originalUriBaseIds": {"type": "object"},
                    "results": {"type": "array", "items": RESULT, "maxItems": 25_000},
                },
                "required": ["tool", "results"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["version", "runs"],
    "additionalProperties": False,
}
"""Written for these tests from the specification: what of it our output uses, closed, so that more is noticed."""


def run_of(*findings: Finding, **fields: Any) -> dict[str, Any]:
    report = Report(root="..", findings=findings, subjects=(), files_checked=1, files_screened=0)
    document = json.loads(render(report._replace(**fields), "sarif", Options(rules=load_rules())))
    jsonschema.validate(document, SCHEMA)
    (run,) = document["runs"]
    return dict(run)


def notes(run: dict[str, Any]) -> Iterator[str]:
    (invocation,) = run["invocations"]
    return (note["message"]["text"] for note in invocation["toolExecutionNotifications"])


def test_a_report_fits_the_schema() -> None:
    for report in (sample(), crashed()):
        jsonschema.validate(json.loads(render(report, "sarif")), SCHEMA)


def test_a_finding_is_a_result_with_place_rule_and_fingerprint() -> None:
    found = finding(
        "TB101",
        at("agent/my core.py", 3, 9, 20),
        name="no-step-cap",
        message="No cap",
        help="Add one.",
        function="run",
        fingerprint=Fingerprint("a" * 16, "b" * 16),
    )
    run = run_of(found)
    (result,), (rule,) = run["results"], run["tool"]["driver"]["rules"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("TB101", 0, "error")
    assert result["message"]["text"] == "No cap. Add one."
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "agent/my%20core.py"
    assert physical["region"] == {"startLine": 3, "startColumn": 9, "endLine": 3, "endColumn": 20}
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "run"
    assert result["partialFingerprints"]["primaryLocationLineHash"] == f"v1:{'a' * 16}:{'b' * 16}"
    assert rule["name"] == "no-step-cap"
    assert "# TB101" in rule["help"]["markdown"]
    assert rule["properties"]["security-severity"] == "8.0"


def test_trails_are_code_flows_that_end_at_the_finding() -> None:
    found = finding("TB101", at("a.py", 9), trail=(Step(at("a.py", 1), "one"), Step(at("b.py", 2), "two")))
    (result,) = run_of(found)["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps[:2]] == ["one", "two"]
    assert steps[2]["location"]["physicalLocation"]["region"]["startLine"] == 9


def test_what_is_hidden_is_there_with_its_reason() -> None:
    inside = finding("TB101", at("a.py", 1), disposition="suppressed", reason="the queue ends it")
    outside = finding("TB101", at("a.py", 2), disposition="baselined")
    unasked = finding("TB101", at("a.py", 3), disposition="unselected")
    first, second = run_of(inside, outside, unasked)["results"]
    assert first["suppressions"] == [{"kind": "inSource", "status": "accepted", "justification": "the queue ends it"}]
    assert second["suppressions"][0]["kind"] == "external"


def test_with_a_base_each_result_says_whether_it_is_new() -> None:
    found = (finding("TB101", at("a.py", 1)), finding("TB101", at("a.py", 2), disposition="existing"))
    assert [result["baselineState"] for result in run_of(*found)["results"]] == ["new", "unchanged"]
    assert "baselineState" not in run_of(found[0])["results"][0]


@pytest.mark.parametrize(
    ("severity", "level"), [("error", "error"), ("warning", "warning"), ("advice", "note"), ("review", "note")]
)
def test_severities_are_levels(severity: str, level: str) -> None:
    (result,) = run_of(finding("TB101", at("a.py", 1), severity=severity))["results"]
    assert (result["level"], result["properties"]["severity"]) == (level, severity)


def test_notebooks_have_the_line_of_the_file() -> None:
    place = Place("n.ipynb", 2, 1, 2, 6, cell=3)
    (result,) = run_of(finding("TB101", place), cells=(Cell("n.ipynb", 3, 10, (41, 42)),))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 42}


def test_unreadable_files_crashes_and_notes_are_notifications() -> None:
    run = run_of(unreadable=(Unreadable(at("a.py", 3), "syntax", "invalid syntax", True),), notes=("a note",))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [note["level"] for note in invocation["toolExecutionNotifications"]] == ["error", "note"]
    assert json.loads(render(crashed(), "sarif"))["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_what_is_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "RESULTS", 2)
    monkeypatch.setattr(sarif, "RELATED", 1)
    light = [finding("TB110", at("a.py", n), severity="advice") for n in (1, 2)]
    heavy = finding("TB101", at("b.py", 1), related=(Step(at("b.py", 2), "x"), Step(at("b.py", 3), "y")))
    run = run_of(*light, heavy)
    assert [result["ruleId"] for result in run["results"]] == ["TB110", "TB101"]
    assert list(notes(run)) == ["related places were cut in 1 findings", "1 findings were left out: GitHub takes 2"]


def test_every_rule_can_be_described() -> None:
    codes = [finding(rule.code, at("a.py", 1), name=rule.name) for rule in load_rules()]
    described = {rule["id"] for rule in run_of(*codes)["tool"]["driver"]["rules"]}
    assert described == {rule.code for rule in load_rules()}
