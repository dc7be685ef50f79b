"""Verifies evidence logs: line by line, in constant memory, however many runs are mixed in however many files.

A run's lines must tell one story: a start, steps that count up by one and stay under the cap, gates in their order,
clocks and counters that never go back, one end, and nothing behind it. ``committed`` reads limits out of source without
running it.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import sys
import typing
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

OPEN_RUNS = 10_000  # so many unfinished runs are followed at once; the oldest is let go, and counted
ENDED_RUNS = 100_000  # so many ended runs are remembered, as numbers of 8 bytes
LONGEST = 1 << 16  # bytes of a line; more is no evidence

_CODES = {
    *(
        "budget_exceeded",
        "tool_timeout",
        "unknown_tool",
        "schema_invalid",
        "repeat_limit",
        "failure_limit",
        "cancelled",
    ),
}
_ENDS = {None, "capped", "truncated", "refused", "error", "tool_error", "model_error", *_CODES}
_NO_ENDS = {"not_run", "bad_arguments", "not_approved"}
_GATES = {
    *(
        "start",
        "budget",
        "allowlist",
        "repeat",
        "approval",
        "timeout",
        "schema",
        "ok",
        "steps",
        "wall",
        "tokens",
        "cost",
    ),
    *("failure", "tool", "turn", "cancel", "end"),
}
_LIMITS = ("parent_run_id", "max_steps", "max_wall_ms", "max_tokens", "allowlist_version")
_TEXT, _COUNT = (str,), (int,)
_FIELDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("run_id", "allowlist_version", "gate"), _TEXT),
    **dict.fromkeys(("step", "max_steps", "wall_ms_used", "max_wall_ms", "tokens_used"), _COUNT),
    **dict.fromkeys(("parent_run_id", "tool", "schema_id", "code"), (str, type(None))),
    **dict.fromkeys(("timeout_ms", "bytes", "max_tokens"), (int, type(None))),
    "parse_ok": (bool, type(None)),
    "ts": (int, float),
}

# What may follow: phase -> {(gate, code): next phase}. "?" stands for any code that ends a run. Every phase may stop at
# a gate of the budget; "stop:x" admits only the end with code x.
_Moves = dict[tuple[str, str | None], str]
_ANY_TIME: _Moves = {("cancel", "cancelled"): "stop:cancelled", ("wall", "budget_exceeded"): "stop:budget_exceeded"}
_BETWEEN: _Moves = {
    **_ANY_TIME,
    ("steps", "budget_exceeded"): "stop:budget_exceeded",
    ("steps", "not_run"): "between",
    ("turn", "not_run"): "between",
    ("budget", None): "charged",
}
_FAILED = "failed"
_NEXT: dict[str, _Moves] = {
    "between": _BETWEEN,
    "failed": {**_BETWEEN, ("failure", "failure_limit"): "stop:failure_limit"},
    "turn": {
        **_ANY_TIME,
        ("ok", None): "between",
        ("tokens", "budget_exceeded"): "stop:budget_exceeded",
        ("cost", "budget_exceeded"): "stop:budget_exceeded",
        ("turn", "model_error"): "stop:model_error",
    },
    "named": {("allowlist", None): "admitted", ("allowlist", "unknown_tool"): "stop:unknown_tool"},
    "admitted": {
        **_ANY_TIME,
        ("repeat", "not_run"): "between",
        ("repeat", "repeat_limit"): "stop:repeat_limit",
        ("tool", "bad_arguments"): _FAILED,
        ("approval", None): "approved",
        ("approval", "not_approved"): _FAILED,
        ("timeout", None): "running",
    },
    "approved": {**_ANY_TIME, ("timeout", None): "running"},
    "running": {
        **_ANY_TIME,
        ("ok", None): "between",
        ("timeout", "tool_timeout"): _FAILED,
        ("tool", "tool_error"): _FAILED,
        ("schema", "schema_invalid"): _FAILED,
    },
}


class UnreadableError(Exception):
    """A log, or the source to compare with, that cannot be read: nothing was verified."""


class Problem(NamedTuple):
    """A broken promise: where it shows, whose it is, what it says. ``line`` counts from 1."""

    path: str
    line: int
    run_id: str
    message: str


class Limits(NamedTuple):
    """What source commits to. Budgets as (steps, wall_ms); timeouts in ms by tool; ``unread`` are places, in words."""

    budgets: frozenset[tuple[int, int]]
    timeouts: Mapping[str, frozenset[int]]
    allowlists: frozenset[str]
    unread: tuple[str, ...]


class _Run:
    __slots__ = ("failed", "limits", "names", "phase", "step", "tokens", "told", "tool", "wall")

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.limits = tuple(record[name] for name in _LIMITS)
        self.names: dict[str, int] = record["tools"]
        self.phase, self.step, self.wall, self.tokens = "between", 0, record["wall_ms_used"], 0
        self.tool: str | None = None
        self.failed: tuple[str, str] | None = None
        self.told = 0


def version(names: Sequence[str]) -> str:
    """The ``allowlist_version`` of these names, as ``core.Allowlist`` makes it."""
    return f"sha256:{hashlib.sha256(chr(10).join(sorted(names)).encode()).hexdigest()[:16]}"


def malformed(record: Any) -> str | None:
    """What keeps a value from being a record, in words, or None. The same as the shipped JSON Schema says."""
    if not isinstance(record, dict):
        return "not a record"
    for name, kinds in _FIELDS.items():
        if name not in record:
            return f"no field {name}"
        value: Any = record[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            return f"{name} is {type(value).__name__}"
        if kinds is _COUNT and typing.cast(int, value) < 0:
            return f"{name} is below zero"
    if record["gate"] not in _GATES or record["code"] not in _ENDS | _NO_ENDS:
        return f"gate {record['gate'][:64]!r}, code {str(record['code'])[:64]!r}"
    if not 0 < len(record["run_id"]) <= 256:
        return "run_id is empty or longer than 256"
    tools = record.get("tools")
    if (record["gate"] == "start") != isinstance(tools, dict):
        return "the start, and only the start, lists the tools"
    for name, timeout in (tools or {}).items():
        if type(timeout) is not int or timeout < 0:
            return f"the timeout of {name} is no number"
    return None


class Verifier:
    """Takes lines in order and keeps what it needs of each open run; ``problem`` is told of each broken promise."""

    def __init__(self, problem: Callable[[Problem], None], limits: Limits | None = None) -> None:
        self._problem, self._limits = problem, limits
        self._open: OrderedDict[str, _Run] = OrderedDict()
        self._ended: OrderedDict[int, None] = OrderedDict()
        self.lines, self.runs, self.cut, self.problems, self.let_go = 0, 0, 0, 0, 0
        self.steps, self.most_steps, self.tokens = 0, 0, 0
        self.endings: dict[str, int] = {}
        self.tools: dict[str, int] = {}

    @property
    def unfinished(self) -> int:
        """Runs without an end so far: still going, or killed with their process."""
        return len(self._open) + self.let_go

    def line(self, path: str, number: int, data: bytes) -> None:
        """Take one line, its number counted from 1."""
        if not data.strip():
            return
        self.lines += 1
        try:
            record = json.loads(data) if len(data) <= LONGEST else None
        except (ValueError, RecursionError):
            record = None
        if record is None and data.startswith(b"{"):
            # A killed process leaves such a line. What is missing with it shows in the run's next line.
            self.cut += 1
            return
        if wrong := malformed(record):
            self._say(path, number, "", f"no evidence: {wrong}")
            return
        self._record(path, number, typing.cast("dict[str, Any]", record))

    def _say(self, path: str, number: int, run_id: str, message: str) -> None:
        self.problems += 1
        self._problem(Problem(path, number, run_id, message))

    def _record(self, path: str, number: int, record: dict[str, Any]) -> None:
        run_id = record["run_id"]
        key = int.from_bytes(hashlib.blake2b(run_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        run = self._open.get(run_id)

        def say(message: str) -> None:
            self._say(path, number, run_id, message)

        if run is None:
            if key in self._ended:
                say(f"{record['gate']} after the run's end")
                return
            if record["gate"] != "start":
                say(f"{record['gate']} without the run's start")
                record = {**record, "tools": {}}
            run = self._open[run_id] = _Run(record)
            self.runs += 1
            if len(self._open) > OPEN_RUNS:
                self._open.popitem(last=False)
                self.let_go += 1
            if record["gate"] == "start":
                self._start(record, run, say)
                return
            run.step, run.phase = record["step"], "lost"  # its first lines are missing: follow what can be followed
        elif record["gate"] == "start":
            say("a second start")
            return
        self._follow(record, run, say)
        if record["gate"] == "end":
            self._end(record, run, key)

    def _start(self, record: Mapping[str, Any], run: _Run, say: Callable[[str], None]) -> None:
        if record["step"] != 0 or record["code"] is not None:
            say("a start that is none")
        if record["allowlist_version"] != version(list(run.names)):
            say("the allowlist's version is not that of its tools")
        if record["parent_run_id"] == record["run_id"]:
            say("the run is its own parent")
        if self._limits is None:
            return
        bounds = (record["max_steps"], record["max_wall_ms"])
        if bounds not in self._limits.budgets:
            say(f"{bounds[0]} steps in {bounds[1]} ms are not committed")
        if record["allowlist_version"] not in self._limits.allowlists:
            say("the allowlist is not committed")
        for name, timeout in run.names.items():
            if timeout not in self._limits.timeouts.get(name, ()):
                say(f"a timeout of {timeout} ms for {name} is not committed")

    def _follow(self, record: Mapping[str, Any], run: _Run, say: Callable[[str], None]) -> None:
        gate, code, step = record["gate"], record["code"], record["step"]
        for name, was in zip(_LIMITS, run.limits, strict=True):
            if record[name] != was:
                say(f"{name} went from {was} to {record[name]}")
        run.limits = tuple(record[name] for name in _LIMITS)
        charged = (gate, code) == ("budget", None)
        if step != run.step + charged:
            say(f"step {step} after step {run.step}")
        run.step = step
        if step > record["max_steps"]:
            say(f"step {step} of {record['max_steps']}")
        if record["wall_ms_used"] < run.wall:
            say(f"the clock went from {run.wall} to {record['wall_ms_used']} ms")
        run.wall = max(run.wall, record["wall_ms_used"])
        if charged and record["wall_ms_used"] > record["max_wall_ms"]:
            say("a step after the wall budget was spent")
        if record["tokens_used"] < run.tokens:
            say(f"tokens went from {run.tokens} to {record['tokens_used']}")
        elif record["tokens_used"] != run.tokens and run.phase not in ("turn", "lost"):
            say("tokens moved outside a turn")
        run.tokens = record["tokens_used"]
        if code is None and gate != "end" and record["max_tokens"] is not None and run.tokens > record["max_tokens"]:
            say(f"{gate} with {run.tokens} tokens of {record['max_tokens']}")
        self._gates(record, run, say)
        self._advance(gate, code, record["tool"], run, say)

    def _gates(self, record: Mapping[str, Any], run: _Run, say: Callable[[str], None]) -> None:
        """What a line claims of its own gate."""
        gate, code, tool = record["gate"], record["code"], record["tool"]
        if (gate, code) == ("allowlist", None):
            if tool not in run.names and run.phase != "lost":
                say(f"{tool} was admitted and is not on the allowlist")
            name = tool if tool in run.names else "(unknown)"
            self.tools[name] = self.tools.get(name, 0) + 1
        if code == "unknown_tool" and gate == "allowlist" and tool in run.names:
            say(f"{tool} was refused and is on the allowlist")
        if (gate, code) == ("timeout", None):
            timeout, left = record["timeout_ms"], record["max_wall_ms"] - record["wall_ms_used"]
            if timeout is None or timeout > left + 1 or timeout > run.names.get(tool or "", left) + 1:
                say(f"{tool} was given {timeout} ms; its own timeout or the wall budget allows less")
            elif timeout < min(left, run.names.get(tool or "", timeout)) - 1:
                say(f"{tool} was given {timeout} ms, less than its timeout and what was left")
        if run.phase == "running" and gate in ("ok", "schema") and record["parse_ok"] is not (gate == "ok"):
            say("the result was not parsed" if gate == "ok" else "a result that parsed was refused")

    def _advance(self, gate: str, code: str | None, tool: str | None, run: _Run, say: Callable[[str], None]) -> None:
        phase = run.phase
        if phase in ("named", "admitted", "approved", "running") and gate != "end" and tool != run.tool:
            say(f"{gate} of {tool} in the dispatch of {run.tool}")
        if gate == "end":
            if phase.startswith("stop:") and code != phase[5:]:
                say(f"the run stopped with {phase[5:]} and ended with {code}")
            if code not in _ENDS or (code is None and phase not in ("between", "failed", "lost")):
                say(f"an end with {code} in the middle of a step")
            return
        follows = _NEXT.get(phase)
        if follows is None:
            if phase.startswith("stop:"):
                say(f"{gate} ran after the run was stopped by {phase[5:]}")
                return
            follows = {key: after for each in _NEXT.values() for key, after in each.items()}
        after = follows.get((gate, code))
        if after is None:
            say(f"{gate}{f' ({code})' if code else ''} while {_WORDS.get(phase, phase)}")
            after = next((each[gate, code] for each in _NEXT.values() if (gate, code) in each), "between")
        if after == "charged":
            run.tool, after = tool, "turn" if tool is None else "named"
        if code is not None and code != "not_run":
            run.failed = (gate, code)
        run.phase = after

    def _end(self, record: Mapping[str, Any], run: _Run, key: int) -> None:
        code = record["code"]
        gate = f" ({run.failed[0]})" if run.failed and run.failed[1] == code else ""
        ending = f"{code or 'answered'}{gate}" if code in _ENDS else "(unknown)"
        self.endings[ending] = self.endings.get(ending, 0) + 1
        self.steps += run.step
        self.most_steps = max(self.most_steps, run.step)
        self.tokens += run.tokens
        del self._open[record["run_id"]]
        self._ended[key] = None
        if len(self._ended) > ENDED_RUNS:
            self._ended.popitem(last=False)


_WORDS = {
    "between": "no step was charged",
    "failed": "no step was charged",
    "turn": "a turn had no conclusion",
    "named": "the allowlist had not decided",
    "admitted": "no timeout was set",
    "approved": "no timeout was set",
    "running": "a tool was running",
}


def lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The numbered lines of a log, each cut behind LONGEST bytes."""
    number = 0
    while data := file.readline(LONGEST + 1):
        number, rest = number + 1, data
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST + 1)
        yield number, data


