"""Each gate of the dispatcher, on its own and in its order."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runtime_support import PATIENCE, Clock, Log, Scripted, asks, call, noted, run_of, says

from toolbind_lint.runtime import evidence
from toolbind_lint.runtime.core import (
    Allowlist,
    Budget,
    Call,
    Dispatcher,
    GateError,
    Run,
    Tool,
    ToolError,
)
from toolbind_lint.runtime.loop import Turn, run_loop, run_loop_async


async def find(query: str = "") -> dict[str, Any]:
    return {"hits": [query]}


async def hang() -> dict[str, Any]:
    await asyncio.sleep(600)
    return {}


async def fail() -> dict[str, Any]:
    raise ValueError("password=hunter2 at db.internal:5432")


async def text(value: str = "not-json") -> str:
    return value


def tools(**more: Any) -> list[Tool]:
    return [
        Tool("find", find, timeout_s=PATIENCE, result=("hits",), **more),
        Tool("hang", hang, timeout_s=0.01, result=("hits",)),
        Tool("fail", fail, timeout_s=PATIENCE, result=("hits",)),
        Tool("text", text, timeout_s=PATIENCE, result=("hits",)),
    ]


def refused(dispatcher: Dispatcher, run: Run, asked: Call) -> str:
    """The code of the gate that refuses, or the kind of the tool's error."""
    try:
        dispatcher.dispatch(run, asked)
    except GateError as error:
        return error.code
    except ToolError as error:
        return error.kind
    raise AssertionError("nothing refused")


# --- steps


def test_the_second_dispatch_of_one_step_never_reaches_its_tool() -> None:
    ran = []

    async def tool(n: int) -> dict[str, int]:
        ran.append(n)
        return {"n": n}

    log = Log()
    dispatcher = Dispatcher([Tool("tool", tool, timeout_s=1.0, result=("n",))], log)
    run = run_of(dispatcher, steps=1)
    assert dispatcher.dispatch(run, call("tool", n=1)).value == {"n": 1}
    assert refused(dispatcher, run, call("tool", n=2)) == "budget_exceeded"
    assert ran == [1]
    assert log.said("step", "gate", "code")[-2:] == [(1, "steps", "budget_exceeded"), (1, "end", "budget_exceeded")]


@pytest.mark.parametrize("first", ["text", "fail", "hang"])
def test_a_failed_step_counts(first: str) -> None:
    dispatcher = Dispatcher(tools(), Log())
    run = run_of(dispatcher, steps=1)
    refused(dispatcher, run, call(first))
    assert run.steps == 1
    assert refused(dispatcher, run, call("find")) == "budget_exceeded"


SCHEDULE = st.lists(st.sampled_from(["find", "hang", "fail", "text", "find ", "same", "broken", "turn"]), max_size=14)


@settings(max_examples=25, deadline=None)
@given(SCHEDULE, st.integers(1, 8), st.integers(1, 4), st.integers(1, 4))
def test_any_schedule_stays_under_the_cap(schedule: list[str], steps: int, repeat: int, failures: int) -> None:
    """Success, miss, timeout, crash, repeats and turns in any order: each is charged, none goes on behind an end."""
    log, ran = Log(), 0

    async def counted(query: int) -> dict[str, int]:
        nonlocal ran
        ran += 1
        return {"hits": query}

    made = [Tool("find", counted, timeout_s=PATIENCE, result=("hits",)), *tools()[1:]]
    dispatcher = Dispatcher(made, log)
    run = dispatcher.start(Budget(steps, 60.0, max_repeats=repeat, max_failures=failures))
    ended, tried = "", 0
    for number, what in enumerate(schedule):
        before = len(log)
        try:
            if what == "turn":
                run.charge()
                run.spend(1)
            elif what == "same":
                dispatcher.dispatch(run, call("find", query=-1))
            else:
                dispatcher.dispatch(run, Call("c", what, "{" if what == "broken" else json.dumps({"query": number})))
            assert not ended
            tried += 1
        except ToolError:
            tried += 1
        except GateError as error:
            if ended:
                assert len(log) == before
                assert error.code == ended
            elif error.terminal:
                ended = error.code
            else:
                tried += 1
        assert run.steps <= steps
    run.end()
    assert ran <= tried <= steps
    assert log.problems() == []
    check = jsonschema.Draft202012Validator(evidence.schema()).validate
    for record in log:
        check(record)


TURN = st.lists(st.sampled_from(["find", "fail", "text", "hang", "same"]), max_size=4)


