"""Work that can be ended: worker processes, commands, coroutines, each with a deadline of its own.

A process is killed with its group and never joined; what it says is cut before anybody reads it. Times are seconds,
sizes bytes. Standard library only. The worker's side, ``serve``, is this same file, loaded by path.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_SLICE = 0.05  # a wait looks this often whether its run was cancelled from another thread
_GRACE = 0.05  # what a cancelled coroutine gets to clean up before it is abandoned
_REAP = 1.0  # how long a call waits for the process that it killed; one that the kernel holds is collected later
_CLOSE = 10.0  # the same when a pool is closed
_FRAME = struct.Struct(">IBQ")  # number of the call; 0 for a value, 1 for the names of an exception's classes; length
_BOOT = """import sys; sys.path[:] = {path!r}; import importlib.util as u
s = u.spec_from_file_location("_toolbind", {file!r}); m = u.module_from_spec(s); sys.modules[s.name] = m
s.loader.exec_module(m); m.serve()"""


class Flight(Protocol):
    """The run whose work it is; any thread sets ``cancelled``; ``abandoned`` keeps coroutines that swallow it."""

    @property
    def remaining_s(self) -> float:
        """Seconds of the wall budget."""

    cancelled: bool
    abandoned: list[asyncio.Task[Any]]


def _encode(value: Any) -> bytes:
    if isinstance(value, (str, bytes)):  # JSON text already
        return value.encode() if isinstance(value, str) else value
    return json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


def _kinds(error: BaseException) -> bytes:
    return json.dumps([kind.__name__[:64] for kind in type(error).__mro__[:-2]]).encode()


def serve() -> None:
    """The worker's side: make the tool, then answer calls until the pipe ends."""
    import importlib

    pipe, function = socket.socket(fileno=os.dup(0)), None
    source = pipe.makefile("rb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # what a tool prints goes where its errors go, not into the protocol
    while len(head := source.read(_FRAME.size)) == _FRAME.size:
        number, _, length = _FRAME.unpack(head)
        given = json.loads(source.read(length))
        # The kernel ends this process even where its parent is gone and the tool never lets go of the interpreter.
        signal.setitimer(signal.ITIMER_REAL, given["seconds"] + 1.0)
        try:
            if function is None:
                module, _, name = given["target"].partition(":")
                made = vars(importlib.import_module(module))[name]
                value, function = None, made if given["factory"] is None else made(**given["factory"])
            else:
                value = function(**given["arguments"])
            status, body = 0, _encode(asyncio.run(value) if inspect.iscoroutine(value) else value)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)  # for the operator; the model gets the class's name
            status, body = 1, _kinds(error)
        signal.setitimer(signal.ITIMER_REAL, 0)
        pipe.sendall(_FRAME.pack(number, status, len(body)))
        pipe.sendall(body)


def _family(pid: int) -> list[int]:
    """A process and, where /proc tells (Linux), all below it, each stopped when found so that none forks away."""
    found = [pid]
    for each in found:
        with suppress(OSError):
            os.kill(each, signal.SIGSTOP)
            for task in os.listdir(f"/proc/{each}/task"):  # noqa: PTH208
                with open(f"/proc/{each}/task/{task}/children", encoding="ascii") as children:  # noqa: PTH123
                    found += map(int, children.read().split())
    return found


