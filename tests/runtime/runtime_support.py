"""What the tests of the dispatcher share: a scripted model, a sink that keeps, a clock that jumps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toolbind_lint.runtime.core import Answer, Budget, Call, Dispatcher, Run, Tool
from toolbind_lint.runtime.evidence import Problem, Verifier
from toolbind_lint.runtime.loop import Turn

PATIENCE = 300.0  # seconds for what comes at once on an idle machine: no test is about how busy this one is
REPEATS = int(os.environ.get("TOOLBIND_REPEATS", "0"))  # 0: as few as a default run can do with


def repeats(few: int, many: int) -> range:
    """How often a test repeats: ``few`` in a default run, ``many`` when TOOLBIND_REPEATS is set."""
    return range(many if REPEATS else few)


def call(name: str, id_: str = "call", /, **arguments: Any) -> Call:
    return Call(id_, name, json.dumps(arguments))


def asks(*calls: Call, tokens: int | None = 10, text: str = "") -> Turn:
    return Turn(text, calls, tokens, "calls", ({"role": "assistant", "calls": [each.name for each in calls]},))


def says(text: str = "done", tokens: int | None = 10) -> Turn:
    return Turn(text, (), tokens, "stop", ({"role": "assistant", "content": text},))


class Scripted:
    """A model that says what the test wrote down, and remembers what it was asked."""

    def __init__(self, *turns: Turn | Callable[[], Any]) -> None:
        self.turns = list(turns)
        self.prompts: list[str] = []
        self.last: list[bool] = []
        self.timeouts: list[float] = []

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        self.prompts.append(json.dumps(list(messages)))
        self.last.append(last)
        self.timeouts.append(timeout_s)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Turn):
            return turn
        made = await turn()
        assert isinstance(made, Turn)
        return made

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        return [{"role": "tool", "id": each.call.id, "value": each.value} for each in answers]


class Clock:
    """A monotonic clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Log(list[dict[str, Any]]):
    """A sink that keeps all records."""

    def __call__(self, record: Any) -> None:
        self.append(dict(record))

    def said(self, *fields: str) -> list[tuple[Any, ...]]:
        return [tuple(record[field] for field in fields) for record in self]

    def codes(self) -> list[str]:
        return [record["code"] for record in self if record["code"]]

    def problems(self) -> list[Problem]:
        """What the verifier has to say."""
        found: list[Problem] = []
        verifier = Verifier(found.append)
        for number, record in enumerate(self, 1):
            verifier.line("log", number, json.dumps(record).encode() + b"\n")
        return found


def run_of(dispatcher: Dispatcher, steps: int = 20, wall: float = PATIENCE, **limits: Any) -> Run:
    return dispatcher.start(Budget(steps, wall, **limits))


def noted(log: Path) -> list[int]:
    return [int(line) for line in log.read_text().split()] if log.exists() else []


def alive(pid: int) -> bool:
    """Whether a process still runs; one that is dead and not collected by its parent does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return False