@settings(max_examples=40, deadline=None)
@given(st.lists(TURN, max_size=6), st.integers(1, 10))
def test_a_loop_takes_no_hidden_turn_and_leaves_no_call_without_an_answer(script: list[list[str]], steps: int) -> None:
    number = 0
    turns = []
    for names in script:
        calls = []
        for name in names:
            number += 1
            arguments: dict[str, Any] = {"query": "again"} if name == "same" else {"query": str(number)}
            known = name if name in ("fail", "hang") else "text" if name == "text" else "find"
            given = {} if known in ("fail", "hang") else {"value": f"x{number}"} if known == "text" else arguments
            calls.append(Call(f"id-{number}", known, json.dumps(given)))
        turns.append(asks(*calls, text="thinking") if calls else says())
    model, log = Scripted(*turns, says("the end")), Log()
    try:
        outcome = run_loop(model, tools(), Budget(steps, 60.0), [{"role": "user"}], sink=log)
    except GateError as error:
        assert error.code in ("repeat_limit", "failure_limit", "budget_exceeded")
    else:
        asked = [name for message in outcome.messages for name in message.get("calls", ())]
        assert len(asked) == sum(message["role"] == "tool" for message in outcome.messages)
        assert outcome.run.steps <= steps
    charged = sum(gate == "budget" for (gate,) in log.said("gate"))
    assert charged == log[-1]["step"] <= steps
    assert len(model.prompts) <= charged
    assert all(flag == (index == len(model.last) - 1) or not flag for index, flag in enumerate(model.last))
    assert sum(model.last) <= 1
    assert log.problems() == []


def test_one_step_is_kept_for_a_last_turn_with_tools_off() -> None:
    model = Scripted(
        asks(call("find", "a", query="1"), call("find", "b", query="2"), call("find", "c", query="3")), says("so")
    )
    log = Log()
    outcome = run_loop(model, tools(), Budget(3, 60.0), [], sink=log)
    assert (outcome.status, outcome.text, outcome.run.steps) == ("capped", "so", 3)
    assert model.last == [False, True]
    answers = [message["value"] for message in outcome.messages if message["role"] == "tool"]
    assert answers == [{"hits": ["1"]}, {"not_run": "no_steps_left"}, {"not_run": "no_steps_left"}]
    assert log[-1]["code"] == "capped"


def test_a_last_turn_that_asks_again_ends_the_run() -> None:
    model = Scripted(asks(call("find", query="1")))
    with pytest.raises(GateError, match="budget_exceeded") as caught:
        run_loop(model, tools(), Budget(1, 60.0), [], sink=Log())
    assert caught.value.terminal


def test_a_cut_reply_is_neither_dispatched_nor_an_answer() -> None:
    cut = Turn("", (Call("a", "find", '{"query": "del'),), 5, "length", ({"role": "assistant"},))
    log = Log()
    outcome = run_loop(Scripted(cut, says()), tools(), Budget(5, 60.0), [], sink=log)
    assert [m["value"] for m in outcome.messages if m["role"] == "tool"] == [{"not_run": "reply_cut"}]
    assert "allowlist" not in [gate for (gate,) in log.said("gate")]
    half = Turn("half an ans", (), 5, "length", ({"role": "assistant"},))
    assert run_loop(Scripted(half), tools(), Budget(5, 60.0), [], sink=Log()).status == "truncated"
    no = Turn("I won't", (), 5, "refused", ({"role": "assistant"},))
    assert run_loop(Scripted(no), tools(), Budget(5, 60.0), [], sink=Log()).status == "refused"


# --- wall


def test_the_clock_jumps_past_the_wall_budget_between_steps() -> None:
    clock, log = Clock(), Log()
    dispatcher = Dispatcher(tools(), log, clock=clock)
    run = run_of(dispatcher, wall=60.0)
    dispatcher.dispatch(run, call("find", query="1"))
    clock.now += 60.0
    assert refused(dispatcher, run, call("find", query="2")) == "budget_exceeded"
    assert log.said("step", "gate", "code", "wall_ms_used")[-2] == (1, "wall", "budget_exceeded", 60_000)


def test_a_result_that_comes_after_the_wall_budget_is_not_used() -> None:
    """Budget beats schema: the result is bad too, and nobody looks."""
    clock, log = Clock(), Log()

    async def late() -> str:
        clock.now += 100.0
        return "not-json"

    dispatcher = Dispatcher([Tool("late", late, timeout_s=PATIENCE, result=("hits",))], log, clock=clock)
    assert refused(dispatcher, run_of(dispatcher, wall=60.0), call("late")) == "budget_exceeded"
    assert "schema" not in [gate for (gate,) in log.said("gate")]


