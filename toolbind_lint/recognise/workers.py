"""The same questions asked by several processes: forks of this one, each with all that is known so far.

What is known of a project can't be sent from process to process at a cost that pays; a fork has it. Where the system
knows no fork, or the work is small, this process does it alone. The answers are the same either way.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast

from toolbind_lint.room import with_room

A = TypeVar("A")
N = TypeVar("N")

_NUMBER = struct.Struct("<I")
_SIZE = struct.Struct("<Q")
MOST = 12_000
"""Questions whose numbers fit into a pipe at once (64 KiB where it is smallest)."""


def can_fork() -> bool:
    """Whether forks of a process with threads behind it are safe here: Linux; macOS' own libraries are not."""
    return sys.platform == "linux"


class WorkerError(Exception):
    """A worker ended before it had answered."""


class Workers(Generic[A, N]):
    """Forks that answer two rounds of numbered questions, the second in the light of a note about the first.

    ``first(number)`` and ``second(number, note)`` run in the forks. Their answers are pickled. Use as a context.
    """

    def __init__(self, count: int, questions: int, first: Callable[[int], A], second: Callable[[int, N], A]) -> None:
        assert questions <= MOST
        self._count = min(count, questions)
        self._questions = questions
        self._first = first
        self._second = second
        self._children: list[tuple[int, int, int]] = []

    def __enter__(self) -> Workers[A, N]:
        numbers = b"".join(_NUMBER.pack(number) for number in range(self._questions))
        rounds = []
        for _ in range(2):
            taken, given = os.pipe()
            os.write(given, numbers)
            os.close(given)
            rounds.append(taken)
        gc.freeze()  # what the forks share stays shared
        sys.stdout.flush()
        sys.stderr.flush()
        for _ in range(self._count):
            answers, told = os.pipe()
            notes, note = os.pipe()
            child = os.fork()
            if child == 0:
                self._work(rounds, notes, told)
            os.close(told)
            os.close(notes)
            self._children.append((child, answers, note))
        for taken in rounds:
            os.close(taken)
        gc.unfreeze()
        return self

    def _work(self, rounds: Sequence[int], notes: int, told: int) -> None:
        """The life of a fork; it never returns."""
        status = 1
        try:
            for _, answers, note in self._children:
                os.close(answers)
                os.close(note)
            _send(told, with_room(lambda: [(n, self._first(n)) for n in _Taken(rounds[0])]))
            said = cast("N", _receive(notes))
            _send(told, with_room(lambda: [(n, self._second(n, said)) for n in _Taken(rounds[1])]))
            status = 0
        finally:
            os._exit(status)

    def answers(self) -> list[A]:
        """The answers of a round, in the order of the questions; raises WorkerError where a worker was killed."""
        found: dict[int, A] = {}
        for _, answers, _ in self._children:
            found.update(cast("list[tuple[int, A]]", _receive(answers)))
        if len(found) < self._questions:
            raise WorkerError("a worker process ended before it was done")
        return [found[number] for number in range(self._questions)]

    def tell(self, note: N) -> None:
        """Gives the forks the note that the second round waits for."""
        for _, _, to in self._children:
            _send(to, note)

    def __exit__(self, *_: object) -> None:
        for child, answers, note in self._children:
            os.close(answers)
            os.close(note)
            os.waitpid(child, 0)


class _Taken:
    """Numbers from a pipe that several processes read, each number once."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def __iter__(self) -> _Taken:
        return self

    def __next__(self) -> int:
        taken = os.read(self._pipe, _NUMBER.size)
        if not taken:
            raise StopIteration
        return int(_NUMBER.unpack(taken)[0])


def _send(pipe: int, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    with os.fdopen(os.dup(pipe), "wb") as stream:
        stream.write(_SIZE.pack(len(data)))
        stream.write(data)


def _receive(pipe: int) -> object:
    with os.fdopen(os.dup(pipe), "rb", buffering=0) as stream:
        head = _exactly(stream.read, _SIZE.size)
        return pickle.loads(_exactly(stream.read, _SIZE.unpack(head)[0]))


def _exactly(read: Callable[[int], bytes | None], size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = read(min(size, 1 << 20))
        if not part:
            raise WorkerError("a worker process ended before it was done")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
