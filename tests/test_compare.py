"""What a change did: to limits, names and gates, with both values and both places; and which loop is which."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from toolbind_lint.compare import pair
from toolbind_lint.config import Settings
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Finding, Report
from toolbind_lint.pull import check_change
from toolbind_lint.revision import Compared
from toolbind_lint.snapshot import Memory
from toolbind_lint.verdicts import Subject

AGENT = """\
import json
import time

from openai import OpenAI

from gates import MAX_STEPS, SECONDS, BudgetExceeded, tick
from tools import TOOLS

client = OpenAI()


def run(messages, tools):
    start = time.monotonic()
    for step in range(MAX_STEPS):
        tick(step)
        if time.monotonic() - start > SECONDS:
            raise BudgetExceeded("wall")
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            try:
                result = run_tool(call)
            except BudgetExceeded:
                raise
            except Exception:
                result = "failed"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    raise BudgetExceeded("steps")


def run_tool(call):
    tick(len(call.id))
    if call.function.name not in TOOLS:
        raise BudgetExceeded("unknown tool")
    return TOOLS[call.function.name](**json.loads(call.function.arguments))
"""

GATES = """\
MAX_STEPS = 8
SECONDS = 120


class BudgetExceeded(Exception):
    pass


def tick(step):
    if step > 50:
        raise BudgetExceeded("spent")
"""

TOOLS = """\
import search

TOOLS = {
    "search": search.run,
}
"""

BEFORE = {"agent.py": AGENT, "gates.py": GATES, "tools.py": TOOLS}


class Edit(NamedTuple):
    """One change of ``BEFORE``: replacements by path; ``expected`` are code, place and words of its findings."""

    name: str
    replaced: Mapping[str, tuple[tuple[str, str], ...]]
    expected: tuple[tuple[str, str, str], ...]


def edited(replaced: Mapping[str, tuple[tuple[str, str], ...]]) -> dict[str, str]:
    files = dict(BEFORE)
    for path, changes in replaced.items():
        for old, new in changes:
            assert old in files[path], old
            files[path] = files[path].replace(old, new)
    return files


def check(before: Mapping[str, str], after: Mapping[str, str], **values: object) -> Report:
    old, new = ({p: t.encode() for p, t in files.items()} for files in (before, after))
    changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    settings = Settings({"profile": "strict", "preview": True, **values})
    report = check_change(Memory(new), sorted(new), settings, Compared(Memory(old), frozenset(changed)))
    assert report.crashes == ()
    return report


def own(report: Report) -> list[Finding]:
    return [finding for finding in report.shown if finding.code.startswith("TB9")]


EDITS = [
    Edit(
        "a cap raised in another file",
        {"gates.py": (("MAX_STEPS = 8", "MAX_STEPS = 12"),)},
        (("TB901", "gates.py:1", r"step cap of the loop from 8 to 12; in the base: gates\.py:1"),),
    ),
    Edit("a cap lowered", {"gates.py": (("MAX_STEPS = 8", "MAX_STEPS = 5"),)}, ()),
    Edit(
        "the looser of two caps raised, which changes nothing",
        {"gates.py": (("step > 50", "step > 70"),)},
        (),
    ),
    Edit(
        "a deadline raised",
        {"gates.py": (("SECONDS = 120", "SECONDS = 600"),)},
        (("TB901", "gates.py:2", r"wall-clock budget of the loop from 120 to 600"),),
    ),
    Edit(
        "a deadline deleted",
        {
            "agent.py": (
                ('        if time.monotonic() - start > SECONDS:\n            raise BudgetExceeded("wall")\n', ""),
            )
        },
        (("TB904", "agent.py:14", r"takes away the wall-clock budget of the loop; in the base: .*agent\.py:16"),),
    ),
    Edit(
        "one of two caps deleted in a helper, the tighter one stays",
        {"gates.py": (('    if step > 50:\n        raise BudgetExceeded("spent")\n', "    return step\n"),)},
        (),
    ),
    Edit(
        "the handler that raises again deleted",
        {"agent.py": (("            except BudgetExceeded:\n                raise\n", ""),)},
        (("TB904", "agent.py:25", "takes away the re-raise of what must stop the run"),),
    ),
    Edit(
        "the test of the name deleted, the table stays",
        {
            "agent.py": (
                ('    if call.function.name not in TOOLS:\n        raise BudgetExceeded("unknown tool")\n', ""),
            )
        },
        (),
    ),
    Edit(
        "names that become code",
        {
            "agent.py": (
                ('    if call.function.name not in TOOLS:\n        raise BudgetExceeded("unknown tool")\n', ""),
                ("TOOLS[call.function.name](", "globals()[call.function.name]("),
            )
        },
        (("TB904", "agent.py:35", "takes away the allowlist of the loop"),),
    ),
    Edit(
        "a set that became a pattern",
        {
            "agent.py": (
                ("if call.function.name not in TOOLS:", 'if not call.function.name.startswith("s"):'),
                ("TOOLS[call.function.name](", "globals()[call.function.name]("),
            )
        },
        (("TB902", "agent.py:35", "a pattern where exact names decided what the loop may run; in the base: `search`"),),
    ),
    Edit("a name that goes", {"tools.py": (('    "search": search.run,\n', ""),)}, ()),
    Edit("a comment", {"gates.py": (("MAX_STEPS = 8", "MAX_STEPS = 8  # enough"),)}, ()),
    Edit("a constant renamed", {"gates.py": (("MAX_STEPS", "TURNS"),), "agent.py": (("MAX_STEPS", "TURNS"),)}, ()),
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_each_edit_is_told_with_both_values_and_places(edit: Edit) -> None:
    report = check(BEFORE, edited(edit.replaced))
    found = [(f.code, f"{f.place.path}:{f.place.line}", f.message) for f in own(report)]
    assert len(found) == len(edit.expected), found
    for (code, place, message), (wanted, at, words) in zip(found, edit.expected, strict=True):
        assert (code, place) == (wanted, at)
        assert re.search(words, message), message


def test_the_reverse_of_each_edit_takes_no_gate_away() -> None:
    for edit in EDITS:
        report = check(edited(edit.replaced), BEFORE)
        assert not [f for f in own(report) if f.code == "TB904"], edit.name


def test_the_message_of_a_new_finding_names_what_the_base_had() -> None:
    both = {
        "agent.py": (("for step in range(MAX_STEPS):", "while True:"), ("        tick(step)\n", "")),
    }
    (cap,) = [f for f in check(BEFORE, edited(both)).shown if f.code == "TB101"]
    assert cap.message.endswith("In the base: as many passes as MAX_STEPS = 8 (constant) (gates.py:1)")


def test_a_cap_that_moves_to_the_environment_is_new_with_its_old_value() -> None:
    moved = {"gates.py": (("MAX_STEPS = 8", 'import os\n\nMAX_STEPS = int(os.environ["STEPS"])'),)}
    report = check(BEFORE, edited({**moved, "agent.py": (("        tick(step)\n", ""),)}))
    (unpinned,) = [f for f in report.shown if f.code == "TB102"]
    assert "= 8" in unpinned.message
    assert "gates.py:1" in unpinned.message


# Added loops and tools

LOOSE = """