def test_a_tool_gets_what_is_left_of_the_wall_budget() -> None:
    log = Log()
    dispatcher = Dispatcher([Tool("hang", hang, timeout_s=PATIENCE, result=("hits",))], log)
    began = time.monotonic()
    assert refused(dispatcher, run_of(dispatcher, wall=0.5), call("hang")) == "budget_exceeded"
    assert time.monotonic() - began < PATIENCE
    (timeout,) = (record["timeout_ms"] for record in log if record["gate"] == "timeout")
    assert 0 < timeout <= 500


def test_a_model_call_in_flight_is_cancelled_at_the_end_of_the_wall_budget() -> None:
    seen = []

    async def never() -> Turn:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return says()

    log = Log()
    with pytest.raises(GateError, match="budget_exceeded"):
        run_loop(Scripted(never), tools(), Budget(5, 0.5), [], sink=log)
    assert seen == ["cancelled"]
    assert log.said("gate", "code")[-2:] == [("wall", "budget_exceeded"), ("end", "budget_exceeded")]


def test_a_model_that_swallows_its_cancellation_is_abandoned() -> None:
    async def scenario() -> None:
        release = asyncio.Event()

        async def stubborn() -> Turn:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return says()

        with pytest.raises(GateError, match="budget_exceeded"):
            await run_loop_async(Scripted(stubborn), tools(), Budget(5, 0.1), [], sink=Log())
        release.set()
        await asyncio.sleep(0)

    asyncio.run(scenario())


def test_the_model_is_told_what_is_left() -> None:
    clock = Clock()
    model = Scripted(asks(call("find", query="1")), says())
    dispatcher = Dispatcher(tools(), Log(), clock=clock)
    run_loop(model, dispatcher, Budget(5, 60.0), [])
    assert model.timeouts == [60.0, 60.0]


# --- allowlist


def test_an_unknown_name_ends_the_run_without_a_side_effect(tmp_path: Path) -> None:
    log, marks = Log(), tmp_path / "log"
    dispatcher = Dispatcher([Tool("search", "runtime_tools:search", timeout_s=PATIENCE, result=("hits",))], log)
    run = run_of(dispatcher)
    assert refused(dispatcher, run, call("rm", log=str(marks))) == "unknown_tool"
    assert refused(dispatcher, run, call("search", log=str(marks))) == "unknown_tool"
    assert noted(marks) == []
    assert log.said("gate", "code")[-2:] == [("allowlist", "unknown_tool"), ("end", "unknown_tool")]


@pytest.mark.parametrize("name", ["Find", "find ", "fin", "find\n", "", "find;rm", "__class__"])
def test_names_are_exact(name: str) -> None:
    dispatcher = Dispatcher(tools(), Log())
    assert refused(dispatcher, run_of(dispatcher), call(name)) == "unknown_tool"


def test_an_unknown_name_beats_bad_arguments() -> None:
    dispatcher = Dispatcher(tools(), Log())
    assert refused(dispatcher, run_of(dispatcher), Call("c", "rm", "{")) == "unknown_tool"


