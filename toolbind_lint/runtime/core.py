"""A dispatcher that fails closed: budget, then allowlist, then timeout, then schema; one evidence line per decision.

A step is one model turn or one dispatch, charged before it starts. A tool runs in a process that is killed with its
group and never joined (POSIX; a daemon, which leaves group and parent, is out of reach), or as a coroutine that is
cancelled. Times are seconds unless a name ends in ``_ms``, sizes bytes. Standard library only.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import math
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import KW_ONLY, InitVar, asdict, dataclass, field, is_dataclass
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryFile
from types import MappingProxyType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
CODES = frozenset(
    {"budget_exceeded", "tool_timeout", "unknown_tool", "schema_invalid", "repeat_limit", "failure_limit", "cancelled"}
)
_SLICE = _GRACE = 0.05  # between two looks whether a run was cancelled; what a cancelled coroutine gets to clean up
_REAP = 1.0  # how long a call waits for the end of what it killed; a thread collects what the kernel holds longer
_HEAD = struct.Struct(">IBQ")  # number of the call; 0 for a value, 1 for the names of an exception's classes; length
_BOOT = "import runpy, sys; sys.path[:] = {path!r}; runpy.run_path({file!r}, run_name='_toolbind')['serve']()"


class GateError(Exception):
    """A gate refused; ``code`` is one of CODES. A ``terminal`` one has ended the run: no later call is admitted."""

    def __init__(self, code: str, message: str, run_id: str, terminal: bool = True) -> None:
        super().__init__(f"{code}: {message} (run {run_id})")
        self.code, self.run_id, self.terminal = code, run_id, terminal


class ToolError(Exception):
    """A tool failed. ``kind``: its exception's class, or crash, start, exit, bad_arguments, not_approved."""

    def __init__(self, tool: str, kind: str) -> None:
        super().__init__(f"{tool}: {kind}")
        self.tool, self.kind = tool, kind


@dataclass(frozen=True)
class Budget:
    """The limits of one run. ``max_tokens=None`` and ``max_cost=None`` switch these two off, by name and in review."""

    max_steps: int
    max_wall_s: float
    max_tokens: int | None = 200_000
    max_cost: float | None = None
    max_repeats: int = 3  # identical calls in a row
    max_failures: int = 3  # of one tool in a row

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            real, off = name in ("max_wall_s", "max_cost"), value is None and name in ("max_tokens", "max_cost")
            if not off and (type(value) not in (int, float if real else int) or not 0 < value < math.inf):
                raise ValueError(f"{name} is finite and above zero, a whole number but for wall and cost: {value!r}")


class Call(NamedTuple):
    """What the model asks for; ``arguments`` is JSON text as it came."""

    id: str
    name: str
    arguments: str


class Answer(NamedTuple):
    """What goes back for one call. ``code`` is None for a parsed result, else says why ``value`` is a fixed payload."""

    call: Call
    value: Any
    code: str | None = None


def _fits(value: Any, kind: Any) -> Any:
    """``value`` as ``kind``: dataclasses, lists, unions, literals, plain classes; TypeError or KeyError otherwise."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(value, dict):
        return cast(Any, kind)(**{key: _fits(each, get_type_hints(kind)[key]) for key, each in value.items()})
    if origin is list and isinstance(value, list):
        return [_fits(each, inner[0]) for each in value]
    for each in inner if origin in (Union, UnionType) else ():
        with suppress(TypeError, KeyError):
            return _fits(value, each)
    if type(value) is kind or (kind is float and type(value) is int) or (origin is Literal and value in inner):
        return value
    raise TypeError(f"not {kind}")


def _checker(result: Any) -> tuple[str, Callable[[Any], Any]]:
    """A schema's id, and the function that parses a JSON value against it or raises."""
    if isinstance(result, Mapping):
        import jsonschema
        import referencing

        schema = json.loads(json.dumps(dict(result), sort_keys=True))
        kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
        kind.check_schema(schema)
        check = kind(schema, registry=referencing.Registry()).validate  # an empty registry fetches no reference
        name = schema.get("$id") or f"sha256:{hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]}"
        return name, lambda value: (check(value), value)[1]
    if isinstance(result, tuple) and result and all(isinstance(key, str) for key in result):
        return f"keys:{','.join(result)}", lambda value: {key: value[key] for key in result}
    name = f"{getattr(result, '__module__', '')}.{getattr(result, '__qualname__', '')}"
    if hasattr(result, "model_validate"):
        return name, lambda value: result.model_validate(value).model_dump(mode="json")
    if isinstance(result, type) and is_dataclass(result):
        return name, lambda value: asdict(_fits(value, result))
    raise TypeError("result: a JSON Schema, a pydantic model, a dataclass, or a tuple of keys (exactly those go back)")


