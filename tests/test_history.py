"""A history of pull requests: what is done × to what, each with the exact annotations that it gets.

Every change starts from the same project, in a real repository. Of rules that judge single gates those are asked that
the changes are about; what an untouched loop lacks (``old.py``) must never appear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from repositories import Repo

from toolbind_lint.cli import main

Files = Mapping[str, str | None]

LOOP = """\
import time

from openai import OpenAI

from helper import MAX_STEPS, check_time

client = OpenAI()
TOOLS = {"search": print}


def run(messages, tools):
    start = time.monotonic()
    for _ in range(MAX_STEPS):
        check_time(start)
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("out of steps")
"""

HELPER = """\
import time

MAX_STEPS = 8
SECONDS = 120


class BudgetExceeded(Exception):
    pass


def check_time(start):
    if time.monotonic() - start > SECONDS:
        raise BudgetExceeded("out of time")
"""

REGISTRY = """\
HANDLERS = {
    "find": print,
    "list": print,
}


def execute_tool(name, arguments):
    if name not in HANDLERS:
        raise LookupError(name)
    return HANDLERS[name](**arguments)
"""

GRAPH = """\
from langgraph.prebuilt import create_react_agent


def answer(model, tools, question):
    agent = create_react_agent(model, tools)
    return agent.invoke({"messages": [question]})
