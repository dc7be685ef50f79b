"""A dispatcher that fails closed: budget, then allowlist, then timeout, then schema; one evidence line per decision.

A step is one model turn or one dispatch, charged before it starts. What runs is a tool of a frozen allowlist: in a
process that is killed with its group at the deadline, or as a coroutine that is cancelled. Standard library only (for a
JSON Schema as ``result``: jsonschema). Times are seconds unless a name ends in ``_ms``. Process and argv tools need
POSIX; a daemon, which leaves both its process group and its parent, is out of reach of the kill.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import inspect
import json
import math
import os
import re
import threading
import time
import typing
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType, UnionType
from typing import Any, Literal, NamedTuple, Protocol

from toolbind_lint.runtime.workers import Pool, bounded, here, twin

Sink = Callable[[Mapping[str, Any]], None]
CODES = (
    "budget_exceeded",
    "tool_timeout",
    "unknown_tool",
    "schema_invalid",
    "repeat_limit",
    "failure_limit",
    "cancelled",
)
_FIELDS = """run_id parent_run_id step max_steps wall_ms_used max_wall_ms tool timeout_ms allowlist_version schema_id
parse_ok bytes tokens_used max_tokens gate code ts"""


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


@dataclasses.dataclass(frozen=True)
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
            kinds = (int, float) if name in ("max_wall_s", "max_cost") else (int,)
            off = value is None and name in ("max_tokens", "max_cost")
            if not off and (type(value) not in kinds or not 0 < value < math.inf):
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


class Turn(NamedTuple):
    """One reply. ``messages`` is what it adds to the transcript, in the provider's form; ``tokens`` in and out."""

    text: str
    calls: tuple[Call, ...]
    tokens: int | None
    finish: Literal["stop", "calls", "length", "refused"]
    messages: tuple[Any, ...]
    cost: float | None = None


class Model(Protocol):
    """Translates to and from one provider: no loop, no policy, no retry."""

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask once, with tools off in the ``last`` turn. Cancelled after ``timeout_s``; the SDK's exceptions pass."""

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """Say the messages that answer one turn's calls."""


class Outcome(NamedTuple):
    """How a run ended. ``capped`` answers in the reserved last turn; ``truncated`` and ``refused`` are no answers."""

    text: str
    status: Literal["answered", "capped", "truncated", "refused"]
    run: Run
    messages: tuple[Any, ...]


