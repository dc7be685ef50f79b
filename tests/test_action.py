"""The action, step by step, in repositories and with event files as GitHub makes them.

The steps of ``action.yml`` are run as the runner runs them: their own environment, expressions replaced, bash. Only the
installation is not done again: its script is run with a Python that notes what it is asked for.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from repositories import Repo

ROOT = Path(__file__).resolve().parents[1]
yaml: Any = importlib.import_module("yaml")  # comes with pre-commit, without types
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
WORKFLOWS = sorted((ROOT / "docs" / "workflows").glob("*.yml"))
OWN_WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EVENTS = "https://docs.github.com/webhooks/webhook-events-and-payloads"

LOOP = """\
from openai import OpenAI

client = OpenAI()
TOOLS = {"search": print}


def run(messages, tools):
    for _ in range(8):
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = TOOLS[call.function.name](call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise RuntimeError("out of steps")
"""
UNBOUNDED = LOOP.replace("for _ in range(8):", "while True:")
OTHER = UNBOUNDED.replace("while True:", "while True and messages:")


class Outcome(NamedTuple):
    """What a run of the action left behind."""

    status: int
    log: str
    summary: str
    outputs: dict[str, str]

    @property
    def annotations(self) -> list[str]:
        return re.findall(r"^::\w+ title=(TB\d+)", self.log, re.MULTILINE)


class Runner:
    """A runner with a workspace, as far as the action sees of one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo = Repo(root / "workspace")
        self.temp = root / "temp"
        self.temp.mkdir()
        self.files = {name: root / name for name in ("event.json", "summary", "output")}

    def environment(self, event: str, payload: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, str]:
        self.files["event.json"].write_text(json.dumps(payload), encoding="utf-8")
        for name in ("summary", "output"):
            self.files[name].write_text("", encoding="utf-8")
        step = {
            name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: self._input(m[1], inputs), value)
            for name, value in STEPS["Check"]["env"].items()
        }
        return {
            **{key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "GITHUB_", "PYTHON"))},
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(self.files["event.json"]),
            "GITHUB_OUTPUT": str(self.files["output"]),
            "GITHUB_SHA": self.repo.git("rev-parse", "HEAD"),
            "GITHUB_STEP_SUMMARY": str(self.files["summary"]),
            "GITHUB_WORKSPACE": str(self.repo.root),
            "RUNNER_TEMP": str(self.temp),
            **step,
        }

    def _input(self, name: str, inputs: Mapping[str, str]) -> str:
        return inputs.get(name, ACTION["inputs"][name]["default"])

    def installed(self) -> None:
        """What the first step leaves: an environment whose Python is that of the tests."""
        folder = self.temp / "toolbind-lint" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        python = folder / "python"
        if not python.exists():
            python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
            python.chmod(0o755)
        (folder.parent / "bin-folder").write_text(f"{folder}\n", encoding="utf-8")

    def command(self, name: str) -> list[str]:
        return ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[name]["run"]]

    def check(self, event: str, payload: Mapping[str, Any], **inputs: str) -> Outcome:
        self.installed()
        environment = self.environment(event, payload, {key.replace("_", "-"): v for key, v in inputs.items()})
        done = subprocess.run(
            self.command("Check"), cwd=self.repo.root, env=environment, capture_output=True, text=True, check=False
        )
        outputs = dict(line.split("=", 1) for line in self.files["output"].read_text("utf-8").splitlines())
        return Outcome(done.returncode, done.stdout + done.stderr, self.files["summary"].read_text("utf-8"), outputs)

    def merged(self, base: Mapping[str, str | bytes | None], topic: Mapping[str, str | bytes | None]) -> dict[str, Any]:
        """The merge commit of a pull request, checked out as GitHub does, and the event's payload."""
        self.repo.commit(base)
        self.repo.git("checkout", "-q", "-b", "topic")
        head = self.repo.commit(topic)
        self.repo.git("checkout", "-q", "main")
        target = self.repo.commit({"later.py": "x = 1\n"})
        self.repo.git("checkout", "-q", "--detach", "main")
        self.repo.git("merge", "-q", "--no-ff", "-m", "Merge", head)
        return pull_request(target, head)

    def cut(self, depth: int) -> None:
        """Put a shallow clone in the workspace's place."""
        self.repo.git("branch", "-f", "checked-out")
        clone = self.root / "clone"
        self.repo.git("clone", "-q", "--depth", str(depth), "-b", "checked-out", self.repo.root.as_uri(), str(clone))
        shutil.rmtree(self.repo.root)
        clone.rename(self.repo.root)


