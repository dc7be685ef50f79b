"""The names of a loop's tools: where they are written, and which of several lists counts."""

from __future__ import annotations

import pytest
from recognising import ASK, Files, line_of, loop, sources, subject

TABLE = "TOOLS = {'search': search, 'fetch': fetch}"
FROM_TABLE = "result = TOOLS[call.function.name](**json.loads(call.function.arguments))"
OFFERED = ASK.replace("tools=tools", "tools=SPECS")
BY_NAME = "result = globals()[call.function.name](**json.loads(call.function.arguments))"


def names_of(files: Files) -> list[str]:
    return sorted(step.message for step in subject(files).names)


@pytest.mark.parametrize(
    "module",
    [
        TABLE,
        "TOOLS = dict(search=search, fetch=fetch)",
        "MORE = {'fetch': fetch}\nTOOLS = {'search': search, **MORE}",
        "TOOLS = {'search': search} | {'fetch': fetch}",
        "TOOLS = {}\nTOOLS['search'] = search\nTOOLS['fetch'] = fetch",
    ],
)
def test_the_keys_of_a_table_are_the_names(module: str) -> None:
    assert names_of(loop(module=module, run=FROM_TABLE)) == ["fetch", "search"]


def test_a_table_of_another_file_is_followed() -> None:
    files = {"agent.py": loop(module="from tools import TOOLS", run=FROM_TABLE), "tools.py": TABLE}
    assert names_of(files) == ["fetch", "search"]
    assert {step.place.path for step in subject(files).names} == {"tools.py"}


def test_a_set_that_is_tested_counts_before_the_table() -> None:
    inner = "if call.function.name not in ALLOWED:\n    raise RuntimeError('unknown tool')"
    for allowed in ("{'search'}", "frozenset(['search'])", "('search',)", "{'search': 1}.keys()"):
        assert names_of(loop(module=f"{TABLE}\nALLOWED = {allowed}", inner=inner)) == ["search"], allowed


def test_names_that_are_refused_do_not_count() -> None:
    inner = "if call.function.name in REFUSED:\n    continue"
    assert names_of(loop(module="REFUSED = {'delete'}", inner=inner, run=BY_NAME)) == []


def test_a_chain_of_literals_names_its_tools() -> None:
    run = """
        if call.function.name == 'search':
            result = search()
        elif call.function.name == 'fetch':
            result = fetch()
    """
    assert names_of(loop(run=run)) == ["fetch", "search"]


def test_cases_name_their_tools() -> None:
    run = """
        match call.function.name:
            case 'search' | 'find':
                result = search()
            case 'fetch':
                result = fetch()
    """
    assert names_of(loop(run=run)) == ["fetch", "find", "search"]


def test_what_is_offered_counts_where_nothing_says_what_may_run() -> None:
    spec = "SPECS = [{'type': 'function', 'function': {'name': 'search'}}, {'name': 'fetch', 'input_schema': {}}]"
    assert names_of(loop(module=spec, ask=OFFERED, run=BY_NAME)) == ["fetch", "search"]
    assert names_of(loop(module=f"{spec}\nTOOLS = {{'search': search}}", ask=OFFERED, run=FROM_TABLE)) == ["search"]
    assert names_of(loop(module="SPECS = [search, tools.fetch]", ask=OFFERED, run=BY_NAME)) == ["fetch", "search"]


def test_a_table_that_a_caller_gives_is_followed() -> None:
    assert names_of(loop(rest="def main(messages):\n    return run(messages, [], {'search': search})")) == ["search"]


def test_each_name_has_its_place() -> None:
    text = loop(module="TOOLS = {\n    'search': search,\n    'fetch': fetch,\n}", run=FROM_TABLE)
    (fetch, search) = sorted(subject(text).names, key=lambda step: step.message)
    assert search.place.line == line_of("'search'", sources(text)["agent.py"])
    assert fetch.place.line == search.place.line + 1


def test_names_made_elsewhere_are_none() -> None:
    assert names_of(loop()) == []
