"""What the reference dispatcher costs: ``python -m benchmarks.dispatch [--quick]``.

Prints the time of a warm dispatch over a direct call, runs a second with a hundred runs at once, and the time of a step
in runs of growing length, which has to stay the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolbind_lint.runtime.core import Answer, Budget, Call, Dispatcher, Tool
from toolbind_lint.runtime.loop import Turn, run_loop_async
from toolbind_lint.runtime.sinks import FileSink

CONCURRENT = 100
LIMIT_MS = 1.0
"""What a warm dispatch may cost over a direct call."""


def search(query: str) -> dict[str, Any]:
    """The tool: as good as nothing, so that what is measured is the way to it."""
    return {"hits": [query]}


async def search_here(query: str) -> dict[str, Any]:
    """The same, as a coroutine."""
    return {"hits": [query]}


def tools(*, here: bool) -> list[Tool]:
    """One tool, in this process or in a worker."""
    target: Any = search_here if here else "benchmarks.dispatch:search"
    return [Tool("search", target, timeout_s=30.0, result=("hits",))]


def forget(record: Mapping[str, Any]) -> None:
    """A sink that costs nothing."""


class Chatty:
    """A model that asks for one search a turn, ``turns`` times, and answers."""

    def __init__(self, turns: int) -> None:
        self.left = turns

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask, or answer."""
        self.left -= 1
        if self.left < 0 or last:
            return Turn("done", (), 1, "stop", ("done",))
        return Turn("", (Call("id", "search", json.dumps({"query": str(self.left)})),), 1, "calls", ("asks",))

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """As they are."""
        return answers


def median_ms(work: Callable[[int], object], count: int) -> float:
    """The median time of one call, in milliseconds."""
    times = []
    for number in range(count):
        began = time.perf_counter()
        work(number)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def warm(*, here: bool, blocking: bool, count: int, sink: Any = forget) -> float:
    """The median of a warm dispatch, in milliseconds."""
    calls = [Call("id", "search", json.dumps({"query": str(number)})) for number in range(count + 1)]
    with Dispatcher(tools(here=here), sink) as dispatcher:
        run = dispatcher.start(Budget(count + 1, 3600.0))
        if blocking:
            dispatcher.dispatch(run, calls.pop())
            return median_ms(lambda number: dispatcher.dispatch(run, calls[number]), count)

        async def all_of_them() -> float:
            await dispatcher.dispatch_async(run, calls.pop())
            times = []
            for call in calls:
                began = time.perf_counter()
                await dispatcher.dispatch_async(run, call)
                times.append(1000 * (time.perf_counter() - began))
            return statistics.median(times)

        return asyncio.run(all_of_them())


def runs_a_second(*, here: bool, rounds: int) -> float:
    """Runs of four turns and three dispatches, a hundred at a time."""

    async def all_of_them() -> float:
        with Dispatcher(tools(here=here), forget) as dispatcher:
            began = 0.0
            for number in range(rounds + 1):
                if number == 1:  # the first round starts the workers
                    began = time.perf_counter()
                runs = (run_loop_async(Chatty(3), dispatcher, Budget(20, 300.0), []) for _ in range(CONCURRENT))
                await asyncio.gather(*runs)
            return rounds * CONCURRENT / (time.perf_counter() - began)

    return asyncio.run(all_of_them())


def step_ms(steps: int) -> float:
    """The time of one step in a run of ``steps``, in milliseconds."""

    async def one() -> float:
        began = time.perf_counter()
        await run_loop_async(Chatty(steps // 2), tools(here=True), Budget(steps + 2, 3600.0), [], sink=forget)
        return 1000 * (time.perf_counter() - began) / steps

    return min(asyncio.run(one()) for _ in range(3))


def main() -> int:
    """Measure and print. 1 when a warm dispatch costs more than LIMIT_MS over a direct call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few repeats, to see that it works")
    count = 30 if (quick := parser.parse_args().quick) else 1000
    direct = median_ms(lambda number: search(str(number)), count)
    print(f"direct call                              {direct:8.4f} ms")
    worst = 0.0
    for here in (True, False):
        for blocking in (False, True):
            took = warm(here=here, blocking=blocking, count=count)
            worst = max(worst, took - direct)
            kind = f"{'coroutine' if here else 'process'} tool, {'blocking' if blocking else 'async'}"
            print(f"warm dispatch, {kind:25} {took:8.4f} ms")
    with tempfile.TemporaryDirectory() as folder, FileSink(Path(folder) / "evidence.jsonl") as sink:
        took = warm(here=False, blocking=False, count=count, sink=sink)
        worst = max(worst, took - direct)
        print(f"warm dispatch, {'process tool, async, file':25} {took:8.4f} ms")
    for here in (True, False):
        rate = runs_a_second(here=here, rounds=1 if quick else 10)
        print(f"{CONCURRENT} runs at once, {'coroutine' if here else 'process'} tools: {rate:8.0f} runs/s")
    for steps in (10, 100) if quick else (10, 100, 1000, 4000):
        print(f"a step in a run of {steps:5}                {step_ms(steps):8.4f} ms")
    print(f"over a direct call: {worst:.3f} ms, limit {LIMIT_MS} ms")
    return 1 if worst > LIMIT_MS else 0


if __name__ == "__main__":
    raise SystemExit(main())