def pull_request(base: str, head: str, fork: bool = False) -> dict[str, Any]:
    owner = "stranger/project" if fork else "us/project"
    return {
        "action": "synchronize",
        "pull_request": {
            "base": {"sha": base, "repo": {"full_name": "us/project"}},
            "head": {"sha": head, "repo": {"full_name": owner, "fork": fork}},
        },
        "repository": {"full_name": "us/project"},
    }


def push(before: str, after: str, **fields: object) -> dict[str, Any]:
    return {"before": before, "after": after, "created": False, "forced": False, "ref": "refs/heads/main", **fields}


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


# Pull requests


def test_a_pull_request_shows_what_it_brings_and_nothing_else(runner: Runner) -> None:
    payload = runner.merged({"old.py": OTHER, "agent.py": LOOP}, {"agent.py": UNBOUNDED})
    outcome = runner.check("pull_request", payload)
    assert outcome.status == 1
    assert set(outcome.annotations) == {"TB101", "TB904"}
    assert "file=agent.py" in outcome.log
    assert "old.py" not in outcome.log
    assert outcome.outputs == {"status": "1"}
    assert "### Gates" in outcome.summary


def test_a_clone_of_depth_two_is_enough(runner: Runner) -> None:
    payload = runner.merged({"agent.py": LOOP}, {"agent.py": UNBOUNDED})
    runner.cut(2)
    outcome = runner.check("pull_request", payload)
    assert outcome.status == 1
    assert "TB101" in outcome.annotations


def test_a_clone_of_depth_one_is_told_what_to_fetch(runner: Runner) -> None:
    payload = runner.merged({"agent.py": LOOP}, {"agent.py": UNBOUNDED})
    runner.cut(1)
    outcome = runner.check("pull_request", payload)
    assert outcome.status == 2
    assert "fetch-depth: 2" in outcome.log


def test_the_head_alone_is_compared_with_the_base_of_the_event(runner: Runner) -> None:
    payload = runner.merged({"agent.py": LOOP}, {"agent.py": UNBOUNDED})
    runner.repo.git("checkout", "-q", "topic")
    outcome = runner.check("pull_request", payload)
    assert outcome.status == 1
    assert "later.py" not in outcome.log


def test_a_merge_of_the_target_into_the_topic_is_no_merge_commit_of_github(runner: Runner) -> None:
    payload = runner.merged({"agent.py": LOOP}, {"agent.py": UNBOUNDED})
    runner.repo.git("checkout", "-q", "topic")
    runner.repo.git("merge", "-q", "--no-ff", "-m", "m", "main")
    payload["pull_request"]["head"]["sha"] = runner.repo.git("rev-parse", "HEAD")
    outcome = runner.check("pull_request", payload)
    assert "TB101" in outcome.annotations


def test_a_fork_can_be_held_to_what_the_base_says(runner: Runner) -> None:
    base = {"agent.py": LOOP, "pyproject.toml": "[tool.toolbind-lint]\nhonour-new-suppressions = false\n"}
    comment = "    # toolbind: ignore[TB1, TB2, TB3, TB6, TB9] trust me, it ends\n    while True:"
    topic = {
        "agent.py": UNBOUNDED.replace("    while True:", comment),
        "pyproject.toml": "[tool.toolbind-lint]\nignore = ['ALL']\n",
    }
    payload = runner.merged(base, topic)
    payload["pull_request"]["head"]["repo"] = {"full_name": "stranger/project", "fork": True}
    outcome = runner.check("pull_request", payload, sarif="true")
    assert outcome.status == 1
    assert {"TB101", "TB904"} <= set(outcome.annotations)
    assert "trust me" in outcome.log


