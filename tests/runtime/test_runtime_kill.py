"""What runs is dead when its time is over, with all that it started, and nothing of it is left."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runtime_support import PATIENCE, REPEATS, Log, Scripted, alive, asks, call, noted, repeats, run_of, says

from toolbind_lint.runtime.core import Budget, Call, Dispatcher, GateError, Run, Tool, ToolError
from toolbind_lint.runtime.loop import run_loop

LATE_S = 0.1  # what is promised, over the delay of a no-op child
SLACK_S = 0.0 if REPEATS else PATIENCE  # in runs that are not about the figure; what nobody kills lives twice as long
TIMEOUT_S = 0.5
HERE = Path(__file__).parent
LINUX = sys.platform.startswith("linux")


def noop_delay() -> float:
    """Seconds that a child which does nothing takes from its start to its end, here and now."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.monotonic() - began


def gone(pids: list[int], within: float) -> float:
    """Seconds until all are dead; fails when one outlives ``within``."""
    began = time.monotonic()
    while left := [pid for pid in pids if alive(pid)]:
        assert time.monotonic() - began < within, f"still alive: {left}"
        time.sleep(0.001)
    return time.monotonic() - began


def children() -> list[int]:
    """The children of this process, dead ones that nobody collected included."""
    found = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in found.splitlines()]
    running = {pid for pid, parent in pairs if parent == os.getpid()}
    return sorted(pid for pid in running if Path(f"/proc/{pid}").exists() or not LINUX)


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Every test leaves no process and no descriptor."""
    before, open_before = children(), descriptors()
    yield
    if children() != before or descriptors() > open_before:
        gc.collect()
    began = time.monotonic()
    while children() != before and time.monotonic() - began < SLACK_S:
        time.sleep(0.01)
    assert children() == before
    assert descriptors() <= open_before


def tool(name: str = "either", **more: Any) -> Tool:
    limits = {"timeout_s": TIMEOUT_S, "start_s": PATIENCE, "result": {"type": "object"}, "max_bytes": 1 << 16}
    return Tool(name, f"runtime_tools:{name}", **{**limits, **more})


def outcome(dispatcher: Dispatcher, run: Run, asked: Call) -> str:
    try:
        dispatcher.dispatch(run, asked)
    except GateError as error:
        return error.code
    except ToolError as error:
        return error.kind
    return "ok"


BAD = {
    "ignores_sigterm": "tool_timeout",
    "spins": "tool_timeout",
    "forks": "tool_timeout",
    "blocks_in_c": "tool_timeout",
    "floods": "crash",
    "closes_early": "crash",
    "returns_much": "schema_invalid",
    "exits": "crash",
    "segfaults": "crash",
}


def warm(dispatcher: Dispatcher) -> None:
    """Have a worker that answers."""
    for _ in range(100):
        if outcome(dispatcher, run_of(dispatcher), call("either", what="nothing")) == "ok":
            return
    pytest.fail("no worker ever answers")


@pytest.mark.parametrize("what", BAD)
def test_a_bad_tool_is_dead_in_time_with_its_children(what: str, tmp_path: Path) -> None:
    """Also that it takes no memory with it: what it says is cut while it is received."""
    late, noop = [], []
    timed = BAD[what] == "tool_timeout"
    with Dispatcher([tool(timeout_s=TIMEOUT_S if timed else PATIENCE)], Log()) as dispatcher:
        for number in repeats(2, 50):
            log = tmp_path / f"log-{number}"
            while not (pids := noted(log)):  # where the machine is busy, its time may be over before it has begun
                warm(dispatcher)
                noop.append(noop_delay())
                before = peak(reset=True)
                began = time.monotonic()
                assert outcome(dispatcher, run_of(dispatcher), call("either", what=what, log=str(log))) == BAD[what]
                elapsed = time.monotonic() - began
                assert peak() - before < (1 << 16) + (4 << 20)
            # one that frees gigabytes is killed at once and takes the kernel's time to be gone
            elapsed += gone(pids, PATIENCE if what == "returns_much" else LATE_S + SLACK_S + 5 * noop[-1] + 0.5)
            late.append(elapsed - (TIMEOUT_S if timed else 0.0))
    if what != "returns_much":
        late_s, noop_s = statistics.median(late), statistics.median(noop)
        print(f"{what}: {1000 * late_s:.0f} ms late (worst {1000 * max(late):.0f}), no-op child {1000 * noop_s:.0f} ms")
        assert late_s < LATE_S + noop_s + SLACK_S


def peak(reset: bool = False) -> int:
    """The most memory (bytes) this process held since the last reset; 0 where that cannot be told."""
    if not LINUX:
        return 0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    found = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(found[0].split()[1]) << 10


@pytest.mark.parametrize("what", ["ignores_sigterm", "forks", "blocks_in_c"])
def test_it_is_dead_every_time(what: str, tmp_path: Path) -> None:
    for number in repeats(3, 200):
        log = tmp_path / f"log-{number}"
        with Dispatcher([tool()], Log()) as dispatcher:
            assert outcome(dispatcher, run_of(dispatcher), call("either", what=what, log=str(log))) == "tool_timeout"
            gone(noted(log), 2.0 + SLACK_S)


def test_the_wall_budget_kills_what_is_in_flight(log: Path) -> None:
    record = Log()
    with Dispatcher([tool(timeout_s=PATIENCE)], record) as dispatcher:
        outcome(dispatcher, run_of(dispatcher), call("either", what="nothing"))
        began = time.monotonic()
        code = outcome(dispatcher, run_of(dispatcher, wall=0.5), call("either", what="ignores_sigterm", log=str(log)))
        assert code == "budget_exceeded"
        assert time.monotonic() - began < 0.5 + 5.0 + SLACK_S
        gone(noted(log), 5.0 + SLACK_S)
    assert record.said("gate", "code")[-2:] == [("wall", "budget_exceeded"), ("end", "budget_exceeded")]


@pytest.mark.parametrize(("what", "processes"), [("spins", 1), ("forks", 5)])
def test_a_run_that_is_cancelled_kills_its_tool(what: str, processes: int, log: Path) -> None:
    """With every process that it started, one in a session of its own among them."""
    with Dispatcher([tool(timeout_s=PATIENCE)], Log()) as dispatcher:
        run = run_of(dispatcher)

        def cancel() -> None:
            while len(noted(log)) < processes:
                time.sleep(0.01)
            run.cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        assert outcome(dispatcher, run, call("either", what=what, log=str(log))) == "cancelled"
        thread.join()
        gone(noted(log), 5.0 + SLACK_S)


@pytest.mark.parametrize("kind", ["process", "argv"])
def test_a_task_that_is_cancelled_kills_its_tool(kind: str, log: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); import runtime_tools as r; r.spins({str(log)!r})"
    made = Tool("argv", (sys.executable, "-c", code), timeout_s=PATIENCE, result=("x",))
    made = made if kind == "argv" else tool("spins", timeout_s=PATIENCE)

    async def scenario() -> None:
        record = Log()
        with Dispatcher([made], record) as dispatcher:
            asked = call("argv") if kind == "argv" else call("spins", log=str(log))
            task = asyncio.ensure_future(dispatcher.dispatch_async(run_of(dispatcher), asked))
            while not noted(log):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            gone(noted(log), 5.0 + SLACK_S)
        assert record[-1]["code"] == "cancelled"

    asyncio.run(scenario())


def test_an_interrupt_kills_the_tool(log: Path) -> None:
    """Ctrl-C in the blocking twin: the tool is dead when the exception arrives."""
    script = f"""
