"""Suppressions, what is wrong with them, and dispositions."""

from __future__ import annotations

import io
import json
import tokenize
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolbind_lint.check import Rule, load_rules
from toolbind_lint.config import Settings
from toolbind_lint.facts import Comment, Place
from toolbind_lint.findings import Crash, Finding, Severity
from toolbind_lint.source import Source, read_source
from toolbind_lint.triage import Policy, Suppression, complaints, read_suppressions, triage
from toolbind_lint.verdicts import Kind, Subject

PATH = "agent.py"
RULES = load_rules()


class Code:
    """Source text as triage sees it; several texts are the cells of a notebook."""

    def __init__(self, *cells: str, path: str = PATH) -> None:
        self.path = path
        self.notebook = len(cells) > 1
        self.lines = tuple(line for cell in cells for line in cell.split("\n"))
        self.map = [(index, line) for index, cell in enumerate(cells) for line, _ in enumerate(cell.split("\n"), 1)]

    def place(self, line: int, column: int, end_line: int, end_column: int) -> Place:
        cell, first = self.map[line - 1]
        return Place(self.path, first, column, self.map[end_line - 1][1], end_column, cell if self.notebook else None)

    @property
    def comments(self) -> tuple[Comment, ...]:
        text = "\n".join(self.lines) + "\n"
        return tuple(
            Comment(
                self.place(token.start[0], token.start[1] + 1, token.end[0], token.end[1] + 1),
                token.string,
                not token.line[: token.start[1]].strip(),
            )
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT
        )


def read(*cells: str) -> tuple[Suppression, ...]:
    return read_suppressions(Code(*cells))


def only(*cells: str) -> Suppression:
    (found,) = read(*cells)
    return found


def finding(
    line: int,
    code: str = "TB101",
    *,
    end_line: int | None = None,
    loops: Sequence[str] = (),
    path: str = PATH,
    cell: int | None = None,
    severity: Severity = "error",
) -> Finding:
    name = next((rule.name for rule in RULES if rule.code == code), "x")
    place = Place(path, line, 1, end_line or line, 30, cell)
    return Finding(code, name, severity, "high", "none", "cap", "m", "h", place, tuple(loops))


def subject(id: str, first: int, last: int, kind: Kind = "tool-loop", path: str = PATH) -> Subject:
    header = Place(path, first, 1, first, 30)
    return Subject(id, kind, Place(path, first, 1, last, 30), header, "f", f"loop {id}", "", "shape", ())


def policy(*, _rules: Sequence[Rule] = RULES, **values: Any) -> Policy:
    given = {key.replace("_", "-"): value for key, value in values.items()}
    return Policy(Settings({"profile": "strict", **given}), _rules)


def outcome(text: str, *findings: Finding, subjects: Sequence[Subject] = ()) -> list[str]:
    return [each.disposition for each in triage(findings, read(text), subjects, policy())]


def wrong(
    text: str, *findings: Finding, rules: Policy | None = None, crashes: Sequence[Crash] = ()
) -> Suppression | None:
    facts = complaints(read(text), findings, (), rules or policy(), crashes)
    assert len(facts) < 2
    return facts[0] if facts else None


# What a comment says


@pytest.mark.parametrize(
    "comment",
    [
        "# toolbind: ignore[TB101] the job is killed after ten minutes",
        "#toolbind:ignore[TB101]the job is killed after ten minutes",
        "#  Toolbind :  IGNORE [ tb101 , ] - the job is killed after ten minutes",
        "## toolbind: ignore[TB101]: the job is killed after ten minutes",
        "# toolbind: ignore['TB101'] the job is killed after ten minutes   ",
        "# noqa: E501  # toolbind: ignore[TB101] the job is killed after ten minutes",
        "# toolbind: ignore[TB101] the job is killed after ten minutes  # noqa: E501",
        "# toolbind: ignore[TB101, TB101] — the job is killed after ten minutes # type: ignore[misc]",
    ],
)
def test_spellings(comment: str) -> None:
    found = only(f"while True:  {comment}")
    assert (found.codes, found.reason) == (("TB101",), "the job is killed after ten minutes")
    assert (found.scope, found.problem, found.lines) == ("line", "", (1, 1))


