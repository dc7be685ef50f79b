"""Room to follow a value far: recursion deeper than the interpreter allows of itself, on a stack that holds it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

DEPTH = 12_000
"""Calls that may be open at once."""
STACK = 256 * 1024 * 1024
"""Bytes of address space for the stack; what is not used costs no memory."""


def with_room(work: Callable[[], T]) -> T:
    """What ``work`` returns or raises, run with room for deep recursion: the main thread's stack is as large as the
    system made it, and may end below what the interpreter would allow.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # raised again where the caller waits
            failed.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(STACK)
    try:
        sys.setrecursionlimit(max(limit, DEPTH))
        thread = threading.Thread(target=run, name="toolbind-lint", daemon=True)
        thread.start()
    finally:
        threading.stack_size(size)
    try:
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
    if failed:
        raise failed[0]
    return done[0]