class _Source:
    """The assignments, imports and calls of one file, by name."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self.values: dict[str, list[ast.expr]] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = ((node.module or "").rpartition(".")[2], alias.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, (ast.Name, ast.Attribute)):
                        name = target.id if isinstance(target, ast.Name) else target.attr
                        self.values.setdefault(name, []).append(node.value)

    def called(self, node: ast.Call) -> str:
        """The last name of what a call calls, as it is named where it was imported from."""
        if isinstance(node.func, ast.Name):
            return self.imports.get(node.func.id, ("", node.func.id))[1]
        return node.func.attr if isinstance(node.func, ast.Attribute) else ""


class _Reader:
    """Follows names through the files under one path. Nothing of them is run."""

    def __init__(self, sources: Sequence[_Source]) -> None:
        self.sources = sources
        self.unread: list[str] = []

    def value(self, source: _Source, node: ast.expr, depth: int = 0) -> tuple[_Source, ast.expr] | None:
        """The expression that a name stands for, if exactly one is written."""
        if depth > 20 or not isinstance(node, (ast.Name, ast.Attribute)):
            return (source, node) if depth <= 20 else None
        name = node.id if isinstance(node, ast.Name) else node.attr
        written = source.values.get(name, [])
        if len(written) == 1:
            return self.value(source, written[0], depth + 1)
        module, name = source.imports.get(name, ("", name))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = source.imports.get(node.value.id, ("", node.value.id))[1]
        found = [each for each in self.sources if module and Path(each.path).stem == module and name in each.values]
        if not written and len(found) == 1 and len(found[0].values[name]) == 1:
            return self.value(found[0], found[0].values[name][0], depth + 1)
        return None

    def number(self, source: _Source, node: ast.expr | None) -> float | None:
        """A number written in the source, through names and arithmetic."""
        if node is None or (found := self.value(source, node)) is None:
            return None
        source, node = found
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return float(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.BinOp):
            left, right = self.number(source, node.left), self.number(source, node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Div) and right:
                return left / right
            return left + right if isinstance(node.op, ast.Add) else None
        return None

    def tools(self, source: _Source, node: ast.expr) -> list[str] | None:
        """The names of the tools in a list, through names, sums and stars."""
        if (found := self.value(source, node)) is None:
            return None
        source, node = found
        if isinstance(node, ast.Call) and source.called(node) == "Allowlist" and (inner := _argument(node, 0, "tools")):
            return self.tools(source, inner)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.tools(source, node.left), self.tools(source, node.right)]
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            parts = [self.tool(source, each) for each in node.elts]
        else:
            return None
        return None if None in parts else [name for part in parts for name in part or ()]

    def tool(self, source: _Source, node: ast.expr) -> list[str] | None:
        """The name of one element of such a list."""
        if isinstance(node, ast.Starred):
            return self.tools(source, node.value)
        if (found := self.value(source, node)) is None:
            return None
        source, node = found
        if not isinstance(node, ast.Call) or source.called(node) != "Tool":
            return None
        name = self.text(source, _argument(node, 0, "name"))
        return None if name is None else [name]

    def text(self, source: _Source, node: ast.expr | None) -> str | None:
        """A string written in the source."""
        found = self.value(source, node) if node is not None else None
        value = found[1] if found else None
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None

    def miss(self, source: _Source, node: ast.expr, what: str) -> None:
        """Note a limit that is not written in the source."""
        self.unread.append(f"{source.path}:{node.lineno}: {what} is not written here")


def _argument(node: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg == name:
            return keyword.value
    return node.args[position] if len(node.args) > position else None


def committed(path: str) -> Limits:
    """The limits that a file, or the Python files of a folder, commit to, read as syntax. OSError, SyntaxError."""
    root = Path(path)
    files = sorted(root.rglob("*.py")) if root.is_dir() else [root]
    hidden = {".git", ".venv", "venv", "node_modules", "__pycache__", "site-packages"}
    sources = []
    for file in files:
        if not hidden & set(file.relative_to(root).parts if root.is_dir() else ()):
            sources.append(_Source(str(file), ast.parse(file.read_bytes(), str(file))))
    reader = _Reader(sources)
    budgets, allowlists, timeouts = set(), set(), dict[str, set[int]]()
    places = {"Allowlist": 0, "Dispatcher": 0, "run_loop": 1, "run_loop_async": 1}
    for source in sources:
        for call in source.calls:
            name = source.called(call)
            if name == "Budget":
                steps = reader.number(source, _argument(call, 0, "max_steps"))
                wall = reader.number(source, _argument(call, 1, "max_wall_s"))
                if steps is None or wall is None:
                    reader.miss(source, call, "max_steps" if steps is None else "max_wall_s")
                else:
                    budgets.add((int(steps), round(wall * 1000)))
            elif name == "Tool":
                tool = reader.text(source, _argument(call, 0, "name"))
                timeout = reader.number(source, _argument(call, 99, "timeout_s"))
                if tool is None or timeout is None:
                    reader.miss(source, call, "name" if tool is None else "timeout_s")
                else:
                    timeouts.setdefault(tool, set()).add(round(timeout * 1000))
            elif name in places and (given := _argument(call, places[name], "tools")):
                names = reader.tools(source, given)
                if names is not None:
                    allowlists.add(version(names))
                elif not isinstance(given, ast.Name):
                    reader.miss(source, call, "the list of tools")
    fixed = {tool: frozenset(values) for tool, values in timeouts.items()}
    return Limits(frozenset(budgets), fixed, frozenset(allowlists), tuple(reader.unread))


def schema() -> dict[str, Any]:
    """The JSON Schema of a record, as shipped."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "evidence.schema.json").read_text("utf-8"))
    return loaded