"""

CONFIGURATION = """\
[tool.toolbind-lint]
step-ceiling = 20
ignore = ["TB110"]
"""

LOCK = "langgraph==1.0.0\n"

OLD = LOOP.replace("for _ in range(MAX_STEPS):", "while True:").replace("        check_time(start)\n", "")

PROJECT: Files = {
    "loop.py": LOOP,
    "helper.py": HELPER,
    "registry.py": REGISTRY,
    "graph.py": GRAPH,
    "pyproject.toml": CONFIGURATION,
    "requirements.txt": LOCK,
    "old.py": OLD,
}

SELECTED = "TB9,TB101,TB102,TB107,TB109,TB201,TB311,TB312,TB502"


class Request(NamedTuple):
    """One pull request: what it does to what, the files that it leaves, and ``code path:line`` of each annotation."""

    does: str
    to: str
    files: Files
    expected: tuple[str, ...] = ()


def edited(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def of(name: str, *changes: tuple[str, str]) -> dict[str, str | None]:
    text = PROJECT[name]
    assert text is not None
    return {name: edited(text, *changes)}


LOOSE = edited(LOOP, ("for _ in range(MAX_STEPS):", "while True and messages:"), ("        check_time(start)\n", ""))

REQUESTS = [
    # The loop
    Request("add", "loop", {"new.py": LOOSE}, ("TB903 new.py:13",)),
    Request("move", "loop", {"loop.py": None, "app/__init__.py": "", "app/loop.py": LOOP}),
    Request("rename", "loop", of("loop.py", ("def run(", "def answer("), ("reply", "said"))),
    Request("delete", "loop", {"loop.py": None}),
    Request(
        "weaken",
        "loop",
        of("loop.py", ("for _ in range(MAX_STEPS):", "while True:")),
        ("TB101 loop.py:13", "TB904 loop.py:13"),
    ),
    Request("strengthen", "loop", of("loop.py", ("range(MAX_STEPS)", "range(min(MAX_STEPS, 5))"))),
    # A helper of it
    Request("add", "helper", of("helper.py", ("class Budget", "def other():\n    return 1\n\n\nclass Budget"))),
    Request(
        "move",
        "helper",
        {
            "helper.py": None,
            "lib/__init__.py": "",
            "lib/helper.py": HELPER,
            **of("loop.py", ("from helper", "from lib.helper")),
        },
    ),
    Request(
        "rename",
        "helper",
        {**of("helper.py", ("check_time", "ensure")), **of("loop.py", ("check_time", "ensure"))},
    ),
    Request(
        "delete",
        "helper",
        {
            **of("helper.py", (HELPER[HELPER.index("\n\ndef check_time") :], "")),
            **of("loop.py", (", check_time", ""), ("        check_time(start)\n", "")),
        },
        ("TB201 loop.py:13", "TB904 loop.py:13"),
    ),
    Request("weaken", "helper", of("helper.py", ("MAX_STEPS = 8", "MAX_STEPS = 16")), ("TB901 helper.py:3",)),
    Request(
        "weaken unseen",
        "helper",
        of("helper.py", ("    if time.monotonic() - start > SECONDS:\n", "    if False:\n")),
        ("TB904 helper.py:12", "TB201 loop.py:13"),
    ),
    Request(
        "unpin",
        "helper",
        of(
            "helper.py",
            ("MAX_STEPS = 8", 'MAX_STEPS = int(os.environ["STEPS"])'),
            ("import time", "import os\nimport time"),
        ),
        ("TB102 helper.py:4",),
    ),
    Request("strengthen", "helper", of("helper.py", ("SECONDS = 120", "SECONDS = 60"))),
    # The configuration
    Request(
        "add", "configuration", {"app/toolbind-lint.toml": "ignore = ['TB101']\n"}, ("TB904 app/toolbind-lint.toml:1",)
    ),
    Request(
        "move",
        "configuration",
        {"pyproject.toml": "", "toolbind-lint.toml": edited(CONFIGURATION, ("[tool.toolbind-lint]\n", ""))},
    ),
    Request("rename", "configuration", of("pyproject.toml", ("TB110", "dead-bound"))),
    Request("delete", "configuration", of("pyproject.toml", ("step-ceiling = 20\n", "")), ("TB904 pyproject.toml:1",)),
    Request("weaken", "configuration", of("pyproject.toml", ("= 20", "= 60")), ("TB904 pyproject.toml:2",)),
    Request("strengthen", "configuration", of("pyproject.toml", ("= 20", "= 10"), ('"TB110"', ""))),
    # A lock file
    Request("add", "lock file", of("requirements.txt", ("langgraph", "httpx==0.28.0\nlanggraph"))),
    Request(
        "move",
        "lock file",
        {
            "requirements.txt": None,
            "pyproject.toml": f'[project]\nname = "p"\ndependencies = ["langgraph==1.0.0"]\n\n{CONFIGURATION}',
        },
    ),
    Request("rename", "lock file", {"requirements.txt": None, "requirements-prod.txt": LOCK}),
    Request("delete", "lock file", {"requirements.txt": None}, ("TB107 graph.py:6", "TB904 graph.py:6")),
    Request(
        "weaken", "lock file", of("requirements.txt", ("1.0.0", "1.1.0")), ("TB107 graph.py:6", "TB904 graph.py:6")
    ),
    Request("strengthen", "lock file", of("requirements.txt", ("1.0.0", "1.0.1"))),
    # A list of names
    Request(
        "add",
        "allowlist",
        of("registry.py", ('    "list"', '    "drop": print,\n    "list"')),
        ("TB902 registry.py:3",),
    ),
    Request("move", "allowlist", {"registry.py": None, "app/__init__.py": "", "app/registry.py": REGISTRY}),
    Request("rename", "allowlist", of("registry.py", ("HANDLERS", "TABLE"))),
    Request("delete", "allowlist", of("registry.py", ('    "list": print,\n', ""))),
    Request(
        "weaken",
        "allowlist",
        of("registry.py", ("name not in HANDLERS", 'not name.startswith("f")'), ("HANDLERS[name]", "globals()[name]")),
        ("TB312 registry.py:8", "TB902 registry.py:8"),
    ),
    Request(
        "replace by code",
        "allowlist",
        of(
            "registry.py",
            ("    if name not in HANDLERS:\n        raise LookupError(name)\n", ""),
            ("HANDLERS[name]", "globals()[name]"),
        ),
        ("TB311 registry.py:8", "TB904 registry.py:8"),
    ),
    Request(
        "strengthen", "allowlist", of("registry.py", ("name not in HANDLERS", 'name not in HANDLERS or name == "list"'))
    ),
    # A framework's run
    Request("add", "framework run", {"more.py": edited(GRAPH, ("answer", "reply"))}, ("TB903 more.py:6",)),
    Request("move", "framework run", {"graph.py": None, "app/__init__.py": "", "app/graph.py": GRAPH}),
    Request(
        "rename", "framework run", of("graph.py", ("agent", "helper_"), ("create_react_helper_", "create_react_agent"))
    ),
    Request("delete", "framework run", {"graph.py": None}),
    Request(
        "weaken",
        "framework run",
        of("graph.py", ("[question]})", '[question]}, {"recursion_limit": 100_000})')),
        ("TB107 graph.py:6", "TB904 graph.py:6"),
    ),
    Request("strengthen", "framework run", of("graph.py", ("[question]})", '[question]}, {"recursion_limit": 10})'))),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: f"{r.does} {r.to}")
def test_each_pull_request_gets_exactly_its_annotations(
    request_: Request, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit(PROJECT)
    repo.commit(request_.files)
    monkeypatch.chdir(repo.root)
    status = main(["--base", "HEAD~1", "--output-format", "json", "--select", SELECTED])
    out, said = capsys.readouterr()
    found = json.loads(out)["findings"]
    assert tuple(f"{f['code']} {f['path']}:{f['line']}" for f in found) == request_.expected, said
    assert status == int(any(f["severity"] in {"error", "warning"} for f in found))
    for finding in found:
        if finding["code"] in {"TB101", "TB102", "TB107", "TB201"}:
            assert "In the base" in finding["message"]


def test_the_table_is_covered() -> None:
    done = {(request.does, request.to) for request in REQUESTS}
    does = ("add", "move", "rename", "delete", "weaken", "strengthen")
    to = ("loop", "helper", "configuration", "lock file", "allowlist", "framework run")
    assert {(one, other) for one in does for other in to} <= done


def test_the_untouched_loop_lacks_what_the_changes_are_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its silence in every request would show nothing."""
    repo = Repo(tmp_path / "repo")
    repo.commit(PROJECT)
    monkeypatch.chdir(repo.root)
    main(["old.py", "--output-format", "json", "--select", SELECTED])
    assert {"TB101", "TB201"} <= {finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]}