def test_nothing_changes_on_a_live_run() -> None:
    dispatcher = Dispatcher(tools(), Log())
    run = run_of(dispatcher, steps=5)
    allowlist, tool = dispatcher.allowlist, dispatcher.allowlist.tools["find"]
    dispatcher.dispatch(run, call("find"))
    with pytest.raises(TypeError):
        allowlist.tools["rm"] = tool  # type: ignore[index]
    with pytest.raises(TypeError):
        del allowlist.tools["find"]  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        tool.parameters["x"] = 1  # type: ignore[index]
    for frozen, field in (
        (allowlist, "tools"),
        (tool, "timeout_s"),
        (run.budget, "max_steps"),
        (run.budget, "max_wall_s"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(frozen, field, 99)
    for field in ("budget", "run_id", "parent_run_id", "owner", "scope", "steps", "_started", "remaining_s"):
        with pytest.raises(AttributeError):
            setattr(run, field, 0)
    for field in ("allowlist", "sink", "clock", "_approve", "_pool"):
        with pytest.raises(AttributeError):
            setattr(dispatcher, field, None)
    assert (run.steps, run.budget.max_steps) == (1, 5)


def test_a_run_belongs_to_its_dispatcher() -> None:
    mine, other = Dispatcher(tools(), Log()), Dispatcher(tools(), Log())
    with pytest.raises(ValueError, match="another"):
        mine.dispatch(run_of(other), call("find"))


def test_the_version_is_of_the_names() -> None:
    assert (
        Allowlist(tools()).version
        == Allowlist(reversed(tools())).version
        == evidence.version(["hang", "text", "find", "fail"])
    )
    assert Allowlist(tools()[1:]).version != Allowlist(tools()).version
    with pytest.raises(ValueError, match="share"):
        Allowlist([*tools(), *tools()])


# --- timeout


def test_a_coroutine_is_cancelled_and_the_model_may_see_it() -> None:
    log = Log()
    outcome = run_loop(Scripted(asks(call("hang")), says()), tools(), Budget(9, 60.0), [], sink=log)
    assert outcome.status == "answered"
    assert [m["value"]["error"] for m in outcome.messages if m["role"] == "tool"] == ["tool_timeout"]
    assert ("timeout", "tool_timeout") in log.said("gate", "code")


def test_a_coroutine_that_swallows_its_cancellation_ends_the_run() -> None:
    async def scenario() -> None:
        release = asyncio.Event()

        async def stubborn() -> dict[str, Any]:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return {"hits": 1}

        log = Log()
        dispatcher = Dispatcher([Tool("stubborn", stubborn, timeout_s=0.05, result=("hits",))], log)
        run = run_of(dispatcher)
        with pytest.raises(GateError) as caught:
            await dispatcher.answer_async(run, call("stubborn"))
        assert (caught.value.code, caught.value.terminal) == ("tool_timeout", True)
        assert log.said("gate", "code")[-2:] == [("timeout", "tool_timeout"), ("end", "tool_timeout")]
        assert log.problems() == []
        release.set()
        await asyncio.sleep(0.01)

    asyncio.run(scenario())


def test_a_coroutine_that_never_ends_does_not_hold_the_blocking_twin() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                continue

    dispatcher = Dispatcher([Tool("stubborn", stubborn, timeout_s=0.05, result=("hits",))], Log())
    began = time.monotonic()
    assert refused(dispatcher, run_of(dispatcher), call("stubborn")) == "tool_timeout"
    assert time.monotonic() - began < PATIENCE


# --- schema


class Hits(pydantic.BaseModel):
    hits: list[str]


@dataclasses.dataclass
class Place:
    name: str
    at: float


@dataclasses.dataclass
class Found:
    hits: list[Place]
    kind: Literal["a", "b"]
    note: str | None = None


JSON_SCHEMA = {
    "type": "object",
    "properties": {"hits": {"type": "array"}},
    "required": ["hits"],
    "additionalProperties": False,
}
RESULTS: list[tuple[Any, str, Any]] = [
    (("hits",), '{"hits": [1]}', {"hits": [1]}),
    (("hits",), '{"hits": [1], "more": "words"}', {"hits": [1]}),
    (("hits",), "{}", None),
    (("hits",), "[]", None),
    (("hits",), "not-json", None),
    (("hits",), '{"hits": NaN}', None),
    (("hits",), "[" * 100_000, None),
    (("hits",), "", None),
    (("hits",), "\ud800", None),
    (JSON_SCHEMA, '{"hits": []}', {"hits": []}),
    (JSON_SCHEMA, '{"hits": [], "x": 1}', None),
    (JSON_SCHEMA, '{"hits": "no"}', None),
    ({"$ref": "https://example.invalid/schema"}, "{}", None),
    (Hits, '{"hits": ["a"]}', {"hits": ["a"]}),
    (Hits, '{"hits": 1}', None),
    (
        Found,
        '{"hits": [{"name": "x", "at": 1}], "kind": "a"}',
        {"hits": [{"name": "x", "at": 1.0}], "kind": "a", "note": None},
    ),
    (Found, '{"hits": [{"name": "x"}], "kind": "a"}', None),
    (Found, '{"hits": [], "kind": "c"}', None),
    (Found, '{"hits": [], "kind": "a", "more": 1}', None),
    (Found, '{"hits": [], "kind": "a", "note": 1}', None),
]


@pytest.mark.parametrize(("result", "raw", "value"), RESULTS)
def test_only_the_parsed_value_goes_on(result: Any, raw: str, value: Any) -> None:
    log = Log()
    dispatcher = Dispatcher([Tool("text", text, timeout_s=PATIENCE, result=result, max_bytes=1 << 20)], log)
    run = run_of(dispatcher)
    if value is None:
        assert refused(dispatcher, run, call("text", value=raw)) in ("schema_invalid", "UnicodeEncodeError")
    else:
        assert dispatcher.dispatch(run, call("text", value=raw)).value == value
        assert (log[-1]["gate"], log[-1]["parse_ok"], log[-1]["bytes"]) == ("ok", True, len(raw))
        assert log[-1]["schema_id"]


def test_no_reference_of_a_schema_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *a, **k: fetched.append(a))
    dispatcher = Dispatcher(
        [Tool("text", text, timeout_s=PATIENCE, result={"$ref": "http://127.0.0.1:9/schema"})], Log()
    )
    assert refused(dispatcher, run_of(dispatcher), call("text", value="{}")) == "schema_invalid"
    assert fetched == []


@pytest.mark.parametrize("size", [9, 10, 11, 12, 10_000])
def test_a_result_is_cut_before_it_is_parsed(size: int) -> None:
    """A number's first digits would parse: what was cut is refused all the same."""
    log = Log()
    dispatcher = Dispatcher([Tool("text", text, timeout_s=PATIENCE, result={"type": "integer"}, max_bytes=10)], log)
    run = run_of(dispatcher)
    if size <= 10:
        assert dispatcher.dispatch(run, call("text", value="1" * size)).value == int("1" * size)
    else:
        assert refused(dispatcher, run, call("text", value="1" * size)) == "schema_invalid"
        assert log[-1]["bytes"] == 10


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet='abcXYZ{}[]":,0 ', min_size=3, max_size=40))
def test_raw_text_of_a_bad_result_is_in_no_later_prompt(raw: str) -> None:
    raw = f"{raw}not-json"
    model = Scripted(asks(call("text", value="x")), says())

    async def bad(value: str) -> str:
        return raw

    run_loop(model, [Tool("text", bad, timeout_s=PATIENCE, result=("hits",))], Budget(9, 60.0), [], sink=Log())
    assert len(model.prompts) == 2
    assert "schema_invalid" in model.prompts[1]
    assert raw not in model.prompts[1]
    assert "not-json" not in model.prompts[1]