def _fits(value: Any, kind: Any) -> Any:
    """``value`` as ``kind``: dataclasses, lists, unions, literals, plain classes; TypeError or KeyError otherwise."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = typing.get_type_hints(kind)
        return typing.cast(Any, kind)(**{key: _fits(each, hints[key]) for key, each in value.items()})
    if origin is list and isinstance(value, list):
        return [_fits(each, inner[0]) for each in value]
    for each in inner if origin in (typing.Union, UnionType) else ():
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
        name = f"sha256:{hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]}"
        return str(schema.get("$id", name)), lambda value: (check(value), value)[1]
    if isinstance(result, tuple) and result and all(isinstance(key, str) for key in result):
        return f"keys:{','.join(result)}", lambda value: {key: value[key] for key in result}
    name = f"{getattr(result, '__module__', '')}.{getattr(result, '__qualname__', '')}"
    if hasattr(result, "model_validate"):
        return name, lambda value: result.model_validate(value).model_dump(mode="json")
    if isinstance(result, type) and dataclasses.is_dataclass(result):
        return name, lambda value: dataclasses.asdict(_fits(value, result))
    raise TypeError("result: a JSON Schema, a pydantic model, a dataclass, or a tuple of keys (exactly those go back)")


@dataclasses.dataclass(frozen=True)
class Tool:
    """One tool, fixed when it is made; ``target`` says of which kind.

    ``"package.module:function"`` runs in a worker process; with ``factory={...}`` that function makes the tool there,
    from these keywords. A coroutine function runs here and is cancelled. A tuple of words is a command that reads the
    arguments as JSON from its standard input. A str or bytes result is JSON text, anything else is serialised.
    ``timeout_s`` bounds a call, ``start_s`` the start of a worker, both at most what is left of the run. An exception
    whose class or base is named in ``fatal`` ends the run.
    """

    name: str
    target: str | tuple[str, ...] | Callable[..., Coroutine[Any, Any, Any]]
    _: dataclasses.KW_ONLY
    timeout_s: float
    result: Any
    description: str = ""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=lambda: {"type": "object", "properties": {}})
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
    parse: Callable[[Any], Any] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        command, here = isinstance(self.target, tuple), inspect.iscoroutinefunction(self.target)
        for wrong, why in (
            (not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", self.name), "not a name"),
            (callable(self.target) and not here, "blocking code is a process tool, 'package.module:function'"),
            (
                not (command or here or re.fullmatch(r"(?!__main__:)[\w.]+:\w+", str(self.target))),
                "no importable target",
            ),
            (not here and not hasattr(os, "killpg"), "process and argv tools need POSIX"),
            (not (0 < self.timeout_s < math.inf and 0 < self.start_s < math.inf), "a time is finite and above zero"),
            (not 0 < self.max_bytes < 1 << 31, "max_bytes is above zero and under 2 GiB"),
            (self.mutating and not self.idempotency_key, "a mutating tool needs an idempotency_key"),
        ):
            if wrong:
                raise ValueError(f"tool {self.name!r}: {why}")
        schema_id, parse = _checker(self.result)
        vars(self).update(parse=parse, schema_id=self.schema_id or schema_id)
        for name in ("parameters", "factory"):  # private copies: what is on offer cannot change in a run
            copy = json.loads(json.dumps(dict(getattr(self, name) or {})))
            vars(self)[name] = None if getattr(self, name) is None else MappingProxyType(copy)


@dataclasses.dataclass(frozen=True, init=False)
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


class Run:
    """One run's identity, limits and counters: a counter only grows, all else stands. ``Dispatcher.start`` makes it.

    Its steps come one after the other; another thread may only ``cancel`` it.
    """

    def __init__(self, owner: Dispatcher, budget: Budget, run_id: str, parent_run_id: str | None, scope: str) -> None:
        self.run_id, self.parent_run_id, self.scope, self.budget = run_id, parent_run_id, scope, budget
        self.owner, self._lock, self._started = owner, threading.Lock(), owner.clock()
        self._seen: set[str] = set()
        self._failures: dict[str, int] = {}  # in a row, by tool; "" counts repeats
        self.abandoned: list[asyncio.Task[Any]] = []  # coroutines that swallowed their cancellation
        self.steps, self.tokens, self.cost, self.cancelled, self.ended = 0, 0, 0.0, False, ""
        self._emit("start", tools={each.name: round(each.timeout_s * 1000) for each in owner.allowlist.tools.values()})

    def __setattr__(self, name: str, value: Any) -> None:
        counter = name in ("steps", "tokens", "cost", "cancelled", "ended")
        if name in vars(self) and not (counter and value >= getattr(self, name)):
            raise AttributeError(f"{name} of a live run does not change")
        super().__setattr__(name, value)

    def __enter__(self) -> Run:
        return self

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
            spent = "cancel" if self.cancelled else "steps" if self.steps >= self.budget.max_steps else ""
            left = self.remaining_s
            spent = self.ended or spent or ("wall" if left <= 0 else "")
            self.steps += 0 if spent else 1
        if self.ended:
            code = self.ended if self.ended in CODES else "cancelled"
            raise GateError(code, "the run has ended; a retry is a new run with a parent_run_id", self.run_id)
        if spent:
            code = "cancelled" if spent == "cancel" else "budget_exceeded"
            raise self._stop(spent, code, f"nothing left of {spent}", tool=tool)
        self._emit("budget", tool=tool, wall_ms_used=int((self.budget.max_wall_s - left) * 1000))

    def spend(self, tokens: int | None, cost: float | None = None) -> None:
        """Add what a turn used. GateError ``budget_exceeded`` above a limit, or where a set limit cannot be checked."""
        tokens = tokens if type(tokens) is int and tokens >= 0 else None
        cost = cost if isinstance(cost, (int, float)) and 0 <= cost < math.inf else None
        self.tokens += tokens or 0
        self.cost += cost or 0.0
        spent = {
            "tokens": (tokens, self.tokens, self.budget.max_tokens),
            "cost": (cost, self.cost, self.budget.max_cost),
        }
        for gate, (told, total, most) in spent.items():
            if most is not None and (told is None or total > most):
                raise self._stop(gate, "budget_exceeded", f"{gate}: {total} of {most}, {told} of it in this turn")
        self._emit("ok")

    def end(self, code: str | None = None) -> None:
        """Close the record, once; ``code`` is None when the model answered."""
        with self._lock:
            first, self.ended = not self.ended, self.ended or code or "answered"
        if first:
            self._emit("end", code)

    def _stop(self, gate: str, code: str, message: str, **more: Any) -> GateError:
        if not self.ended:
            self._emit(gate, code, **more)
            self.end(code)
        return GateError(code, message, self.run_id)

    def _emit(self, gate: str, code: str | None = None, tool: str | None = None, **more: Any) -> None:
        budget, record = self.budget, dict.fromkeys(_FIELDS.split())
        record |= {"run_id": self.run_id, "parent_run_id": self.parent_run_id, "gate": gate, "code": code}
        record |= {"step": self.steps, "max_steps": budget.max_steps, "max_wall_ms": round(budget.max_wall_s * 1000)}
        record |= {"wall_ms_used": int((budget.max_wall_s - self.remaining_s) * 1000), "tool": tool and tool[:64]}
        record |= {"tokens_used": self.tokens, "max_tokens": budget.max_tokens, "ts": self.owner.now()}
        record |= {"allowlist_version": self.owner.allowlist.version, **more}
        try:
            self.owner.sink(record)
        except Exception as error:  # no evidence, no run
            self.ended = self.ended or "cancelled"
            raise GateError("cancelled", "the evidence could not be written", self.run_id) from error


def _refuse(word: str) -> Any:
    raise ValueError(word)


class Dispatcher:
    """Runs the tools of one allowlist for any number of runs, and keeps idle workers until ``close``.

    ``sink`` takes each evidence record, and raises when it cannot keep it. ``clock`` counts monotonic seconds, ``now``
    stamps records, ``ids`` names runs. ``approve(run_id, tool, arguments, key)`` returns who approved, or None.
    ``workers`` run at once at most (0: two a processor); further calls wait, on their run's wall budget.
    """

    def __init__(
        self,
        tools: Iterable[Tool] | Allowlist,
        sink: Sink,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        ids: Callable[[], str] = lambda: f"run-{os.urandom(8).hex()}",
        approve: Callable[[str, Tool, Mapping[str, Any], str], str | None] | None = None,
        workers: int = 0,
    ) -> None:
        self.allowlist = tools if isinstance(tools, Allowlist) else Allowlist(tools)
        self.sink, self.clock, self.now, self._ids, self._approve = sink, clock, now, ids, approve
        if approve is None and any(tool.approval for tool in self.allowlist.tools.values()):
            raise ValueError("a tool asks for approval, and there is no approve callback")
        self._pool = Pool(workers or max(4, 2 * (os.cpu_count() or 1)))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self):
            raise AttributeError(f"{name} of a dispatcher does not change")
        super().__setattr__(name, value)

    def __enter__(self) -> Dispatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill idle workers now and busy ones when their call ends; waits some seconds for the kernel at most."""
        self._pool.close()

    def start(self, budget: Budget, parent_run_id: str | None = None, scope: str | None = None) -> Run:
        """A new run. A resume names its parent; runs of one ``scope`` (the parent's id) make equal idempotency keys."""
        run_id = self._ids()
        return Run(self, budget, run_id, parent_run_id, scope or parent_run_id or run_id)

    async def dispatch_async(self, run: Run, call: Call) -> Answer:
        """Pass one call through all gates: a parsed result, or the fixed payload of a repeat.

        Raises GateError when a gate refuses and ToolError when the tool fails. Only ``tool_timeout``,
        ``schema_invalid`` and a ToolError may leave the run alive.
        """
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
            raise run._stop("allowlist", "unknown_tool", call.name[:64], tool=call.name)
        run._emit("allowlist", tool=tool.name)
        try:
            return await self._admitted(run, tool, call)
        except BaseException as error:  # a GateError has ended the run already
            run.end("tool_error" if isinstance(error, ToolError) else "cancelled")
            raise

    dispatch = twin(dispatch_async)
    answer = twin(answer_async)

    async def _admitted(self, run: Run, tool: Tool, call: Call) -> Answer:
        named: dict[str, Any] = {"tool": tool.name}
        try:
            arguments = json.loads(call.arguments or "{}", parse_constant=_refuse)
            same = hashlib.sha256(json.dumps([tool.name, arguments], sort_keys=True).encode()).hexdigest()
        except (ValueError, RecursionError):
            arguments = same = ""
        if not isinstance(arguments, dict):
            return self._failed(run, tool, call, "tool", code="bad_arguments")
        if same in run._seen and not tool.repeatable:
            run._failures[""] = run._failures.get("", 0) + 1
            if run._failures[""] >= run.budget.max_repeats:
                raise run._stop("repeat", "repeat_limit", f"{tool.name} again with the same arguments", **named)
            run._emit("repeat", "not_run", **named)
            return Answer(call, {"not_run": "the same call was made before, its result stands above"}, "not_run")
        run._failures[""] = 0
        run._seen.add(same)
        if tool.mutating:
            key = hashlib.sha256(f"{run.scope}\n{same}".encode()).hexdigest()[:32]
            arguments[tool.idempotency_key] = key
            who = self._approve(run.run_id, tool, arguments, key) if tool.approval and self._approve else None
            told = {"idempotency_key": key, "approved_by": who and str(who)[:64]}
            if tool.approval and not who:
                return self._failed(run, tool, call, "approval", code="not_approved", **told)
            run._emit("approval", **named, **told)
        wall = run.remaining_s
        if wall <= 0:
            raise run._stop("wall", "budget_exceeded", f"no time left for {tool.name}", **named)
        seconds, used = min(tool.timeout_s, wall), int((run.budget.max_wall_s - wall) * 1000)
        named |= {"schema_id": tool.schema_id, "timeout_ms": math.ceil(seconds * 1000)}
        run._emit("timeout", wall_ms_used=used, **named)
        state, body = await self._invoke(run, tool, arguments, seconds)
        if run.cancelled:
            raise run._stop("cancel", "cancelled", f"{tool.name} was running", **named)
        if run.remaining_s <= 0 or (state == "expired" and wall <= tool.timeout_s):
            raise run._stop("wall", "budget_exceeded", f"{tool.name} was running", **named)
        if run.abandoned:
            raise run._stop("timeout", "tool_timeout", f"{tool.name} swallows its cancellation", **named)
        if state == "expired":
            return self._failed(run, tool, call, "timeout", code="tool_timeout", **named)
        kinds = json.loads(body) if state == "raised" else [state]
        if state == "start" or set(kinds) & set(tool.fatal):
            run._emit("tool", "tool_error", **named)
            raise ToolError(tool.name, kinds[0])
        if state not in ("value", "oversize"):
            return self._failed(run, tool, call, "tool", code="tool_error", kind=kinds[0], **named)
        named |= {"bytes": tool.max_bytes if state == "oversize" else len(body)}
        try:
            value = _refuse(state) if state == "oversize" else tool.parse(json.loads(body, parse_constant=_refuse))
        except Exception:  # whatever a schema raises: its text may quote the result, so nothing of it goes on
            return self._failed(run, tool, call, "schema", code="schema_invalid", parse_ok=False, **named)
        run._failures[tool.name] = 0
        run._emit("ok", parse_ok=True, **named)
        return Answer(call, value)

    def _failed(self, run: Run, tool: Tool, call: Call, gate: str, /, **more: Any) -> Answer:
        code, kind = more["code"], more.pop("kind", more["code"])
        run._failures[tool.name] = count = run._failures.get(tool.name, 0) + 1
        run._emit(gate, **{"tool": tool.name, **more})
        if count >= run.budget.max_failures:
            raise run._stop("failure", "failure_limit", f"{tool.name} failed {count} times in a row", tool=tool.name)
        return Answer(call, {"error": code, "tool": tool.name, "kind": kind}, code)

    async def _invoke(self, run: Run, tool: Tool, arguments: dict[str, Any], seconds: float) -> tuple[str, bytes]:
        """Run a tool, ended after ``seconds``: value, raised, crash, exit, oversize, start or expired; the body."""
        if isinstance(tool.target, str):
            made = {"target": tool.target, "factory": None if tool.factory is None else dict(tool.factory)}
            times = (tool.start_s, tool.timeout_s)
            return await self._pool.call(made, arguments, times, tool.max_bytes, run, keep=tool.reuse)
        if isinstance(tool.target, tuple):
            return await self._pool.command(tool.target, json.dumps(arguments).encode(), seconds, tool.max_bytes, run)
        task = await bounded(here(tool.name, tool.target, arguments, tool.max_bytes), seconds, run)
        return task.result() if task else ("expired", b"")