def test_codes_prefixes_and_names() -> None:
    assert only("x  # toolbind: ignore[TB1, no_wall_budget, No-Step-Cap] some reason").codes == (
        "TB1",
        "no-wall-budget",
        "no-step-cap",
    )


def test_a_number_of_a_ticket_is_part_of_the_reason() -> None:
    assert only("x  # toolbind: ignore[TB101] bounded by the queue, see #123").reason == (
        "bounded by the queue, see #123"
    )


@pytest.mark.parametrize(
    "text",
    [
        'x = "# toolbind: ignore[TB101] reason"',
        '"""\n# toolbind: ignore[TB101] reason\n"""',
        "x  # see toolbind: ignore[TB101] reason",
        "x  # write `# toolbind: ignore[TB101] reason` there",
        "x  # toolbind: ignored[TB101] reason",
        "x  # toolbind ignore[TB101] reason",
        "x  # noqa",
    ],
)
def test_what_is_no_suppression(text: str) -> None:
    assert read(text) == ()


def test_the_place_spans_the_directive_alone() -> None:
    found = only("x  # noqa # toolbind: ignore[TB101] because  # more")
    assert (found.place.column, found.place.end_column) == (11, 44)


def test_two_in_one_comment() -> None:
    first, second = read("x  # toolbind: ignore[TB101] one thing # toolbind: ignore[TB201] another")
    assert (first.codes, first.reason) == (("TB101",), "one thing")
    assert (second.codes, second.reason) == (("TB201",), "another")


@pytest.mark.parametrize(
    "comment",
    [
        "# toolbind: ignore",
        "# toolbind: ignore because it is fine",
        "# toolbind: ignore[] because it is fine",
        "# toolbind: ignore[ALL] because it is fine",
        "# toolbind: ignore[TB] because it is fine",
        "# toolbind: ignore[*] because it is fine",
        "# toolbind: ignore[TB101 because it is fine",
        "# toolbind: ignore-file because it is fine",
    ],
)
def test_blanket_ones_name_no_rule_and_hide_nothing(comment: str) -> None:
    found = only(f"while True:  {comment}")
    assert (found.problem, found.codes, found.unused) == ("blanket", (), ())
    assert outcome(f"while True:  {comment}", finding(1)) == ["new"]


@pytest.mark.parametrize("reason", ["", " ", " -", " ...", " # noqa", " #12", " 42", " x"])
def test_without_a_reason_it_hides_nothing(reason: str) -> None:
    text = f"while True:  # toolbind: ignore[TB101]{reason}"
    assert (only(text).problem, only(text).reason, only(text).unused) == ("no-reason", "", ())
    assert outcome(text, finding(1)) == ["new"]


# Where it holds

REASON = "# toolbind: ignore[TB101] reviewed"


def covered(text: str, *, code: str = "TB101") -> list[int]:
    """The lines whose findings are hidden."""
    lines = range(1, text.count("\n") + 2)
    return [line for line in lines if outcome(text, finding(line, code)) == ["suppressed"]]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"a()\nb()  {REASON}\nc()", [2]),
        (f"a()\n{REASON}\nb()\nc()", [3]),
        (f"a()\n{REASON}\n# more words\nb()\nc()", [4]),
        (f"a()\n{REASON}\n\nb()", [2]),
        (f"a()\n{REASON}", [2]),
        (f"f(  {REASON}\n    a,\n    b,\n)\nc()", [1, 2, 3, 4]),
        (f"f(\n    a,\n    b,\n)  {REASON}\nc()", [1, 2, 3, 4]),
        (f"f(\n    a,  {REASON}\n    b,\n)\nc()", [2]),
        (f"f(\n    {REASON}\n    a,\n    b,\n)\nc()", [3]),
        (f"{REASON}\nf(\n    a,\n    b,\n)\nc()", [2, 3, 4, 5]),
        (f"while (\n    a\n):  {REASON}\n    b()", [1, 2, 3]),
        (f"while a:  {REASON}\n    b()\n    c()", [1]),
        (f"x = a + \\\n    b  {REASON}\nc()", [1, 2]),
        (f"x = '''\n( [ \"\n'''  {REASON}\nc()", [1, 2, 3]),
        (f"{REASON}\n@tool\n@other(\n    1\n)\ndef f():\n    a()", [2, 3, 4, 5, 6]),
    ],
)
def test_lines(text: str, lines: list[int]) -> None:
    assert covered(text) == lines


