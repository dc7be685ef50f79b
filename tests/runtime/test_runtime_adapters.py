"""The vendors' own SDKs, against a server that behaves and one that does not."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest
from runtime_server import DIALECTS, Dialect, Handler, Reply, Server, drips, drops, hangs_up, never, stops_early
from runtime_server import says as sends
from runtime_support import PATIENCE, Log

from toolbind_lint.runtime.adapters import AnthropicMessages, ModelError, OpenAIChat, OpenAIResponses
from toolbind_lint.runtime.core import Budget, GateError, Tool
from toolbind_lint.runtime.loop import Outcome, run_loop, run_loop_async

START = [{"role": "user", "content": "what is up?"}]
PARAMETERS = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


async def search(query: str) -> dict[str, Any]:
    return {"hits": [query]}


async def bad() -> str:
    return "not-json"


TOOLS = [
    Tool("search", search, timeout_s=PATIENCE, result=("hits",), description="Searches.", parameters=PARAMETERS),
    Tool("bad", bad, timeout_s=PATIENCE, result=("hits",)),
]

both_ways = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
in_each = pytest.mark.parametrize("dialect", DIALECTS)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def ask(server: Server, log: Log | None = None, steps: int = 10, wall: float = 30.0, **limits: Any) -> Outcome:
    with server:
        return run_loop(server.model(), TOOLS, Budget(steps, wall, **limits), START, sink=Log() if log is None else log)


def finds(id_: str, query: str) -> tuple[str, str, str]:
    return id_, "search", json.dumps({"query": query})


@in_each
@both_ways
def test_a_run(dialect: Dialect, stream: bool) -> None:
    """Parallel calls, answers in the provider's form, tools on, then an answer."""
    server, log = Server(dialect, stream, Reply("hm", (finds("a", "x"), finds("b", "y"))), Reply("so")), Log()
    outcome = ask(server, log)
    assert (outcome.text, outcome.status, outcome.run.steps, outcome.run.tokens) == ("so", "answered", 4, 20)
    assert log.problems() == []
    first, second = server.requests
    assert first["model"] == "m"
    assert first["tool_choice"] in ("auto", {"type": "auto"})
    assert bool(first.get("stream")) == stream
    assert json.dumps(first["tools"]).count("Searches.") == 1
    assert first["tools"][0].get("input_schema", first["tools"][0].get("parameters")) in (PARAMETERS, None)
    sent = second["input" if dialect == "responses" else "messages"]
    assert sent[0] == START[0]
    if dialect == "chat":
        assert [each["id"] for each in sent[1]["tool_calls"]] == ["a", "b"]
        assert [(each["tool_call_id"], json.loads(each["content"])) for each in sent[2:]] == [
            ("a", {"hits": ["x"]}),
            ("b", {"hits": ["y"]}),
        ]
        assert not stream or first["stream_options"] == {"include_usage": True}
    elif dialect == "responses":
        assert [each["type"] for each in sent[1:]] == ["message", *["function_call"] * 2, *["function_call_output"] * 2]
        assert [(each["call_id"], json.loads(each["output"])) for each in sent[4:]] == [
            ("a", {"hits": ["x"]}),
            ("b", {"hits": ["y"]}),
        ]
    else:
        assert [block["type"] for block in sent[1]["content"]] == ["text", "tool_use", "tool_use"]
        assert [
            (each["tool_use_id"], json.loads(each["content"]), "is_error" in each) for each in sent[2]["content"]
        ] == [
            ("a", {"hits": ["x"]}, False),
            ("b", {"hits": ["y"]}, False),
        ]


@in_each
@both_ways
def test_the_last_turn_has_its_tools_off_and_every_call_an_answer(dialect: Dialect, stream: bool) -> None:
    server = Server(dialect, stream, Reply("", (finds("a", "x"), finds("b", "y"))), Reply("so"))
    outcome = ask(server, steps=3)
    assert (outcome.text, outcome.status) == ("so", "capped")
    assert server.requests[1]["tool_choice"] in ("none", {"type": "none"})
    assert server.requests[1]["tools"] == server.requests[0]["tools"]
    assert "no_steps_left" in json.dumps(server.requests[1])


@in_each
@both_ways
def test_a_failed_call_says_so_and_shows_nothing(dialect: Dialect, stream: bool) -> None:
    server = Server(dialect, stream, Reply("", (("a", "bad", "{}"),)), Reply("so"))
    assert ask(server).text == "so"
    sent = json.dumps(server.requests[1])
    assert "schema_invalid" in sent
    assert "not-json" not in sent
    assert ('"is_error": true' in sent) == (dialect == "anthropic")


@in_each
@both_ways
@pytest.mark.parametrize("misbehave", [never, drips], ids=["never", "drips"])
def test_a_server_that_does_not_come_to_an_end_is_left_in_time(
    dialect: Dialect, stream: bool, misbehave: Callable[[Handler], None]
) -> None:
    """Byte by byte, no read of the SDK ever times out."""
    server, log = Server(dialect, stream, misbehave), Log()
    began = time.monotonic()
    with pytest.raises((GateError, openai.APITimeoutError, anthropic.APITimeoutError)) as caught:
        ask(server, log, wall=0.5)
    assert time.monotonic() - began < PATIENCE
    if misbehave is drips:
        assert isinstance(caught.value, GateError)
    assert len(server.requests) <= 1  # no hidden turn
    assert log[-1]["code"] in ("budget_exceeded", "model_error")
    assert log.problems() == []


