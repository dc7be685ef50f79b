"""Failures of tools: counted or not, taken or not, marked or not."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest
from recognising import RUN, at, loop, verdict

H = "for _ in range(8):"
ANSWER = 'messages.append({"role": "tool", "tool_call_id": call.id, "content": result})'


def guarded(handler: str, **parts: Any) -> str:
    """A capped loop with a handler around its dispatch."""
    return loop(H, run=f"try:\n    result = {RUN}\n{handler}", answer=ANSWER, **parts)


def beside(text: str, how: str) -> list[str]:
    """The lines of one kind of advice on errors."""
    return [at(f, text) for f in verdict(text, "errors").beside if f.how == how]


BROAD = "except Exception:\n    result = 'failed'"
LATER = "except Exception:\n    result = 'failed'\n    errors += 1"
BY_NAME = (
    "except Exception:\n    result = 'failed'\n    self.consecutive_failures += 1\n"
    "    if self.consecutive_failures >= limit:\n        raise"
)
COUNTED = "except Exception:\n    bad += 1\n    if bad > 3:\n        raise\n    result = 'failed'"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (guarded(BROAD), True),
        (guarded("except ValueError:\n    result = 'failed'"), True),
        (guarded(COUNTED, before="bad = 0"), False),
        (guarded(LATER, before="errors = 0", foot="if errors > 3:\n    return None"), False),
        (guarded(BY_NAME), False),
        (guarded("except Exception:\n    raise"), False),
        (guarded("except Exception:\n    return 'failed'"), False),
        (guarded("except KeyError:\n    result = 'unknown'"), False),
        (loop(H), False),
    ],
    ids=["broad", "narrow", "counted", "counted later", "by name", "raised", "returned", "unknown tool", "no handler"],
)  # fmt: skip
def test_failures_that_are_answered_need_a_count(text: str, told: bool) -> None:
    assert [line.split()[0] for line in beside(text, "uncapped-failures")] == ["for"] * told


def test_a_call_without_a_form_that_runs_is_a_failure() -> None:
    module = (
        "class FormatError(Exception):\n    pass\ndef read(call):\n    if not call.function.arguments:\n"
        "        raise FormatError('no arguments')\n    return json.loads(call.function.arguments)"
    )
    run = (
        "try:\n    arguments = read(call)\nexcept FormatError as e:\n"
        "    messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': str(e)})\n    continue\n"
        "result = handlers[call.function.name](**arguments)"
    )
    assert [line.split()[0] for line in beside(loop(H, run=run, module=module), "uncapped-failures")] == ["for"]
    assert beside(loop(H, run=run, module=module).replace("FormatError", "Paused"), "uncapped-failures") == []


def test_a_gate_error_is_no_failure() -> None:
    text = guarded("except BudgetExceeded:\n    result = 'spent'", module="class BudgetExceeded(Exception):\n    pass")
    assert beside(text, "uncapped-failures") == []


LOOKED_UP = "result = TABLE[call.function.name](**json.loads(call.function.arguments))"
PLAIN = "def look(q):\n    return find(q)\nTABLE = {'look': look}"
CAREFUL = (
    "def look(q):\n    try:\n        return find(q)\n    except Exception:\n        return 'no'\nTABLE = {'look': look}"
)
RECORDS = "def main(tools):\n    try:\n        return run([], tools, {})\n    except Exception:\n        report()"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (loop(H), True),
        (guarded("except KeyError:\n    result = 'unknown'"), False),
        (guarded(BROAD), False),
        (loop(H, rest="def main(tools):\n    return run([], tools, {})"), True),
        (loop(H, rest=RECORDS), False),
        (loop(H, run="result = session.call_tool(call.function.name, json.loads(call.function.arguments))"), False),
        (loop(H, run="result = toolbox.run(call.function.name, call.function.arguments)"), False),
        (loop(H, module=PLAIN, run=LOOKED_UP), True),
        (loop(H, module=CAREFUL, run=LOOKED_UP), False),
    ],
    ids=["bare", "narrow", "broad", "caller", "caller records", "server", "object", "table", "tools take their own"],
)  # fmt: skip
def test_what_a_tool_raises_is_taken_somewhere(text: str, told: bool) -> None:
    assert [line.split()[0] for line in beside(text, "escapes")] == ["result"] * told


def blocks(run: str, answer: str = '{"type": "tool_result", "tool_use_id": block.id, "content": content}') -> str:
    """A loop over the blocks of a reply."""
    body = f"{dedent(run)}\nresults.append({answer})"
    return (
        "import anthropic\nclient = anthropic.Anthropic()\ndef run(messages, tools, handlers):\n"
        "    for _ in range(8):\n"
        "        reply = client.messages.create(model='m', max_tokens=9, messages=messages, tools=tools)\n"
        "        messages.append({'role': 'assistant', 'content': reply.content})\n"
        "        if reply.stop_reason != 'tool_use':\n            return reply\n"
        "        results = []\n        for block in reply.content:\n            if block.type == 'tool_use':\n"
        f"{indent(body, ' ' * 16)}\n"
        "        messages.append({'role': 'user', 'content': results})\n"
    )


TRIED = "try:\n    content = handlers[block.name](**block.input)\nexcept Exception:\n    content = 'failed'"
FLAGGED = '{"type": "tool_result", "tool_use_id": block.id, "content": content, "is_error": bad}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (blocks(TRIED), True),
        (blocks(f"bad = False\n{TRIED}\n    bad = True", FLAGGED), False),
        (blocks("content = handlers[block.name](**block.input)"), False),
        (blocks(TRIED.replace("content = 'failed'", "raise")), False),
        (guarded(BROAD), False),
    ],
    ids=["plain", "flag", "no handler", "raises", "no flag to set"],
)
def test_a_failure_is_marked_where_there_is_a_mark(text: str, told: bool) -> None:
    assert [line.split()[0] for line in beside(text, "failure-as-success")] == ["except"] * told