import sys, json, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits a deaf one
sys.path.insert(0, {str(HERE)!r})
from toolbind_lint.runtime.core import *
t = Tool("spins", "runtime_tools:spins", timeout_s={PATIENCE}, start_s={PATIENCE}, result=("x",))
d = Dispatcher([t], lambda record: None)
try:
    d.dispatch(d.start(Budget(5, {PATIENCE})), Call("1", "spins", json.dumps({{"log": {str(log)!r}}})))
except KeyboardInterrupt:
    sys.exit(7)
"""
    with subprocess.Popen([sys.executable, "-W", "error", "-c", script], cwd=HERE.parents[1]) as process:
        while not noted(log):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 7
        gone(noted(log), 5.0 + SLACK_S)


@pytest.mark.parametrize("what", ["sleeps", "blocks"])
def test_a_worker_does_not_outlive_its_parent_for_long(what: str, log: Path) -> None:
    """Nobody is left to kill it: the kernel's alarm does, a second after the timeout."""
    body = "ctypes.PyDLL(None).sleep(600)" if what == "blocks" else "time.sleep(600)"
    (log.parent / "orphan_tool.py").write_text(
        f"import ctypes, os, time\ndef tool(log):\n    open(log, 'w').write(str(os.getpid()))\n    {body}\n"
    )
    script = f"""
import sys, json
sys.path.insert(0, {str(log.parent)!r})
from toolbind_lint.runtime.core import *
t = Tool("tool", "orphan_tool:tool", timeout_s=3.0, start_s={PATIENCE}, result=("x",))
d = Dispatcher([t], lambda record: None)
d.dispatch(d.start(Budget(5, {PATIENCE})), Call("1", "tool", json.dumps({{"log": {str(log)!r}}})))
"""
    while not noted(log):  # as above
        with subprocess.Popen(
            [sys.executable, "-c", script], cwd=HERE.parents[1], stderr=subprocess.DEVNULL
        ) as process:
            while not noted(log) and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            process.wait()
    gone(noted(log), 4.0 + 10.0 + SLACK_S)


