"""Tools that the tests run in workers: good ones, and every bad one that a worker must not survive."""

from __future__ import annotations

import ctypes
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


class AuthenticationError(Exception):
    """What a provider's client raises for a bad key."""


def note(log: str) -> None:
    """Leave this process's number in ``log``."""
    with Path(log).open("a") as file:
        file.write(f"{os.getpid()}\n")


def search(query: str = "", log: str = "") -> dict[str, Any]:
    if log:
        note(log)
    return {"hits": [query]}


def nothing() -> dict[str, Any]:
    return {}


def own_process() -> dict[str, Any]:
    return {"pid": os.getpid()}


async def slow_search(query: str = "") -> dict[str, Any]:
    return {"hits": [query]}


def text(value: str) -> str:
    return value


def secret() -> None:
    raise ValueError("password=hunter2 at db.internal:5432")


def bad_key() -> None:
    raise AuthenticationError("key sk-123")


def make_counter(start: int) -> Callable[[], dict[str, int]]:
    """A factory: the closure that it makes lives in the worker."""
    count = start

    def counter() -> dict[str, int]:
        nonlocal count
        count += 1
        return {"count": count}

    return counter


def pay(amount: int, key: str, log: str) -> dict[str, Any]:
    with Path(log).open("a") as file:
        file.write(f"{key} {amount}\n")
    return {"paid": amount}


def ignores_sigterm(log: str) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    note(log)
    while True:
        time.sleep(60)


def spins(log: str) -> None:
    note(log)
    while True:
        pass


def forks(log: str) -> None:
    """A child in the group, one with a child of its own, and one in a session of its own."""
    for kind in ("parent", "child", "session"):
        if os.fork() == 0:
            if kind == "parent":
                os.fork()
            elif kind == "session" and sys.platform.startswith("linux"):  # elsewhere out of reach, as the page says
                os.setsid()
            note(log)
            while True:
                time.sleep(60)
    note(log)
    while True:
        time.sleep(60)


def blocks_in_c(log: str) -> None:
    """Sleeps in C and never lets go of the interpreter."""
    note(log)
    while True:
        ctypes.PyDLL(None).sleep(60)


def pipes() -> Iterator[int]:
    """The descriptors that lead out of this process."""
    for entry in [path.name for path in Path("/dev/fd").iterdir()]:
        try:
            mode = os.fstat(int(entry)).st_mode
        except (OSError, ValueError):
            continue
        if int(entry) > 2 and (stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)):
            yield int(entry)


def floods(log: str) -> None:
    """Writes 1 GiB into the protocol."""
    note(log)
    data = b"\xff" * (1 << 20)
    for _ in range(1024):
        for descriptor in pipes():
            os.write(descriptor, data)


def returns_much(log: str) -> str:
    """Returns 1 GiB (64 MiB in a default run, for the machine's sake)."""
    note(log)
    return "x" * (1 << (30 if os.environ.get("TOOLBIND_REPEATS") else 26))


def closes_early(log: str) -> None:
    note(log)
    for descriptor in list(pipes()):
        os.close(descriptor)
    time.sleep(600)


def exits(log: str) -> None:
    note(log)
    os._exit(3)


def segfaults(log: str) -> None:
    note(log)
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves_a_child(log: str) -> dict[str, Any]:
    """Returns in good order and leaves a process behind."""
    if os.fork() == 0:
        note(log)
        time.sleep(600)
    return {}


def slow(seconds: float) -> dict[str, Any]:
    time.sleep(seconds)
    return {}


def either(what: str, log: str = "") -> Any:
    """Does nothing, or what its name says: so that a test can have a warm worker before it is spoiled."""
    return nothing() if what == "nothing" else globals()[what](log)


def prints() -> dict[str, Any]:
    sys.stdout.write("noise\n")
    sys.stdout.flush()
    os.write(1, b"more noise")
    return {"read": sys.stdin.read()}