GARBAGE = [
    (sends("text/html", b"<html>502 Bad Gateway</html>"), "html"),
    (sends("application/json", b'{"choices": ['), "cut"),
    (sends("application/json", b'{"what": 1}'), "shape"),
    (sends("application/json", b"[]"), "list"),
    (sends("application/json", b"null"), "null"),
    (sends("application/json", b'{"choices": [], "output": 3, "content": 3, "status": "completed"}'), "empty"),
    (sends("text/event-stream", b"data: {broken\n\n"), "event"),
    (sends("text/event-stream", b""), "nothing"),
    (sends("application/json", b'{"error": {"message": "slow down"}}', 429), "quota"),
    (sends("application/json", b'{"error": {"message": "who?"}}', 401), "key"),
    (sends("application/json", b"oops", 500), "500"),
    (drops, "drops"),
    (hangs_up, "hangs up"),
]


@in_each
@both_ways
@pytest.mark.parametrize("misbehave", [each for each, _ in GARBAGE], ids=[name for _, name in GARBAGE])
def test_garbage_ends_the_run_with_one_request(
    dialect: Dialect, stream: bool, misbehave: Callable[[Handler], None]
) -> None:
    server, log = Server(dialect, stream, misbehave), Log()
    with pytest.raises(Exception) as caught:
        ask(server, log, wall=20.0)
    assert not isinstance(caught.value, (GateError, AssertionError))
    assert len(server.requests) == 1
    assert log.said("gate", "code")[-2:] == [("turn", "model_error"), ("end", "model_error")]


@in_each
def test_a_stream_that_ends_early_is_no_answer(dialect: Dialect) -> None:
    with pytest.raises(ModelError):
        ask(Server(dialect, True, stops_early))


@in_each
@both_ways
def test_usage_that_is_missing_ends_a_run_with_a_token_budget(dialect: Dialect, stream: bool) -> None:
    server, log = Server(dialect, stream, Reply("so", usage=False)), Log()
    if dialect == "anthropic" and stream:  # its SDK fails without
        with pytest.raises(Exception):  # noqa: B017
            ask(server, log)
        return
    with pytest.raises(GateError, match="budget_exceeded"):
        ask(server, log)
    assert log[-2]["gate"] == "tokens"
    assert ask(Server(dialect, stream, Reply("so", usage=False)), max_tokens=None).text == "so"


@in_each
@both_ways
def test_a_tool_that_does_not_exist_ends_the_run(dialect: Dialect, stream: bool) -> None:
    server = Server(dialect, stream, Reply("", (("a", "shell", '{"command": "rm"}'),)), Reply("so"))
    with pytest.raises(GateError, match="unknown_tool"):
        ask(server)
    assert len(server.requests) == 1


@in_each
@both_ways
def test_the_same_call_for_ever_ends_the_run(dialect: Dialect, stream: bool) -> None:
    server, log = Server(dialect, stream, Reply("", (finds("a", "x"),))), Log()
    with pytest.raises(GateError, match="repeat_limit"):
        ask(server, log, steps=50)
    assert [gate for (gate,) in log.said("gate")].count("timeout") == 1  # it ran once
    assert len(server.requests) == 4


@in_each
@both_ways
def test_arguments_that_were_cut_are_not_run(dialect: Dialect, stream: bool) -> None:
    server, log = Server(dialect, stream, Reply("", (("a", "search", '{"query": "del'),), cut=True), Reply("so")), Log()
    assert ask(server, log).text == "so"
    assert "allowlist" not in [gate for (gate,) in log.said("gate")]
    assert "reply_cut" in json.dumps(server.requests[1])


@pytest.mark.parametrize("dialect", ["chat", "responses"])
@both_ways
def test_arguments_that_are_no_json_are_answered(dialect: Dialect, stream: bool) -> None:
    server = Server(dialect, stream, Reply("", (("a", "search", '{"query": "x'),)), Reply("so"))
    assert ask(server).text == "so"
    assert "bad_arguments" in json.dumps(server.requests[1])


@in_each
@both_ways
def test_a_cut_answer_is_no_answer(dialect: Dialect, stream: bool) -> None:
    outcome = ask(Server(dialect, stream, Reply("half an ans", cut=True)))
    assert (outcome.text, outcome.status) == ("half an ans", "truncated")


@in_each
def test_cost_comes_from_the_price(dialect: Dialect) -> None:
    with Server(dialect, False, Reply("so")) as server:
        outcome = run_loop(server.model(price=(0.1, 1.0)), TOOLS, Budget(5, 30.0, max_cost=4.0), START, sink=Log())
    assert outcome.run.cost == pytest.approx(3.7)
    with Server(dialect, False, Reply("so")) as server, pytest.raises(GateError, match="cost"):
        run_loop(server.model(price=(0.1, 1.0)), TOOLS, Budget(5, 30.0, max_cost=3.0), START, sink=Log())


@in_each
def test_a_client_may_be_shared_by_many_runs_of_one_loop(dialect: Dialect) -> None:
    async def scenario() -> list[Outcome]:
        with Server(dialect, False, Reply("so")) as server:
            made: Any = server.model()
            async with made._client() as client:
                shared = type(made)(client, "m", **({"max_tokens": 9} if dialect == "anthropic" else {}))
                runs = [run_loop_async(shared, TOOLS, Budget(5, 30.0), START, sink=Log()) for _ in range(8)]
                return await asyncio.gather(*runs)

    assert [outcome.text for outcome in asyncio.run(scenario())] == ["so"] * 8


@pytest.mark.parametrize("adapter", [OpenAIChat, OpenAIResponses, AnthropicMessages])
def test_what_bounds_a_turn_is_not_the_callers_to_set(adapter: Any) -> None:
    with pytest.raises(TypeError, match="tool_choice"):
        adapter(lambda: None, "m", tool_choice="required")
