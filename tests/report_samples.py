"""Reports built by hand for the tests of the renderers: no recogniser, no rules, no files."""

from __future__ import annotations

from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Crash, Finding, Fingerprint, Report
from toolbind_lint.verdicts import Envelope, Evidence, Fault, Gate, Kind, State, Subject, Verdict

CORE = """\
class Agent:
    def _loop(self, messages):
        while True:
            reply = self._ask(messages)
            if not reply.tool_calls:
                return reply.content
            for call in reply.tool_calls:
                messages.append(self._run_tool(call))

    def _ask(self, messages):
        return self.client.chat.completions.create(model=M, messages=messages, tools=TOOLS)
"""

CHAT = """\
def chat_turn(messages):
    steps = 0
    while steps < 8:
        reply = ask(messages)
        try:
            run(reply)
            steps += 1
        except ToolError as error:
            messages.append(str(error))
"""


def at(path: str, line: int, column: int = 1, end_column: int = 2, end_line: int | None = None) -> Place:
    return Place(path, line, column, end_line or line, end_column)


def finding(code: str, place: Place, *, loops: tuple[str, ...] = (), gate: str = "cap", **fields: object) -> Finding:
    base = Finding(
        code=code,
        name="a-rule",
        severity="error",
        confidence="high",
        how="none",
        gate=gate,
        message="Something is wrong.",
        help="Mend it.",
        place=place,
        loops=loops,
    )
    return base._replace(**fields)  # type: ignore[arg-type]


def verdict(gate: Gate, state: State, *, how: str = "", place: Place | None = None, value: str = "") -> Verdict:
    faults = (Fault(how, place or at("x.py", 1)),) if how else ()
    evidence = (Evidence(place or at("x.py", 1), value, "shown here"),) if value else ()
    return Verdict(gate, state, faults, evidence)


def subject(
    id: str, path: str, line: int, *verdicts: Verdict, label: str = "run", kind: Kind = "tool-loop", end: int = 0
) -> Subject:
    return Subject(
        id=id,
        kind=kind,
        place=at(path, line, 5, 5, end or line + 9),
        header=at(path, line, 5, 16),
        function=label,
        label=label,
        framework="",
        shape="",
        verdicts=verdicts,
    )


def sample() -> Report:
    """A project with an unbounded loop, a leaking one, six that share a dispatcher, and one that holds."""
    core, chat, dispatch = "agent/core.py", "chat/loop.py", "tools/dispatch.py"
    unbounded = subject(
        "core",
        core,
        3,
        verdict("cap", "missing", how="none", place=at(core, 3, 9, 20)),
        verdict("wall", "missing", how="none", place=at(core, 3, 9, 20)),
        Verdict("allowlist", "held", (), (Evidence(at("tools/table.py", 7), "4 names", "a table of exact names"),)),
        Verdict("tool-timeout", "unknown", (), (Evidence(at(core, 8, 33, 53), "", "`self._run_tool` is not known"),)),
        label="Agent._loop",
        end=8,
    )._replace(
        header=at(core, 3, 9, 20),
        framework="openai",
        envelope=Envelope("∞", "∞", "∞", "?"),
        witness=(Step(at(core, 4), "_ask"), Step(at(core, 8), "_run_tool")),
    )
    leaking = subject(
        "chat",
        chat,
        3,
        verdict("cap", "leaks", how="counts-success-only", place=at(chat, 7, 13, 23)),
        verdict("wall", "held", place=at(chat, 1), value="60 s"),
        label="chat_turn",
    )._replace(envelope=Envelope("8", "8 × ?", "14400", "∞"))
    sharing = tuple(
        subject(
            f"flow{n}",
            f"flows/f{n}.py",
            12,
            verdict("cap", "held", place=at(f"flows/f{n}.py", 12), value="20"),
            verdict("tool-timeout", "leaks" if n == 9 else "missing", how="none", place=at(dispatch, 12)),
            label=f"flow_{n}",
        )
        for n in range(1, 7)
    )
    holding = subject("good", "good.py", 4, verdict("cap", "held", place=at("good.py", 4), value="8"), label="good")
    findings = (
        finding(
            "TB101",
            at(core, 3, 9, 20),
            loops=("core",),
            name="no-step-cap",
            message="Nothing bounds the turns of the loop: it ends only when the model asks for no more tools.",
            help="Count the turns: `for step in range(MAX_STEPS)`, and raise after it.",
            related=(
                Step(at(core, 4, 21, 40), "asks the model"),
                Step(at(core, 6, 17, 37), "leaves only when the model stops asking"),
            ),
            fingerprint=Fingerprint("1a2b3c4d", "5e6f7a8b"),
        ),
        finding(
            "TB201",
            at(core, 3, 9, 20),
            loops=("core",),
            gate="wall",
            name="no-wall-budget",
            severity="warning",
            message="Nothing ends the whole run after a time.",
            help="Compare time.monotonic() with a deadline before each turn.",
        ),
        finding(
            "TB104",
            at(chat, 7, 13, 23),
            loops=("chat",),
            how="counts-success-only",
            name="success-only-step-count",
            message="Cap 8 counts only the steps that succeed: `steps` moves behind the call that may fail.",
            help="Count before the call.",
            related=(Step(at(chat, 3, 5, 21), "chat_turn"), Step(at(chat, 8, 9, 35), "loops again")),
        ),
        finding(
            "TB301",
            at(dispatch, 12, 5, 30),
            loops=tuple(f"flow{n}" for n in range(1, 7)),
            gate="tool-timeout",
            name="no-tool-timeout",
            severity="warning",
            function="run_tool",
            message="A tool may hang for ever.",
            help="Run it under a timeout that kills it.",
        ),
        finding("TB001", at("broken.py", 3, 7, 8), gate="", how="syntax", kind="file", name="unreadable-file",
                message="Nothing in this file was checked: invalid syntax.", help="Repair the file."),
        finding("TB002", at("old.py", 9, 1, 20), gate="", how="unused", kind="suppression", severity="warning",
                name="unused-suppression", message="It suppresses nothing.", help="Remove it."),
        finding("TB109", at("old.py", 30), loops=("x",), disposition="suppressed", reason="a batch job"),
        finding("TB109", at("tests/t.py", 30), disposition="unselected", relaxed=True, severity="advice"),
    )  # fmt: skip
    return Report(
        root=".",
        findings=findings,
        subjects=(unbounded, leaking, *sharing, holding),
        files_checked=212,
        files_screened=180,
        unreadable=(Unreadable(at("broken.py", 3, 7, 8), "syntax", "invalid syntax", True),),
        sources=((core, tuple(CORE.splitlines())), (chat, tuple(CHAT.splitlines()))),
    )


def crashed() -> Report:
    return sample()._replace(crashes=(Crash("agent/core.py", "TB104", "KeyError: 'x'"),))
