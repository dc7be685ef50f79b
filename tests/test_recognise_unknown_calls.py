"""Calls into code that nobody knows: which gates they hide, how a configuration names them, and what it answers."""

from __future__ import annotations

from typing import Any

import pytest
from recognising import loop, subject

from toolbind_lint.catalogue import CatalogueError, load_catalogue
from toolbind_lint.config import Settings
from toolbind_lint.findings import Report
from toolbind_lint.lint import lint
from toolbind_lint.report import Options
from toolbind_lint.report.suggest import render
from toolbind_lint.snapshot import Memory

HANDED = "result = run_tool(call.function.name, json.loads(call.function.arguments))"
GIVEN = "result = box.perform(call.function.name, json.loads(call.function.arguments))"
IMPORTED = loop("for _ in range(8):", module="from acme.toolkit import run_tool", run=HANDED)
PASSED = loop("for _ in range(8):", params="box", run=GIVEN)
METHOD = loop("for _ in range(8):", params="agent", run=GIVEN.replace("box.", "agent.core.box."))


def words(text: str, tables: list[dict[str, Any]] | None = None) -> list[tuple[str, str, str]]:
    found = [dict(fault.words) for fault in subject(text, tables=tables or ()).unknown]
    return [(w["key"], w["call"], w["gates"]) for w in found]


def test_an_imported_function_is_named_by_its_dotted_name() -> None:
    ((key, name, gates),) = words(IMPORTED)
    assert (key, name) == ("call", "acme.toolkit.run_tool")
    assert "allowlist" in gates


@pytest.mark.parametrize(("text", "name"), [(PASSED, "box.perform"), (METHOD, "box.perform")])
def test_a_method_of_an_unknown_object_is_named_by_the_end_of_its_path(text: str, name: str) -> None:
    assert [row[:2] for row in words(text)] == [("method", name)]


def test_two_calls_of_one_function_are_one() -> None:
    twice = loop("for _ in range(8):", module="from acme import run_tool", run=f"{HANDED}\n{HANDED}")
    assert len(words(twice)) == 1


def test_a_table_of_handlers_hides_nothing() -> None:
    assert words(loop("for _ in range(8):")) == []


@pytest.mark.parametrize(
    ("text", "table"),
    [(IMPORTED, {"call": "acme.toolkit.run_tool"}), (PASSED, {"method": "box.perform"})],
)
def test_a_configuration_answers(text: str, table: dict[str, str]) -> None:
    tables = [{"dispatch": [{**table, "proves": ["tool-timeout", "allowlist"]}]}]
    found = subject(text, tables=tables)
    assert found.unknown == ()
    for gate in ("tool-timeout", "allowlist"):
        assert found.verdict(gate).state == "held"
        assert [e.message for e in found.verdict(gate).evidence] == ["held by configuration"]


def test_what_it_does_not_prove_stays_unknown() -> None:
    found = subject(IMPORTED, tables=[{"dispatch": [{"call": "acme.toolkit.run_tool", "proves": ["allowlist"]}]}])
    assert found.verdict("allowlist").state == "held"
    assert found.verdict("tool-timeout").state == "unknown"


def test_only_gates_can_be_proved() -> None:
    with pytest.raises(CatalogueError, match=r"dispatch\[0\]\.proves: must be of allowlist"):
        load_catalogue([{"dispatch": [{"call": "a.b", "proves": ["allowlist", "timeouts"]}]}])


# ---- the finding and the suggestion


def report(files: dict[str, str], **values: object) -> Report:
    return lint(Memory({path: text.encode() for path, text in files.items()}), list(files), Settings(values))


def test_one_finding_for_a_call_that_serves_two_loops() -> None:
    shared = (
        "from acme.toolkit import run_tool\ndef each(call):\n"
        "    return run_tool(call.function.name, call.function.arguments)\n"
    )
    text = loop("for _ in range(8):", module="from shared import each", run="result = each(call)")
    found = report({"shared.py": shared, "a.py": text, "b.py": text.replace("def run", "def again")})
    (finding,) = (f for f in found.shown if f.code == "TB004")
    assert (finding.place.path, finding.place.line, len(finding.loops)) == ("shared.py", 3, 2)
    assert 'call = "acme.toolkit.run_tool"' in finding.help


def test_the_suggestion_is_a_configuration_that_answers() -> None:
    import tomli

    text = render(report({"a.py": IMPORTED, "b.py": PASSED}), Options())
    tables = tomli.loads(text)["tool"]["toolbind-lint"]
    assert [(row.get("call"), row.get("method")) for row in tables["dispatch"]] == [
        ("acme.toolkit.run_tool", None),
        (None, "box.perform"),
    ]
    for source in (IMPORTED, PASSED):
        assert subject(source, tables=[tables]).unknown == ()


def test_nothing_to_suggest_is_said() -> None:
    assert render(report({"a.py": loop("for _ in range(8):")}), Options()).startswith("# No call")