class Child:
    """A process group of ours, and our end of the socket that its leader writes to (and a worker reads from)."""

    def __init__(self, argv: Sequence[str], given: bytes | None = None) -> None:
        import subprocess
        import tempfile

        self.sock, theirs = socket.socketpair()
        self.sock.setblocking(False)
        self.maker, self.calls = os.getpid(), 0
        with theirs, tempfile.TemporaryFile() as file:
            file.write(given or b"")
            file.seek(0)
            into = theirs.fileno() if given is None else file.fileno()
            try:
                self.proc = subprocess.Popen(argv, stdin=into, stdout=theirs.fileno(), start_new_session=True)
            except BaseException:
                self.sock.close()
                raise

    async def ask(self, given: Mapping[str, Any], most: int) -> tuple[str, bytes]:
        """One call of a worker: value, raised, oversize or crash, and the body."""
        body, self.calls = json.dumps(given).encode(), self.calls + 1
        with suppress(OSError, struct.error):
            await asyncio.get_running_loop().sock_sendall(self.sock, _FRAME.pack(self.calls, 0, len(body)) + body)
            number, status, length = _FRAME.unpack(await self._read(_FRAME.size))
            if number == self.calls and length > most:
                return "oversize", b""
            if number == self.calls and status < 2 and len(body := await self._read(length)) == length:
                return ("value", "raised")[status], body
        return "crash", b""

    async def output(self, most: int) -> tuple[str, bytes]:
        """All that a command says: value, oversize or exit (a status that is not 0), and the body."""
        if len(body := await self._read(most + 1)) > most:
            return "oversize", b""
        while not (done := self._exited()):
            await asyncio.sleep(0.002)
        return ("value" if done == "0" else "exit"), body

    def _exited(self) -> str:
        if not hasattr(os, "waitid"):  # older macOS
            return "" if self.proc.poll() is None else str(self.proc.returncode)
        # Looks without reaping: the number of the group stays ours until it is killed.
        done = os.waitid(os.P_PID, self.proc.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return str(done.si_status) if done else ""

    async def _read(self, most: int) -> bytes:
        got, loop = bytearray(), asyncio.get_running_loop()
        while len(got) < most and (piece := await loop.sock_recv(self.sock, min(65_536, most - len(got)))):
            got += piece
        return bytes(got)

    def usable(self) -> bool:
        """Whether it may get a call: made by this process and not by its parent, its socket open and silent."""
        try:
            return self.maker == os.getpid() and self.sock.recv(1) is None
        except OSError as error:
            return isinstance(error, BlockingIOError)

    def kill(self) -> None:
        """Kill the group and all below its leader, at once; nothing is waited for."""
        if self.maker == os.getpid() and self.proc.returncode is None:
            for pid in _family(self.proc.pid):
                for send in (os.killpg, os.kill):
                    with suppress(OSError):
                        send(pid, signal.SIGKILL)
        self.sock.close()


class Pool:
    """At most ``limit`` busy workers, and idle ones kept for the next call of their kind."""

    def __init__(self, limit: int) -> None:
        self.limit, self.busy, self.closed = limit, 0, False
        self.lock = threading.Lock()
        self.idle: dict[str, list[Child]] = {}
        self.dying: list[Child] = []

    def close(self) -> None:
        """Kill the idle ones; a busy one goes when its call ends."""
        self.closed = True
        for kept in self.idle.values():
            while kept:
                self._kill(kept.pop())
        until = time.monotonic() + _CLOSE
        while self._collect() and time.monotonic() < until:
            time.sleep(0.002)

    def _kill(self, child: Child) -> None:
        child.kill()  # first: once its leader is collected, the number of its group may be somebody else's
        with self.lock:
            self.dying.append(child)

    def _collect(self) -> int:
        """Reap the dead; how many are still dying. One that frees gigabytes, or waits for a device, takes its time."""
        with self.lock:
            self.dying = [each for each in self.dying if each.proc.poll() is None]
            return len(self.dying)

    async def _bury(self, child: Child) -> None:
        """Kill it, and wait a moment for its end."""
        self._kill(child)
        until = time.monotonic() + _REAP
        while self._collect() and child in self.dying and time.monotonic() < until:
            await asyncio.sleep(0.002)

    async def call(
        self,
        made: Mapping[str, Any],
        arguments: Mapping[str, Any],
        times: tuple[float, float],
        most: int,
        flight: Flight,
        *,
        keep: bool,
    ) -> tuple[str, bytes]:
        """One call of the tool that ``made`` describes; ``times`` bound start and call, with what is left of the run.

        State and body: value, raised, crash, oversize, expired, or start when there is no worker to be had. It waits
        for its turn as long as the run lasts: a hundred interpreters that start at once would all be late.
        """
        while not self._take_turn():
            if flight.remaining_s <= 0 or flight.cancelled:
                return "expired", b""
            await asyncio.sleep(0.005)
        try:
            return await self._call(made, arguments, times, most, flight, keep=keep)
        finally:
            with self.lock:
                self.busy -= 1

    def _take_turn(self) -> bool:
        with self.lock:
            free = self.busy < self.limit
            self.busy += free
            return free

    async def _call(
        self,
        made: Mapping[str, Any],
        arguments: Mapping[str, Any],
        times: tuple[float, float],
        most: int,
        flight: Flight,
        *,
        keep: bool,
    ) -> tuple[str, bytes]:
        idle = self.idle.setdefault(json.dumps(made), [])
        child, kept = await self._usable(idle), False
        try:
            if child is None:
                child = Child([sys.executable, "-c", _BOOT.format(path=sys.path, file=__file__)])
                seconds = min(times[0], flight.remaining_s)
                started = await bounded(child.ask({**made, "seconds": max(seconds, 0.0)}, 4096), seconds, flight)
                if started is None or started.result()[0] != "value":
                    return "start", b""
            seconds = min(times[1], flight.remaining_s)
            given = {"arguments": arguments, "seconds": max(seconds, 0.0)}
            task = await bounded(child.ask(given, most), seconds, flight)
            state, body = task.result() if task else ("expired", b"")
            if keep and state in ("value", "raised") and len(idle) < self.limit and not self.closed:
                kept = True
                idle.append(child)
            return state, body
        except OSError:  # no descriptor or process left
            return "start", b""
        finally:
            if child is not None and not kept:
                await self._bury(child)

    async def command(
        self, argv: Sequence[str], given: bytes, seconds: float, most: int, flight: Flight
    ) -> tuple[str, bytes]:
        """Run a command on ``given``: value, exit, oversize, expired, or start (no such command); its output."""
        try:
            child = Child(argv, given)
        except OSError:
            return "start", b""
        try:
            task = await bounded(child.output(most), seconds, flight)
            return task.result() if task else ("expired", b"")
        except OSError:  # it reset the connection
            return "exit", b""
        finally:
            await self._bury(child)

    async def _usable(self, idle: list[Child]) -> Child | None:
        while idle:
            with suppress(IndexError):  # another thread took it
                child = idle.pop()
                if child.usable():
                    return child
                await self._bury(child)
        return None


async def bounded(work: Coroutine[Any, Any, T], seconds: float, flight: Flight) -> asyncio.Task[T] | None:
    """A coroutine that ended in time, as its task; else None: it was cancelled, or abandoned if it swallows that."""
    until, task = time.monotonic() + seconds, asyncio.ensure_future(work)
    try:
        while not task.done() and not flight.cancelled and (left := until - time.monotonic()) > 0:
            await asyncio.wait({task}, timeout=min(left, _SLICE))
        return task if task.done() else None
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_GRACE)
            if not task.done():
                flight.abandoned.append(task)
            elif not task.cancelled():
                task.exception()  # looked at: what comes after the time is wanted by nobody


async def here(name: str, target: Callable[..., Coroutine[Any, Any, Any]], given: Any, most: int) -> tuple[str, bytes]:
    """A coroutine tool, in this process: value, raised or oversize, and the body."""
    try:
        body = _encode(await target(**given))
    except Exception as error:  # told to the operator, as a worker's traceback is; the model gets the class's name
        told = {"message": f"the tool {name} failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(told)
        return "raised", _kinds(error)
    return ("oversize" if len(body) > most else "value"), body


def twin(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The blocking twin of a coroutine function, on an event loop of its own, which waits for no task that hangs."""

    @functools.wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise TypeError("an event loop is running here: use the async twin")
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(work(*args, **kwargs))
        finally:
            for each in (rest := asyncio.all_tasks(loop)):
                each.cancel()
            rest.add(loop.create_task(loop.shutdown_asyncgens()))
            loop.run_until_complete(asyncio.wait(rest, timeout=4 * _GRACE))
            loop.close()

    return call