def test_a_pull_request_without_python_is_clean(runner: Runner) -> None:
    payload = runner.merged({"agent.py": UNBOUNDED}, {"notes.md": "hello\n"})
    outcome = runner.check("pull_request", payload)
    assert (outcome.status, outcome.annotations) == (0, [])
    assert outcome.outputs == {"status": "0"}


def test_a_file_that_cannot_be_read_is_shown(runner: Runner) -> None:
    payload = runner.merged({"agent.py": LOOP}, {"agent.py": LOOP + "\nwhile client.chat.completions.create(\n"})
    outcome = runner.check("pull_request", payload)
    assert outcome.status == 1
    assert "TB001" in outcome.annotations


def test_the_queue_compares_with_what_it_merges_into(runner: Runner) -> None:
    base = runner.repo.commit({"agent.py": LOOP, "old.py": OTHER})
    runner.repo.commit({"agent.py": UNBOUNDED})
    outcome = runner.check("merge_group", {"merge_group": {"base_sha": base}})
    assert "TB101" in outcome.annotations
    assert "old.py" not in outcome.log


# Pushes


def test_a_push_shows_what_it_brings(runner: Runner) -> None:
    before = runner.repo.commit({"old.py": OTHER, "agent.py": LOOP})
    after = runner.repo.commit({"agent.py": UNBOUNDED})
    outcome = runner.check("push", push(before, after))
    assert outcome.status == 1
    assert "old.py" not in outcome.log


def test_a_first_push_is_checked_as_a_whole(runner: Runner) -> None:
    after = runner.repo.commit({"agent.py": UNBOUNDED})
    outcome = runner.check("push", push("0" * 40, after, created=True))
    assert outcome.status == 1
    assert "TB101" in outcome.annotations
    assert "as the branch is new" in outcome.log


def test_a_forced_push_whose_past_is_gone_is_checked_as_a_whole(runner: Runner) -> None:
    after = runner.repo.commit({"agent.py": UNBOUNDED})
    outcome = runner.check("push", push("1234567890" * 4, after, forced=True))
    assert outcome.status == 1
    assert "a forced push replaced it" in outcome.log


def test_a_forced_push_whose_past_is_there_is_compared_with_what_both_have(runner: Runner) -> None:
    runner.repo.commit({"old.py": OTHER, "agent.py": LOOP})
    before = runner.repo.commit({"agent.py": LOOP + "\n"})
    runner.repo.git("reset", "-q", "--hard", "HEAD~1")
    after = runner.repo.commit({"agent.py": UNBOUNDED})
    outcome = runner.check("push", push(before, after, forced=True))
    assert "TB101" in outcome.annotations
    assert "old.py" not in outcome.log


def test_a_push_uploads_all_findings_and_fails_for_the_new_ones(runner: Runner) -> None:
    before = runner.repo.commit({"old.py": OTHER, "agent.py": LOOP})
    after = runner.repo.commit({"agent.py": LOOP + "# more\n"})
    outcome = runner.check("push", push(before, after), sarif="true")
    assert outcome.status == 0
    sarif = json.loads(Path(outcome.outputs["sarif"]).read_text(encoding="utf-8"))
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in sarif["runs"][0]["results"]
    }
    assert "old.py" in uris


# Inputs


def test_inputs_are_data(runner: Runner) -> None:
    mark = runner.root / "owned"
    runner.repo.commit({"agent.py": LOOP, "$(touch owned).py": "x = 1\n"})
    attack = f"$(touch '{mark}'); `touch '{mark}'`"
    for name in ("base", "fail_on", "args", "paths", "summary"):
        outcome = runner.check("workflow_dispatch", {}, **{name: attack})
        assert outcome.status == 2, name
    assert not mark.exists()
    assert runner.check("workflow_dispatch", {}, paths="$(touch owned).py").status == 0
    assert not (runner.repo.root / "owned").exists()