def test_other_codes_and_files_are_not_hidden() -> None:
    text = f"a()  {REASON}"
    assert outcome(text, finding(1, "TB201"), finding(1, path="other.py"), finding(1)) == ["new", "new", "suppressed"]


@pytest.mark.parametrize("codes", ["TB101", "TB1", "TB10", "no-step-cap", "tb201, tb1"])
def test_prefixes_and_names_hide(codes: str) -> None:
    assert outcome(f"a()  # toolbind: ignore[{codes}] reviewed", finding(1)) == ["suppressed"]


def test_any_line_of_the_findings_own_place() -> None:
    assert outcome(f"a(\n    b,\n    c,  {REASON}\n    d,\n)", finding(2, end_line=4)) == ["suppressed"]


def test_an_inner_loop_does_not_speak_for_the_outer() -> None:
    text = f"while True:\n    a()\n    while True:  {REASON}\n        b()"
    loops = [subject("outer", 1, 4), subject("inner", 3, 4)]
    outer = finding(1, end_line=4, loops=["outer"])
    inner = finding(3, end_line=4, loops=["inner"])
    assert outcome(text, outer, inner, subjects=loops) == ["new", "suppressed"]


# On a loop's header

HEADER = """def f():
    while True:  # toolbind: ignore[TB3] reviewed
        a()
        b()

def helper():
    c()"""


def test_a_header_speaks_for_all_findings_of_its_loop_in_the_file() -> None:
    loops = [subject("A", 2, 4), subject("B", 40, 50)]
    findings = [
        finding(4, "TB302", loops=["A"]),
        finding(7, "TB302", loops=["A"]),
        finding(7, "TB302", loops=["B"]),
        finding(7, "TB302", loops=["A"], path="other.py"),
    ]
    assert outcome(HEADER, *findings, subjects=loops) == ["suppressed", "suppressed", "new", "new"]


def test_the_line_above_a_header_speaks_for_the_loop_too() -> None:
    text = f"{REASON}\nwhile True:\n    a()\n    b()"
    assert outcome(text, finding(4, loops=["A"]), subjects=[subject("A", 2, 4)]) == ["suppressed"]


def test_a_shared_finding_stays_for_the_loops_that_do_not_accept_it() -> None:
    from toolbind_lint.facts import Step

    loops = [subject("A", 2, 4), subject("B", 40, 50)]
    shared = finding(7, "TB302", loops=["A", "B"])._replace(related=tuple(Step(s.header, s.label) for s in loops))
    (told,) = triage([shared], read(HEADER), loops, policy())
    assert (told.disposition, told.loops) == ("new", ("B",))
    assert [step.message for step in told.related] == ["loop A (accepted here: reviewed)", "loop B"]


def test_a_dispatcher_does_not_keep_what_its_loops_accept() -> None:
    subjects = [subject("A", 2, 4), subject("D", 6, 7, "dispatcher")]
    assert outcome(HEADER, finding(7, "TB302", loops=["A", "D"]), subjects=subjects) == ["suppressed"]


def test_a_dispatchers_own_header_speaks_for_all_its_loops() -> None:
    text = "while True:\n    run()\n\ndef dispatch():  # toolbind: ignore[TB302] reviewed\n    c()\nd()"
    subjects = [subject("A", 1, 2), subject("D", 4, 5, "dispatcher")]
    inside, outside = finding(5, "TB302", loops=["A", "D"]), finding(6, "TB302", loops=["A", "D"])
    assert outcome(text, inside, outside, subjects=subjects) == ["suppressed", "new"]


# Whole files


@pytest.mark.parametrize(
    "text",
    [
        "# toolbind: ignore-file[TB1] a demo\na()\nb()",
        "#!/usr/bin/env python\n# coding: utf-8\n'''Doc.'''\n\nimport a\n# toolbind: ignore-file[TB1] a demo\nb()",
        "from a import (\n    b,\n)  # toolbind: Ignore-File [no-step-cap] a demo\nb()\n\n\n",
        "import a\n\n# toolbind: ignore_file[TB101] a demo",
    ],
)
def test_a_whole_file(text: str) -> None:
    assert only(text).scope == "file"
    assert outcome(text, finding(1), finding(99), finding(1, "TB201"), finding(1, path="other.py")) == [
        "suppressed",
        "suppressed",
        "new",
        "new",
    ]


