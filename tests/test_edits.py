"""Edits, and what becomes of the findings: each scenario is a pair of small projects, linted for real.

A finding of the second project is new only where its line ends in ``# new: CODE``; every other one must match a finding
of the first. ``keeps`` names codes that must be among the matched, so that no scenario holds for want of findings. Of
twins that are alike in one function the lower counts as new, wherever it was added: nothing tells them apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from toolbind_lint.config import Settings
from toolbind_lint.findings import Finding
from toolbind_lint.fingerprint import entry, match
from toolbind_lint.lint import lint
from toolbind_lint.snapshot import Memory

LOOP = """\
import json

from openai import OpenAI

from tools import SPECS, search

client = OpenAI()
TOOLS = {"search": search}
OTHERS = {"find": search}


def run(messages):
    while True:
        reply = client.chat.completions.create(model="gpt-4o", messages=messages, tools=SPECS)
        message = reply.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
"""

SECOND = LOOP[LOOP.index("def run(") :]
HEAD = LOOP[: LOOP.index("def run(")]

TURN = 'client.chat.completions.create(model="gpt-4o", messages=messages, tools=SPECS)'

DISPATCH = "TOOLS[call.function.name](**json.loads(call.function.arguments))"

BY_NAME = LOOP.replace("TOOLS[call.function.name](", "globals()[call.function.name](")

HANDLER = LOOP.replace(
    "            result = TOOLS[call.function.name](**json.loads(call.function.arguments))\n",
    """\
            try:
                charge(call)
                result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            except BudgetExceeded as exc:
                result = str(exc)
""",
).replace(
    "TOOLS = {",
    """\


class BudgetExceeded(Exception):
    pass


def charge(call):
    if too_much(call):
        raise BudgetExceeded("spent")


