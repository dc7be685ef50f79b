"""The command: options, exit status, what is written where."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli

from toolbind_lint import cli
from toolbind_lint.check import Rule
from toolbind_lint.discover import discover

BOUNDED = """\
import json

TOOLS = {"search": print}


def run(client, messages, tools):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("cap reached")
"""
UNBOUNDED = BOUNDED.replace("for _ in range(8):", "while True:")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in a fresh folder: exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def command(*argv: str) -> tuple[int, str, str]:
        status = cli.main(list(argv))
        output, errors = capsys.readouterr()
        return status, output, errors

    return command


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "agent.py"
    path.write_text(UNBOUNDED)
    return path


def concise(run: Run, *argv: str) -> tuple[int, list[str]]:
    """Exit status and the codes found."""
    status, output, _ = run("--output-format", "concise", "-q", *argv)
    return status, [line.split(": ", 1)[1].split()[0] for line in output.splitlines()]


# Exit status


@pytest.mark.usefixtures("agent")
def test_findings_are_1(run: Run) -> None:
    status, codes = concise(run)
    assert status == 1
    assert "TB101" in codes


def test_nothing_is_0(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    assert concise(run, ".") == (0, [])


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["--fail-on", "never"], 0),
        (["--fail-on", "error"], 1),
        (["--select", "TB201", "--fail-on", "error"], 0),
        (["--select", "TB201"], 1),
        (["--select", "TB201", "--fail-on", "advice"], 1),
    ],
)
def test_fail_on(run: Run, argv: list[str], status: int) -> None:
    assert run(*argv)[0] == status


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["gone.py"], "gone.py: no such file or folder"),
        (["gate"], "gate: no such file or folder (did you mean `gates`?)"),
        (["agent.py", "gates"], "`gates` is a command: it comes first"),
        (["--selct", "TB1"], "unknown option --selct (did you mean `--select`?)"),
        (["--sel", "TB1"], "unknown option --sel"),
        (["--select", "TB1O1"], "--select: names no rule `TB1O1` (did you mean `TB101`?)"),
        (["--ignore", "no-step-cop"], "--ignore: names no rule `no-step-cop` (did you mean `no-step-cap`?)"),
        (["--profile", "strikt"], "--profile: must be one of core, default, strict"),
        (["--fail-on", "review"], "--fail-on: must be one of error, warning, advice, never"),
        (["--output-format", "jsn"], "jsonl, sarif, github, gitlab, junit, markdown, not `jsn` (did you mean `json`?)"),
        (["--report", "json"], "--report wants FORMAT=PATH"),
        (["--report", "jsn=x"], "there is no format `jsn` (did you mean `json`?)"),
        (["--report", "json=gone/x.json"], "--report: gone/x.json: No such file or directory"),
        (["--config", "gone.toml"], "gone.toml: no such configuration file"),
        (["--config", "x.toml", "--isolated"], "not allowed with argument"),
        (["--stdin-filename", "x.py"], "--stdin-filename needs `-`"),
        (["-", "--stdin-filename", "notes.md"], "notes.md is no name of a Python file"),
        (["-", "agent.py"], "`-` reads standard input and cannot stand beside other paths"),
        (["explain", "TB1O1"], "there is no rule `TB1O1` (did you mean `TB101`?)"),
        (["explain"], "the following arguments are required"),
        (["gates", "agent.py:0"], "lines count from 1"),
        (["rules", "--output-format", "sarif"], "invalid choice"),
    ],
)
def test_wrong_usage_is_2(run: Run, argv: list[str], message: str) -> None:
    status, output, errors = run(*argv)
    assert (status, output) == (2, "")
    assert message in errors


def test_no_python_is_0_with_a_note(run: Run, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("hello\n")
    status, output, errors = run("--output-format", "json")
    assert status == 0
    assert json.loads(output)["files_checked"] == 0
    assert "no Python files" in errors


@pytest.mark.usefixtures("agent")
def test_a_crash_in_a_rule_is_2_and_the_rest_goes_on(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.py").write_text(UNBOUNDED)
    real = Rule.function

    def function(rule: Rule) -> Any:
        if rule.code != "TB101":
            return real(rule)

        def broken(fault: Any, subject: Any) -> Any:
            if fault.place.path == "agent.py":
                raise ZeroDivisionError("made to break")
            return real(rule)(fault, subject)

        return broken

    monkeypatch.setattr(Rule, "function", function)
    status, output, _ = run("--output-format", "concise", "--fail-on", "never")
    assert status == 2
    assert "agent.py" in output
    assert "TB101: ZeroDivisionError: made to break" in output
    assert any(line.startswith("other.py") and "TB101" in line for line in output.splitlines())


@pytest.mark.usefixtures("agent")
def test_a_crash_of_ours_is_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(run: cli.Run) -> None:
        raise ZeroDivisionError("made to break")

    monkeypatch.setattr(cli, "_lint", broken)
    status, output, errors = run()
    assert (status, output) == (2, "")
    assert "internal error: ZeroDivisionError: made to break" in errors


@pytest.mark.usefixtures("agent")
def test_an_interrupt_is_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(run: cli.Run) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_lint", interrupted)
    status, _, errors = run()
    assert status == 130
    assert "interrupted" in errors


def test_an_input_that_vanishes_is_2(run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = discover

    def then_gone(*args: Any, **options: Any) -> Any:
        found = real(*args, **options)
        agent.unlink()
        return found

    monkeypatch.setattr("toolbind_lint.cli.discover", then_gone)
    status, output, _ = run("--output-format", "concise")
    assert status == 2
    assert "agent.py" in output


def test_a_folder_that_cannot_be_listed_is_2(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    real = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    status, output, _ = run("--output-format", "concise")
    assert status == 2
    assert "locked" in output


def test_an_unreadable_file_is_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(UNBOUNDED + "def broken(:\n")
    assert concise(run, "--select", "TB102") == (1, ["TB001"])


# Selection


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("argv", "inside", "outside"),
    [
        (["--profile", "core"], "TB101", "TB201"),
        (["--profile", "default"], "TB201", ""),
        (["--select", "TB2"], "TB201", "TB101"),
        (["--select", "no-wall-budget,TB101"], "TB101", ""),
        (["--select", "ALL", "--ignore", "TB1"], "TB201", "TB101"),
        (["--profile", "core", "--extend-select", "TB201"], "TB201", ""),
        (["--ignore", "TB201", "--ignore", "TB3"], "TB101", "TB201"),
    ],
)
def test_selection(run: Run, argv: list[str], inside: str, outside: str) -> None:
    _, codes = concise(run, *argv)
    assert inside in codes
    assert outside not in codes


def test_configuration_counts_and_isolated_does_not_read_it(run: Run, agent: Path) -> None:
    (agent.parent / "pyproject.toml").write_text("[tool.toolbind-lint]\nselect = ['TB2']\n")
    assert "TB101" not in concise(run)[1]
    assert "TB101" in concise(run, "--isolated")[1]
    (agent.parent / "other.toml").write_text("ignore = ['TB2']\n")
    assert concise(run, "--config", "other.toml")[1].count("TB201") == 0


def test_the_working_directory_says_how_to_print(run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (agent.parent / ".git").mkdir()
    (agent.parent / "pkg").mkdir()
    (agent.parent / "pkg/toolbind-lint.toml").write_text("output-format = 'json'\n")
    monkeypatch.chdir(agent.parent / "pkg")
    assert json.loads(run("../agent.py")[1])["files_checked"] == 1


def test_a_script_without_a_suffix_is_linted_by_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent").write_text(f"#!/usr/bin/env python3\n{UNBOUNDED}")
    assert "TB101" in concise(run, "agent")[1]
    assert concise(run, ".") == (0, [])


def test_a_broken_configuration_is_told_whatever_is_found(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/plain.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("x = 1\n")
    (tmp_path / "pkg/toolbind-lint.toml").write_text("nope = 1\n")
    for argv in ([], ["pkg"], ["pkg/plain.py"]):
        status, _, errors = run(*argv)
        assert status == 2
        assert "pkg/toolbind-lint.toml:1: `nope` is an unknown key" in errors
    assert run("other.py")[0] == 0


IN_HOUSE = """\
import json