def test_below_the_head_it_hides_nothing_and_says_so() -> None:
    text = "import a\nb()\n# toolbind: ignore-file[TB101] a demo\nc()"
    assert outcome(text, finding(4)) == ["new"]
    fact = wrong(text, finding(4))
    assert fact is not None
    assert (fact.problem, fact.unused) == ("unused", ("TB101",))
    assert "above its first statement" in fact.note


# Notebooks


def test_lines_are_of_the_cell() -> None:
    cells = ("a()\nb()", f"c()\nd()  {REASON}")
    found = only(*cells)
    assert (found.place.cell, found.place.line, found.lines) == (1, 2, (2, 2))
    told = triage([finding(2, cell=0), finding(2, cell=1), finding(2)], read(*cells), (), policy())
    assert [each.disposition for each in told] == ["new", "suppressed", "new"]


def test_a_comment_at_the_end_of_a_cell_does_not_reach_into_the_next() -> None:
    assert only(f"a()\n{REASON}", "b()").lines == (2, 2)


# What is wrong with suppressions


def test_one_that_hides_something_is_right() -> None:
    assert wrong(f"a()  {REASON}", finding(1)) is None


def test_one_that_hides_nothing_is_unused() -> None:
    fact = wrong(f"a()\nb()  {REASON}", finding(1))
    assert fact is not None
    assert (fact.problem, fact.unused, fact.codes) == ("unused", ("TB101",), ("TB101",))


def test_the_unused_code_among_several_is_named() -> None:
    fact = wrong("a()  # toolbind: ignore[TB101, no-wall-budget, TB5] reviewed", finding(1), finding(1, "TB501"))
    assert fact is not None
    assert (fact.problem, fact.unused) == ("unused", ("no-wall-budget",))


def test_a_code_that_nobody_asked_about_is_not_unused() -> None:
    text = f"a()  {REASON}"
    assert wrong(text, rules=policy(select=("TB2",))) is None
    assert wrong(text, rules=policy(ignore=("TB101",))) is None
    assert wrong(text, rules=policy(per_file_ignores={"agent.py": ("TB101",)})) is None
    assert wrong(text, rules=policy(per_file_ignores={"other.py": ("TB101",)})) is not None


def test_a_prefix_is_unused_only_when_all_its_rules_were_asked() -> None:
    text = "a()  # toolbind: ignore[TB1] reviewed"
    assert wrong(text) is not None
    assert wrong(text, rules=policy(ignore=("TB105",))) is None


def test_one_that_hides_a_finding_of_an_unselected_rule_is_used() -> None:
    rules = policy(ignore=("TB101",))
    (told,) = triage([finding(1)], read(f"a()  {REASON}"), (), rules)
    assert told.disposition == "unselected"
    assert wrong(f"a()  {REASON}", finding(1), rules=rules) is None


@pytest.mark.parametrize(("stage", "told"), [("TB101", False), ("TB102", True), ("recognise", False)])
def test_after_a_crash_nothing_is_called_unused_that_might_not_be(stage: str, told: bool) -> None:
    fact = wrong(f"a()  {REASON}", crashes=[Crash("other.py", stage, "KeyError")])
    assert (fact is not None) is told


def test_in_a_file_that_was_not_checked_nothing_is_unused() -> None:
    unread = finding(1, "TB001")._replace(kind="file", how="too-slow")
    assert wrong(f"a()\nb()  {REASON}", unread) is None
    assert wrong("a()\nb()  # toolbind: ignore[TB999] reviewed", unread) is not None


def test_an_unknown_code_is_told_with_what_it_may_mean() -> None:
    fact = wrong("a()  # toolbind: ignore[TB101, no-stepcap, TB999] reviewed", finding(1))
    assert fact is not None
    assert (fact.problem, fact.unused) == ("unknown-code", ("no-stepcap", "TB999"))
    assert "`no-stepcap` (did you mean `no-step-cap`?)" in fact.note
    assert "`TB999`" in fact.note
    assert outcome("a()  # toolbind: ignore[TB101, TB999] reviewed", finding(1)) == ["suppressed"]