@dataclass(frozen=True)
class Tool:
    """One tool. ``target``: "module:function" for a worker, a coroutine function, or a command that reads JSON.

    With ``factory`` the function makes the tool in the worker, from these keywords. Text is taken for JSON, all else is
    serialised. ``timeout_s`` bounds a call, ``start_s`` a worker's start; exceptions named in ``fatal`` end a run.
    """

    name: str
    target: str | tuple[str, ...] | Callable[..., Coroutine[Any, Any, Any]]
    _: KW_ONLY
    timeout_s: float
    result: Any
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    factory: Mapping[str, Any] | None = None
    max_bytes: int = 65_536
    schema_id: str = ""
    start_s: float = 10.0
    reuse: bool = True  # False: a new worker for each call
    repeatable: bool = False  # the same call may run again: a poll
    mutating: bool = False
    idempotency_key: str = ""  # the parameter in which a mutating tool gets its key; the model's own value is replaced
    approval: bool = False
    fatal: tuple[str, ...] = ("AuthenticationError", "PermissionDeniedError", "PermissionError", "QuotaError")
    parse: Callable[[Any], Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        here = inspect.iscoroutinefunction(self.target)
        named = here or isinstance(self.target, tuple) or re.fullmatch(r"(?!__main__:)[\w.]+:\w+", str(self.target))
        for right, why in (
            (re.fullmatch(r"[A-Za-z0-9_-]{1,64}", self.name), "not a name"),
            (named, "its target is 'package.module:function' (blocking code too), a coroutine function or a command"),
            (here or hasattr(os, "killpg"), "without POSIX (on Windows) every tool is a coroutine function"),
            (0 < self.timeout_s < math.inf and 0 < self.start_s < math.inf, "a time is finite and above zero"),
            (0 < self.max_bytes < 1 << 31, "max_bytes is above zero and under 2 GiB"),
            (self.idempotency_key or not self.mutating, "a mutating tool needs an idempotency_key"),
        ):
            if not right:
                raise ValueError(f"tool {self.name!r}: {why}")
        schema_id, parse = _checker(self.result)
        vars(self).update(parse=parse, schema_id=self.schema_id or schema_id)
        for name in ("parameters", "factory"):  # private copies: what is on offer cannot change in a run
            if (given := getattr(self, name)) is not None:
                vars(self)[name] = MappingProxyType(json.loads(json.dumps(dict(given))))


@dataclass(frozen=True, init=False)
class Allowlist:
    """Exact names and their tools, frozen; ``version`` is a hash of the names."""

    tools: Mapping[str, Tool]
    version: str

    def __init__(self, tools: Iterable[Tool]) -> None:
        given = tuple(tools)
        named = {tool.name: tool for tool in given}
        if len(named) != len(given):
            raise ValueError("two tools share a name")
        digest = hashlib.sha256("\n".join(sorted(named)).encode()).hexdigest()[:16]
        vars(self).update(tools=MappingProxyType(named), version=f"sha256:{digest}")


class Run(AbstractContextManager["Run"]):
    """One run, made by ``Dispatcher.start``. Its steps come one after the other; other threads may ``cancel`` it."""

    def __init__(self, owner: Dispatcher, budget: Budget, run_id: str, parent_run_id: str | None, scope: str) -> None:
        self.run_id, self.parent_run_id, self.scope, self.budget = run_id, parent_run_id, scope, budget
        self.owner, self._lock, self._started = owner, threading.RLock(), owner.clock()
        self.steps, self.tokens, self.cost, self.cancelled, self.ended = 0, 0, 0.0, False, ""
        self.seen, self.failures = set[str](), dict[str, int]()  # failures in a row, by tool; "" counts repeats
        self.abandoned: list[asyncio.Task[Any]] = []  # coroutines that swallowed their cancellation
        self.emit("start", tools={each.name: round(each.timeout_s * 1000) for each in owner.allowlist.tools.values()})

    def __setattr__(self, name: str, value: Any) -> None:
        grows = name in ("steps", "tokens", "cost", "cancelled", "ended")
        if name in vars(self) and not (grows and value >= getattr(self, name)):
            raise AttributeError(f"{name} of a live run does not change")
        super().__setattr__(name, value)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        code = "error" if isinstance(error, Exception) else "cancelled"
        self.end(None if error is None else error.code if isinstance(error, GateError) else code)

    @property
    def remaining_s(self) -> float:
        """What is left of the wall budget, in seconds; not above zero when it is spent."""
        return self.budget.max_wall_s - (self.owner.clock() - self._started)

    def cancel(self) -> None:
        """Stop the run, from any thread: what is in flight is killed or cancelled within 50 ms."""
        self.cancelled = True

    def charge(self, tool: str | None = None) -> None:
        """Admit one step before it starts (None: a model turn), or end the run: GateError."""
        with self._lock:
            if self.ended:
                raise self.stop("end", self.ended, "the run has ended; a retry is a new run with a parent_run_id")
            if self.steps >= self.budget.max_steps:
                raise self.stop("steps", "budget_exceeded", f"{self.steps} steps are spent", tool=tool)
            left = self.go_on("the next step was due", tool=tool)
            self.steps += 1
        self.emit("budget", tool=tool, wall_ms_used=int((self.budget.max_wall_s - left) * 1000))

    def go_on(self, when: str, late: bool = False, **more: Any) -> float:
        """What is left of the wall budget; GateError when that is nothing, or the run was cancelled."""
        if self.cancelled:
            raise self.stop("cancel", "cancelled", when, **more)
        if (left := self.remaining_s) <= 0 or late:
            raise self.stop("wall", "budget_exceeded", when, **more)
        return left

    async def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """What the model says: await a turn that was charged. Cancelled, with a GateError, at the end of the run."""
        task = await _bounded(work, self.remaining_s, self)
        self.go_on("the model was being asked", late=task is None)
        try:
            return task.result()  # type: ignore[union-attr]  # None was late
        except BaseException:
            self.stop("turn", "model_error", "its own error goes on")
            raise

    def spend(self, tokens: int | None, cost: float | None = None) -> None:
        """Add what a turn used. GateError ``budget_exceeded`` above a limit, or where a set limit cannot be checked."""
        tokens = tokens if type(tokens) is int and tokens >= 0 else None
        cost = cost if isinstance(cost, (int, float)) and 0 <= cost < math.inf else None
        self.tokens, self.cost = self.tokens + (tokens or 0), self.cost + (cost or 0.0)
        if self.budget.max_tokens is not None and (tokens is None or self.tokens > self.budget.max_tokens):
            raise self.stop("tokens", "budget_exceeded", f"{self.tokens} tokens, now {tokens}")
        if self.budget.max_cost is not None and (cost is None or self.cost > self.budget.max_cost):
            raise self.stop("cost", "budget_exceeded", f"a cost of {self.cost}, now {cost}")
        self.emit("ok")

    def end(self, code: str | None = None) -> None:
        """Close the record, once; ``code`` is None when the model answered."""
        with self._lock:
            first, self.ended = not self.ended, self.ended or code or "answered"
        if first:
            self.emit("end", code)

    def stop(self, gate: str, code: str, message: str, **more: Any) -> GateError:
        """End the run at a gate; the error to raise."""
        if not self.ended:
            self.emit(gate, code, **more)
            self.end(code)
        return GateError(code if code in CODES else "cancelled", message, self.run_id)

    def emit(self, gate: str, code: str | None = None, tool: str | None = None, **more: Any) -> None:
        """Write one line of evidence; GateError ``cancelled`` when the sink does not take it: no evidence, no run."""
        budget, used = self.budget, self.budget.max_wall_s - self.remaining_s
        record = dict[str, Any](run_id=self.run_id, parent_run_id=self.parent_run_id, gate=gate, code=code)
        record |= {"step": self.steps, "max_steps": budget.max_steps, "tool": tool and tool[:64], "schema_id": None}
        record |= {"wall_ms_used": int(used * 1000), "max_wall_ms": round(budget.max_wall_s * 1000), "timeout_ms": None}
        record |= {"tokens_used": self.tokens, "max_tokens": budget.max_tokens, "parse_ok": None, "bytes": None}
        record |= {"allowlist_version": self.owner.allowlist.version, "ts": self.owner.now(), **more}
        try:
            self.owner.sink(record)
        except Exception as error:
            self.ended = self.ended or "cancelled"
            raise GateError("cancelled", "the evidence could not be written", self.run_id) from error


async def _bounded(work: Coroutine[Any, Any, T], seconds: float, run: Run) -> asyncio.Task[T] | None:
    """A coroutine that ended in time, as its task; else None: it was cancelled, or abandoned if it swallows that."""
    until, task = time.monotonic() + seconds, asyncio.ensure_future(work)
    try:
        while not task.done() and not run.cancelled and (left := until - time.monotonic()) > 0:
            await asyncio.wait({task}, timeout=min(left, _SLICE))
        return task if task.done() else None
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(lambda late: late.cancelled() or late.exception())  # looked at, and wanted by nobody
            await asyncio.wait({task}, timeout=_GRACE)
            run.abandoned.extend([] if task.done() else [task])


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, on an event loop of its own, which waits for no task that hangs."""
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        work.close()
        raise TypeError("an event loop is running here: use the async twin")
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        for each in (rest := asyncio.all_tasks(loop)):
            each.cancel()
        loop.run_until_complete(asyncio.wait({*rest, loop.create_task(loop.shutdown_asyncgens())}, timeout=4 * _GRACE))
        loop.close()


def _encode(value: Any) -> bytes:
    text = value if isinstance(value, (str, bytes)) else json.dumps(value, allow_nan=False, ensure_ascii=False)
    return text.encode() if isinstance(text, str) else text


async def _here(tool: Tool, arguments: dict[str, Any]) -> tuple[str, bytes]:  # value, raised or oversize; the body
    try:
        body = _encode(await tool.target(**arguments))  # type: ignore[operator]  # a coroutine function
    except Exception as error:  # told to the operator, as a worker's traceback is; the model gets the class's name
        asyncio.get_running_loop().call_exception_handler({"message": f"tool {tool.name} failed", "exception": error})
        return "raised", _encode([kind.__name__[:64] for kind in type(error).__mro__[:-2]])
    return ("value", body) if len(body) <= tool.max_bytes else ("oversize", b"")


def serve() -> None:
    """A worker's side, in a process of its own: make the tool, then answer calls until the pipe ends."""
    pipe, function = socket.socket(fileno=os.dup(0)), None
    source = pipe.makefile("rb")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # what a tool prints goes where its errors go, not into the protocol
    while len(head := source.read(_HEAD.size)) == _HEAD.size:
        number, _, length = _HEAD.unpack(head)
        given = json.loads(source.read(length))
        signal.setitimer(signal.ITIMER_REAL, given["seconds"] + 1.0)  # for where its parent is gone and nobody kills it
        try:
            if function is None:
                made = resolve_name(given["target"])
                value, function = None, made if given["factory"] is None else made(**given["factory"])
            else:
                value = function(**given["arguments"])
            status, body = 0, _encode(asyncio.run(value) if inspect.iscoroutine(value) else value)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)  # for the operator; the model gets the class's name
            status, body = 1, _encode([kind.__name__[:64] for kind in type(error).__mro__[:-2]])
        signal.setitimer(signal.ITIMER_REAL, 0)
        pipe.sendall(_HEAD.pack(number, status, len(body)) + body[: given["most"]])


