"""Six tests that a loop with tools has to pass. Fill in ``Loop`` for a loop of your own; as it stands it drives the
dispatcher that is imported here.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from toolbind_lint.runtime.core import Answer, Budget, Call, Dispatcher, GateError, Tool, ToolError

TOOLS = """
import os, signal, time

def _note(log):
    with open(log, "a") as file:
        file.write(f"{os.getpid()}\\n")

def search(log, query=""):
    _note(log)
    return {"hits": [query]}

def garbage(log):
    _note(log)
    return "not-json"

def hang(log):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _note(log)
    time.sleep(600)

def rm(log):
    _note(log)
    return {"hits": []}
"""


class Loop:
    """What the tests ask of a loop. ``allowed`` names functions of the module ``acceptance_tools``.

    ``clock`` counts monotonic seconds. ``dispatch`` runs one call and returns its value, or raises; ``prompt`` runs one
    call and returns all text that the next model turn would read because of it, or raises; ``code`` names the reason of
    what was raised, in the words of the tests.
    """

    def __init__(self, allowed: Sequence[str], max_steps: int, max_wall_s: float, clock: Callable[[], float]) -> None:
        made = [Tool(name, f"acceptance_tools:{name}", timeout_s=2.0, result=("hits",)) for name in allowed]
        self._dispatcher = Dispatcher(made, lambda record: None, clock=clock)
        self._run = self._dispatcher.start(Budget(max_steps, max_wall_s))

    def dispatch(self, name: str, **arguments: Any) -> Any:
        """One call: the value, or an exception."""
        return self._dispatcher.dispatch(self._run, Call("call-1", name, json.dumps(arguments))).value

    def prompt(self, name: str, **arguments: Any) -> str:
        """One call: what the model would read of it, or an exception."""
        answer: Answer = self._dispatcher.answer(self._run, Call("call-1", name, json.dumps(arguments)))
        return json.dumps(answer.value)

    def code(self, error: Exception) -> str:
        """The reason that an operator would look for."""
        return error.code if isinstance(error, GateError) else error.kind if isinstance(error, ToolError) else ""

    def close(self) -> None:
        """Leave nothing running."""
        self._dispatcher.close()


Start = Callable[..., Loop]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which every tool that runs leaves the number of its process."""
    (tmp_path / "acceptance_tools.py").write_text(TOOLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / "log"


@pytest.fixture
def start(log: Path) -> Iterator[Start]:
    """Makes loops, and closes them when the test ends."""
    made: list[Loop] = []

    def one(allowed: Sequence[str], max_steps: int = 8, max_wall_s: float = 60.0, clock: Any = time.monotonic) -> Loop:
        made.append(Loop(allowed, max_steps, max_wall_s, clock))
        return made[-1]

    yield one
    for loop in made:
        loop.close()


def _refused(loop: Loop, name: str, log: Path, **arguments: Any) -> str:
    with pytest.raises(Exception) as caught:
        loop.dispatch(name, log=str(log), **arguments)
    return loop.code(caught.value)


def _ran(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_a_name_that_is_not_on_the_allowlist_does_nothing(start: Start, log: Path) -> None:
    """Allowlist miss: a hard error and no side effect."""
    assert _refused(start(["search"]), "rm", log) == "unknown_tool"
    assert _ran(log) == []


def test_the_step_cap_stops_the_second_call(start: Start, log: Path) -> None:
    """Step cap: with one step the second call never reaches its tool."""
    loop = start(["search"], max_steps=1)
    assert loop.dispatch("search", log=str(log), query="a") == {"hits": ["a"]}
    assert _refused(loop, "search", log, query="b") == "budget_exceeded"
    assert len(_ran(log)) == 1


def test_a_bad_result_uses_the_step(start: Start, log: Path) -> None:
    """Failed steps count: a result that is no JSON has used the only step."""
    loop = start(["garbage", "search"], max_steps=1)
    assert _refused(loop, "garbage", log) == "schema_invalid"
    assert _refused(loop, "search", log) == "budget_exceeded"
    assert len(_ran(log)) == 1


def test_the_wall_clock_ends_the_run(start: Start, log: Path) -> None:
    """Wall budget: the clock jumps between two steps, and the second does not start."""
    now = [0.0]
    loop = start(["search"], max_wall_s=60.0, clock=lambda: now[0])
    loop.dispatch("search", log=str(log), query="a")
    now[0] = 61.0
    assert _refused(loop, "search", log, query="b") == "budget_exceeded"
    assert len(_ran(log)) == 1


def test_raw_text_stays_out_of_the_prompt(start: Start, log: Path) -> None:
    """Schema: what does not parse is not shown to the model."""
    assert "not-json" not in start(["garbage"]).prompt("garbage", log=str(log))
    assert len(_ran(log)) == 1


def test_a_tool_that_hangs_is_killed(start: Start, log: Path) -> None:
    """Timeout: the worker is dead, not joined."""
    assert _refused(start(["hang"]), "hang", log) == "tool_timeout"
    (process,) = _ran(log)
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