@pytest.mark.parametrize("code", ["TB002", "TB003", "unused-suppression"])
def test_reports_on_suppressions_cannot_be_suppressed(code: str) -> None:
    text = f"a()  # toolbind: ignore[{code}] reviewed"
    report = finding(1, "TB003" if code == "TB003" else "TB002")
    assert outcome(text, report) == ["new"]
    fact = wrong(text, report)
    assert fact is not None
    assert (fact.problem, fact.unused) == ("unused", (code,))
    assert "cannot be suppressed" in fact.note


def test_unreadable_files_can_be_accepted() -> None:
    assert outcome("# toolbind: ignore-file[TB001] a template", finding(1, "TB001")) == ["suppressed"]


@pytest.mark.parametrize("comment", ["# toolbind: ignore", "# toolbind: ignore[TB101]"])
def test_one_that_can_hide_nothing_is_not_called_unused_as_well(comment: str) -> None:
    fact = wrong(f"a()  {comment}")
    assert fact is not None
    assert fact.problem in {"blanket", "no-reason"}
    assert fact.unused == ()


def test_the_reason_is_carried() -> None:
    (told,) = triage([finding(1)], read(f"a()  {REASON}"), (), policy())
    assert told.reason == "reviewed"


# Severity and selection


def told(given: Finding, **values: Any) -> Finding:
    (result,) = triage([given], (), (), policy(**values))
    return result


def test_a_severity_of_the_project() -> None:
    assert told(finding(1), severity={"TB101": "advice"}).severity == "advice"
    assert told(finding(1), severity={"TB1": "advice"}).severity == "advice"
    assert told(finding(1), severity={"TB2": "advice"}).severity == "error"
    assert told(finding(1, "TB201", severity="warning"), severity={"TB201": "error"}).severity == "error"


def test_a_case_is_never_raised() -> None:
    lighter = finding(1, severity="warning")
    assert told(lighter, severity={"TB101": "error"}).severity == "warning"
    assert told(lighter, severity={"TB101": "advice"}).severity == "advice"


@pytest.mark.parametrize(
    ("before", "after", "relaxed"),
    [("error", "warning", True), ("warning", "advice", True), ("advice", "advice", False), ("review", "review", False)],
)
def test_relaxed_places_are_one_step_milder(before: Severity, after: Severity, relaxed: bool) -> None:
    result = told(finding(1, path="tests/test_agent.py", severity=before), select=("ALL",))
    assert (result.severity, result.relaxed, result.disposition) == (after, relaxed, "new")


def test_relaxing_does_not_hide() -> None:
    result = told(finding(1, "TB201", path="tests/test_agent.py", severity="warning"), profile="default")
    assert (result.severity, result.disposition) == ("advice", "new")


def test_elsewhere_nothing_is_relaxed() -> None:
    assert (told(finding(1)).severity, told(finding(1)).relaxed) == ("error", False)


@pytest.mark.parametrize(
    "values",
    [
        {"select": ("TB2",)},
        {"ignore": ("no-step-cap",)},
        {"per_file_ignores": {"agent.py": ("TB1",)}},
        {"profile": "core", "severity": {"TB101": "warning"}},
    ],
)
def test_what_is_not_selected_says_why(values: dict[str, object]) -> None:
    result = told(finding(1), **values)
    assert result.disposition == "unselected"
    assert result.reason


def test_selection_comes_before_suppression() -> None:
    (result,) = triage([finding(1)], read(f"a()  {REASON}"), (), policy(ignore=("TB101",)))
    assert result.disposition == "unselected"


def test_findings_keep_their_order() -> None:
    findings = [finding(9), finding(3), finding(5, "TB201")]
    assert [each.place.line for each in triage(findings, (), (), policy())] == [9, 3, 5]


def test_a_rule_that_is_not_there_is_still_placed() -> None:
    (result,) = triage([finding(1, "TB999")], (), (), policy(_rules=[]))
    assert result.disposition == "new"


def test_suppressions_are_plain_data() -> None:
    assert json.loads(json.dumps(only(f"a()  {REASON}")))[1:3] == [["TB101"], "reviewed"]


# Real sources