# --- workers


def test_a_worker_is_reused_and_a_spoiled_one_is_not(log: Path) -> None:
    kept = tool("own_process", repeatable=True, result=("pid",), timeout_s=PATIENCE)
    with Dispatcher([tool(), kept], Log()) as dispatcher:
        run = run_of(dispatcher)
        pids = {dispatcher.dispatch(run, call("own_process")).value["pid"] for _ in range(3)}
        assert len(pids) == 1
        assert alive(pids.pop())
    spoiled = tool("own_process", repeatable=True, result=("pid",), timeout_s=PATIENCE, reuse=False)
    with Dispatcher([spoiled], Log()) as dispatcher:
        run = run_of(dispatcher)
        pids = {dispatcher.dispatch(run, call("own_process")).value["pid"] for _ in range(2)}
        assert len(pids) == 2
        assert not any(alive(pid) for pid in pids)


def test_a_worker_that_died_or_spoke_while_idle_is_replaced() -> None:
    made = tool("own_process", repeatable=True, result=("pid",), timeout_s=PATIENCE)
    with Dispatcher([made], Log()) as dispatcher:
        run = run_of(dispatcher)
        first = dispatcher.dispatch(run, call("own_process")).value["pid"]
        os.kill(first, signal.SIGKILL)
        gone([first], 5.0 + SLACK_S)
        second = dispatcher.dispatch(run, call("own_process")).value["pid"]
        assert second != first
        ((worker,),) = dispatcher._idle.values()
        worker.maker += 1  # as in a process that was forked off: the worker is the parent's
        third = dispatcher.dispatch(run, call("own_process")).value["pid"]
        assert third != second
        gone([second], 5.0 + SLACK_S)  # its socket was closed, so it left by itself
        worker.proc.wait()


def test_a_factory_makes_the_tool_in_the_worker() -> None:
    made = Tool(
        "counter",
        "runtime_tools:make_counter",
        factory={"start": 40},
        timeout_s=PATIENCE,
        start_s=PATIENCE,
        result=("count",),
        repeatable=True,
    )
    with Dispatcher([made], Log()) as dispatcher:
        run = run_of(dispatcher)
        assert [dispatcher.dispatch(run, call("counter")).value["count"] for _ in range(2)] == [41, 42]


def test_a_worker_runs_a_coroutine_function_too() -> None:
    with Dispatcher([tool("slow_search", timeout_s=PATIENCE)], Log()) as dispatcher:
        assert dispatcher.dispatch(run_of(dispatcher), call("slow_search", query="a")).value == {"hits": ["a"]}


def test_what_a_tool_prints_is_not_its_result() -> None:
    with Dispatcher([tool("prints", timeout_s=PATIENCE)], Log()) as dispatcher:
        assert dispatcher.dispatch(run_of(dispatcher), call("prints")).value == {"read": ""}


@pytest.mark.parametrize("target", ["no_such_module:tool", "runtime_tools:no_such_tool", "slow_import:tool"])
def test_a_worker_that_does_not_start_is_no_business_of_the_model(target: str) -> None:
    record = Log()
    made = Tool("tool", target, timeout_s=PATIENCE, start_s=0.5, result=("x",))
    with Dispatcher([made], record) as dispatcher, pytest.raises(ToolError, match="start"):
        dispatcher.answer(run_of(dispatcher), call("tool"))
    assert record[-1]["code"] == "tool_error"
    assert record.problems() == []