def loose(messages, tools):
    while True:
        reply = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content
        for call in reply.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": run_tool(call)})
"""


def test_an_added_loop_is_one_finding_for_all_that_it_lacks() -> None:
    report = check(BEFORE, {**BEFORE, "agent.py": AGENT + LOOSE})
    (added,) = own(report)
    assert (added.code, added.place.line) == ("TB903", 41)
    assert re.search("adds a tool loop without step cap.* wall-clock budget", added.message)
    assert {step.message[:5] for step in added.related} >= {"TB101", "TB201"}
    assert not {"TB101", "TB201"} & {f.code for f in report.shown}


def test_what_is_wrong_in_an_added_loop_stays_beside_it() -> None:
    wrong = LOOSE.replace("tools=tools)", 'tools=tools, tool_choice="required")')
    codes = {f.code for f in check(BEFORE, {**BEFORE, "agent.py": AGENT + wrong}).shown}
    assert {"TB601", "TB903"} <= codes


def test_without_the_rule_on_added_loops_each_gate_is_said() -> None:
    codes = {f.code for f in check(BEFORE, {**BEFORE, "agent.py": AGENT + LOOSE}, ignore=["TB903"]).shown}
    assert {"TB101", "TB201"} <= codes


def test_an_added_tool_is_an_error_where_gates_are_missing() -> None:
    loose = {**BEFORE, "agent.py": AGENT + LOOSE}
    report = check(
        loose, {**loose, "tools.py": TOOLS.replace("search.run,", 'search.run,\n    "write": search.write,')}
    )
    found = own(report)
    assert {f.code for f in found} >= {"TB903"}
    (tool,) = [f for f in found if f.place.line == 41]
    assert re.search("gives the loop the tool `write`, and it lacks step cap", tool.message)
    assert ("tools.py", 5) in {(step.place.path, step.place.line) for step in tool.related}
    assert "TB902" not in {f.code for f in found}


def test_a_name_in_place_of_another_is_added() -> None:
    tools = TOOLS + "\n\ndef execute_tool(name, arguments):\n    return TOOLS[name](**arguments)\n"
    report = check({"tools.py": tools}, {"tools.py": tools.replace('"search":', '"find":')})
    (added,) = own(report)
    assert (added.code, added.severity, added.place.line) == ("TB902", "review", 4)
    assert added.message == "This change lets the dispatcher run the tool `find`"


# Which loop is which


def subject(path: str, line: int, function: str, shape: str, turn: str = "create") -> Subject:
    place = Place(path, line, 1, line + 5, 1)
    turns = (Step(place, turn),)
    return Subject(f"{path}:{line}", "tool-loop", place, place, function, function, "", shape, (), turns=turns)


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        (subject("a.py", 1, "run", "x"), subject("a.py", 9, "run", "x"), {}),
        (subject("a.py", 1, "run", "x"), subject("a.py", 1, "answer", "x"), {}),
        (subject("a.py", 1, "run", "x"), subject("a.py", 1, "run", "y"), {}),
        (subject("a.py", 1, "run", "x"), subject("b.py", 1, "run", "x"), {}),
        (subject("a.py", 1, "run", "x"), subject("b.py", 1, "Agent.run", "y"), {}),
        (subject("a.py", 1, "run", "x"), subject("b.py", 1, "answer", "y"), {"b.py": "a.py"}),
        (subject("a.py", 1, "run", "x"), subject("a.py", 1, "answer", "y"), {}),
    ],
)
def test_a_loop_is_known_again(old: Subject, new: Subject, renamed: Mapping[str, str]) -> None:
    assert pair([old], [new], renamed) == ({new.id: old}, ())


def test_another_loop_is_another() -> None:
    old, new = subject("a.py", 1, "run", "x"), subject("b.py", 1, "answer", "y")
    assert pair([old], [new], {}) == ({}, (new,))


def test_the_likest_are_paired_first() -> None:
    old = [subject("a.py", 1, "run", "x"), subject("a.py", 20, "run", "y")]
    new = [subject("a.py", 1, "run", "y"), subject("a.py", 20, "run", "z")]
    assert pair(old, new, {}).pairs == {new[0].id: old[1], new[1].id: old[0]}