def test_a_base_that_looks_like_an_option_is_refused(runner: Runner) -> None:
    runner.repo.commit({"agent.py": LOOP})
    outcome = runner.check("workflow_dispatch", {}, base="--output=x")
    assert outcome.status == 2
    assert "is no revision" in outcome.log


def test_paths_stand_one_a_line_and_none_is_an_option(runner: Runner) -> None:
    runner.repo.commit({"a b.py": UNBOUNDED, "-v.py": OTHER, "c.py": UNBOUNDED})
    outcome = runner.check("workflow_dispatch", {}, paths="a b.py\n-v.py\n")
    assert "file=a b.py" in outcome.log
    assert "file=-v.py" in outcome.log
    assert "file=c.py" not in outcome.log


def test_the_level_can_be_set_and_options_be_added(runner: Runner) -> None:
    runner.repo.commit({"agent.py": UNBOUNDED})
    assert runner.check("workflow_dispatch", {}, fail_on="never").status == 0
    outcome = runner.check("workflow_dispatch", {}, args="--select TB602 --ignore 'TB1'", summary="false")
    assert (outcome.status, outcome.summary) == (0, "")


def test_all_of_the_project_can_be_asked_for(runner: Runner) -> None:
    payload = runner.merged({"old.py": OTHER}, {"plain.py": "x = 1\n"})
    assert runner.check("pull_request", payload).status == 0
    assert runner.check("pull_request", payload, base="none").status == 1


def test_nothing_of_the_repository_is_imported(runner: Runner) -> None:
    evil = "raise SystemExit('imported')\n"
    names = ("toolbind_lint/__init__.py", "libcst.py", "tomli.py", "rich.py", "json.py", "sitecustomize.py", "shlex.py")
    runner.repo.commit({**dict.fromkeys(names, evil), "agent.py": UNBOUNDED})
    outcome = runner.check("workflow_dispatch", {})
    assert outcome.status == 1
    assert "imported" not in outcome.log


def test_names_of_files_do_not_command_the_runner(runner: Runner) -> None:
    name = "x\n::set-output name=a::b\n::stop-commands::c.py"
    runner.repo.commit({name: UNBOUNDED, "bad\n::error::owned.py": "while client.chat.completions.create(\n"})
    outcome = runner.check("workflow_dispatch", {})
    kinds = set(re.findall(r"^::([\w-]+)", outcome.log, re.MULTILINE))
    assert kinds <= {"error", "warning", "notice"}
    assert "owned.py::" not in outcome.log
    assert not re.search(r"^::error::", outcome.log, re.MULTILINE)


def test_a_cancelled_run_is_no_success_and_leaves_no_upload(runner: Runner) -> None:
    loops = {f"agent{n}.py": LOOP.replace("def run(", f"def run{n}(") for n in range(150)}
    runner.repo.commit(loops)
    runner.installed()
    environment = runner.environment("workflow_dispatch", {}, {"sarif": "true"})
    process = subprocess.Popen(
        runner.command("Check"),
        cwd=runner.repo.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        bufsize=0,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"toolbind-lint: all of the project")
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode not in {0, 1}
    assert b"interrupted" in out
    assert runner.files["output"].read_text(encoding="utf-8") == f"status={process.returncode}\n"


# Installing, and what the files promise


def test_the_installation_takes_hashed_wheels_only(runner: Runner) -> None:
    notes = runner.root / "asked"
    python = runner.root / "python"
    python.write_text(
        f'#!/bin/sh\necho "$@" >> "{notes}"\n'
        'case "$*" in *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python";; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    environment = {**os.environ, "RUNNER_TEMP": str(runner.temp), "TOOLBIND_PYTHON": str(python)}
    environment["GITHUB_ACTION_PATH"] = str(ROOT)
    subprocess.run(runner.command("Install the dependencies by hash"), cwd=runner.root, env=environment, check=True)
    asked = notes.read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("-I ") for line in asked)
    for option in (
        "--require-hashes",
        "--no-deps",
        "--only-binary :all:",
        f"--requirement {ROOT}/action/requirements.txt",
    ):
        assert option in asked[-1]


