"""The same questions asked by several processes: forks of this one, each with all that is known so far.

What is known of a project can't be sent from process to process at a cost that pays; a fork has it. Where the system
knows no fork, or the work is small, this process does it alone.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, cast

from toolbind_lint.room import with_room

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

A = TypeVar("A")
N = TypeVar("N")


def can_fork() -> bool:
    """Whether forks of a process with threads behind it are safe here: Linux; macOS' own libraries are not."""
    return sys.platform == "linux"


class WorkerError(Exception):
    """A worker ended before it had answered."""


class _Child(NamedTuple):
    """A fork, and the pipe on which it is asked and answers."""

    process: ForkProcess
    pipe: Connection


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
        from multiprocessing import get_context

        context = get_context("fork")
        gc.freeze()  # what the forks share stays shared
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads beside a fork: it touches none of them
            for share in self._shares:
                mine, theirs = context.Pipe()
                process = context.Process(target=self._work, args=(share, mine, theirs), daemon=True)
                process.start()
                theirs.close()
                self._children.append(_Child(process, mine))
        gc.unfreeze()
        return self

    def _work(self, share: Sequence[int], mine: Connection, theirs: Connection) -> None:
        """The life of a fork."""
        for pipe in (mine, *(each.pipe for each in self._children)):
            pipe.close()  # or nobody would see the end of the first process
        theirs.recv()
        theirs.send(with_room(lambda: [(number, self._first(number)) for number in share]))
        note = cast("N", theirs.recv())
        theirs.send(with_room(lambda: [(number, self._second(number, note)) for number in share]))

    def first(self) -> list[A]:
        """The answers of the first round, in the order of the questions; WorkerError where a worker was killed."""
        return self._round(None)

    def second(self, note: N) -> list[A]:
        """The answers of the second round, likewise."""
        return self._round(note)

    def _round(self, note: object) -> list[A]:
        from multiprocessing.connection import wait

        found: dict[int, A] = {}
        waiting = [child.pipe for child in self._children]
        working: list[Connection] = []
        try:
            while waiting or working:
                while waiting and len(working) < self._jobs:
                    working.append(waiting.pop(0))
                    working[-1].send(note)
                for pipe in cast("list[Connection]", wait(working)):
                    found.update(pipe.recv())
                    working.remove(pipe)
        except (EOFError, OSError):
            raise WorkerError("a worker process ended before it was done") from None
        return [found[number] for number in sorted(found)]

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        for child in self._children:
            child.pipe.close()
            if failed is not None:
                child.process.kill()
        for child in self._children:
            child.process.join()
