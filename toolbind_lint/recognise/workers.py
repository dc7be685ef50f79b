"""The same questions asked by several processes: forks of this one, each with all that is known so far.

What is known of a project can't be sent from process to process at a cost that pays; a fork has it. Where the system
knows no fork, or the work is small, this process does it alone. The answers are the same either way.
"""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

from toolbind_lint.room import with_room

A = TypeVar("A")
N = TypeVar("N")

_SIZE = struct.Struct("<Q")


def can_fork() -> bool:
    """Whether forks of a process with threads behind it are safe here: Linux; macOS' own libraries are not."""
    return sys.platform == "linux"


class WorkerError(Exception):
    """A worker ended before it had answered."""


class Workers(Generic[A, N]):
    """Forks that answer two rounds of numbered questions, the second in the light of a note about the first.

    ``shares`` says which fork answers which questions, so that it does not depend on who is faster: what a fork has
    found out may colour what it says of a ring of calls. At most ``jobs`` of them work at once. ``first(number)`` and
    ``second(number, note)`` run in the forks; their answers are pickled. Use as a context.
    """

    def __init__(
        self, shares: Sequence[Sequence[int]], jobs: int, first: Callable[[int], A], second: Callable[[int, N], A]
    ) -> None:
        self._shares = shares
        self._jobs = jobs
        self._first = first
        self._second = second
        self._children: list[_Child] = []

    def __enter__(self) -> Workers[A, N]:
        gc.freeze()  # what the forks share stays shared
        sys.stdout.flush()
        sys.stderr.flush()
        for share in self._shares:
            answers, told = os.pipe()
            asked, ask = os.pipe()
            child = os.fork()
            if child == 0:
                for pipe in (answers, ask, *(p for each in self._children for p in (each.answers, each.ask))):
                    os.close(pipe)  # or nobody would see the end of this process, or of that one
                self._work(share, asked, told)
            os.close(told)
            os.close(asked)
            self._children.append(_Child(child, answers, ask))
        gc.unfreeze()
        return self

    def _work(self, share: Sequence[int], asked: int, told: int) -> None:
        """The life of a fork; it never returns."""
        status = 1
        try:
            _receive(asked)
            _send(told, with_room(lambda: [(number, self._first(number)) for number in share]))
            note = cast("N", _receive(asked))
            _send(told, with_room(lambda: [(number, self._second(number, note)) for number in share]))
            status = 0
        finally:
            os._exit(status)

    def first(self) -> list[A]:
        """The answers of the first round, in the order of the questions; WorkerError where a worker was killed."""
        return self._round(None)

    def second(self, note: N) -> list[A]:
        """The answers of the second round, likewise."""
        return self._round(note)

    def _round(self, note: object) -> list[A]:
        found: dict[int, A] = {}
        waiting = list(self._children)
        working: dict[int, _Child] = {}
        while waiting or working:
            while waiting and len(working) < self._jobs:
                child = waiting.pop(0)
                _send(child.ask, note)
                working[child.answers] = child
            for pipe in select.select(list(working), [], [])[0]:
                found.update(cast("list[tuple[int, A]]", _receive(pipe)))
                del working[pipe]
        return [found[number] for number in sorted(found)]

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        for child in self._children:
            os.close(child.answers)
            os.close(child.ask)
            if failed is not None:
                os.kill(child.number, signal.SIGKILL)
        for child in self._children:
            os.waitpid(child.number, 0)


class _Child(NamedTuple):
    """A fork: its process number, the pipe on which it answers, the one on which it is asked."""

    number: int
    answers: int
    ask: int


def _send(pipe: int, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    try:
        with os.fdopen(os.dup(pipe), "wb") as stream:
            stream.write(_SIZE.pack(len(data)))
            stream.write(data)
    except BrokenPipeError:
        raise WorkerError("a worker process ended before it was done") from None


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