@pytest.mark.parametrize("result", [None, (), (1,), "hits", {"type": "nonsense"}, 3])
def test_a_tool_without_a_schema_cannot_be_made(result: Any) -> None:
    with pytest.raises((TypeError, jsonschema.SchemaError)):
        Tool("find", find, timeout_s=1.0, result=result)


# --- tokens and cost


def test_tokens_are_summed_and_end_the_run() -> None:
    log = Log()
    model = Scripted(asks(call("find", query="1"), tokens=60), asks(call("find", query="2"), tokens=60), says())
    with pytest.raises(GateError, match="budget_exceeded"):
        run_loop(model, tools(), Budget(20, 60.0, max_tokens=100), [], sink=log)
    assert log.said("gate", "code", "tokens_used")[-2:] == [
        ("tokens", "budget_exceeded", 120),
        ("end", "budget_exceeded", 120),
    ]
    assert len(model.prompts) == 2


@pytest.mark.parametrize("tokens", [None, -5, True, "12", 1.5])
def test_a_token_budget_needs_usage(tokens: Any) -> None:
    with pytest.raises(GateError, match="budget_exceeded"):
        run_loop(Scripted(says(tokens=tokens)), tools(), Budget(5, 60.0), [], sink=Log())
    off = run_loop(Scripted(says(tokens=tokens)), tools(), Budget(5, 60.0, max_tokens=None), [], sink=Log())
    assert (off.status, off.run.tokens) == ("answered", 0)


def test_cost_is_summed_and_ends_the_run() -> None:
    turn = Turn("", (call("find"),), 1, "calls", ({"role": "assistant"},), 0.6)
    model = Scripted(turn, turn._replace(calls=(call("find", query="2"),)), says())
    with pytest.raises(GateError, match="cost"):
        run_loop(model, tools(), Budget(20, 60.0, max_cost=1.0), [], sink=Log())
    with pytest.raises(GateError, match="cost"):
        run_loop(Scripted(says()), tools(), Budget(20, 60.0, max_cost=1.0), [], sink=Log())


# --- repeats and failures