def _summary(verifier: Verifier) -> dict[str, Any]:
    by_number = sorted(verifier.endings.items(), key=lambda each: (-each[1], each[0]))
    ended = sum(verifier.endings.values())
    return {
        "lines": verifier.lines,
        "runs": verifier.runs,
        "unfinished": verifier.unfinished,
        "cut_lines": verifier.cut,
        "problems": verifier.problems,
        "endings": dict(by_number),
        "steps": {
            "total": verifier.steps,
            "most": verifier.most_steps,
            "mean": round(verifier.steps / max(ended, 1), 2),
        },
        "tokens": verifier.tokens,
        "dispatches": dict(sorted(verifier.tools.items())),
    }


def verify(files: Sequence[str], against: str | None = None, form: str = "text", limit: int = 100) -> tuple[bool, str]:
    """Whether every promise held in these logs, oldest first (``-``: standard input), and a report.

    ``form`` is ``text`` or ``json``; ``limit`` is how many problems are shown, all are counted. UnreadableError when a
    file or the source cannot be read.
    """
    shown: list[Problem] = []

    def problem(found: Problem) -> None:
        if len(shown) < limit:
            shown.append(found)

    try:
        limits = committed(against) if against else None
        if limits is not None and not (limits.budgets or limits.unread):
            raise ValueError(f"{against}: no Budget is made there")
        verifier = Verifier(problem, limits)
        for path in files:
            with os.fdopen(os.dup(0), "rb") if path == "-" else Path(path).open("rb") as file:
                for number, data in lines(file):
                    verifier.line(path, number, data)
    except (OSError, SyntaxError, ValueError) as error:
        raise UnreadableError(str(error)) from error
    result = {**_summary(verifier), "unread": list(limits.unread if limits else ())}
    if form == "json":
        whole = {"schema_version": 1, "shown": [each._asdict() for each in shown], **result}
        return not verifier.problems, json.dumps(whole, indent=2) + "\n"
    return not verifier.problems, _text(shown, result)