def test_a_failing_worker_tells_a_name_and_nothing_else(capfd: pytest.CaptureFixture[str]) -> None:
    model = Scripted(asks(call("secret")), says())
    with Dispatcher([tool("secret", timeout_s=PATIENCE), tool("bad_key", timeout_s=PATIENCE)], Log()) as dispatcher:
        run_loop(model, dispatcher, Budget(9, PATIENCE), [])
        assert json.loads(model.prompts[1])[-1]["value"] == {
            "error": "tool_error",
            "tool": "secret",
            "kind": "ValueError",
        }
        assert "hunter2" not in model.prompts[1]
        with pytest.raises(ToolError, match="AuthenticationError"):
            run_loop(Scripted(asks(call("bad_key")), says()), dispatcher, Budget(9, PATIENCE), [])
    assert "hunter2" in capfd.readouterr().err  # the operator sees it


def test_what_a_tool_leaves_in_its_group_goes_with_its_worker(log: Path) -> None:
    with Dispatcher([tool("leaves_a_child", timeout_s=PATIENCE)], Log()) as dispatcher:
        assert outcome(dispatcher, run_of(dispatcher), call("leaves_a_child", log=str(log))) == "ok"
        while not noted(log):
            time.sleep(0.01)
        assert alive(noted(log)[0])
    gone(noted(log), 5.0 + SLACK_S)


def test_two_calls_at_once_have_two_workers() -> None:
    async def scenario() -> None:
        with Dispatcher([tool("slow", timeout_s=PATIENCE, repeatable=True)], Log()) as dispatcher:
            calls = [dispatcher.dispatch_async(run_of(dispatcher), call("slow", seconds=0.2)) for _ in range(4)]
            assert [answer.value for answer in await asyncio.gather(*calls)] == [{}] * 4

    asyncio.run(scenario())


def test_more_calls_than_workers_wait_for_their_turn() -> None:
    async def scenario() -> None:
        made = tool("own_process", timeout_s=PATIENCE, result=("pid",), repeatable=True)
        with Dispatcher([made], Log(), workers=2) as dispatcher:
            calls = [dispatcher.dispatch_async(run_of(dispatcher), call("own_process")) for _ in range(20)]
            assert len({answer.value["pid"] for answer in await asyncio.gather(*calls)}) <= 2

    asyncio.run(scenario())


def test_who_waits_for_a_worker_waits_on_the_wall_budget() -> None:
    async def scenario() -> None:
        with Dispatcher([tool("slow", timeout_s=PATIENCE)], Log(), workers=1) as dispatcher:
            first = asyncio.ensure_future(dispatcher.dispatch_async(run_of(dispatcher), call("slow", seconds=PATIENCE)))
            await asyncio.sleep(0.1)
            with pytest.raises(GateError, match="budget_exceeded"):
                await dispatcher.dispatch_async(run_of(dispatcher, wall=0.1), call("slow", seconds=0.0))
            assert not first.done()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first

    asyncio.run(scenario())


def test_a_dispatcher_that_was_closed_leaves_no_idle_worker() -> None:
    before = children()
    dispatcher = Dispatcher([tool("nothing", timeout_s=PATIENCE, repeatable=True)], Log())
    dispatcher.close()
    assert outcome(dispatcher, run_of(dispatcher), call("nothing")) == "ok"
    assert children() == before


# --- commands


def command(*argv: str, **more: Any) -> Tool:
    return Tool("command", argv, **{"timeout_s": PATIENCE, "result": {"type": "object"}, **more})


def test_a_command_reads_its_arguments_and_says_json() -> None:
    with Dispatcher([command("cat")], Log()) as dispatcher:
        assert dispatcher.dispatch(run_of(dispatcher), call("command", a="; rm -rf /")).value == {"a": "; rm -rf /"}


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("echo '{}'", "ok"),
        ("echo '{}'; exit 3", "exit"),
        ("echo not-json", "schema_invalid"),
        ("true", "schema_invalid"),
        ("exec >&-; sleep 0.2; exit 0", "schema_invalid"),
        ("kill -9 $$", "exit"),
        ("exec <&-; echo '{}'", "ok"),
        ("head -c 1073741824 /dev/zero", "schema_invalid"),
        ("yes", "schema_invalid"),
    ],
)
def test_a_command_that_does_something_else(script: str, code: str) -> None:
    with Dispatcher([command("sh", "-c", script)], Log()) as dispatcher:
        before = peak(reset=True)
        assert outcome(dispatcher, run_of(dispatcher), call("command", pad="x" * 300_000)) == code
        assert peak() - before < (1 << 16) + (4 << 20)