class Enough(Exception):
    pass


def search(client, name, args):
    if client.spent > 5:
        raise Enough(name)
    return TOOLS[name](**args)


TOOLS = {"search": print}


def run(client, messages, tools):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            try:
                result = search(client, call.function.name, json.loads(call.function.arguments))
            except Enough as error:
                result = str(error)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("cap reached")
"""


def test_in_house_knowledge_reaches_recognition(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent.py").write_text(IN_HOUSE)
    assert "TB501" not in concise(run)[1]
    (tmp_path / "toolbind-lint.toml").write_text("[[gate-error]]\nname = 'agent.Enough'\n")
    assert "TB501" in concise(run)[1]
    assert "TB501" in concise(run, "agent.py")[1]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(IN_HOUSE.encode())))
    assert "TB501" in concise(run, "--stdin-filename", "agent.py", "-")[1]
    assert "TB501" not in concise(run, "--isolated")[1]


def test_severity_and_relaxed(run: Run, agent: Path) -> None:
    (agent.parent / "tests").mkdir()
    (agent.parent / "tests/agent.py").write_text(UNBOUNDED)
    (agent.parent / "pyproject.toml").write_text("[tool.toolbind-lint]\nseverity = {TB201 = 'error'}\n")
    findings = json.loads(run("--output-format", "json")[1])["findings"]
    levels = {(f["path"], f["code"]): f["severity"] for f in findings}
    assert levels["agent.py", "TB101"] == "error"
    assert levels["agent.py", "TB201"] == "error"
    assert levels["tests/agent.py", "TB101"] == "warning"
    assert levels["tests/agent.py", "TB201"] == "warning"


def test_relaxing_lowers_what_fails_and_hides_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/agent.py").write_text(UNBOUNDED)
    status, codes = concise(run, "--select", "TB201")
    assert (status, codes) == (0, ["TB201"])
    assert "TB201" in concise(run)[1]


def test_per_file_ignores(run: Run, agent: Path) -> None:
    (agent.parent / "pyproject.toml").write_text("[tool.toolbind-lint]\nper-file-ignores = {'agent.py' = ['TB1']}\n")
    codes = concise(run)[1]
    assert "TB201" in codes
    assert "TB101" not in codes


def test_the_step_ceiling_reaches_the_rule(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(BOUNDED)
    assert "TB109" not in concise(run)[1]
    (tmp_path / "toolbind-lint.toml").write_text("step-ceiling = 5\n")
    assert "TB109" in concise(run)[1]


def test_suppressions(run: Run, agent: Path) -> None:
    text = UNBOUNDED.replace("while True:", "while True:  # toolbind: ignore[TB101] the caller kills this worker")
    agent.write_text(text)
    codes = concise(run)[1]
    assert "TB101" not in codes
    assert "TB002" not in codes
    agent.write_text(BOUNDED.replace("range(8):", "range(8):  # toolbind: ignore[TB101] not so"))
    assert "TB002" in concise(run)[1]


def test_a_suppression_in_a_file_with_nothing_else_is_unused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1  # toolbind: ignore[TB101] left over\n")
    assert concise(run) == (1, ["TB002"])


# Output


@pytest.mark.usefixtures("agent")
def test_json_is_as_described(run: Run) -> None:
    schema = json.loads((Path(cli.__file__).parent / "report/schema.json").read_text(encoding="utf-8"))
    report = json.loads(run("--output-format", "json")[1])
    jsonschema.validate(report, schema)
    assert report["root"] == "."
    assert report["files_checked"] == 1
    assert [loop["kind"] for loop in report["loops"]] == ["tool-loop"]


@pytest.mark.usefixtures("agent")
def test_further_reports(run: Run, tmp_path: Path) -> None:
    status, output, _ = run("--output-format", "concise", "--report", "json=out.json", "--report", "github=out.txt")
    assert status == 1
    assert "TB101" in output
    assert any(f["code"] == "TB101" for f in json.loads((tmp_path / "out.json").read_text())["findings"])
    assert "::error" in (tmp_path / "out.txt").read_text()


@pytest.mark.usefixtures("agent")
def test_colour(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run()[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run()[1]
    assert "\x1b[" not in run("--no-color")[1]
    run("--report", "concise=out.txt")
    assert "\x1b[" not in Path("out.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run()[1]


def test_paths_from_a_folder_below_the_root(run: Run, agent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (agent.parent / ".git").mkdir()
    (agent.parent / "sub").mkdir()
    (agent.parent / "sub/other.py").write_text(UNBOUNDED)
    monkeypatch.chdir(agent.parent / "sub")
    output = run("--output-format", "concise", "-q", "..")[1]
    assert any(line.startswith("../agent.py:") for line in output.splitlines())
    assert any(line.startswith("other.py:") for line in output.splitlines())
    report = json.loads(run("--output-format", "json", "..")[1])
    assert report["root"] == ".."
    assert {f["path"] for f in report["findings"]} == {"agent.py", "sub/other.py"}


def test_a_name_that_is_no_utf8_comes_out_as_its_bytes(tmp_path: Path) -> None:
    name = b"caf\xe9.py"
    (tmp_path / os.fsdecode(name)).write_text(UNBOUNDED)
    command = [sys.executable, "-m", "toolbind_lint", "--output-format", "concise"]
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert result.returncode == 1
    assert result.stderr == b""


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"agent{number}.py").write_text(UNBOUNDED)
    command = f"{sys.executable} -m toolbind_lint --profile strict | head -n 1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    result = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.stdout.splitlines()[-1] == "1"
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("redirect", "message"), [(">/dev/full", "standard output: No space left"), (">&-", "standard output is closed")]
)
def test_an_output_that_cannot_be_written_is_2(tmp_path: Path, redirect: str, message: str) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    environment = {**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
    command = f"{sys.executable} -m toolbind_lint {redirect}"
    result = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("agent")
def test_the_same_bytes_whatever_seed_and_order(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(UNBOUNDED.replace("client", "api"))
    (tmp_path / "third.py").write_text(BOUNDED)
    outputs = set()
    orders = (["agent.py", "other.py", "third.py"], ["third.py", "other.py", "agent.py"], ["."])
    for seed, paths in zip("012", orders, strict=True):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(cli.__file__).parents[1])}
        command = [sys.executable, "-m", "toolbind_lint", "--output-format", "json", "--profile", "strict", *paths]
        outputs.add(subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False).stdout)
    assert len(outputs) == 1
    assert b"TB101" in outputs.pop()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("patience", "told"), [(0.0, True), (60.0, False)])
def test_progress_is_shown_on_a_terminal_after_a_while(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float, told: bool
) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    errors = Terminal()
    monkeypatch.setattr(cli, "PATIENCE_SECONDS", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", errors)
    assert run()[0] == 0
    text = errors.getvalue()
    assert (text == "toolbind-lint: checking 1 file ...\r\x1b[K") is told
    assert told or not text


def test_progress_never_goes_to_a_log(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    monkeypatch.setattr(cli, "PATIENCE_SECONDS", 0.0)
    assert run()[2] == ""


# Standard input


def test_standard_input(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def typed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    typed(UNBOUNDED)
    assert "TB101" in concise(run, "-")[1]
    (tmp_path / "agent.py").write_text(BOUNDED)
    typed(UNBOUNDED)
    output = run("--output-format", "concise", "--stdin-filename", "agent.py", "-")[1]
    assert output.startswith("agent.py:7:")
    typed(BOUNDED)
    assert "TB101" not in concise(run, "--stdin-filename", "pkg/new.py", "-")[1]
    (tmp_path / "pyproject.toml").write_text("[tool.toolbind-lint]\nextend-exclude = ['gen']\n")
    typed(UNBOUNDED)
    assert concise(run, "--force-exclude", "--stdin-filename", "gen/agent.py", "-") == (0, [])


# The other commands


@pytest.mark.usefixtures("agent")
def test_check_is_the_default_command(run: Run) -> None:
    assert run("check", "agent.py") == run("agent.py")


def test_rules_is_a_command_and_a_path(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/agent.py").write_text(UNBOUNDED)
    assert "A rule's page" in run("rules")[1]
    assert "TB101" in concise(run, "./rules")[1]
    assert "TB101" in run("check", "rules", "--output-format", "concise")[1]


def test_options_may_stand_between_paths(run: Run, agent: Path) -> None:
    (agent.parent / "-odd.py").write_text(UNBOUNDED)
    output = run("--output-format", "concise", "agent.py", "--select", "TB101", "--", "-odd.py")[1]
    assert [line.split(":")[0] for line in output.splitlines()[:2]] == ["-odd.py", "agent.py"]


def test_gates(run: Run, agent: Path) -> None:
    (agent.parent / "other.py").write_text(BOUNDED)
    status, output, _ = run("gates")
    assert status == 0
    assert "agent.py:7" in output
    assert "other.py:7" in output
    assert "agent.py" not in run("gates", "other.py")[1]


def test_gates_of_a_line(run: Run, agent: Path) -> None:
    status, output, _ = run("gates", "agent.py:11")
    assert status == 0
    assert "agent.py:11 belongs to 1 tool loop" in output
    assert "TB102" in output
    assert "no tool loop" in run("gates", "agent.py:1")[1]


def test_gates_of_a_line_in_a_helper(run: Run, tmp_path: Path) -> None:
    head = BOUNDED.split("            result = ", maxsplit=1)[0]
    (tmp_path / "agent.py").write_text(
        f"from helper import dispatch\n{head}            messages.append(dispatch(call))\n"
    )
    (tmp_path / "helper.py").write_text("def dispatch(call):\n    return globals()[call.function.name](call)\n")
    output = run("gates", "helper.py:2")[1]
    assert "agent.py:8" in output


def test_rules(run: Run) -> None:
    rows = json.loads(run("rules", "--output-format", "json")[1])
    assert [row["code"] for row in rows] == sorted(row["code"] for row in rows)
    assert {"TB101", "TB001"} <= {row["code"] for row in rows}


@pytest.mark.parametrize("word", ["TB101", "tb101", "no-step-cap", "NO_STEP_CAP"])
def test_explain(run: Run, word: str) -> None:
    status, output, _ = run("explain", word)
    assert (status, output.splitlines()[0]) == (0, "TB101 no-step-cap")


def test_config(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/toolbind-lint.toml").write_text("\nprofile = 'core'\n[[gate-error]]\nname = 'acme.Quota'\n")
    rows = dict(line.split(" # ") for line in run("config", "pkg", "--preview")[1].splitlines() if " # " in line)
    origins = {text.split(" = ")[0]: (text.split(" = ")[1].strip(), origin) for text, origin in rows.items()}
    assert origins["profile"] == ('"core"', "pkg/toolbind-lint.toml:2")
    assert origins["preview"] == ("true", "command line")
    assert origins["fail-on"] == ('"warning"', "default")
    assert "gate-error" in run("config", "pkg")[1]


@pytest.mark.parametrize("argv", [["--help"], ["check", "--help"], ["gates", "-h"], ["rules", "-h"], ["config", "-h"]])
def test_help(run: Run, argv: list[str]) -> None:
    status, output, _ = run(*argv)
    assert status == 0
    assert output.startswith("usage: toolbind-lint")


def test_help_names_the_commands_that_there_are(run: Run) -> None:
    listed = run("--help")[1].partition("commands (")[2].partition("\n\n")[0].splitlines()[1:]
    assert {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "} == cli.COMMANDS.keys()


def test_config_suggests_tables_for_calls_that_nobody_knows(run: Run, tmp_path: Path) -> None:
    unknown = UNBOUNDED.replace("import json\n", "import json\nfrom acme.toolkit import run_tool\n", 1)
    called = "run_tool(call.function.name, call.function.arguments)"
    text = unknown.replace("TOOLS[call.function.name](**json.loads(call.function.arguments))", called)
    (tmp_path / "agent.py").write_text(text)
    status, output, _ = run("config", "--suggest")
    assert status == 0
    assert tomli.loads(output)["tool"]["toolbind-lint"]["dispatch"][0]["call"] == "acme.toolkit.run_tool"