class _Child:
    """A process group of ours, and our end of the socket that its leader writes to (and a worker reads from)."""

    def __init__(self, argv: Sequence[str], given: bytes | None = None) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs, TemporaryFile() as file:
            file.write(given or b"")
            file.seek(0)
            into = theirs.fileno() if given is None else file.fileno()
            self.proc = subprocess.Popen(argv, stdin=into, stdout=theirs.fileno(), start_new_session=True)
            self.maker, self.calls, self.sock = os.getpid(), 0, ours.dup()
        self.sock.setblocking(False)

    async def ask(self, given: Mapping[str, Any], seconds: float, most: int) -> tuple[str, bytes]:
        """One call of a worker: value, raised, oversize or crash, and the body."""
        body, self.calls = json.dumps({**given, "seconds": max(seconds, 0.0), "most": most}).encode(), self.calls + 1
        with suppress(OSError, struct.error):
            await asyncio.get_running_loop().sock_sendall(self.sock, _HEAD.pack(self.calls, 0, len(body)) + body)
            number, status, length = _HEAD.unpack(await self._read(_HEAD.size))
            if number == self.calls and length > most:
                return "oversize", b""
            if number == self.calls and status < 2 and len(body := await self._read(length)) == length:
                return ("value", "raised")[status], body
        return "crash", b""

    async def output(self, most: int) -> tuple[str, bytes]:
        """All that a command says: value, oversize or exit (a status that is not 0), and the body."""
        with suppress(OSError):  # it reset the connection
            body = await self._read(most + 1)
            while len(body) <= most and self.proc.poll() is None:
                await asyncio.sleep(0.002)
            return ("oversize", b"") if len(body) > most else ("exit" if self.proc.returncode else "value", body)
        return "exit", b""

    async def _read(self, most: int) -> bytes:
        got, loop = bytearray(), asyncio.get_running_loop()
        while len(got) < most and (piece := await loop.sock_recv(self.sock, min(65_536, most - len(got)))):
            got += piece
        return bytes(got)

    def usable(self) -> bool:  # made by this process and not by its parent, its socket open and silent
        try:
            return self.maker == os.getpid() and self.sock.recv(1) is None
        except OSError as error:
            return isinstance(error, BlockingIOError)

    def kill(self) -> threading.Thread:
        """Kill the group and (where /proc tells, on Linux) all below its leader, at once; what collects it."""
        family = [self.proc.pid] if self.maker == os.getpid() and self.sock.fileno() >= 0 else []
        for pid in family:  # each is stopped when found, so that none forks away
            with suppress(OSError):
                os.kill(pid, signal.SIGSTOP)
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    family += map(int, children.read_text().split())
        for pid in family:
            for send in (os.killpg, os.kill):
                with suppress(OSError):
                    send(pid, signal.SIGKILL)
        self.sock.close()
        collector = threading.Thread(target=self.proc.wait, daemon=True)
        collector.start()
        return collector