def main(argv: Sequence[str] | None = None, prog: str = "toolbind-lint evidence") -> int:
    """Verify logs and print the report. 0: every promise held; 1: one did not; 2: usage, or a file cannot be read."""
    parser = argparse.ArgumentParser(prog=prog, description="Verify evidence logs of the reference dispatcher.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="logs, oldest first; - reads standard input")
    parser.add_argument("--against", metavar="PATH", help="compare with the limits committed in this file or folder")
    parser.add_argument("--output-format", choices=("text", "json"), default="text")
    try:
        given = parser.parse_args(argv)
        held, report = verify(given.files, given.against, given.output_format)
    except SystemExit as stop:
        return int(stop.code or 0)
    except UnreadableError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    sys.stdout.write(report)
    return 0 if held else 1


def _text(shown: Sequence[Problem], result: Mapping[str, Any]) -> str:
    said = [f"{each.path}:{each.line}: {each.run_id or '(no run)'}: {each.message}" for each in shown]
    if result["problems"] > len(shown):
        said.append(f"... and {result['problems'] - len(shown)} more")
    said += [f"note: {place}" for place in (result["unread"] if shown else ())]
    said.append(
        f"{result['runs']} runs in {result['lines']} lines, {result['unfinished']} without an end, "
        f"{result['cut_lines']} lines cut: {result['problems']} broken promises"
    )
    said += [f"  {number:>8}  {ending}" for ending, number in result["endings"].items()]
    steps = result["steps"]
    said.append(f"  steps {steps['total']} (mean {steps['mean']}, most {steps['most']}), tokens {result['tokens']}")
    tools = ", ".join(f"{name} {number}" for name, number in result["dispatches"].items())
    said.append(f"  dispatches: {tools or 'none'}")
    # A log may hold a model's words: nothing of them steers a terminal.
    return "".join("".join(each if each.isprintable() else "?" for each in line) + "\n" for line in said)
