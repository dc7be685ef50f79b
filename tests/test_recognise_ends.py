"""What shows that a loop ended at its bound, and what looks like an answer."""

from __future__ import annotations

import pytest
from recognising import at, loop, verdict

H = "for _ in range(8):"
LEAVE = "if not message.tool_calls:\n    break"
LOG = "import logging\nlog = logging.getLogger(__name__)"


def silent(text: str) -> bool:
    return "silent-end" in [f.how for f in verdict(text, "exit").faults]


SILENT = {
    "nothing": loop(H),
    "None": loop(H, after="return None"),
    "empty": loop(H, after="return ''"),
    "sentence": loop(H, after="return 'I could not finish.'"),
    "last text": loop(H, leave=LEAVE, after="return message.content"),
    "printed": loop(H, after="print('out of steps')\nreturn None"),
    "info": loop(H, module=LOG, after="log.info('out of steps')\nreturn None"),
    "only for those who ask": loop(
        H, module=LOG, params="verbose=False", after="if verbose:\n    log.warning('out of steps')\nreturn None"
    ),
    "counter that breaks": loop("while True:", before="n = 0", top="n += 1\nif n > 8:\n    break", leave=LEAVE),
    "counter that returns": loop("while True:", before="n = 0", top="n += 1\nif n > 8:\n    return None"),
    "told to the model only": loop(H, after="messages.append({'role': 'user', 'content': 'stop'})"),
}
VISIBLE = {
    "raised": loop(H, after="raise RuntimeError('out of steps')"),
    "raised at the test": loop("while True:", before="n = 0", top="n += 1\nif n > 8:\n    raise RuntimeError(n)"),
    "warning": loop(H, module=LOG, after="log.warning('out of steps')\nreturn None"),
    "warning at the test": loop(
        "while True:", module=LOG, before="n = 0", top="n += 1\nif n > 8:\n    log.error('out')\n    return None"
    ),
    "status": loop(H, after="return {'status': 'out of steps'}"),
    "class": loop(H, after="return StepsExceeded(8)"),
    "pair": loop(H, after="return None, False"),
    "metric": loop(H, params="metrics", after="metrics.increment('out_of_steps')\nreturn None"),
    "field": loop(H, params="run", after="run.status = 'out of steps'\nreturn None"),
    "helper that logs": loop(
        H, module=f"{LOG}\ndef give_up():\n    log.warning('out of steps')", after="give_up()\nreturn None"
    ),
    "else": loop(H, leave=LEAVE, after="else:\n    raise RuntimeError('out of steps')"),
    "no bound": loop(),
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_an_end_that_looks_like_an_answer_is_silent(text: str) -> None:
    assert silent(text)


@pytest.mark.parametrize("text", VISIBLE.values(), ids=VISIBLE.keys())
def test_an_end_that_can_be_told_is_not(text: str) -> None:
    assert not silent(text)


def test_a_silent_end_stands_at_the_header() -> None:
    text = loop(H)
    fault = next(f for f in verdict(text, "exit").faults if f.how == "silent-end")
    assert at(fault, text) == H
    assert dict(fault.words)["cap"] == "8"


@pytest.mark.parametrize(
    ("raised", "count"), [("RuntimeError('steps')", 1), ("Exception", 1), ("Spent(8)", 0), ("TimeoutError()", 0)]
)
def test_an_error_of_any_kind_is_anonymous(raised: str, count: int) -> None:
    text = loop(H, module="class Spent(Exception):\n    pass", after=f"raise {raised}")
    found = [f.how for f in verdict(text, "exit").beside if f.how != "truncated-dispatch"]
    assert found == ["one-anonymous-end"] * count


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (loop(H), True),
        (loop(H, after="raise RuntimeError('out of steps')"), False),
        (loop(H, ask="client.chat.completions.create(messages=messages, tools=tools, tool_choice=choice(_))"), False),
        (loop(H, after="return client.chat.completions.create(model='m', messages=messages)"), False),
        (loop(), False),
    ],
    ids=["gives up", "raises", "choice varies", "asks once more", "no cap"],
)
def test_a_cap_that_is_spent_on_a_call_leaves_no_answer(text: str, told: bool) -> None:
    assert ("no-final-answer" in [f.how for f in verdict(text, "exit").beside]) is told
