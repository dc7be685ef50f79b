"""Calls of a reply and their answers: on which ways to the next turn one of them stays without."""

from __future__ import annotations

from textwrap import indent

import pytest
from recognising import RUN, at, loop, verdict

H = "for _ in range(8):"
TELL = 'messages.append({"role": "tool", "tool_call_id": call.id, "content": result})'


def open_calls(text: str) -> list[str]:
    """The lines at which a call is let go."""
    return [at(f, text) for f in verdict(text, "errors").faults if f.how == "unanswered-call"]


def guarded(handler: str, *, answer: str = TELL, foot: str = "", inner: str = "") -> str:
    """A capped loop with a handler around its dispatch."""
    run = f"try:\n    result = {RUN}\n{handler}"
    return loop(H, run=run, answer=answer, foot=foot, inner=inner, module="import logging")


TURN = (
    "reply = client.chat.completions.create(model='m', messages=messages, tools=tools)\n"
    "message = reply.choices[0].message\n"
    "messages.append(message)\n"
    "if not message.tool_calls:\n    return message.content\n"
    f"for call in message.tool_calls:\n    result = {RUN}\n    {TELL}"
)


def around(handler: str, turn: str = TURN) -> str:
    """A loop with a handler around the whole turn."""
    body = f"try:\n{indent(turn, '    ')}\n{handler}"
    return (
        "import json\nimport openai\nfrom openai import OpenAI\nclient = OpenAI()\n"
        f"def run(messages, tools, handlers):\n    for _ in range(8):\n{indent(body, '        ')}\n"
    )


OPEN = {
    "handler that logs": (guarded("except Exception as e:\n    logging.error(e)\n    continue"), "except"),
    "handler for one error": (guarded("except TimeoutError:\n    continue"), "except"),
    "handler that tells the user's side": (
        guarded("except Exception:\n    messages.append({'role': 'user', 'content': 'failed'})\n    continue"),
        "except",
    ),
    "unknown tool": (loop(H, inner="if call.function.name not in handlers:\n    continue"), "if"),
    "empty result": (loop(H, answer=f"if result:\n    {TELL}"), "if"),
    "a flag of its own": (
        guarded("except Exception:\n    result = None", answer=f"if result is not None:\n    {TELL}"),
        "if",
    ),
    "left by break": (loop(H, answer=f"{TELL}\nif result == 'stop':\n    break"), "if"),
    "collected and sent": (
        loop(
            H,
            leave="if not message.tool_calls:\n    return message.content\nanswers = []",
            inner="if call.function.name not in handlers:\n    continue",
            answer=TELL.replace("messages.append", "answers.append"),
            foot="messages.extend(answers)",
        ),
        "if",
    ),
    "only the first": (
        loop(H).replace("for call in message.tool_calls:", "if True:\n            call = message.tool_calls[0]"),
        "call",
    ),
}
ANSWERED = {
    "plain": loop(H),
    "handler that answers": guarded("except Exception:\n    result = 'failed'"),
    "handler with an answer of its own": guarded(
        f"except Exception:\n    {TELL.replace('result', repr('failed'))}\n    continue"
    ),
    "handler that leaves": guarded("except Exception:\n    return None"),
    "handler that raises": guarded("except Exception as e:\n    raise RuntimeError from e"),
    "handed to somebody": guarded("except Exception:\n    memory.add_tool_result(call.id, 'failed')\n    continue"),
    "yielded": guarded("except Exception:\n    yield {'tool_call_id': call.id, 'content': 'failed'}\n    continue"),
    "other kinds of calls": loop(H, inner="if call.type != 'function':\n    continue"),
    "answered before": loop(H, inner="if call.id in answered:\n    continue"),
    "a piece without a name": loop(H, inner="if not call.function.name:\n    continue"),
    "the rest is answered": loop(
        H,
        answer=f"{TELL}\nif result == 'stop':\n    break",
        foot=f"for call in message.tool_calls[1:]:\n    result = 'skipped'\n    {TELL}",
    ),
    "break that ends the run": loop(
        H,
        answer=f"{TELL}\nif result == 'stop':\n    done = True\n    break",
        foot="if done:\n    return 1",
        before="done = False",
    ),
    "a built message is something": guarded(
        "except Exception:\n    result = {'error': 'failed'}", answer=f"if result is not None:\n    {TELL}"
    ).replace(f"result = {RUN}", f"result = {{'text': {RUN}}}"),
    "ids are of no use here": loop(H, inner="if call.function.name not in handlers:\n    continue").replace(
        '"tool_call_id": call.id, ', ""
    ),
    "only one is asked for": loop(
        H, ask="client.chat.completions.create(messages=messages, tools=tools, parallel_tool_calls=False)"
    ).replace("for call in message.tool_calls:", "if True:\n            call = message.tool_calls[0]"),
    "the reply is cut to the first": loop(
        H, leave="if not message.tool_calls:\n    return message.content\nmessage.tool_calls = message.tool_calls[:1]"
    ).replace("for call in message.tool_calls:", "if True:\n            call = message.tool_calls[0]"),
}


OPEN["the request is made anew on each pass"] = (
    loop(
        H,
        top="request = {'model': 'm', 'messages': messages, 'tools': tools}",
        ask="client.chat.completions.create(**request)",
        inner="if call.function.name not in handlers:\n    continue",
    ),
    "if",
)
ANSWERED["other code looks the transcript over"] = loop(
    H,
    top="ready = mended(messages)",
    ask="client.chat.completions.create(model='m', messages=ready, tools=tools)",
    inner="if call.function.name not in handlers:\n    continue",
)


@pytest.mark.parametrize(("text", "start"), OPEN.values(), ids=OPEN.keys())
def test_a_way_that_says_nothing_leaves_the_call_open(text: str, start: str) -> None:
    assert [line.split()[0] for line in open_calls(text)] == [start]


@pytest.mark.parametrize("text", ANSWERED.values(), ids=ANSWERED.keys())
def test_what_is_answered_or_ends_the_run_is_no_open_call(text: str) -> None:
    assert open_calls(text) == []


@pytest.mark.parametrize(
    ("handler", "count"),
    [
        ("except Exception:\n    pass", 1),
        ("except Exception as e:\n    messages.append({'role': 'user', 'content': str(e)})", 1),
        ("except ValueError:\n    pass", 1),
        ("except openai.RateLimitError:\n    pass", 0),
        ("except Exception:\n    return None", 0),
        ("except Exception:\n    messages.pop()", 0),
        ("except Exception:\n    messages[:] = messages[:1]", 0),
        ("except Exception:\n    messages = messages[:1]", 0),
        ("except Exception:\n    repair(messages)", 0),
        ("except Exception:\n    messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': 'x'})", 0),
    ],
)
def test_an_exception_that_leaves_the_calls(handler: str, count: int) -> None:
    assert [line.split()[0] for line in open_calls(around(handler))] == ["except"] * count


def test_a_reply_that_is_stored_behind_its_calls_is_lost_whole() -> None:
    late = TURN.replace("messages.append(message)\n", "").replace(
        f"    {TELL}", "    answers.append({'role': 'tool', 'tool_call_id': call.id, 'content': result})"
    )
    turn = f"answers = []\n{late}\nmessages.append(message)\nmessages.extend(answers)"
    assert open_calls(around("except Exception:\n    pass", turn)) == []


def test_several_places_are_several_faults() -> None:
    text = guarded("except Exception:\n    continue", inner="if call.function.name not in handlers:\n    continue")
    assert len(open_calls(text)) == 2