async def run_loop_async(
    model: Model,
    tools: Iterable[Tool] | Allowlist | Dispatcher,
    budget: Budget,
    messages: Sequence[Any],
    *,
    sink: Sink | None = None,
    parent_run_id: str | None = None,
) -> Outcome:
    """Ask, dispatch, answer until the model answers or a gate ends it; one step is kept for a last turn, tools off.

    Raises GateError, ToolError for a failure that no model can mend, and what the provider's SDK raises. ``tools`` may
    be a Dispatcher, whose workers outlive the run; else ``sink`` is needed. ``messages`` is not changed.
    """
    if not isinstance(tools, Dispatcher):
        if sink is None:
            raise TypeError("a run needs a sink for its evidence")
        with Dispatcher(tools, sink) as owned:
            return await run_loop_async(model, owned, budget, messages, parent_run_id=parent_run_id)
    transcript = list(messages)
    with tools.start(budget, parent_run_id) as run:
        for _ in range(budget.max_steps):  # each pass charges a step, so the range never ends it
            last = run.steps >= budget.max_steps - 1
            turn = await _turn(run, model, transcript, last)
            over = last or not turn.calls or turn.finish == "refused"
            transcript += turn.messages
            answers = []
            for call in turn.calls:  # each gets an answer, so that the transcript stays legal
                short = run.steps >= budget.max_steps - 1
                why = "run_ended" if over else "reply_cut" if turn.finish == "length" else "no_steps_left"
                if short or over or turn.finish == "length":
                    run._emit("steps" if short else "turn", "not_run", tool=call.name)
                    answers.append(Answer(call, {"not_run": why}, "not_run"))
                else:
                    answers.append(await tools.answer_async(run, call))
            transcript += model.answers(answers) if answers else ()
            if last and answers and not turn.text:
                raise run._stop("steps", "budget_exceeded", "the last turn asked for a tool again")
            if over:
                status: Any = "capped" if last else "answered"
                status = {"length": "truncated", "refused": "refused"}.get(turn.finish, status)
                run.end(None if status == "answered" else status)
                return Outcome(turn.text, status, run, tuple(transcript))
    raise AssertionError("unreachable")


async def _turn(run: Run, model: Model, messages: list[Any], last: bool) -> Turn:
    run.charge()
    left = run.remaining_s
    task = await bounded(model.turn(messages, tuple(run.owner.allowlist.tools.values()), last, left), left, run)
    if task is None and run.cancelled:
        raise run._stop("cancel", "cancelled", "the model was being asked")
    if task is None or run.remaining_s <= 0:
        raise run._stop("wall", "budget_exceeded", "the model was being asked")
    try:
        turn = task.result()
    except BaseException:
        run._emit("turn", "model_error")
        run.end("model_error")
        raise
    run.spend(turn.tokens, turn.cost)
    return turn


run_loop = twin(run_loop_async)
