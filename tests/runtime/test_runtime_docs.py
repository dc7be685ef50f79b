"""The programs of docs/dispatcher.md run as they are printed, and its evidence lines are what a run leaves."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from runtime_server import Reply, Server
from runtime_support import Log, Scripted, asks, call, run_of, says

from toolbind_lint.config import Settings
from toolbind_lint.lint import lint
from toolbind_lint.runtime import evidence
from toolbind_lint.runtime.core import Budget, Dispatcher, GateError
from toolbind_lint.runtime.loop import run_loop
from toolbind_lint.runtime.sinks import as_line
from toolbind_lint.snapshot import Memory

PAGE = (Path(__file__).parents[2] / "docs" / "dispatcher.md").read_text("utf-8")
FOUND = (("a", "search", '{"query": "monotonic clocks"}'),)


@pytest.fixture(autouse=True)
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The page's files, as a package to import."""
    for name, body in re.findall(r"```python\n# (app/\w+\.py)\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(body)
    (tmp_path / "app" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_MODEL", "m")
    monkeypatch.setenv("ANTHROPIC_MODEL", "m")
    yield tmp_path
    for name in [name for name in sys.modules if name == "app" or name.startswith("app.")]:
        del sys.modules[name]


def load(name: str) -> Any:
    return importlib.import_module(f"app.{name}")


def test_the_walk_leaves_the_lines_that_the_page_shows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = Log()
    search = call("search", query="monotonic clocks")
    fetch = call("fetch", url="https://example.invalid")
    model = Scripted(*(asks(each, tokens=120) for each in (search, search, fetch)), says("time.monotonic", tokens=120))
    outcome = load("walk").walk(model, log)
    assert outcome.status == "answered"
    shown = [
        json.loads(line) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
    ]
    assert len(shown) == len(log)
    assert set(shown[0]) == set(log[0])
    for expected, record in zip(shown, log, strict=True):
        for varies in ("run_id", "ts"):
            expected.pop(varies, None)
        assert {field: record[field] for field in expected} == expected
    assert '{"error": "tool_timeout", "tool": "fetch", "kind": "tool_timeout"}' in model.prompts[-1]
    (tmp_path / "log").write_text("".join(as_line(record) + "\n" for record in log))
    assert evidence.main([str(tmp_path / "log"), "--against", str(tmp_path / "app" / "walk.py")]) == 0
    assert capsys.readouterr().out in PAGE


def test_the_openai_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Server("chat", False, Reply("", FOUND), Reply("the monotonic one")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        assert load("openai_agent").answer("which clock?") == "the monotonic one"
    assert "never goes back" in json.dumps(server.requests[1])
    assert evidence.main(["evidence.jsonl", "--against", "app/openai_agent.py"]) == 0


def test_the_anthropic_program(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server("anthropic", True, Reply("", FOUND), Reply("the monotonic one")) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.address)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
        assert asyncio.run(load("anthropic_agent").answer("which clock?")) == "the monotonic one"
        server.replies = [Reply("the mono", cut=True)]
        with pytest.raises(RuntimeError, match="truncated"):
            asyncio.run(load("anthropic_agent").answer("which clock?"))
    assert evidence.main(["evidence.jsonl", "--against", "app/anthropic_agent.py"]) == 0


def test_the_loop_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()

    async def told(question: str) -> str:
        async with AsyncOpenAI(max_retries=0, api_key="test", base_url=f"{server.address}/v1") as client:
            answer = await load("own_loop").own_loop(client, [{"role": "user", "content": question}], log)
            assert isinstance(answer, str)
            return answer

    with Server("chat", False, Reply("", FOUND), Reply("that one")) as server:
        assert asyncio.run(told("which clock?")) == "that one"
        assert "never goes back" in json.dumps(server.requests[1])
        server.replies = [Reply("that o", cut=True)]
        with pytest.raises(RuntimeError, match="length"):
            asyncio.run(told("which clock?"))
        server.replies = [Reply("", FOUND)] * 9
        with pytest.raises(GateError):
            asyncio.run(told("which clock?"))
    assert log.problems() == []


def test_what_the_page_recommends_lints_clean_and_what_it_replaces_does_not(app: Path) -> None:
    good = {f"app/{path.name}": path.read_bytes() for path in app.glob("app/*.py")}
    report = lint(Memory(good), list(good), Settings())
    assert [(f.code, f.place) for f in report.shown] == []
    loops = {s.function: s for s in report.subjects}
    assert set(loops) == {"walk", "answer", "own_loop"}
    for gate in ("cap", "wall", "allowlist", "tool-timeout", "schema", "errors", "exit", "cost"):
        assert {s.verdict(gate).state for s in report.subjects} == {"held"}, gate
    before = [b for b in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if b.startswith("def answer")]
    assert len(before) == 2
    for body in before:
        found = {f.code for f in lint(Memory({"a.py": body.encode()}), ["a.py"], Settings()).shown}
        assert found >= {"TB101", "TB201", "TB301", "TB401"}


def test_the_closure_in_a_worker(tmp_path: Path) -> None:
    path = tmp_path / "people.db"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table people (name, city)")
        connection.execute("insert into people values ('Ada', 'London')")
    connection.close()
    tool = load("people_tools").people(str(path))
    with Dispatcher([tool], Log()) as dispatcher:
        run = run_of(dispatcher)
        assert dispatcher.dispatch(run, call("look_up", name="Ada")).value == {"city": "London"}
        assert dispatcher.dispatch(run, call("look_up", name="'; drop table people")).value == {"city": None}
        model = Scripted(asks(call("look_up", name="Ada")), says())
        assert run_loop(model, dispatcher, Budget(8, 30.0), []).status == "answered"
