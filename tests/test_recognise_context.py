"""The conversation and the calls in it: cut, torn, grown, repeated; and replies that were cut off."""

from __future__ import annotations

import pytest
from recognising import at, loop, verdict

H = "for _ in range(8):"
ARGS = "call.function.arguments"
KEY = "key = (call.function.name, call.function.arguments)\n"


def hows(text: str, gate: str = "context") -> list[str]:
    return [f.how for f in verdict(text, gate).faults]  # type: ignore[arg-type]


NOTICED = {
    "set": loop(H, before="seen = set()", inner=f"{KEY}if key in seen:\n    continue\nseen.add(key)"),
    "dict": loop(H, before="known = {}", inner=f"{KEY}if key not in known:\n    known[key] = 1"),
    "text": loop(
        H,
        before="known = []",
        inner="key = f'{call.function.name}{call.function.arguments}'\nif key in known:\n    continue",
    ),
    "last": loop(H, before="last = ''", inner=f"if {ARGS} == last:\n    break\nlast = {ARGS}"),
}


@pytest.mark.parametrize("text", NOTICED.values(), ids=NOTICED.keys())
def test_a_call_that_is_compared_with_earlier_ones_is_noticed(text: str) -> None:
    assert "no-repeat-check" not in hows(text)


@pytest.mark.parametrize("inner", ["", "if call.function.name in tools:\n    pass", "names = [call.function.name]"])
def test_a_call_that_is_not_is_told_at_the_header(inner: str) -> None:
    text = loop(H, inner=inner)
    fault = next(f for f in verdict(text, "context").faults if f.how == "no-repeat-check")
    assert at(fault, text) == H


TORN = {
    "last": "messages = messages[-20:]",
    "from a number": "messages = messages[4:]",
    "with the head kept": "messages = messages[:1] + messages[-20:]",
    "in place": "messages[:] = messages\nmessages.pop(0)",
    "deleted": "del messages[:10]",
}
WHOLE = {
    "nothing": "",
    "taken back": "messages.pop()",
    "last taken back": "del messages[-1]",
    "by role": "if messages[0]['role'] == 'tool':\n    messages.pop(0)",
    "copied": "messages = messages[:]",
    "another list": "recent = messages[-20:]",
}


@pytest.mark.parametrize("cut", TORN.values(), ids=TORN.keys())
def test_a_conversation_cut_by_position_is_torn(cut: str) -> None:
    assert "torn" in hows(loop(H, top=cut))


@pytest.mark.parametrize("cut", WHOLE.values(), ids=WHOLE.keys())
def test_a_conversation_cut_with_care_is_not(cut: str) -> None:
    assert "torn" not in hows(loop(H, top=cut))


def test_a_conversation_that_is_never_shortened_only_grows() -> None:
    assert "only-grows" in hows(loop(H))
    assert "only-grows" not in hows(loop(H, top="messages = fresh(messages)"))
    assert "only-grows" not in hows(loop(H, top="trim_history(messages)"))


REASON = "reply.choices[0].finish_reason"


@pytest.mark.parametrize(
    ("leave", "cut"),
    [
        ("if not message.tool_calls:\n    return message.content", True),
        ("if not message.tool_calls:\n    break", True),
        (f"if {REASON} != 'tool_calls':\n    return message.content", True),
        (f"if {REASON} == 'stop':\n    return message.content", False),
        (
            f"if {REASON} == 'length':\n    raise ValueError\nif not message.tool_calls:\n    return message",
            False,
        ),
        (f"check({REASON})\nif not message.tool_calls:\n    return message.content", False),
    ],
)
def test_a_reply_whose_reason_nobody_reads_may_be_cut(leave: str, cut: bool) -> None:
    text = loop(H, leave=leave, module="def check(reason):\n    assert reason")
    assert ("truncated-answer" in hows(text, "exit")) is cut