TOOLS = {""",
)

CAPPED = LOOP.replace("while True:", "for step in range(MAX_STEPS):").replace("TOOLS = {", "MAX_STEPS = 500\nTOOLS = {")

FORCED = LOOP.replace("tools=SPECS)", 'tools=SPECS, tool_choice="required")')

ENVIRONMENT = CAPPED.replace("MAX_STEPS = 500", 'MAX_STEPS = int(os.environ["MAX_STEPS"])').replace(
    "import json\n", "import json\nimport os\n"
)

HELPER = """\
import handlers


def run_tool(name, arguments):
    return getattr(handlers, name)(**arguments)
"""

VIA_HELPER = (
    LOOP.replace("TOOLS[call.function.name](**json", "run_tool(call.function.name, json")
    .replace("\nTOOLS = {", "\nNAMES = {")
    .replace("from tools", "from dispatch import run_tool\nfrom tools")
)

RETRY = """\
from openai import OpenAI

from tools import SPECS

client = OpenAI()


def ask(messages):
    while True:
        try:
            return client.chat.completions.create(model="gpt-4o", messages=messages, tools=SPECS)
        except Exception as error:
            print(error)
            continue
"""


class Scenario(NamedTuple):
    """One edit. ``before`` and ``after`` map paths to texts; a single text is ``agent.py``."""

    name: str
    before: str | Mapping[str, str]
    after: str | Mapping[str, str]
    keeps: str = "TB101 TB201"


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def notebook(*cells: str) -> str:
    fields = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1}
    return json.dumps(
        {
            "cells": [{**fields, "source": cell.splitlines(True)} for cell in cells],
            "metadata": {"language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def marked(text: str, code: str = "TB101") -> str:
    """The text with its loop's header marked as new."""
    return changed(text, ("while True:", f"while True:  # new: {code}"))


def renamed(text: str, name: str) -> str:
    return changed(text, ("def run(", f"def {name}("))


def wrapped(text: str, start: str, head: str) -> str:
    """The text from the line that begins with ``start`` on, one step deeper, under a line of its own."""
    at = text.rindex("\n", 0, text.index(start)) + 1
    indent = text[at : text.index(start)]
    return f"{text[:at]}{indent}{head}\n{indented(text[at:])}"


def indented(text: str) -> str:
    return re.sub(r"(?m)^(?=.)", "    ", text)


OTHER = changed(SECOND, ("TOOLS[", "OTHERS["))

SCENARIOS = [
    # Where it stands
    Scenario("lines added above", LOOP, "# one\n# two\n\n" + LOOP),
    Scenario("a function added above", LOOP, changed(LOOP, ("def run(", "def other():\n    return 1\n\n\ndef run("))),
    Scenario("a comment in the loop", LOOP, changed(LOOP, ("        message =", "        # why\n        message ="))),
    Scenario("blank lines in the loop", LOOP, changed(LOOP, ("        message =", "\n\n        message ="))),
    Scenario("a docstring added", LOOP, changed(LOOP, ("    while True", '    """Run it."""\n    while True'))),
    Scenario("an import added", LOOP, "import os\n" + LOOP),
    Scenario("windows newlines", LOOP, changed(LOOP, ("\n", "\r\n"))),
    Scenario("tabs", LOOP, changed(LOOP, ("    ", "\t"))),
    # Names
    Scenario("a local renamed", LOOP, changed(LOOP, ("reply", "answer"))),
    Scenario(
        "all locals renamed",
        LOOP,
        changed(
            re.sub(r"(?<!\.)\bmessage\b(?!=)", "said", LOOP),
            ("for call", "for wanted"),
            ("call.", "wanted."),
            ("result", "out"),
        ),
    ),
    Scenario(
        "a parameter renamed",
        LOOP,
        changed(
            LOOP,
            ("run(messages)", "run(history)"),
            ("messages=messages", "messages=history"),
            ("messages.append", "history.append"),
        ),
    ),
    Scenario("the function renamed", LOOP, renamed(LOOP, "start")),
    Scenario("the client renamed", LOOP, changed(LOOP, ("client", "api"))),
    Scenario(
        "imported in another way",
        LOOP,
        changed(LOOP, ("from openai import OpenAI", "import openai"), ("= OpenAI()", "= openai.OpenAI()")),
    ),
    Scenario(
        "imported by another name",
        LOOP,
        changed(LOOP, ("import OpenAI", "import OpenAI as Api"), ("= OpenAI(", "= Api(")),
    ),
    Scenario("the file renamed", {"agent.py": LOOP}, {"core.py": LOOP}),
    Scenario("the file moved", {"agent.py": LOOP}, {"app/agents/agent.py": LOOP}),
    Scenario("file and function renamed", {"agent.py": LOOP}, {"core.py": renamed(LOOP, "start")}),
    Scenario(
        "the function made a method", LOOP, HEAD + "class Agent:\n" + indented(changed(SECOND, ("run(", "run(self, ")))
    ),
    Scenario("two files swapped", {"a.py": LOOP, "b.py": RETRY}, {"b.py": LOOP, "a.py": RETRY}, "TB101 TB108"),
    # Small statements
    Scenario(
        "a statement before the loop", LOOP, changed(LOOP, ("    while True", "    print(messages)\n    while True"))
    ),
    Scenario(
        "a statement in the loop", LOOP, changed(LOOP, ("        message =", "        print(reply)\n        message ="))
    ),
    Scenario("a statement after the dispatch", LOOP, LOOP + "            print(result)\n"),
    Scenario("annotations added", LOOP, changed(LOOP, ("run(messages)", "run(messages: list) -> str"))),
    Scenario("a decorator added", LOOP, changed(LOOP, ("def run", "@traced\ndef run"))),
    Scenario("another model", LOOP, changed(LOOP, ("gpt-4o", "gpt-5"))),
    Scenario("a parameter of the turn", LOOP, changed(LOOP, ("tools=SPECS", "tools=SPECS, temperature=0.2"))),
    Scenario("a tool added", LOOP, changed(LOOP, ('{"search": search}', '{"search": search, "find": search}'))),
    # Formatting
    Scenario(
        "a call over several lines",
        LOOP,
        changed(
            LOOP,
            (
                'create(model="gpt-4o", messages=messages, tools=SPECS)',
                'create(\n            model="gpt-4o",\n            messages=messages,\n'
                "            tools=SPECS,\n        )",
            ),
        ),
    ),
    Scenario("other quotes", LOOP, changed(LOOP, ('"', "'"))),
    Scenario("brackets around the condition", LOOP, changed(LOOP, ("while True:", "while (True):"))),
    # Numbers
    Scenario("the cap changed", CAPPED, changed(CAPPED, ("= 500", "= 900")), "TB109 TB201"),
    Scenario(
        "the cap written in place",
        changed(CAPPED, ("range(MAX_STEPS)", "range(500)")),
        changed(CAPPED, ("range(MAX_STEPS)", "range(900)")),
        "TB109 TB201",
    ),
    Scenario("the cap lowered below the ceiling", CAPPED, changed(CAPPED, ("= 500", "= 8")), "TB201"),
    Scenario("another variable", ENVIRONMENT, changed(ENVIRONMENT, ('"MAX_STEPS"', '"STEPS"')), "TB102 TB201"),
    Scenario("the cap's constant renamed", CAPPED, changed(CAPPED, ("MAX_STEPS", "STEPS")), "TB109 TB201"),
    Scenario("the cap's constant annotated", CAPPED, changed(CAPPED, ("S = 500", "S: Final = 500")), "TB201"),
    # Structure
    Scenario(
        "made asynchronous",
        LOOP,
        changed(LOOP, ("OpenAI", "AsyncOpenAI"), ("def run", "async def run"), ("= client.", "= await client.")),
    ),
    Scenario("a context around the loop", LOOP, HEAD + wrapped(SECOND, "while True", "with traced():")),
    Scenario(
        "the loop's body in a try",
        LOOP,
        HEAD + wrapped(SECOND, "reply =", "try:") + "        finally:\n            print(messages)\n",
    ),
    Scenario(
        "the turn moved to another file",
        {"agent.py": LOOP},
        {
            "agent.py": changed(LOOP, (TURN, "ask(messages)"), ("from tools", "from model import ask\nfrom tools")),
            "model.py": HEAD + f"def ask(messages):\n    return {TURN}\n",
        },
    ),
    Scenario(
        "the dispatch moved into a helper",
        LOOP,
        changed(
            LOOP, (DISPATCH, "answer(call)"), ("def run(", f"def answer(call):\n    return {DISPATCH}\n\n\ndef run(")
        ),
    ),
    Scenario("the client made in the function", LOOP, changed(LOOP, ("    while", "    client = OpenAI()\n    while"))),
    Scenario(
        "the answer kept in a variable",
        LOOP,
        changed(LOOP, ("return message.content", "answer = message.content\n            return answer")),
    ),
    Scenario(
        "the calls kept in a variable",
        LOOP,
        changed(
            LOOP,
            ("if not message.tool_calls", "if not (calls := message.tool_calls)"),
            ("in message.tool_calls", "in calls"),
        ),
    ),
    # What is new
    Scenario(
        "the cap removed",
        changed(CAPPED, ("500", "8")),
        changed(CAPPED, ("500", "8"), ("for step in range(MAX_STEPS):", "while True:  # new: TB101 TB201")),
        "",
    ),
    Scenario("a twin below", LOOP, LOOP + "\n\n" + marked(renamed(SECOND, "again"), "TB101 TB201")),
    Scenario("a twin above", LOOP, HEAD + marked(renamed(SECOND, "again"), "TB101 TB201") + "\n\n" + SECOND),
    Scenario(
        "another loop above in the same function",
        LOOP,
        HEAD
        + changed(marked(OTHER, "TB101 TB201"), ("return message.content", "break"))
        + SECOND[SECOND.index("    while") :],
    ),
    Scenario(
        "a twin in the same function",
        changed(LOOP, ("            return message.content", "            break")),
        changed(LOOP, ("            return message.content", "            break"))
        + changed(
            marked(SECOND[SECOND.index("    while") :], "TB101 TB201"),
            ("            return message.content", "            break"),
        ),
    ),
    Scenario(
        "another file with a loop", {"agent.py": LOOP}, {"agent.py": LOOP, "more.py": marked(LOOP, "TB101 TB201")}
    ),
    Scenario("one of two twins deleted", LOOP + "\n\n" + renamed(SECOND, "again"), HEAD + renamed(SECOND, "again")),
    Scenario(
        "functions swapped",
        LOOP + "\n\n" + renamed(OTHER, "again"),
        HEAD + renamed(OTHER, "again") + "\n\n" + SECOND,
    ),
    Scenario(
        "the loop split in two",
        LOOP,
        changed(marked(LOOP, "TB101 TB201"), ("            return message.content", "            break"))
        + SECOND[SECOND.index("    while") :],
    ),
    Scenario(
        "the turn moved into a helper",
        LOOP,
        changed(
            LOOP,
            (f"{TURN}\n", "ask(messages)\n"),
            ("def run(", f"def ask(messages):\n    return {TURN}\n\n\ndef run("),
        ),
    ),
    # Other rules
    Scenario(
        "a dispatch by name, locals renamed", BY_NAME, changed(BY_NAME, ("call.", "c."), ("for call", "for c")), "TB311"
    ),
    Scenario(
        "a second dispatch by name",
        BY_NAME,
        BY_NAME + "            globals()[call.function.name]()  # new: TB311\n",
        "TB101 TB311",
    ),
    Scenario(
        "a handler's name changed",
        HANDLER,
        changed(HANDLER, ("as exc", "as error"), ("str(exc)", "str(error)")),
        "TB101 TB501",
    ),
    Scenario(
        "a handler's text changed", HANDLER, changed(HANDLER, ("= str(exc)", '= "stopped: " + str(exc)')), "TB501"
    ),
    Scenario(
        "another forced choice",
        FORCED,
        changed(FORCED, ('"required"', '{"type": "function", "function": {"name": "search"}}')),
        "TB601",
    ),
    Scenario("a retry's locals renamed", RETRY, changed(RETRY, ("error", "problem")), "TB108"),
    Scenario(
        "a second loop shares a helper",
        {"dispatch.py": HELPER, "agent.py": VIA_HELPER},
        {
            "dispatch.py": HELPER,
            "agent.py": VIA_HELPER,
            "aaa.py": marked(renamed(VIA_HELPER, "other"), "TB101 TB201"),
        },
        "TB101 TB311",
    ),
    Scenario(
        "the helper's function renamed",
        {"dispatch.py": HELPER, "agent.py": VIA_HELPER},
        {"dispatch.py": changed(HELPER, ("run_tool", "go")), "agent.py": changed(VIA_HELPER, ("run_tool", "go"))},
        "TB101 TB311",
    ),
    # The linter's own
    Scenario("a syntax error moved", LOOP + "\ndef (:\n", "\n\n" + LOOP + "\ndef (:\n", "TB001"),
    Scenario(
        "a suppression's reason is still missing",
        changed(LOOP, ("while True:", "while True:  # toolbind: ignore[TB101]")),
        "# first\n" + changed(LOOP, ("while True:", "while True:  # toolbind:  ignore[TB101]")),
        "TB003 TB101",
    ),
    Scenario(
        "a suppression comes to be unused",
        changed(LOOP, ("while True:", "while True:  # toolbind: ignore[TB101] reviewed")),
        changed(
            CAPPED,
            ("500", "8"),
            (
                "for step in range(MAX_STEPS):",
                "for step in range(MAX_STEPS):  # toolbind: ignore[TB101] reviewed # new: TB002 TB201",
            ),
        ),
        "",
    ),
    # Notebooks
    Scenario(
        "a cell added above",
        {"a.ipynb": notebook(HEAD, SECOND)},
        {"a.ipynb": notebook("# Notes\n", HEAD, "x = 1\n", SECOND)},
    ),
    Scenario("a file made a notebook", {"a.py": LOOP}, {"a.ipynb": notebook(HEAD, SECOND)}),
]


JUDGED = (
    *("TB001", "TB002", "TB003", "TB101", "TB102", "TB104", "TB105", "TB108", "TB109", "TB201"),
    *("TB302", "TB311", "TB312", "TB501", "TB502", "TB601", "TB602"),
)
"""Rules that come later must not change these expectations."""


def shown(files: str | Mapping[str, str]) -> list[Finding]:
    texts = {"agent.py": files} if isinstance(files, str) else dict(files)
    texts.setdefault("tools.py", "SPECS = []\n\n\ndef search(query: str) -> str:\n    return query\n")
    snapshot = Memory({path: text.encode() for path, text in texts.items()})
    settings = Settings({"select": JUDGED, "relaxed": ()})
    report = lint(snapshot, sorted(texts), settings)
    assert report.crashes == ()
    return list(report.shown)


def marks(files: str | Mapping[str, str]) -> dict[tuple[str, int], set[str]]:
    texts = {"agent.py": files} if isinstance(files, str) else files
    return {
        (path, number): set(found[1].split())
        for path, text in texts.items()
        if path.endswith(".py")
        for number, line in enumerate(text.splitlines(), 1)
        if (found := re.search(r"# new: (.*)", line))
    }


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_edit(scenario: Scenario) -> None:
    old, new = shown(scenario.before), shown(scenario.after)
    matching = match([entry(each) for each in old], [entry(each) for each in new])
    expected = marks(scenario.after)
    wanted = {(path, number, code) for (path, number), codes in expected.items() for code in codes}
    assert {(new[index].place.path, new[index].place.line, new[index].code) for index in matching.added} == wanted
    matched = {(old[left].code, old[left].how, new[right].code, new[right].how) for left, right in matching.pairs}
    assert all((before, how) == (after, now) for before, how, after, now in matched)
    assert set(scenario.keeps.split()) <= {code for code, _, _, _ in matched}


def test_there_are_enough_edits() -> None:
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS) >= 30


def test_nothing_changes_without_an_edit() -> None:
    for text in (LOOP, CAPPED, HANDLER, RETRY):
        assert [each.fingerprint for each in shown(text)] == [each.fingerprint for each in shown(text)]
