"""Logs: kept whole by many writers, verified in constant memory, compared with what is committed."""

from __future__ import annotations

import io
import json
import logging
import multiprocessing
import os
import random
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from runtime_support import Log, Scripted, asks, call, says

from toolbind_lint.cli import main as cli
from toolbind_lint.runtime import evidence, sinks
from toolbind_lint.runtime.core import Budget, Dispatcher, GateError, Tool
from toolbind_lint.runtime.evidence import Problem, Verifier, committed
from toolbind_lint.runtime.loop import run_loop
from toolbind_lint.runtime.sinks import FileSink, LoggingSink, OpenTelemetrySink, as_line, both


async def find(query: str = "") -> dict[str, Any]:
    return {"hits": [query]}


async def text() -> str:
    return "not-json"


TOOLS = [
    Tool("find", find, timeout_s=2.0, result=("hits",)),
    Tool("text", text, timeout_s=3.0, result=("hits",)),
]


def a_log() -> Log:
    """A run with a success, a miss and a repeat, that answers."""
    log = Log()
    turns = asks(call("find", query="a"), call("text"), call("find", query="a")), says()
    run_loop(Scripted(*turns), TOOLS, Budget(9, 60.0), [], sink=log)
    return log


def problems(records: list[dict[str, Any]], limits: evidence.Limits | None = None) -> list[str]:
    found: list[Problem] = []
    verifier = Verifier(found.append, limits)
    for number, record in enumerate(records, 1):
        verifier.line("log", number, as_line(record).encode() + b"\n")
    return [problem.message for problem in found]


def test_every_line_of_a_run_is_as_the_schema_says() -> None:
    schema = evidence.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    log = a_log()
    for record in log:
        jsonschema.validate(record, schema)
        assert evidence.malformed(record) is None
    assert problems(log) == []


# Where, which field, what it becomes, what is said of it. The log has, by line: 0 start, 1 budget (turn), 2 ok,
# 3-6 find, 7-10 text, 11-13 the repeat, 14 budget (turn), 15 ok, 16 end.
LIES: list[tuple[int, str, Any, str]] = [
    (3, "step", 3, "step 3 after step 1"),
    (3, "step", 1, "step 1 after step 1"),
    (5, "step", 3, "step 3 after step 2"),
    (6, "max_steps", 99, "max_steps went from 9 to 99"),
    (6, "max_wall_ms", 1, "max_wall_ms went"),
    (6, "max_tokens", None, "max_tokens went"),
    (6, "parent_run_id", "x", "parent_run_id went"),
    (6, "allowlist_version", "sha256:0", "allowlist_version went"),
    (0, "allowlist_version", "sha256:0", "not that of its tools"),
    (0, "tools", {"find": 2000}, "not that of its tools"),
    (0, "step", 1, "a start that is none"),
    (4, "tool", "rm", "rm was admitted"),
    (5, "tool", "text", "in the dispatch of find"),
    (5, "timeout_ms", 99_999, "allows less"),
    (5, "timeout_ms", None, "allows less"),
    (5, "timeout_ms", 5, "less than its timeout"),
    (5, "wall_ms_used", 70_000, "the clock went"),
    (3, "wall_ms_used", 70_000, "after the wall budget"),
    (6, "parse_ok", None, "was not parsed"),
    (6, "parse_ok", False, "was not parsed"),
    (10, "parse_ok", True, "that parsed was refused"),
    (2, "tokens_used", 0, "tokens moved outside"),
    (5, "tokens_used", 3, "tokens went"),
    (5, "tokens_used", 11, "tokens moved outside"),
    (15, "tokens_used", 300_000, "with 300000 tokens"),
    (6, "gate", "start", "only the start"),
    (6, "gate", "magic", "gate 'magic'"),
    (6, "code", "fine", "code 'fine'"),
    (6, "bytes", "many", "bytes is str"),
    (6, "step", -1, "step is below zero"),
    (6, "step", True, "step is bool"),
    (6, "run_id", "", "run_id is empty"),
    (16, "code", "no", "code 'no'"),
    (4, "code", "unknown_tool", "is on the allowlist"),
    (13, "gate", "ok", "no timeout was set"),
    (13, "code", None, "no timeout was set"),
]


@pytest.mark.parametrize(("line", "field", "value", "said"), LIES)
def test_a_line_that_lies_is_found(line: int, field: str, value: Any, said: str) -> None:
    log = a_log()
    assert len(log) == 17
    log[line][field] = value
    found = problems(log)
    assert any(said in message for message in found), found


@pytest.mark.parametrize("line", range(16))
def test_a_line_that_is_missing_is_found(line: int) -> None:
    log = a_log()
    del log[line]
    assert problems(log)


@pytest.mark.parametrize("line", range(17))
def test_a_line_that_comes_twice_is_found(line: int) -> None:
    log = a_log()
    log.insert(line, log[line])
    assert problems(log)