def test_the_same_call_is_not_run_twice_and_n_in_a_row_end_the_run() -> None:
    ran = []

    async def tool(a: int, b: int) -> dict[str, int]:
        ran.append((a, b))
        return {"n": a}

    log = Log()
    dispatcher = Dispatcher([Tool("tool", tool, timeout_s=PATIENCE, result=("n",))], log)
    run = run_of(dispatcher, max_repeats=2)
    dispatcher.dispatch(run, Call("1", "tool", '{"a": 1, "b": 2}'))
    answer = dispatcher.dispatch(run, Call("2", "tool", '{ "b":2, "a":1 }'))
    assert answer.code == "not_run"
    assert "not_run" in answer.value
    dispatcher.dispatch(run, call("tool", a=2, b=2))
    assert dispatcher.dispatch(run, call("tool", a=1, b=2)).code == "not_run"
    assert refused(dispatcher, run, call("tool", a=2, b=2)) == "repeat_limit"
    assert ran == [(1, 2), (2, 2)]
    assert run.steps == 5
    assert log.problems() == []


def test_a_poll_may_repeat() -> None:
    dispatcher = Dispatcher(tools(repeatable=True), Log())
    run = run_of(dispatcher, steps=9)
    for _ in range(9):
        assert dispatcher.dispatch(run, call("find")).code is None
    assert refused(dispatcher, run, call("find")) == "budget_exceeded"


def test_three_failures_of_one_tool_end_the_run() -> None:
    log = Log()
    dispatcher = Dispatcher(tools(), log)
    run = run_of(dispatcher)
    assert refused(dispatcher, run, call("text", value="a")) == "schema_invalid"
    assert refused(dispatcher, run, Call("c", "text", "[1]")) == "bad_arguments"
    dispatcher.dispatch(run, call("find"))  # another tool's success sets nothing back
    assert refused(dispatcher, run, call("text", value="b")) == "failure_limit"
    assert log.said("gate", "code")[-3:] == [
        ("schema", "schema_invalid"),
        ("failure", "failure_limit"),
        ("end", "failure_limit"),
    ]


def test_a_success_sets_back_its_own_tools_failures() -> None:
    dispatcher = Dispatcher(tools(), Log())
    run = run_of(dispatcher, max_failures=2)
    for number in range(4):
        refused(dispatcher, run, Call("c", "find", f"broken {number}"))
        dispatcher.dispatch(run, call("find", query=str(number)))
    assert run.steps == 8


# --- identity


def test_a_resume_is_a_new_run() -> None:
    log = Log()
    dispatcher = Dispatcher(tools(), log, ids=iter(["one", "two"]).__next__)
    run = run_of(dispatcher, steps=1)
    dispatcher.dispatch(run, call("find"))
    refused(dispatcher, run, call("find"))
    again = dispatcher.start(Budget(1, 60.0), parent_run_id=run.run_id)
    assert (again.run_id, again.parent_run_id, again.steps) == ("two", "one", 0)
    dispatcher.dispatch(again, call("find"))
    assert {(r["run_id"], r["parent_run_id"]) for r in log} == {("one", None), ("two", "one")}
    assert log.problems() == []