def test_a_file() -> None:
    call = "\ta(\r\n\t\t'# toolbind: ignore[TB101] no',\r\n\t)  # toolbind: ignore[TB501] réviewed"
    source = read_source(PATH, f"\ufeffwhile True:\r\n{call}\r\n".encode())
    assert isinstance(source, Source)
    (found,) = read_suppressions(source)
    assert (found.codes, found.reason, found.lines) == (("TB501",), "réviewed", (2, 4))
    assert found.place == Place(PATH, 4, 5, 4, 39, None)


def test_a_notebook() -> None:
    loop = f"%pip install x\nimport a\n{REASON}\nwhile True:\n    b()"
    cells = ["# Title", loop, "c()  # toolbind: ignore[TB2] why not"]
    document = {
        "cells": [
            {"cell_type": "code" if index else "markdown", "source": cell, "metadata": {}, "outputs": []}
            for index, cell in enumerate(cells)
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    source = read_source("a.ipynb", json.dumps(document).encode())
    assert isinstance(source, Source)
    found = read_suppressions(source)
    assert [(each.place.cell, each.lines) for each in found] == [(1, (4, 4)), (2, (1, 1))]


def test_newer_syntax() -> None:
    source = read_source(PATH, b"x = f'{a['b']}#'  # toolbind: ignore[TB101] reviewed\ny = 1\n")
    assert isinstance(source, Source)
    assert [(each.codes, each.lines) for each in read_suppressions(source)] == [(("TB101",), (1, 1))]


@given(st.text(alphabet="#toolbind:ignore-file[TB101] ,x1'\"é\t", max_size=60))
@example("# toolbind: ignore[")
@settings(max_examples=300, deadline=None)
def test_any_comment_can_be_read(rest: str) -> None:
    text = f"#{rest}"
    comment = Comment(Place(PATH, 1, 1, 1, len(text) + 1), text, own_line=True)

    class Alone(Code):
        comments = (comment,)

    for found in read_suppressions(Alone(text)):
        assert 1 <= found.place.column < found.place.end_column <= len(text) + 1
        assert (found.problem == "blanket") == (not found.codes)
        assert found.problem != "" or found.reason


# Whole runs

AGENT = """\
from openai import OpenAI

client = OpenAI()


def run(messages, tools):
    while True:{header}
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            result = globals()[call.function.name](call.function.arguments){dispatch}
            messages.append({{"role": "tool", "tool_call_id": call.id, "content": result}})
"""


JUDGED = ("TB002", "TB003", "TB101", "TB201", "TB311")
"""Rules that come later must not change these runs."""


def run(header: str = "", dispatch: str = "", **values: object) -> dict[str, str]:
    from toolbind_lint.lint import lint
    from toolbind_lint.snapshot import Memory

    text = AGENT.format(header=header and f"  # toolbind: {header}", dispatch=dispatch and f"  # toolbind: {dispatch}")
    report = lint(Memory({PATH: text.encode()}), [PATH], Settings({"select": JUDGED, **values}))
    assert report.crashes == ()
    return {finding.code: finding.disposition for finding in report.findings if finding.code in JUDGED}


def test_without_suppressions() -> None:
    assert run() == {"TB101": "new", "TB201": "new", "TB311": "new"}


def test_a_header_of_a_real_loop() -> None:
    found = run(header="ignore[TB1, TB311] the job is killed after ten minutes")
    assert found == {"TB101": "suppressed", "TB201": "new", "TB311": "suppressed"}


def test_a_line_in_a_real_loop() -> None:
    found = run(dispatch="ignore[no-allowlist, TB201] names are checked by the gateway")
    assert found == {"TB101": "new", "TB201": "new", "TB311": "suppressed", "TB002": "new"}


def test_a_real_suppression_without_a_reason() -> None:
    assert run(header="ignore[TB101]") == {"TB101": "new", "TB201": "new", "TB311": "new", "TB003": "new"}


def test_a_real_blanket_suppression() -> None:
    assert run(header="ignore it all") == {"TB101": "new", "TB201": "new", "TB311": "new", "TB003": "new"}


def test_a_real_suppression_of_what_nobody_asked_for() -> None:
    found = run(header="ignore[TB101] the job is killed", ignore=("TB101", "TB201"))
    assert found == {"TB101": "unselected", "TB201": "unselected", "TB311": "new"}