def test_nothing_runs_after_a_terminal_line() -> None:
    log = Log()
    dispatcher = Dispatcher(TOOLS, log)
    run = dispatcher.start(Budget(9, 60.0))
    with pytest.raises(GateError):
        dispatcher.dispatch(run, call("rm"))
    stopped = log[-2]
    assert problems(log) == []
    sneaky = {**stopped, "gate": "budget", "code": None, "step": 2, "tool": "find"}
    assert any("after the run was stopped" in each for each in problems([*log[:-1], sneaky, log[-1]]))
    assert problems([*log, sneaky]) == ["budget after the run's end"]
    assert problems([*log[:-1], {**log[-1], "code": None}]) != []


def interleaved(seed: int, count: int) -> list[dict[str, Any]]:
    mix, lines = random.Random(seed), []
    logs = [a_log() for _ in range(count)]
    while any(logs):
        lines.append(mix.choice([log for log in logs if log]).pop(0))
    return lines


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6))
def test_mixed_runs_are_told_apart(seed: int, count: int) -> None:
    lines = interleaved(seed, count)
    assert problems(lines) == []
    broken = dict(lines[len(lines) // 2], step=77)
    found = problems([broken if number == len(lines) // 2 else line for number, line in enumerate(lines)])
    assert found


# --- the command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evidence.jsonl"


def write(file: Path, records: list[dict[str, Any]], tail: str = "") -> None:
    file.write_text("".join(as_line(record) + "\n" for record in records) + tail)


def test_the_command_says_which_run_broke_what_where(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = a_log()
    write(file, log)
    assert evidence.main([str(file)]) == 0
    out = capsys.readouterr().out
    assert "1 runs in 17 lines, 0 without an end, 0 lines cut: 0 broken promises" in out
    assert "1  answered" in out
    assert "steps 5" in out
    assert "dispatches: find 2, text 1" in out
    log[5]["timeout_ms"] = 99_999
    write(file, log)
    assert evidence.main([str(file)]) == 1
    assert f"{file}:6: {log[0]['run_id']}: find was given 99999 ms" in capsys.readouterr().out


def test_endings_are_counted_by_the_gate_that_made_them(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    for steps, tokens, name in ((1, 100, "find"), (1, 100, "find"), (9, 5, "find"), (9, 100, "rm")):
        with pytest.raises(GateError):
            run_loop(Scripted(asks(call(name))), TOOLS, Budget(steps, 60.0, max_tokens=tokens), [], sink=log)
    write(file, log)
    assert evidence.main([str(file), "--output-format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["endings"] == {
        "budget_exceeded (steps)": 2,
        "budget_exceeded (tokens)": 1,
        "unknown_tool (allowlist)": 1,
    }
    assert (said["runs"], said["unfinished"], said["problems"]) == (4, 0, 0)


def test_cut_lines_are_counted_and_hide_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, other = a_log(), a_log()
    half = as_line(log[9])[:50]
    write(file, log[:9], half)
    assert evidence.main([str(file)]) == 0  # a process was killed: its run has no end
    assert "1 without an end, 1 lines cut: 0 broken" in capsys.readouterr().out
    write(file, log[:9], half + "\n" + "".join(as_line(each) + "\n" for each in other))
    assert evidence.main([str(file)]) == 0
    assert "2 runs in 27 lines, 1 without an end, 1 lines cut: 0 broken" in capsys.readouterr().out
    write(file, log[:9], half + "\n" + "".join(as_line(each) + "\n" for each in log[10:]))
    assert evidence.main([str(file)]) == 1  # the line that was cut is missed
    write(file, log, "hello\n")
    assert evidence.main([str(file)]) == 1
    assert "not a record" in capsys.readouterr().out


def test_words_of_a_log_do_not_steer_a_terminal(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = a_log()
    for record in log:
        record["run_id"] = "\x1b]0;owned\x07"
    log[3]["step"] = 9
    write(file, log)
    assert evidence.main([str(file)]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_files_follow_one_another(tmp_path: Path) -> None:
    log = a_log()
    first, second = tmp_path / "log.1", tmp_path / "log"
    write(first, log[:8])
    write(second, log[8:])
    assert evidence.main([str(first), str(second)]) == 0
    assert evidence.main([str(second), str(first)]) == 1


@pytest.mark.parametrize("argv", [[], ["/no/such/file"], ["--against"], ["--nonsense", "x"]])
def test_what_cannot_be_read_is_no_success(argv: list[str]) -> None:
    assert evidence.main(argv) == 2


def synthetic(runs: int) -> io.BytesIO:
    """Lines of many runs, eight open at a time."""
    log, out = a_log(), io.BytesIO()
    lines = [as_line(record) for record in log]
    name = log[0]["run_id"]
    for first in range(0, runs, 8):
        for line in lines:
            for number in range(first, min(first + 8, runs)):
                out.write(line.replace(name, f"run-{number}").encode() + b"\n")
    out.seek(0)
    return out


def test_memory_does_not_grow_with_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "ENDED_RUNS", 20)

    def used(runs: int) -> int:
        source, found = synthetic(runs), list[Problem]()
        verifier = Verifier(found.append)
        tracemalloc.start()
        try:
            for number, data in evidence.lines(source):
                verifier.line("log", number, data)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            assert (found, verifier.runs, verifier.unfinished) == ([], runs, 0)

    used(40)  # what the first pass loads
    assert used(640) < used(160) + 40_000  # 480 runs more, of which nothing is kept


def test_runs_that_never_end_are_let_go_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "OPEN_RUNS", 10)
    verifier = Verifier(lambda problem: None)
    start = a_log()[0]
    for number in range(100):
        verifier.line("log", number, as_line({**start, "run_id": f"run-{number}"}).encode() + b"\n")
    assert (verifier.unfinished, len(verifier._open)) == (100, 10)


def test_a_line_without_end_is_no_memory_hole() -> None:
    source = io.BytesIO(b"{" + b"x" * 10_000_000 + b"\n" + b'{"a": 1}\n')
    assert [len(data) for _, data in evidence.lines(source)] == [evidence.LONGEST + 1, 9]


# --- against what is committed

SOURCE = """
from toolbind_lint.runtime import Budget, Tool as Made, run_loop
from limits import MAX_STEPS
import limits

find = Made("find", "app:find", timeout_s=2.0, result=("hits",))
TOOLS = [find, Made(name="text", target="app:text", timeout_s=limits.SLOW, result=("hits",))]

def main(model, messages):
    return run_loop(model, TOOLS, Budget(MAX_STEPS, max_wall_s=60), messages, sink=print)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.py").write_text(SOURCE)
    (folder / "limits.py").write_text("MAX_STEPS: int = 3 * 3\nSLOW = 3\nraise SystemExit('this ran')\n")
    return folder


def test_a_log_that_is_as_committed(project: Path, file: Path) -> None:
    limits = committed(str(project))
    assert limits.budgets == {(9, 60_000)}
    assert limits.timeouts == {"find": {2000}, "text": {3000}}
    assert len(limits.allowlists) == 1
    assert limits.unread == ()
    write(file, a_log())
    assert evidence.main([str(file), "--against", str(project)]) == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3 * 3", "8", "9 steps in 60000 ms are not committed"),
        ("max_wall_s=60", "max_wall_s=30", "9 steps in 60000 ms are not committed"),
        ("timeout_s=2.0", "timeout_s=1.0", "a timeout of 2000 ms for find is not committed"),
        ("SLOW = 3", "SLOW = 30", "a timeout of 3000 ms for text is not committed"),
        ('name="text"', 'name="texts"', "the allowlist is not committed"),
        ("[find, ", "[find, Made('rm', 'app:rm', timeout_s=1, result=('x',)), ", "the allowlist is not committed"),
    ],
)
def test_a_log_that_differs(project: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str) -> None:
    file = project.parent / "evidence.jsonl"
    for source in project.iterdir():
        source.write_text(source.read_text().replace(old, new))
    write(file, a_log())
    assert evidence.main([str(file), "--against", str(project)]) == 1
    assert said in capsys.readouterr().out


def test_what_is_not_written_in_the_source_is_not_committed(
    project: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "limits.py").write_text("import os\nMAX_STEPS = int(os.environ['MAX_STEPS'])\nSLOW = 3\n")
    write(file, a_log())
    assert evidence.main([str(file), "--against", str(project)]) == 1
    out = capsys.readouterr().out
    assert "9 steps in 60000 ms are not committed" in out
    assert "app.py:10: max_steps is not written here" in out


def test_a_place_without_limits_is_no_success(project: Path, file: Path) -> None:
    (project / "app.py").unlink()
    write(file, a_log())
    assert evidence.main([str(file), "--against", str(project)]) == 2
    (project / "app.py").write_text("def broken(:\n")
    assert evidence.main([str(file), "--against", str(project)]) == 2


# --- sinks


def writer(path: str, first: int, count: int) -> None:
    with FileSink(path) as sink:
        for number in range(first, first + count):
            sink({"run_id": f"run-{number}", "text": "x" * 3000, "code": None})


def test_many_writers_keep_their_lines_whole(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=writer, args=(str(file), 1000 * each, 200)) for each in range(3)]
    threads = [threading.Thread(target=writer, args=(str(file), 10_000 * each, 200)) for each in range(1, 4)]
    everybody: list[Any] = [*processes, *threads]
    for each in everybody:
        each.start()
    for each in everybody:
        each.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    for process in processes:
        process.close()
    seen = [json.loads(line)["run_id"] for line in file.read_text().splitlines()]
    assert len(seen) == len(set(seen)) == 1200


def test_a_line_that_was_cut_is_closed_first(file: Path) -> None:
    file.write_text('{"run_id": "a", "ste')
    with FileSink(file) as sink:
        sink({"run_id": "b"})
        sink({"run_id": "c\nd\u2028"})
    assert file.read_text().splitlines()[1:] == ['{"run_id": "b"}', '{"run_id": "c\\nd\\u2028"}']


def test_a_record_is_in_the_file_before_the_next_step(file: Path) -> None:
    seen = []

    async def look() -> dict[str, Any]:
        seen.append([json.loads(line)["gate"] for line in file.read_text().splitlines()])
        return {"hits": []}

    with FileSink(file, fsync=True) as sink:
        made = [Tool("look", look, timeout_s=5.0, result=("hits",))]
        run_loop(Scripted(asks(call("look")), says()), made, Budget(5, 60.0), [], sink=sink)
    assert seen == [["start", "budget", "ok", "budget", "allowlist", "timeout"]]
    assert evidence.main([str(file)]) == 0


def test_a_record_that_is_not_taken_whole_ends_the_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a full disk does: it takes the first bytes."""
    short = SimpleNamespace(**{**vars(os), "write": lambda file, data: os.write(file, data[:10])})
    with FileSink(file) as sink, monkeypatch.context() as patch:
        patch.setattr(sinks, "os", short)
        with pytest.raises(GateError, match="cancelled"):
            run_loop(Scripted(says()), TOOLS, Budget(5, 60.0), [], sink=sink)
    assert file.read_text() == '{"run_id":'


def test_a_closed_sink_ends_the_run(file: Path) -> None:
    sink = FileSink(file)
    sink.close()
    with pytest.raises(GateError, match="cancelled"):
        run_loop(Scripted(says()), TOOLS, Budget(5, 60.0), [], sink=sink)


def test_logging_keeps_lines_or_raises(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("test.evidence")
    with caplog.at_level(logging.INFO, "test.evidence"):
        run_loop(Scripted(says()), TOOLS, Budget(5, 60.0), [], sink=LoggingSink(logger))
        with pytest.raises(GateError):
            run_loop(Scripted(asks(call("rm"))), TOOLS, Budget(5, 60.0), [], sink=LoggingSink(logger))
    records = [json.loads(record.getMessage()) for record in caplog.records]
    assert problems(records) == []
    assert [r.levelname for r in caplog.records if json.loads(r.getMessage())["code"]] == ["WARNING", "WARNING"]
    logger.setLevel(logging.ERROR)
    with pytest.raises(GateError, match="cancelled"):
        run_loop(Scripted(says()), TOOLS, Budget(5, 60.0), [], sink=LoggingSink(logger))


def test_opentelemetry_gets_a_span_a_record_or_the_run_ends() -> None:
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    log = Log()
    sink: Callable[[Any], None] = both(log, OpenTelemetrySink(provider.get_tracer("test")))
    run_loop(Scripted(asks(call("find")), says()), TOOLS, Budget(5, 60.0), [], sink=sink)
    spans = memory.get_finished_spans()
    assert [span.name for span in spans] == [f"gate {record['gate']}" for record in log]
    assert dict(spans[5].attributes or {})["toolbind.tool"] == "find"
    provider.shutdown()
    from opentelemetry.trace import NoOpTracerProvider

    silent = OpenTelemetrySink(NoOpTracerProvider().get_tracer("test"))
    with pytest.raises(GateError, match="cancelled"):
        run_loop(Scripted(says()), TOOLS, Budget(5, 60.0), [], sink=silent)


def test_standard_input_is_a_log_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, a_log())
    before = os.dup(0)
    try:
        source = os.open(file, os.O_RDONLY)
        os.dup2(source, 0)
        os.close(source)
        assert evidence.main(["-"]) == 0
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_the_verifier_is_quick_enough_for_millions_of_lines() -> None:
    import time

    source = synthetic(400)
    verifier, began = Verifier(lambda problem: None), time.process_time()
    for number, data in evidence.lines(source):
        verifier.line("log", number, data)
    rate = verifier.lines / (time.process_time() - began)
    print(f"{rate:.0f} lines/s", file=sys.stderr)
    assert rate > 5000


def test_the_linters_command_verifies(file: Path, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(file, a_log())
    assert cli(["evidence", str(file), "--against", str(project)]) == 0
    assert "0 broken promises" in capsys.readouterr().out
    write(file, a_log()[1:])
    assert cli(["evidence", str(file)]) == 1
    assert cli(["evidence", "/no/such/file"]) == cli(["evidence"]) == 2