def test_two_tenants_at_once_share_nothing() -> None:
    log = Log()
    dispatcher = Dispatcher(tools(), log)

    async def tenant(number: int, steps: int) -> str:
        run = run_of(dispatcher, steps=steps)
        for each in range(20):
            try:
                await dispatcher.dispatch_async(run, call("find", query=f"{number}-{each}"))
            except GateError as error:
                return f"{each} {error.code}"
        return "20"

    async def all_of_them() -> list[str]:
        return await asyncio.gather(*(tenant(n, n) for n in range(1, 9)))

    assert asyncio.run(all_of_them()) == [f"{n} budget_exceeded" for n in range(1, 9)]
    results: list[str] = []
    threads = [threading.Thread(target=lambda n=n: results.append(asyncio.run(tenant(n, n)))) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(f"{n} budget_exceeded" for n in range(1, 9))
    assert log.problems() == []


def test_one_run_in_two_threads_never_passes_its_cap() -> None:
    dispatcher = Dispatcher(tools(repeatable=True), Log())
    run = run_of(dispatcher, steps=50)
    done: list[int] = []

    def work() -> None:
        while True:
            try:
                dispatcher.dispatch(run, call("find"))
            except GateError:
                return
            done.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (run.steps, len(done)) == (50, 50)


# --- errors


def test_a_dead_run_stays_dead() -> None:
    log = Log()
    dispatcher = Dispatcher(tools(), log)
    run = run_of(dispatcher)
    refused(dispatcher, run, call("rm"))
    lines = len(log)
    for _ in range(3):
        with pytest.raises(GateError, match="new run"):
            dispatcher.answer(run, call("find"))
        with pytest.raises(GateError, match="new run"):
            run.charge()
    assert len(log) == lines


def test_what_a_model_reads_of_a_failure_is_short_and_clean() -> None:
    model = Scripted(asks(call("fail")), says())
    run_loop(model, tools(), Budget(9, 60.0), [], sink=Log())
    assert json.loads(model.prompts[1])[-1]["value"] == {"error": "tool_error", "tool": "fail", "kind": "ValueError"}
    for word in ("hunter2", "db.internal", "Traceback", ".py"):
        assert word not in model.prompts[1]


def test_what_no_model_can_mend_is_raised() -> None:
    class PermissionDeniedError(Exception):
        pass

    class KeyGoneError(PermissionDeniedError):
        pass

    async def locked() -> None:
        raise KeyGoneError("sk-123")

    model, log = Scripted(asks(call("locked")), says()), Log()
    with pytest.raises(ToolError) as caught:
        run_loop(model, [Tool("locked", locked, timeout_s=PATIENCE, result=("hits",))], Budget(9, 60.0), [], sink=log)
    assert caught.value.kind == "KeyGoneError"
    assert len(model.prompts) == 1
    assert log[-1]["code"] == "tool_error"
    assert log.problems() == []


def test_a_models_own_error_passes_and_ends_the_record() -> None:
    async def broken() -> Turn:
        raise ConnectionError("reset")

    log = Log()
    with pytest.raises(ConnectionError):
        run_loop(Scripted(broken), tools(), Budget(9, 60.0), [], sink=log)
    assert log.said("step", "gate", "code")[-2:] == [(1, "turn", "model_error"), (1, "end", "model_error")]
    assert log.problems() == []


def test_an_unknown_name_leaves_the_loop() -> None:
    model = Scripted(asks(call("rm")), says())
    with pytest.raises(GateError, match="unknown_tool"):
        run_loop(model, tools(), Budget(9, 60.0), [], sink=Log())
    assert len(model.prompts) == 1


# --- evidence


@pytest.mark.parametrize("after", range(12))
def test_a_sink_that_breaks_ends_the_run(after: int) -> None:
    """Also when it would work again: the run that lost a record stays dead."""
    ran, kept, broke = list[int](), Log(), list[int]()

    async def tool() -> dict[str, int]:
        ran.append(1)
        return {"n": 1}

    def sink(record: Any) -> None:
        if len(kept) >= after and not broke:
            broke.append(1)
            raise OSError("disk full")
        kept(record)

    dispatcher = Dispatcher([Tool("tool", tool, timeout_s=PATIENCE, result=("n",), repeatable=True)], sink)
    with pytest.raises(GateError) as caught:
        run = run_of(dispatcher)
        for _ in range(5):
            dispatcher.dispatch(run, call("tool"))
    assert caught.value.code == "cancelled"
    assert isinstance(caught.value.__cause__, OSError)
    # budget, allowlist, timeout, [tool], ok: a tool runs only after the three lines before it are kept
    assert len(ran) == after // 4
    if after:
        with pytest.raises(GateError):
            dispatcher.dispatch(run, call("tool"))
        assert len(ran) == after // 4
    assert kept.problems() == []


def test_a_run_needs_a_sink() -> None:
    with pytest.raises(TypeError, match="sink"):
        run_loop(Scripted(says()), tools(), Budget(5, 60.0), [])


# --- side effects


def test_a_mutating_tool_gets_a_key_that_a_resume_shares() -> None:
    seen = []

    async def pay(amount: int, key: str) -> dict[str, int]:
        seen.append(key)
        return {"paid": amount}

    made = Tool("pay", pay, timeout_s=PATIENCE, result=("paid",), mutating=True, idempotency_key="key")
    log = Log()
    dispatcher = Dispatcher([made], log)
    run = run_of(dispatcher)
    dispatcher.dispatch(run, call("pay", amount=1, key="the model's own"))
    dispatcher.dispatch(
        dispatcher.start(Budget(5, 60.0), parent_run_id=run.run_id), call("pay", amount=1, key="the model's own")
    )
    dispatcher.dispatch(run_of(dispatcher), call("pay", amount=1, key="the model's own"))
    assert seen[0] == seen[1] != seen[2]
    assert len(seen[0]) == 32
    assert [r["idempotency_key"] for r in log if r["gate"] == "approval"] == seen
    with pytest.raises(ValueError, match="idempotency_key"):
        Tool("pay", pay, timeout_s=PATIENCE, result=("paid",), mutating=True)


def test_an_approval_is_asked_for_and_recorded() -> None:
    paid, answers = [], iter(["maria", None])

    async def pay(amount: int, key: str) -> dict[str, int]:
        paid.append(amount)
        return {"paid": amount}

    made = Tool("pay", pay, timeout_s=PATIENCE, result=("paid",), mutating=True, idempotency_key="key", approval=True)
    with pytest.raises(TypeError, match="approve"):
        Dispatcher([made], Log())
    log = Log()
    dispatcher = Dispatcher([made], log, approve=lambda run_id, tool, arguments, key: next(answers))
    run = run_of(dispatcher)
    dispatcher.dispatch(run, call("pay", amount=1))
    assert refused(dispatcher, run, call("pay", amount=2)) == "not_approved"
    assert paid == [1]
    assert [(r["code"], r["approved_by"]) for r in log if r["gate"] == "approval"] == [
        (None, "maria"),
        ("not_approved", None),
    ]
    assert log.problems() == []
    for record in log:
        jsonschema.validate(record, evidence.schema())


# --- cancellation


def test_a_cancelled_task_cancels_its_run() -> None:
    async def scenario() -> None:
        log = Log()
        dispatcher = Dispatcher([Tool("hang", hang, timeout_s=60.0, result=("hits",))], log)
        for coroutine in (
            run_loop_async(Scripted(asks(call("hang"))), dispatcher, Budget(9, 60.0), []),
            dispatcher.dispatch_async(run_of(dispatcher), call("hang")),
        ):
            task = asyncio.ensure_future(coroutine)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert log.said("gate", "code")[-1] == ("end", "cancelled")
        assert log.problems() == []

    asyncio.run(scenario())


@pytest.mark.parametrize("where", ["tool", "model"])
def test_a_run_is_cancelled_from_another_thread(where: str) -> None:
    log = Log()
    started = threading.Event()

    async def never() -> Any:
        started.set()
        await asyncio.sleep(600)

    dispatcher = Dispatcher([Tool("never", never, timeout_s=60.0, result=("hits",))], log)
    runs = []
    start = dispatcher.start
    vars(dispatcher)["start"] = lambda *a, **k: runs.append(start(*a, **k)) or runs[-1]  # type: ignore[func-returns-value]

    def cancel() -> None:
        started.wait(30)
        runs[0].cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    model = Scripted(asks(call("never")) if where == "tool" else never)
    with pytest.raises(GateError) as caught:
        run_loop(model, dispatcher, Budget(9, 60.0), [])
    thread.join()
    assert caught.value.code == "cancelled"
    assert log.said("gate", "code")[-2:] == [("cancel", "cancelled"), ("end", "cancelled")]
    assert refused(dispatcher, runs[0], call("never")) == "cancelled"


def test_the_blocking_twin_refuses_a_running_loop() -> None:
    async def scenario() -> None:
        with pytest.raises(TypeError, match="async twin"):
            run_loop(Scripted(says()), tools(), Budget(5, 60.0), [], sink=Log())

    asyncio.run(scenario())


# --- limits that are none


@pytest.mark.parametrize(
    "limits",
    [
        {"max_steps": 0},
        {"max_steps": float("inf")},
        {"max_steps": 1.5},
        {"max_steps": True},
        {"max_wall_s": 0.0},
        {"max_wall_s": float("inf")},
        {"max_wall_s": float("nan")},
        {"max_tokens": 0},
        {"max_repeats": None},
        {"max_failures": -1},
    ],
)
def test_a_budget_is_finite(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(limits))):
        Budget(**{"max_steps": 5, "max_wall_s": 60.0, **limits})


@pytest.mark.parametrize(
    ("target", "limits"),
    [
        (find, {"timeout_s": 0.0}),
        (find, {"timeout_s": float("inf")}),
        (find, {"max_bytes": 0}),
        (lambda: {}, {}),
        ("__main__:f", {}),
        ("os.system", {}),
        ("os:system; rm", {}),
    ],
)
def test_a_tool_that_cannot_be_bounded_cannot_be_made(target: Any, limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="tool 'x'"):
        Tool("x", target, **{"timeout_s": 1.0, "result": ("hits",), **limits})