def test_a_command_is_killed_with_its_children(log: Path) -> None:
    script = f"sleep 600 & echo $! >> {log}; trap '' TERM; echo $$ >> {log}; sleep 600 & wait"
    for _ in repeats(2, 50):
        log.unlink(missing_ok=True)
        while len(noted(log)) < 2:  # as above
            log.unlink(missing_ok=True)
            noop = noop_delay()
            with Dispatcher([command("sh", "-c", script, timeout_s=TIMEOUT_S)], Log()) as dispatcher:
                began = time.monotonic()
                assert outcome(dispatcher, run_of(dispatcher), call("command")) == "tool_timeout"
                assert time.monotonic() - began < TIMEOUT_S + LATE_S + noop + max(SLACK_S, 0.5)
            gone(noted(log), 2.0 + SLACK_S)
        assert len(noted(log)) == 2


def test_a_command_that_leaves_a_child_behind_leaves_none(log: Path) -> None:
    script = f"sleep 600 > /dev/null & echo $! >> {log}; echo '{{}}'"
    with Dispatcher([command("sh", "-c", script)], Log()) as dispatcher:
        assert outcome(dispatcher, run_of(dispatcher), call("command")) == "ok"
        gone(noted(log), 2.0 + SLACK_S)


def test_a_command_that_does_not_exist_ends_the_run() -> None:
    with Dispatcher([command("/no/such/command")], Log()) as dispatcher:
        run = run_of(dispatcher)
        assert outcome(dispatcher, run, call("command")) == "start"
        assert run.ended == "tool_error"


def test_one_that_the_kernel_holds_is_collected_later(monkeypatch: pytest.MonkeyPatch, log: Path) -> None:
    """The call does not wait for it, and no zombie stays: ``nothing_is_left`` looks."""
    monkeypatch.setattr("toolbind_lint.runtime.core._REAP", 0.0)
    with Dispatcher([tool()], Log()) as dispatcher:
        for number in range(3):
            at = log.with_name(f"log-{number}")
            assert outcome(dispatcher, run_of(dispatcher), call("either", what="spins", log=str(at))) == "tool_timeout"
            gone(noted(at), 5.0 + SLACK_S)
    while threading.active_count() > 1 and any("wait" in each.name for each in threading.enumerate()):
        time.sleep(0.001)


# --- leaks


def test_nothing_leaks_over_many_dispatches(log: Path) -> None:
    """Good, failing, crashing, late and foreign calls; ten thousand of them when repeats are asked for."""
    number, before = 0, len(children())

    async def here(n: int) -> dict[str, Any]:
        return {}

    made = [tool(timeout_s=0.2), tool("text", timeout_s=PATIENCE), command("cat")]
    made.append(Tool("here", here, timeout_s=PATIENCE, result={"type": "object"}))
    with Dispatcher(made, lambda record: None) as dispatcher:
        for _ in repeats(150, 10_000):
            number += 1
            run = run_of(dispatcher, max_failures=5)
            if number % 50 == 0:
                what = ("spins", "exits", "closes_early")[number // 50 % 3]
                outcome(dispatcher, run, call("either", what=what, log=str(log)))
            elif number % 7 == 0:
                assert outcome(dispatcher, run, call("text", value="not-json")) == "schema_invalid"
            elif number % 11 == 0:
                assert outcome(dispatcher, run, call("command", n=number)) == "ok"
            elif number % 2:
                assert outcome(dispatcher, run, call("here", n=number)) == "ok"
            else:
                assert outcome(dispatcher, run, call("text", value="{}")) == "ok"
            if number == 100:
                gc.collect()
                level, threads = descriptors(), threading.active_count()
        gc.collect()
        assert descriptors() <= level + 2
        assert threading.active_count() == threads
        assert len(children()) <= before + 3
