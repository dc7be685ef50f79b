"""Reasons of replies: calls of a cut reply that are run, exits that no reply meets, streams that tell no usage."""

from __future__ import annotations

import pytest
from recognising import RUN, at, loop, verdict

H = "for _ in range(8):"
LEAVE = "if not message.tool_calls:\n    return message.content"
PARSED = (
    "try:\n    arguments = json.loads(call.function.arguments)\nexcept ValueError:\n    arguments = {}\n"
    "result = handlers[call.function.name](**arguments)"
)


def cut(text: str) -> list[str]:
    return [at(f, text) for f in verdict(text, "exit").beside if f.how == "truncated-dispatch"]


def blocks(leave: str, make: str = "") -> str:
    """A loop over the blocks of a reply, with statements behind the turn."""
    return (
        "import anthropic\nclient = anthropic.Anthropic()\ndef run(messages, tools, handlers):\n"
        "    for _ in range(8):\n"
        "        reply = client.messages.create(model='m', max_tokens=9, messages=messages, tools=tools)\n"
        "        messages.append({'role': 'assistant', 'content': reply.content})\n"
        f"        {make or 'calls = [b for b in reply.content if b.type == ' + repr('tool_use') + ']'}\n"
        f"        {leave}\n            return reply\n"
        "        results = []\n        for block in calls:\n"
        "            content = handlers[block.name](**block.input)\n"
        "            results.append({'type': 'tool_result', 'tool_use_id': block.id, 'content': content})\n"
        "        messages.append({'role': 'user', 'content': results})\n"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (loop(H), True),
        (loop(H, leave=f"if reply.choices[0].finish_reason == 'stop':\n    return message.content\n{LEAVE}"), True),
        (loop(H, leave=f"if reply.choices[0].finish_reason == 'length':\n    raise RuntimeError\n{LEAVE}"), False),
        (loop(H, leave="if reply.choices[0].finish_reason != 'tool_calls':\n    return message.content"), False),
        (loop(H, leave=f"check(reply.choices[0].finish_reason)\n{LEAVE}", module="def check(r):\n    assert r"), False),
        (loop(H, run=PARSED), False),
        (loop(H, run=f"try:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'"), False),
        (loop(H, run="result = handlers[call.function.name](call.function.arguments)"), False),
        (blocks("if not calls:"), True),
        (blocks("if reply.stop_reason != 'tool_use':"), False),
        (blocks("if reply.stop_reason == 'end_turn':"), True),
        (blocks("if reply.stop_reason in ('end_turn', 'max_tokens'):"), False),
    ],
    ids=[
        "unread", "only the end", "length", "only calls", "handed on", "parse answered", "all answered", "as text",
        "blocks", "blocks for tools", "blocks at the end", "blocks cut",
    ],
)  # fmt: skip
def test_the_calls_of_a_cut_reply(text: str, told: bool) -> None:
    assert len(cut(text)) == told


def never(text: str) -> list[str]:
    return [at(f, text) for f in verdict(text, "exit").faults if f.how == "never-met"]


STOPS = "if reply.choices[0].finish_reason {0}:\n    return message.content"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (loop(H, leave=STOPS.format("== 'end_turn'")), True),
        (loop(H, leave=STOPS.format("in ('end_turn', 'completed')")), True),
        (loop(H, leave=STOPS.format("in ('end_turn', 'stop')")), False),
        (loop(H, leave=STOPS.format("== 'stop'")), False),
        (loop(H, leave=STOPS.format("!= 'tool_use'")), False),
        (loop(H, leave=f"{STOPS.format('== ' + repr('end_turn'))}\n{LEAVE}"), False),
        (loop(H, leave="if message.tool_calls is None:\n    return message.content"), False),
        (loop(H, leave="calls = message.tool_calls or []\nif calls is None:\n    return message.content"), True),
        (loop(H, leave="if reply.status == 'done':\n    return message.content"), False),
        (blocks("if calls is None:"), True),
        (blocks("if calls == []:"), False),
        (blocks("if not calls:"), False),
        (blocks("if reply.stop_reason == 'stop':"), True),
    ],
    ids=[
        "another's word", "others' words", "one is its own", "its own", "leaves for all", "another test", "None comes",
        "always a list", "not closed", "comprehension", "empty list", "no calls", "blocks",
    ],
)  # fmt: skip
def test_an_exit_that_no_reply_meets(text: str, told: bool) -> None:
    assert len(never(text)) == told


def streamed(
    arguments: str,
    *,
    count: str = "spent += chunk.usage.total_tokens",
    test: str = "if spent > 9000:\n    break",
    before: str = "",
) -> str:
    """A streamed turn whose usage a budget adds up."""
    ask = f"client.chat.completions.create(model='m', messages=messages, tools=tools, {arguments})"
    top = f"for chunk in {ask}:\n    if chunk.usage:\n        {count}\n{test}"
    return loop(H, before=f"spent = 0\n{before}", top=top)


def silent(text: str) -> list[str]:
    return [f.how for f in verdict(text, "cost").faults if f.how == "stream-without-usage"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (streamed("stream=True"), 1),
        (streamed("stream=live", before="live = True"), 1),
        (streamed("**options", before="options = {'stream': True}"), 1),
        (streamed("stream=True, stream_options={'include_usage': True}"), 0),
        (streamed("**options", before="options = {'stream': True, 'stream_options': {'include_usage': True}}"), 0),
        (streamed("**options", before="options = {'stream': True}\noptions['stream_options'] = wanted"), 0),
        (streamed("stream=True, **options", before="options = load()"), 0),
        (streamed("stream=tools"), 0),
        (streamed("stream=True", count="spent += len(chunk.text)"), 0),
        (streamed("stream=True", test="print(spent)"), 0),
        (streamed("stream=False"), 0),
    ],
    ids=[
        "plain", "name", "table", "asked", "asked in a table", "put later", "unknown table", "unknown", "estimate",
        "printed", "whole",
    ],
)  # fmt: skip
def test_a_stream_tells_its_usage_to_who_asks(text: str, told: int) -> None:
    assert silent(text) == ["stream-without-usage"] * told