def test_an_old_python_is_told(runner: Runner) -> None:
    python = runner.root / "python"
    python.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    python.chmod(0o755)
    environment = {**os.environ, "RUNNER_TEMP": str(runner.temp), "TOOLBIND_PYTHON": str(python)}
    environment["GITHUB_ACTION_PATH"] = str(ROOT)
    command = runner.command("Install the dependencies by hash")
    done = subprocess.run(command, cwd=runner.root, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "3.10" in done.stderr


def test_the_lock_holds_every_dependency_by_hash() -> None:
    import tomli

    text = (ROOT / "action" / "requirements.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[a-z])", re.sub(r"(?m)^#.*\n", "", text).strip())
    locked = {re.split("==", entry)[0]: entry for entry in entries}
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {re.split("[<>=]", name)[0] for name in project["dependencies"]} <= set(locked)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in locked.values())


def test_no_input_stands_in_a_shell_string() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert "uses" in step or step["shell"] == "bash"
    scripts = {re.search(r"action/[\w.]+", step["run"])[0] for step in STEPS.values() if "run" in step}  # type: ignore[index]
    assert all((ROOT / script).is_file() and os.access(ROOT / script, os.X_OK) for script in scripts)


def test_everything_that_is_used_is_pinned_by_hash() -> None:
    used = [step["uses"] for step in STEPS.values() if "uses" in step]
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
            used += [step["uses"] for step in job["steps"]]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used)


def test_inputs_are_those_of_the_contract() -> None:
    assert list(ACTION["inputs"]) == ["paths", "base", "fail-on", "sarif", "summary", "args"]
    passed = " ".join(STEPS["Check"]["env"].values())
    assert set(re.findall(r"inputs\.([a-z-]+)", passed)) == set(ACTION["inputs"])


def test_the_workflows_can_write_nothing_but_the_upload() -> None:
    assert len(WORKFLOWS) == 2
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {}
        for job in workflow["jobs"].values():
            assert {k for k, v in job["permissions"].items() if v == "write"} <= {"security-events"}
            checkout = job["steps"][0]["with"]
            assert checkout["persist-credentials"] is False


def test_the_files_fit_their_schemas() -> None:
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    subprocess.run([*check, "vendor.github-actions", str(ROOT / "action.yml")], check=True, capture_output=True)
    subprocess.run(
        [*check, "vendor.github-workflows", *map(str, (*WORKFLOWS, *OWN_WORKFLOWS))], check=True, capture_output=True
    )


def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    """In the workflows, and in the action where a workflow uses it with every input that it has."""
    given = dict.fromkeys(ACTION["inputs"], "x")
    own = {"uses": "./", "with": given, "id": "lint"}
    shown = {"run": "echo " + " ".join(f'"${name.upper()}"' for name in ACTION["outputs"]), "env": {}}
    shown["env"] = {name.upper(): "${{ steps.lint.outputs." + name + " }}" for name in ACTION["outputs"]}
    job = {"runs-on": "ubuntu-latest", "steps": [own, shown]}
    using = {"on": "push", "jobs": {"lint": job}}
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "action.yml").write_bytes((ROOT / "action.yml").read_bytes())
    for path in (*WORKFLOWS, *OWN_WORKFLOWS):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "using.yml").write_text(yaml.safe_dump(using), encoding="utf-8")
    lint = [str(Path(sys.executable).parent / "actionlint"), "-no-color", "-shellcheck=", "-pyflakes="]
    done = subprocess.run(lint, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    given["no-such-input"] = "x"
    (folder / "using.yml").write_text(yaml.safe_dump(using), encoding="utf-8")
    done = subprocess.run(lint, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert "no-such-input" in done.stdout


def test_zizmor_finds_nothing() -> None:
    zizmor = Path(sys.executable).parent / "zizmor"
    command = [str(zizmor), "--offline", "--no-config", "--persona", "pedantic", "--quiet"]
    done = subprocess.run(
        [*command, str(ROOT / "action.yml"), *map(str, (*WORKFLOWS, *OWN_WORKFLOWS))],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