@dataclass(frozen=True, eq=False, repr=False)
class Dispatcher(AbstractContextManager["Dispatcher"]):
    """Runs the tools of one allowlist for any number of runs, and keeps idle workers until ``close``.

    ``sink`` takes each evidence record, or raises. ``clock`` counts monotonic seconds. ``approve(run_id, tool,
    arguments, key)`` says who approved. At most ``workers`` processes (0: two a processor) run at once; others wait.
    """

    tools: InitVar[Iterable[Tool] | Allowlist]
    sink: Callable[[Mapping[str, Any]], None]
    _: KW_ONLY
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    ids: Callable[[], str] = lambda: f"run-{os.urandom(8).hex()}"
    approve: Callable[[str, Tool, Mapping[str, Any], str], str | None] | None = None
    workers: InitVar[int] = 0
    allowlist: Allowlist = field(init=False)
    _free: threading.Semaphore = field(init=False)
    _idle: dict[str, list[_Child]] = field(init=False, default_factory=dict)  # workers, by tool
    _closed: threading.Event = field(init=False, default_factory=threading.Event)

    def __post_init__(self, tools: Iterable[Tool] | Allowlist, workers: int) -> None:
        allowlist = tools if isinstance(tools, Allowlist) else Allowlist(tools)
        if not callable(self.sink) or (self.approve is None and any(t.approval for t in allowlist.tools.values())):
            raise TypeError("a dispatcher needs a sink, and an approve callback where a tool asks for approval")
        vars(self).update(allowlist=allowlist, _free=threading.Semaphore(workers or max(4, 2 * (os.cpu_count() or 1))))

    def close(self, *_: object) -> None:
        """Kill idle workers now and busy ones when their call ends; waits some seconds for the kernel at most."""
        self._closed.set()
        for collector in [child.kill() for kept in [*self._idle.values()] for child in kept]:
            collector.join(10 * _REAP)

    __exit__ = close

    def start(self, budget: Budget, parent_run_id: str | None = None, scope: str | None = None) -> Run:
        """A new run. A resume names its parent; runs of one ``scope`` (the parent's id) make equal idempotency keys."""
        run_id = self.ids()
        return Run(self, budget, run_id, parent_run_id, scope or parent_run_id or run_id)

    def dispatch(self, run: Run, call: Call) -> Answer:
        """The blocking twin of ``dispatch_async``."""
        return blocking(self.dispatch_async(run, call))

    def answer(self, run: Run, call: Call) -> Answer:
        """The blocking twin of ``answer_async``."""
        return blocking(self.answer_async(run, call))

    async def dispatch_async(self, run: Run, call: Call) -> Answer:
        """Pass one call through all gates. GateError when one refuses, ToolError when the tool fails."""
        answer = await self.answer_async(run, call)
        if answer.code in ("tool_timeout", "schema_invalid"):
            raise GateError(answer.code, call.name, run.run_id, terminal=False)
        if answer.code not in (None, "not_run"):
            raise ToolError(call.name, answer.value["kind"])
        return answer

    async def answer_async(self, run: Run, call: Call) -> Answer:
        """As ``dispatch_async``, but what a model may see comes back as a fixed payload; what ends a run is raised."""
        if run.owner is not self:
            raise ValueError("the run belongs to another dispatcher")
        run.charge(call.name)
        tool = self.allowlist.tools.get(call.name)
        if tool is None:
            raise run.stop("allowlist", "unknown_tool", call.name[:64], tool=call.name)
        run.emit("allowlist", tool=tool.name)
        try:
            arguments = self._admitted(run, tool, call)
            return arguments if isinstance(arguments, Answer) else await self._run(run, tool, call, arguments)
        except BaseException as error:  # a GateError has ended the run already
            run.end("tool_error" if isinstance(error, ToolError) else "cancelled")
            raise

    def _admitted(self, run: Run, tool: Tool, call: Call) -> dict[str, Any] | Answer:
        """The arguments of a call that may run: an object, not asked for before, approved where that is asked for."""
        try:
            arguments = json.loads(call.arguments or "{}", parse_constant=int)
            same = hashlib.sha256(json.dumps([tool.name, arguments], sort_keys=True).encode()).hexdigest()
        except (ValueError, RecursionError):  # NaN and its kin are no JSON, and no int
            arguments = same = ""
        if not isinstance(arguments, dict):
            return self._failed(run, tool, call, "tool", "bad_arguments")
        run.failures[""] = run.failures.get("", 0) + 1 if same in run.seen and not tool.repeatable else 0
        if run.failures[""] >= run.budget.max_repeats:
            raise run.stop("repeat", "repeat_limit", "again with the same arguments", tool=tool.name)
        if run.failures[""]:
            run.emit("repeat", "not_run", tool=tool.name)
            return Answer(call, {"not_run": "the same call was made before, its result stands above"}, "not_run")
        run.seen.add(same)
        if tool.mutating:
            key = hashlib.sha256(f"{run.scope}\n{same}".encode()).hexdigest()[:32]
            arguments[tool.idempotency_key] = key
            who = self.approve(run.run_id, tool, arguments, key) if tool.approval and self.approve else None
            told = {"idempotency_key": key, "approved_by": who and str(who)[:64]}
            if tool.approval and not who:
                return self._failed(run, tool, call, "approval", "not_approved", **told)
            run.emit("approval", tool=tool.name, **told)
        return arguments

    async def _run(self, run: Run, tool: Tool, call: Call, arguments: dict[str, Any]) -> Answer:
        wall = run.go_on("its tool was due", tool=tool.name)
        seconds, used = min(tool.timeout_s, wall), int((run.budget.max_wall_s - wall) * 1000)
        named = dict[str, Any](tool=tool.name, schema_id=tool.schema_id, timeout_ms=math.ceil(seconds * 1000))
        run.emit("timeout", wall_ms_used=used, **named)
        state, body = await self._invoke(run, tool, arguments)
        run.go_on(f"{tool.name} was running", late=state == "expired" and wall <= tool.timeout_s, **named)
        if run.abandoned:
            raise run.stop("timeout", "tool_timeout", f"{tool.name} swallows its cancellation", **named)
        if state == "expired":
            return self._failed(run, tool, call, "timeout", "tool_timeout", **named)
        kinds = json.loads(body) if state == "raised" else [state]
        if state == "start" or set(kinds) & set(tool.fatal):
            run.emit("tool", "tool_error", **named)
            raise ToolError(tool.name, kinds[0])
        if state not in ("value", "oversize"):
            return self._failed(run, tool, call, "tool", "tool_error", kinds[0], **named)
        size = tool.max_bytes if state == "oversize" else len(body)
        try:
            value = tool.parse(json.loads(body[: tool.max_bytes], parse_constant=int))  # an oversize one has none
        except Exception:  # whatever a schema raises: its text may quote the result, so nothing of it goes on
            return self._failed(run, tool, call, "schema", "schema_invalid", parse_ok=False, bytes=size, **named)
        run.failures[tool.name] = 0
        run.emit("ok", parse_ok=True, bytes=size, **named)
        return Answer(call, value)

    def _failed(self, run: Run, tool: Tool, call: Call, gate: str, code: str, kind: str = "", /, **more: Any) -> Answer:
        run.failures[tool.name] = count = run.failures.get(tool.name, 0) + 1
        run.emit(gate, code, **{"tool": tool.name, **more})
        if count >= run.budget.max_failures:
            raise run.stop("failure", "failure_limit", f"{tool.name} failed {count} times in a row", tool=tool.name)
        return Answer(call, {"error": code, "tool": tool.name, "kind": (kind or code)[:64]}, code)

    async def _invoke(self, run: Run, tool: Tool, arguments: dict[str, Any]) -> tuple[str, bytes]:
        """Run a tool: value, raised, crash, exit, oversize, expired, or start (there is no process); and the body."""
        if callable(tool.target):
            task = await _bounded(_here(tool, arguments), min(tool.timeout_s, run.remaining_s), run)
            return task.result() if task else ("expired", b"")
        while not self._free.acquire(blocking=False):  # a hundred interpreters that start at once would all be late
            if run.remaining_s <= 0 or run.cancelled:
                return "expired", b""
            await asyncio.sleep(0.005)
        child, idle = cast("_Child | None", None), self._idle.setdefault(tool.name, [])
        try:
            if isinstance(tool.target, tuple):
                child = _Child(tool.target, json.dumps(arguments).encode())
                work = child.output(tool.max_bytes)
            else:
                with suppress(IndexError):
                    while not (kept := idle.pop()).usable():
                        kept.kill()
                    child = kept
                if child is None:
                    child = _Child([sys.executable, "-c", _BOOT.format(path=sys.path, file=__file__)])
                    made = {"target": tool.target, "factory": None if tool.factory is None else dict(tool.factory)}
                    seconds = min(tool.start_s, run.remaining_s)
                    started = await _bounded(child.ask(made, seconds, 4096), seconds, run)
                    if started is None or started.result()[0] != "value":
                        return "start", b""
                work = child.ask({"arguments": arguments}, min(tool.timeout_s, run.remaining_s), tool.max_bytes)
            task = await _bounded(work, min(tool.timeout_s, run.remaining_s), run)
            state, body = task.result() if task else ("expired", b"")
            if child.calls and tool.reuse and state in ("value", "raised") and not self._closed.is_set():
                idle.append(child)
                child = None
            return state, body
        except OSError:  # no descriptor or process left, no such command
            return "start", b""
        finally:
            self._free.release()
            if child is not None:
                collector, until = child.kill(), time.monotonic() + _REAP
                while collector.is_alive() and time.monotonic() < until:
                    await asyncio.sleep(0.002)
