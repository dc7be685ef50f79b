"""Each way in which each gate fails, with a twin that holds."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import Any

import pytest
from recognising import RUN, Files, Tables, at, loop, recognised, shipped, sources, stands, subject, subjects, verdict

from toolbind_lint.recognise import Limits
from toolbind_lint.verdicts import GATES, Fault, Gate

H = "for _ in range(8):"
ARGUMENTS = "(**json.loads(call.function.arguments))"
BY_NAME = f"result = getattr(handlers, call.function.name){ARGUMENTS}"
CREATE = "client.chat.completions.create(model='m', messages=messages, tools=tools"


def counted(**parts: Any) -> str:
    """The usual loop with a counter ``n`` that starts at 0."""
    return loop(**{"before": "n = 0", **parts})


# ---- cap: none, infinite, never-moves


def test_a_loop_without_a_bound_is_told_at_its_header() -> None:
    text = loop()
    (fault,) = verdict(text, "cap").faults
    assert (fault.how, at(fault, text)) == ("none", "while True:")


def test_the_trail_of_a_missing_cap_is_one_pass() -> None:
    (fault,) = verdict(loop(), "cap").faults
    assert [step.message for step in fault.trail] == ["create", "tool"]


def test_a_comparison_that_does_not_end_the_loop_is_shown_beside() -> None:
    text = counted(top="n += 1\nif n > 8:\n    print('many')")
    (fault,) = verdict(text, "cap").faults
    assert fault.how == "none"
    assert [step.message for step in fault.related] == [
        "compared here, and the loop goes on either way",
        "leaves only when the model asks for no more tools",
    ]


def test_an_infinite_cap_names_itself() -> None:
    text = loop("while n < cap:", params="cap=float('inf')", before="n = 0", top="n += 1")
    (fault,) = verdict(text, "cap").faults
    assert (fault.how, dict(fault.words)["cap"]) == ("infinite", "cap")


def test_a_counter_that_never_moves_names_itself() -> None:
    (fault,) = verdict(counted(head="while n < 8:"), "cap").faults
    assert (fault.how, dict(fault.words)["counter"]) == ("never-moves", "n")


# ---- cap: off-by-default, unpinned, too-high

OFF = {
    "None": counted(params="cap=None", top="n += 1\nif cap is not None and n > cap:\n    break"),
    "None, by truth": counted(params="cap=None", top="n += 1\nif cap and n > cap:\n    break"),
    "None, nested": counted(params="cap=None", top="n += 1\nif cap is not None:\n    if n > cap:\n        break"),
    "zero": counted(params="cap=0", top="n += 1\nif cap and n > cap:\n    break"),
    "minus one": counted(params="cap=-1", top="n += 1\nif cap > 0 and n > cap:\n    break"),
    "field": counted(
        module="class Limits:\n    cap = None\nlimits = Limits()",
        top="n += 1\nif limits.cap is not None and n > limits.cap:\n    break",
    ),
    "keyword only": counted(
        params="*, cap: int | None = None", top="n += 1\nif cap is not None and n >= cap:\n    return None"
    ),
    "range of None": loop("for _ in range(cap):", params="cap=None"),
}
ON = {
    "number": counted(params="cap=5", top="n += 1\nif cap is not None and n > cap:\n    break"),
    "number, by truth": counted(params="cap=5", top="n += 1\nif cap and n > cap:\n    break"),
    "replaced in front of the loop": loop(
        "for _ in range(cap):", params="cap=None", before="if cap is None:\n    cap = 8"
    ),
    "replaced by or": loop("for _ in range(cap):", params="cap=None", before="cap = cap or 8"),
    "replaced in the condition": loop("for _ in range(cap or 8):", params="cap=None"),
    "replaced by a conditional": loop(
        "for _ in range(limit):", params="cap=None", before="limit = 8 if cap is None else cap"
    ),
    "replaced in the constructor": loop(
        "for _ in range(limits.cap):",
        module="class Limits:\n    def __init__(self, cap=None):\n"
        "        self.cap = 8 if cap is None else cap\nlimits = Limits()",
    ),
    "another bound beside it": loop(
        H, params="cap=None", before="n = 0", top="n += 1\nif cap is not None and n > cap:\n    break"
    ),
}


@pytest.mark.parametrize("text", OFF.values(), ids=OFF.keys())
def test_a_cap_that_nobody_asked_for_is_off_by_default(text: str) -> None:
    assert stands(text, "cap") == "leaks off-by-default"


@pytest.mark.parametrize("text", ON.values(), ids=ON.keys())
def test_a_cap_with_a_number_by_default_holds(text: str) -> None:
    assert stands(text, "cap") == "held"


UNPINNED = {
    "environment": loop("for _ in range(int(os.environ['N'])):", module="import os"),
    "environment with a default": loop("for _ in range(CAP):", module="import os\nCAP = int(os.getenv('N', '20'))"),
    "settings": loop(
        "for _ in range(settings.cap):",
        module="from pydantic_settings import BaseSettings\nclass S(BaseSettings):\n    cap: int = 8\nsettings = S()",
    ),
    "command line": loop(
        "for _ in range(options.steps):", module="import argparse\noptions = argparse.ArgumentParser().parse_args()"
    ),
    "service": loop("for _ in range(httpx.get('https://x').json()['cap']):", module="import httpx"),
    "raised by the environment": loop("for _ in range(max(8, int(os.environ['N']))):", module="import os"),
    "what the only caller passes": loop(
        "for _ in range(cap):", params="cap", module="import os", rest="run([], [], {}, int(os.environ['N']))"
    ),
    "while": counted(head="while n < int(os.environ['N']):", module="import os", top="n += 1"),
}
PINNED = {
    "clamped": loop("for _ in range(min(int(os.environ['N']), 8)):", module="import os"),
    "constant": loop("for _ in range(CAP):", module="CAP = 8"),
    "another number is the environment's": loop(
        H, module="import os\nLIMIT = int(os.environ['N'])", before="size = LIMIT"
    ),
    "two bounds, one of them committed": loop(
        H, module="import os", before="n = 0", top="n += 1\nif n > int(os.environ['N']):\n    break"
    ),
    "what the only caller passes": loop("for _ in range(cap):", params="cap", rest="run([], [], {}, 8)"),
}


@pytest.mark.parametrize("text", UNPINNED.values(), ids=UNPINNED.keys())
def test_a_cap_that_is_not_committed_leaks(text: str) -> None:
    assert stands(text, "cap") == "leaks unpinned"


@pytest.mark.parametrize("text", PINNED.values(), ids=PINNED.keys())
def test_a_cap_that_is_committed_holds(text: str) -> None:
    assert stands(text, "cap") == "held"


def test_an_unpinned_cap_stands_where_the_number_comes_from() -> None:
    text = loop("for _ in range(CAP):", module="import os\nCAP = int(os.getenv('N', '20'))")
    (fault,) = verdict(text, "cap").faults
    assert at(fault, text) == "CAP = int(os.getenv('N', '20'))"
    assert dict(fault.words)["source"] == "environment variable N"
    assert [at_step.message for at_step in fault.related] == ["the loop is bounded by it here"]


def test_a_call_that_replaces_a_committed_default_is_told_at_the_call() -> None:
    text = loop(
        "for _ in range(cap):", params="cap=8", module="import os", rest="run([], [], {}, cap=int(os.environ['N']))"
    )
    (fault,) = verdict(text, "cap").faults
    assert (fault.how, at(fault, text)) == ("unpinned", "run([], [], {}, cap=int(os.environ['N']))")


def test_a_constructor_call_that_replaces_a_committed_default_is_told_at_the_call() -> None:
    text = loop(
        "for _ in range(limits.cap):",
        module="import os\nclass Limits:\n    def __init__(self, cap=8):\n"
        "        self.cap = cap\nlimits = Limits(int(os.environ['N']))",
    )
    (fault,) = verdict(text, "cap").faults
    assert (fault.how, at(fault, text)) == ("unpinned", "limits = Limits(int(os.environ['N']))")


def test_a_call_that_replaces_a_committed_default_by_a_number_is_silent() -> None:
    assert stands(loop("for _ in range(cap):", params="cap=8", rest="run([], [], {}, cap=5)"), "cap") == "held"


def test_a_required_cap_that_nobody_gives_is_not_known() -> None:
    assert stands(loop("for _ in range(cap):", params="cap"), "cap") == "unknown"


@pytest.mark.parametrize(
    ("number", "ceiling", "wanted"), [(100, 100, ""), (101, 100, "too-high"), (8, 5, "too-high"), (8, 8, "")]
)
def test_a_cap_above_the_ceiling_is_too_high(number: int, ceiling: int, wanted: str) -> None:
    found = subject(loop(f"for _ in range({number}):"), limits=Limits(step_ceiling=ceiling))
    assert found.verdict("cap").how == wanted


def test_a_cap_that_is_too_high_names_itself_and_the_ceiling() -> None:
    text = loop("for _ in range(CAP):", module="CAP = 5_000")
    (fault,) = verdict(text, "cap").faults
    assert at(fault, text) == "CAP = 5_000"
    assert (dict(fault.words)["cap"], dict(fault.words)["ceiling"]) == ("5000", "100")


def test_the_smaller_of_two_caps_decides() -> None:
    assert stands(loop("for _ in range(5000):", before="n = 0", top="n += 1\nif n > 8:\n    break"), "cap") == "held"


# ---- cap: changed-in-run, counts-success-only

CHANGED = {
    "more": counted(before="n, cap = 0, 8", head="while n < cap:", top="n += 1", foot="if result:\n    cap += 5"),
    "set anew": counted(before="n, cap = 0, 8", head="while n < cap:", top="n += 1", foot="if result:\n    cap = 50"),
    "multiplied in a handler": counted(
        before="n, cap = 0, 8",
        head="while n < cap:",
        top="n += 1",
        run=f"try:\n    result = {RUN}\nexcept ValueError:\n    cap *= 2\n    result = None",
    ),
    "set back to nought": counted(head="while n < 8:", top="n += 1", foot="if result:\n    n = 0"),
    "field": counted(
        module="class Limits:\n    cap = 8\nlimits = Limits()",
        head="while n < limits.cap:",
        top="n += 1",
        foot="if result:\n    limits.cap += 5",
    ),
    "in a helper": counted(
        module="class Limits:\n    cap = 8\nlimits = Limits()\ndef more():\n    limits.cap += 5",
        head="while n < limits.cap:",
        top="n += 1",
        foot="if result:\n    more()",
    ),
}
UNCHANGED = {
    "before the loop": counted(before="n, cap = 0, 8\nif tools:\n    cap += 5", head="while n < cap:", top="n += 1"),
    "behind the loop": counted(before="n, cap = 0, 8", head="while n < cap:", top="n += 1", after="cap += 5"),
    "countdown": loop("while left > 0:", before="left = 8", top="left -= 1"),
    "another number": counted(before="n, cap, seen = 0, 8, 0", head="while n < cap:", top="n += 1", foot="seen += 5"),
    "set back in front of the loop": counted(before="n = 3\nn = 0", head="while n < 8:", top="n += 1"),
}


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED.keys())
def test_a_cap_or_counter_that_the_run_changes_leaks(text: str) -> None:
    assert stands(text, "cap") == "leaks changed-in-run"


@pytest.mark.parametrize("text", UNCHANGED.values(), ids=UNCHANGED.keys())
def test_a_cap_that_the_run_leaves_alone_holds(text: str) -> None:
    assert stands(text, "cap") == "held"


def test_a_deadline_that_the_run_moves_leaks() -> None:
    text = loop(
        H,
        module="import time",
        before="end = time.monotonic() + 60",
        top="if time.monotonic() > end:\n    break",
        foot="if result:\n    end += 30",
    )
    (fault,) = verdict(text, "cap").faults
    assert (fault.how, at(fault, text), dict(fault.words)["counter"]) == ("changed-in-run", "end += 30", "end")


def test_a_change_is_told_where_it_stands() -> None:
    text = CHANGED["more"]
    (fault,) = verdict(text, "cap").faults
    assert (at(fault, text), dict(fault.words)["counter"]) == ("cap += 5", "cap")


SUCCESS = {
    "behind the call in the try": f"try:\n    result = {RUN}\n    n += 1\nexcept Exception:\n    result = 'failed'",
    "in the else": f"try:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'\nelse:\n    n += 1",
    "behind a continue": f"try:\n    result = {RUN}\nexcept Exception:\n    continue\nn += 1",
    "behind a test of the error": f"result = {RUN}\nif result.error:\n    continue\nn += 1",
}
EVERY = {
    "in front of the try": f"n += 1\ntry:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'",
    "in front of the call": f"try:\n    n += 1\n    result = {RUN}\nexcept Exception:\n    result = 'failed'",
    "in the finally": f"try:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'\nfinally:\n    n += 1",
    "behind the try": f"try:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'\nn += 1",
    "in both": f"try:\n    result = {RUN}\n    n += 1\nexcept Exception:\n    n += 1\n    result = 'failed'",
    "a failure raises": f"try:\n    result = {RUN}\n    n += 1\nexcept Exception:\n    raise",
    "a failure returns": f"try:\n    result = {RUN}\n    n += 1\nexcept Exception:\n    return None",
}


@pytest.mark.parametrize("run", SUCCESS.values(), ids=SUCCESS.keys())
def test_a_counter_moved_behind_the_call_is_free_on_failure(run: str) -> None:
    assert stands(counted(head="while n < 8:", run=run), "cap") == "leaks counts-success-only"


@pytest.mark.parametrize("run", EVERY.values(), ids=EVERY.keys())
def test_a_counter_moved_on_every_way_holds(run: str) -> None:
    assert stands(counted(head="while n < 8:", run=run), "cap") == "held"


def asked_in_try(handler: str, behind: str = "n += 1") -> str:
    """A loop that counts behind a turn that may fail."""
    return f"""\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        n = 0
        while n < 8:
            try:
                reply = client.chat.completions.create(model="m", messages=messages, tools=tools)
            except Exception:
                {handler}
            {behind}
            message = reply.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({{"role": "tool", "content": {RUN}}})
    """


@pytest.mark.parametrize(
    ("handler", "wanted"),
    [
        ("continue", "leaks counts-success-only"),
        ("n += 1; continue", "held"),
        ("raise", "held"),
        ("break", "held"),
        ("return None", "held"),
        ("reply = None", "held"),
    ],
)
def test_a_turn_that_fails_must_count_or_leave(handler: str, wanted: str) -> None:
    assert stands(asked_in_try(handler), "cap") == wanted


def test_a_count_is_told_where_it_stands_with_the_test_beside() -> None:
    text = counted(head="while n < 8:", run=SUCCESS["in the else"])
    (fault,) = verdict(text, "cap").faults
    assert (at(fault, text), dict(fault.words)["counter"], dict(fault.words)["cap"]) == ("n += 1", "n", "8")
    assert [step.place.line for step in fault.related] == [7]


DISPATCHER = """\
class Limit(Exception): ...
class Gate:
    def __init__(self, tools):
        self.tools = tools
        self.used = 0
    def dispatch(self, tool_name, arguments):
        {first}
        if self.used > 8:
            raise Limit
        {before}
        out = self.tools[tool_name](**arguments)
        {behind}
        return out
"""


@pytest.mark.parametrize(
    ("first", "before", "behind", "wanted"),
    [
        (
            "pass",
            "pass",
            "if not out: raise ValueError(tool_name)\n        self.used += 1",
            "leaks counts-success-only",
        ),
        ("self.used += 1", "pass", "pass", "not-applicable"),
        ("pass", "self.used += 1", "pass", "not-applicable"),
        ("pass", "pass", "pass", "not-applicable"),
    ],
)
def test_a_dispatcher_that_counts_behind_the_tool_gives_failures_away(
    first: str, before: str, behind: str, wanted: str
) -> None:
    assert stands(DISPATCHER.format(first=first, before=before, behind=behind), "cap", "dispatcher") == wanted


# ---- wall

TIME = "import time, asyncio, os"


def timed(**parts: Any) -> str:
    """A loop with a step cap."""
    return loop(H, **{"module": TIME, **parts})


WALL_HELD = {
    "deadline": timed(before="end = time.monotonic() + 60", top="if time.monotonic() > end:\n    break"),
    "elapsed": timed(
        before="begun = time.monotonic()", top="if time.monotonic() - begun > 60:\n    raise TimeoutError"
    ),
    "at the foot": timed(before="begun = time.monotonic()", foot="if time.monotonic() - begun > 60:\n    break"),
    "through a name": timed(
        before="begun = time.monotonic()", top="spent = time.monotonic() - begun\nif spent > 60:\n    break"
    ),
    "through a flag": timed(
        before="begun, late = time.monotonic(), False", top="late = time.monotonic() - begun > 60\nif late:\n    break"
    ),
    "through a function": timed(
        before="begun = time.monotonic()\ndef spent():\n    return time.monotonic() - begun",
        top="if spent() > 60:\n    break",
    ),
    "what is left": timed(
        before="end = time.monotonic() + 60", top="left = end - time.monotonic()\nif left <= 0:\n    break"
    ),
    "what is left, in place": timed(
        before="end = time.monotonic() + 60", top="if end - time.monotonic() <= 0:\n    break"
    ),
    "what is left, not below nought": timed(
        before="end = time.monotonic() + 60", top="left = max(0, end - time.monotonic())\nif left == 0:\n    break"
    ),
    "in the condition": loop("while time.monotonic() < end:", module=TIME, before="end = time.monotonic() + 60"),
    "in the condition with a counter": loop(
        "while n < 8 and time.monotonic() < end:", module=TIME, before="n, end = 0, time.monotonic() + 60", top="n += 1"
    ),
    "the event loop's clock": timed(
        before="clock = asyncio.get_running_loop()\nend = clock.time() + 60", top="if clock.time() > end:\n    break"
    ),
    "budget object": timed(
        module=TIME + "\nclass B:\n    def __init__(self, s=60):\n"
        "        self.end = time.monotonic() + s\n    def check(self):\n"
        "        if time.monotonic() > self.end:\n            raise TimeoutError",
        before="b = B()",
        top="b.check()",
    ),
    "another timer for each step": timed(
        before="end = time.monotonic() + 60",
        top="if time.monotonic() > end:\n    break\nbegun = time.monotonic()",
        foot="if time.monotonic() - begun > 5:\n    break",
    ),
    "last turn without tools": timed(
        before="end = time.monotonic() + 60", ask=CREATE + ", tool_choice='none' if time.monotonic() > end else 'auto')"
    ),
    "caller waits": timed(
        is_async=True, rest="async def main(m, t, h):\n    await asyncio.wait_for(run(m, t, h), timeout=60)"
    ),
    "caller's caller waits": timed(
        is_async=True,
        rest="async def mid(m, t, h):\n    await run(m, t, h)\nasync def main(m, t, h):\n"
        "    await asyncio.wait_for(mid(m, t, h), 60)",
    ),
    "caller is a job with a limit": timed(
        module="from celery import shared_task", rest="@shared_task(time_limit=60)\ndef job(m, t, h):\n    run(m, t, h)"
    ),
}


@pytest.mark.parametrize("text", WALL_HELD.values(), ids=WALL_HELD.keys())
def test_a_wall_budget_that_ends_the_run_holds(text: str) -> None:
    assert stands(text, "wall") == "held"


WALL_NONE = {
    "nothing": timed(),
    "only logged": timed(before="begun = time.monotonic()", foot="print(time.monotonic() - begun)"),
    "compared and logged": timed(
        before="begun = time.monotonic()", foot="if time.monotonic() - begun > 60:\n    print('late')"
    ),
    "leaves the loop over the calls": timed(
        before="end = time.monotonic() + 60", inner="if time.monotonic() > end:\n    break"
    ),
    "around the tools only": timed(is_async=True, run=f"result = await asyncio.wait_for({RUN}, 5)"),
    "around each tool": timed(is_async=True, run=f"async with asyncio.timeout(5):\n    result = {RUN}"),
    "one caller of two waits": timed(
        is_async=True,
        rest="async def main(m, t, h):\n    await asyncio.wait_for(run(m, t, h), timeout=60)\n"
        "async def other(m, t, h):\n    await run(m, t, h)",
    ),
    "a job without a limit": timed(
        module="from celery import shared_task", rest="@shared_task\ndef job(m, t, h):\n    run(m, t, h)"
    ),
    "a sleep": timed(top="time.sleep(1)"),
}


@pytest.mark.parametrize("text", WALL_NONE.values(), ids=WALL_NONE.keys())
def test_a_loop_that_nothing_ends_after_a_time_has_no_wall_budget(text: str) -> None:
    assert stands(text, "wall") == "missing none"


@pytest.mark.parametrize(
    "text",
    [
        timed(top="end = time.monotonic() + 5\nif time.monotonic() > end:\n    break"),
        timed(top="begun = time.monotonic()", foot="if time.monotonic() - begun > 5:\n    break"),
        timed(top="begun = time.monotonic()", inner="if time.monotonic() - begun > 5:\n    raise TimeoutError"),
    ],
)
def test_a_deadline_that_each_pass_arms_again_is_none(text: str) -> None:
    (fault,) = verdict(text, "wall").faults
    assert (fault.how, at(fault, text)) == ("re-armed-each-pass", H)
    assert len(fault.related) == 1


@pytest.mark.parametrize(
    ("timer", "wanted"),
    [
        ("asyncio.timeout(60)", "held"),
        ("anyio.fail_after(60)", "held"),
        ("asyncio.timeout(None)", "missing none"),
        ("tracer.span('run')", "missing none"),
    ],
)
def test_a_timer_around_the_loop_is_a_wall_budget(timer: str, wanted: str) -> None:
    body = indent(f"async with {timer}:\n" + indent(LOOP_BODY, "    "), "    ")
    text = f"import asyncio, anyio, json, tracer\nasync def run(client, messages, tools, handlers):\n{body}"
    assert stands(text, "wall") == wanted


LOOP_BODY = f"""\
for _ in range(8):
    message = (await client.chat.completions.create(messages=messages, tools=tools)).choices[0].message
    messages.append(message)
    if not message.tool_calls:
        return message
    for call in message.tool_calls:
        messages.append({{"role": "tool", "content": {RUN}}})
"""


@pytest.mark.parametrize(
    ("module", "decorator", "wanted"),
    [
        ("from celery import Celery\napp = Celery('x')", "@app.task(time_limit=60)", "held"),
        ("from celery import Celery\napp = Celery('x')", "@app.task(soft_time_limit=60)", "held"),
        ("from celery import Celery\napp = Celery('x')", "@app.task", "missing none"),
        ("from celery import Celery\napp = Celery('x')", "@app.task(time_limit=None)", "missing none"),
        ("from celery import shared_task", "@shared_task(name='x')", "missing none"),
        ("import dramatiq", "@dramatiq.actor", "held"),
        ("from prefect import flow", "@flow(timeout_seconds=60)", "held"),
        ("from prefect import flow", "@flow", "missing none"),
        ("import pytest", "@pytest.mark.timeout(60)", "held"),
        ("import functools", "@functools.cache", "missing none"),
    ],
)
def test_a_job_system_with_a_limit_is_a_wall_budget(module: str, decorator: str, wanted: str) -> None:
    assert stands(timed(module=module).replace("def run(", f"{decorator}\ndef run("), "wall") == wanted


@pytest.mark.parametrize(
    ("params", "limit", "wanted"),
    [
        ("limit=60", "limit", "held"),
        ("limit=None", "limit", "leaks off-by-default"),
        ("limit=0", "limit", "leaks off-by-default"),
        ("", "int(os.environ['LIMIT'])", "leaks unpinned"),
        ("limit", "limit", "held"),
    ],
)
def test_the_number_of_a_wall_budget_is_read(params: str, limit: str, wanted: str) -> None:
    text = timed(
        params=params, before="begun = time.monotonic()", top=f"if time.monotonic() - begun > {limit}:\n    break"
    )
    assert stands(text, "wall") == wanted


def test_a_clock_that_can_jump_is_told() -> None:
    text = timed(before="begun = time.time()", top="if time.time() - begun > 60:\n    break")
    assert stands(text, "wall") == "leaks not-monotonic"


# ---- tool timeout: post-hoc


def measured(after: str, clock: str = "time.monotonic()", **parts: Any) -> str:
    return timed(run=f"begun = {clock}\nresult = {RUN}\n{after}", **parts)


@pytest.mark.parametrize(
    "text",
    [
        measured("if time.monotonic() - begun > 9:\n    raise TimeoutError"),
        measured("if time.monotonic() - begun > 9:\n    result = 'slow'"),
        measured("spent = time.monotonic() - begun\nif spent > 9:\n    raise TimeoutError(spent)"),
        measured("if time.time() - begun > 9:\n    return None", "time.time()"),
        timed(run=f"end = time.monotonic() + 9\nresult = {RUN}\nif time.monotonic() > end:\n    raise TimeoutError"),
        timed(
            run=f"begun = time.monotonic()\ntry:\n    result = {RUN}\nexcept Exception:\n"
            "    result = None\nif time.monotonic() - begun > 9:\n    result = 'slow'"
        ),
    ],
)
def test_a_limit_that_is_looked_at_behind_the_tool_is_post_hoc(text: str) -> None:
    (fault,) = verdict(text, "tool-timeout").faults
    assert fault.how == "post-hoc"
    assert RUN in at(fault, text)
    assert [step.message for step in fault.related] == ["the time is judged here"]


@pytest.mark.parametrize(
    "text",
    [
        timed(),
        measured("print(time.monotonic() - begun)"),
        measured("if time.monotonic() - begun > 9:\n    print('slow')"),
        measured("spent = time.monotonic() - begun"),
        measured("timings.append(time.monotonic() - begun)", before="timings = []"),
        timed(before="end = time.monotonic() + 60", top="if time.monotonic() > end:\n    break"),
        timed(run=f"if time.monotonic() > handlers.end:\n    raise TimeoutError\nresult = {RUN}"),
    ],
)
def test_a_time_that_is_measured_or_is_the_runs_is_no_tool_limit(text: str) -> None:
    assert [f.how for f in verdict(text, "tool-timeout").faults] == ["none"]


def test_a_dispatcher_that_looks_at_the_clock_afterwards_is_post_hoc() -> None:
    text = """\
    import time
    def run_tool(tools, tool_name, arguments, limit=9):
        begun = time.monotonic()
        out = tools[tool_name](**arguments)
        if time.monotonic() - begun > limit:
            raise TimeoutError
        return out
    """
    assert stands(text, "tool-timeout", "dispatcher") == "missing post-hoc"


# ---- allowlist

CODE = {
    "attribute": BY_NAME,
    "attribute with a default": f"tool = getattr(handlers, call.function.name, None)\nresult = tool{ARGUMENTS}",
    "attribute behind a prefix": f"result = getattr(handlers, 'tool_' + call.function.name){ARGUMENTS}",
    "attribute behind an f-string": f"result = getattr(handlers, f'tool_{{call.function.name}}'){ARGUMENTS}",
    "namespace": f"result = globals()[call.function.name]{ARGUMENTS}",
    "namespace by get": f"result = globals().get(call.function.name){ARGUMENTS}",
    "namespace under a name": f"table = globals()\nresult = table[call.function.name]{ARGUMENTS}",
    "names of the function": f"result = locals()[call.function.name]{ARGUMENTS}",
    "names of an object": f"result = vars(handlers)[call.function.name]{ARGUMENTS}",
    "names of an object, by attribute": f"result = handlers.__dict__[call.function.name]{ARGUMENTS}",
    "a call that is evaluated": "arguments = json.loads(call.function.arguments)\n"
    "result = eval(f'{call.function.name}(**arguments)')",
    "evaluated": f"result = eval(call.function.name){ARGUMENTS}",
    "imported": f"import importlib\nresult = importlib.import_module(call.function.name).run{ARGUMENTS}",
    "attribute that exists": f"if hasattr(handlers, call.function.name):\n    {BY_NAME}",
}
EXACT = {
    "table": f"result = handlers[call.function.name]{ARGUMENTS}",
    "table by get": f"result = handlers.get(call.function.name){ARGUMENTS}",
    "table of the module": f"TABLE = {{'search': print}}\nresult = TABLE[call.function.name]{ARGUMENTS}",
    "picked": f"tool = next(t for t in tools if t.name == call.function.name)\nresult = tool.run{ARGUMENTS}",
    "picked in a loop": f"for t in tools:\n    if t.name == call.function.name:\n        result = t.run{ARGUMENTS}\n"
    "        break\nelse:\n    raise LookupError",
    "white space removed": f"result = handlers[call.function.name.strip()]{ARGUMENTS}",
    "prefix removed": f"result = handlers[call.function.name.removeprefix('functions.')]{ARGUMENTS}",
    "chain": "if call.function.name == 'search':\n    result = open(1)\n"
    "elif call.function.name == 'find':\n    result = open(2)\nelse:\n"
    "    raise LookupError",
    "match": "match call.function.name:\n    case 'search' | 'find':\n"
    "        result = open(1)\n    case _:\n        raise LookupError",
    "the one tool": f"result = handlers{ARGUMENTS}",
}


@pytest.mark.parametrize("run", CODE.values(), ids=CODE.keys())
def test_code_that_is_found_by_the_models_name_leaks(run: str) -> None:
    assert stands(loop(H, run=run), "allowlist") == "missing code-by-name"


@pytest.mark.parametrize("run", EXACT.values(), ids=EXACT.keys())
def test_a_lookup_by_exact_name_holds(run: str) -> None:
    assert stands(loop(H, run=run), "allowlist") == "held"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (EXACT["table"], "looked up by exact name in handlers"),
        (EXACT["table by get"], "looked up by exact name in handlers"),
        (EXACT["chain"], "compared with literal names"),
        (EXACT["the one tool"], "only handlers runs here"),
    ],
)
def test_what_admits_a_name_is_evidence(run: str, message: str) -> None:
    assert [e.message for e in verdict(loop(H, run=run), "allowlist").evidence] == [message]


def test_code_by_name_stands_at_the_lookup_with_the_run_beside() -> None:
    text = loop(H, run=CODE["attribute with a default"])
    (fault,) = verdict(text, "allowlist").faults
    assert at(fault, text) == "tool = getattr(handlers, call.function.name, None)"
    assert dict(fault.words)["value"] == "call.function.name"


MEMBER = {
    "raise": "if call.function.name not in ALLOWED:\n    raise LookupError",
    "continue": "if call.function.name not in ALLOWED:\n    continue",
    "return": "if call.function.name not in ALLOWED:\n    return None",
    "helper that raises": "require(call.function.name)",
    "helper that answers": "if not may(call.function.name):\n    raise LookupError",
    "name in a variable": "name = call.function.name\nif name not in ALLOWED:\n    raise LookupError",
}
NO_MEMBER = {
    "only logged": "if call.function.name not in ALLOWED:\n    print('unknown')",
    "forbidden names": "if call.function.name in ALLOWED:\n    raise LookupError",
    "of the arguments": "if call.function.arguments not in ALLOWED:\n    raise LookupError",
    "that it exists": "if not hasattr(handlers, call.function.name):\n    raise LookupError",
}
ALLOWED = """\
ALLOWED = {'search'}
class NotAllowed(Exception): ...
def require(name):
    if name not in ALLOWED:
        raise NotAllowed(name)
def may(name):
    return name in ALLOWED
"""


@pytest.mark.parametrize("inner", MEMBER.values(), ids=MEMBER.keys())
def test_a_membership_test_before_code_by_name_holds(inner: str) -> None:
    found = verdict(loop(H, module=ALLOWED, inner=inner, run=BY_NAME), "allowlist")
    goes_on = "continue" in inner
    assert (found.state, [e.value for e in found.evidence]) == ("leaks" if goes_on else "held", ["ALLOWED"])
    assert [f.how for f in found.faults] == ["unknown-goes-on"] * goes_on


@pytest.mark.parametrize("inner", NO_MEMBER.values(), ids=NO_MEMBER.keys())
def test_a_test_that_admits_everything_else_holds_nothing(inner: str) -> None:
    assert stands(loop(H, module=ALLOWED, inner=inner, run=BY_NAME), "allowlist") == "missing code-by-name"


def test_a_membership_test_around_the_call_holds() -> None:
    run = f"if call.function.name in ALLOWED:\n    {BY_NAME}\nelse:\n    raise LookupError"
    assert stands(loop(H, module=ALLOWED, run=run), "allowlist") == "held"


PATTERN = {
    "prefix": ("", "if not call.function.name.startswith('db_'):\n    raise LookupError"),
    "suffix": ("", "if not call.function.name.endswith('_db'):\n    raise LookupError"),
    "expression": ("import re", "if not re.match('db_', call.function.name):\n    raise LookupError"),
    "expression that is None": (
        "import re",
        "if re.fullmatch('db_.*', call.function.name) is None:\n    raise LookupError",
    ),
    "expression under a name": (
        "import re",
        "found = re.match('db_', call.function.name)\nif not found:\n    raise LookupError",
    ),
    "compiled": ("import re\nP = re.compile('db_')", "if not P.search(call.function.name):\n    raise LookupError"),
    "wildcard": (
        "import fnmatch",
        "if not any(fnmatch.fnmatch(call.function.name, p) for p in PATTERNS):\n    raise LookupError",
    ),
    "substring": ("NAMES = 'search,find'", "if call.function.name not in NAMES:\n    raise LookupError"),
}


@pytest.mark.parametrize(("module", "inner"), PATTERN.values(), ids=PATTERN.keys())
def test_a_name_that_a_pattern_admits_leaks_before_code_by_name(module: str, inner: str) -> None:
    text = loop(H, module=module + "\nPATTERNS = ['db_*']", inner=inner, run=BY_NAME)
    found = verdict(text, "allowlist")
    assert (found.state, found.how) == ("missing", "pattern")
    assert found.faults[0].place.line < next(
        n for n, line in enumerate(sources(text)["agent.py"].split("\n"), 1) if "getattr" in line
    )


FOLDED = {
    "lower": f"result = handlers[call.function.name.lower()]{ARGUMENTS}",
    "lower by get": f"result = handlers.get(call.function.name.casefold()){ARGUMENTS}",
    "close match": "import difflib\n"
    "name = difflib.get_close_matches(call.function.name, handlers)[0]\n"
    f"result = handlers[name]{ARGUMENTS}",
    "picked by lower": "tool = next(t for t in tools if t.name.lower() == call.function.name.lower())\n"
    f"result = tool.run{ARGUMENTS}",
    "picked by a part": f"tool = next(t for t in tools if call.function.name in t.name)\nresult = tool.run{ARGUMENTS}",
    "picked by prefix": "tool = next(t for t in tools if t.name.startswith(call.function.name))\n"
    f"result = tool.run{ARGUMENTS}",
}
NOT_FOLDED = {
    "pattern over the arguments": ("import re", "if re.match('x', call.function.arguments):\n    raise ValueError"),
    "pattern for the log": ("", "if call.function.name.startswith('db_'):\n    print('careful')"),
    "close match as a hint": (
        "import difflib",
        "if call.function.name not in handlers:\n"
        "    raise LookupError(difflib.get_close_matches(call.function.name, handlers))",
    ),
    "pattern over the answer": ("import re", "if re.match('x', message.content):\n    print('x')"),
}


@pytest.mark.parametrize("run", FOLDED.values(), ids=FOLDED.keys())
def test_a_key_that_is_bent_until_it_fits_is_a_pattern(run: str) -> None:
    assert stands(loop(H, run=run), "allowlist") == "missing pattern"


@pytest.mark.parametrize(("module", "inner"), NOT_FOLDED.values(), ids=NOT_FOLDED.keys())
def test_a_pattern_that_admits_no_name_is_none(module: str, inner: str) -> None:
    assert stands(loop(H, module=module, inner=inner), "allowlist") == "held"


def test_the_same_fold_where_the_table_is_filled_is_exact() -> None:
    text = """\
    class ToolBox:
        def __init__(self):
            self.tools = {}
        def register(self, name, function):
            self.tools[name.lower()] = function
        def execute(self, tool_name, arguments):
            return self.tools[tool_name.lower()](**arguments)
    """
    assert stands(text, "allowlist", "dispatcher") == "held"
    assert stands(text.replace("[name.lower()]", "[name]"), "allowlist", "dispatcher") == "missing pattern"


SERVER = "result = handlers.call_tool(call.function.name, json.loads(call.function.arguments))"


def test_every_tool_of_a_server_is_let_through() -> None:
    assert stands(loop(H, run=SERVER), "allowlist") == "missing whole-server unknown-goes-on"


def test_a_server_behind_a_set_of_names_holds() -> None:
    assert stands(loop(H, module=ALLOWED, inner=MEMBER["raise"], run=SERVER), "allowlist") == "held"


def test_a_server_whose_tools_are_looked_up_holds() -> None:
    text = loop(
        H, module="KNOWN = {}", inner="server = KNOWN[call.function.name]", run=SERVER.replace("handlers", "server")
    )
    assert stands(text, "allowlist") == "held"


def test_where_the_tools_of_a_server_come_in_is_told_beside() -> None:
    text = loop(H, before="listing = handlers.list_tools()", run=SERVER)
    fault = verdict(text, "allowlist").faults[0]
    assert [step.message for step in fault.related] == ["all tools of the server are taken in"]


def test_a_tool_that_the_programmer_named_is_no_dispatch_of_a_server() -> None:
    assert subjects("async def f(session, arguments):\n    return await session.call_tool('search', arguments)\n") == ()


HANDED = "result = registry.execute(call.function.name, json.loads(call.function.arguments))"


def test_what_code_from_elsewhere_does_with_a_name_is_not_known() -> None:
    found = verdict(loop(H, module="from lib import registry", run=HANDED), "allowlist")
    assert (found.state, found.faults) == ("unknown", ())
    assert "registry.execute" in found.evidence[0].message


def test_code_from_elsewhere_behind_a_set_of_names_holds() -> None:
    text = loop(H, module="from lib import registry\n" + ALLOWED, inner=MEMBER["raise"], run=HANDED)
    assert stands(text, "allowlist") == "held"


def test_the_weakest_dispatch_decides() -> None:
    run = f"if call.id:\n    {BY_NAME}\nelse:\n    result = {RUN}"
    assert stands(loop(H, run=run), "allowlist") == "missing code-by-name"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return getattr(self, tool_name)(**arguments)", "missing code-by-name"),
        ("return self.tools[tool_name](**arguments)", "held"),
        (
            "if tool_name not in self.tools:\n            raise KeyError\n"
            "        return getattr(self, tool_name)(**arguments)",
            "held",
        ),
        (
            "if not tool_name.startswith('x'):\n            raise KeyError\n"
            "        return self.tools[tool_name](**arguments)",
            "missing pattern",
        ),
    ],
)
def test_a_dispatcher_is_judged_on_its_own(body: str, wanted: str) -> None:
    text = (
        f"class Box:\n    def __init__(self):\n        self.tools = {{}}\n"
        f"    def run_tool(self, tool_name, arguments):\n        {body}\n"
    )
    assert stands(text, "allowlist", "dispatcher") == wanted


# ---- errors

ERRORS = """\
class BudgetExceeded(Exception): ...
class Odd(Exception): ...
class Budget:
    n = 0
    def spend(self):
        self.n += 1
        if self.n > 8:
            raise BudgetExceeded
budget = Budget()
"""


def faults(files: Files, gate: Gate, tables: Tables = ()) -> list[Fault]:
    """The faults of the two gates that are about errors that must end the run, and about replies that end none."""
    told = {"gate-error-as-payload", "broad-hides-gate", "forced-choice", "spins"}
    return [fault for fault in verdict(files, gate, tables=tables).faults if fault.how in told]


def guarded(handlers: str, body: str = "budget.spend()") -> str:
    run = f"try:\n    {body}\n    result = {RUN}\n{handlers}"
    return loop(H, module=ERRORS, run=run)


PAYLOAD = {
    "its text": "except BudgetExceeded as e:\n    result = str(e)",
    "in an f-string": "except BudgetExceeded as e:\n    result = f'failed: {e}'",
    "its code": "except BudgetExceeded as e:\n    result = e.code",
    "itself": "except BudgetExceeded as e:\n    result = {'error': e}",
    "in a tuple": "except (BudgetExceeded, ValueError) as e:\n    result = str(e)",
    "by its base, among tools' own": "except (Odd, BudgetExceeded) as e:\n    result = repr(e)",
}


@pytest.mark.parametrize("handler", PAYLOAD.values(), ids=PAYLOAD.keys())
def test_a_gate_error_that_becomes_a_payload_leaks(handler: str) -> None:
    text = guarded(handler)
    (fault,) = faults(text, "errors")
    assert (fault.how, at(fault, text)) == ("gate-error-as-payload", handler.split("\n", maxsplit=1)[0])
    assert dict(fault.words)["error"] == "BudgetExceeded"


HIDDEN = {
    "Exception": "except Exception as e:\n    result = str(e)",
    "Exception, fixed text": "except Exception:\n    result = 'failed'",
    "bare": "except:\n    result = 'failed'",
    "BaseException": "except BaseException as e:\n    result = 'failed'",
    "in a tuple": "except (ValueError, Exception):\n    result = 'failed'",
    "behind a handler for something else": "except Odd:\n    raise\nexcept Exception:\n    result = 'failed'",
    "pass": "except Exception:\n    result = None",
}


@pytest.mark.parametrize("handler", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_broad_handler_around_a_gate_error_hides_it(handler: str) -> None:
    found = faults(guarded(handler), "errors")
    assert [(f.how, dict(f.words)["error"]) for f in found] == [("broad-hides-gate", "BudgetExceeded")]


LETS_OUT = {
    "raised again": "except BudgetExceeded:\n    raise",
    "returned": "except BudgetExceeded as e:\n    return str(e)",
    "raised as something else": "except BudgetExceeded as e:\n    raise RuntimeError from e",
    "an earlier handler": "except BudgetExceeded:\n    raise\nexcept Exception as e:\n    result = str(e)",
    "a broad handler that leaves": "except Exception:\n    raise",
    "a broad handler that returns": "except Exception as e:\n    return str(e)",
    "a handler for something else": "except ValueError as e:\n    result = str(e)",
    "a handler that looks": "except Exception as e:\n    if isinstance(e, BudgetExceeded):\n        raise\n"
    "    result = str(e)",
    "only logged by name": "except BudgetExceeded as e:\n    print(e)\n    result = None",
}


@pytest.mark.parametrize("handler", LETS_OUT.values(), ids=LETS_OUT.keys())
def test_a_gate_error_that_leaves_the_loop_is_no_fault(handler: str) -> None:
    assert faults(guarded(handler), "errors") == []


def test_a_gate_error_that_leaves_is_evidence() -> None:
    handlers = "except BudgetExceeded:\n    raise\nexcept Exception:\n    result = 'failed'"
    assert stands(guarded(handlers), "errors") == "held"


@pytest.mark.parametrize("handler", [*HIDDEN.values()], ids=[*HIDDEN])
def test_a_broad_handler_without_a_gate_error_in_reach_is_none(handler: str) -> None:
    assert faults(guarded(handler, body="print(call)"), "errors") == []


@pytest.mark.parametrize("name", ["Exception, fixed text", "in a tuple", "behind a handler for something else", "pass"])
def test_without_a_gate_error_in_reach_there_is_nothing_to_judge(name: str) -> None:
    assert stands(guarded(HIDDEN[name], body="print(call)"), "errors") == "not-applicable"


def test_charged_in_front_of_the_try_is_not_caught() -> None:
    text = loop(
        H, module=ERRORS, inner="budget.spend()", run=f"try:\n    result = {RUN}\nexcept Exception:\n    result = None"
    )
    assert faults(text, "errors") == []


def test_a_stop_that_is_no_exception_passes_a_broad_handler() -> None:
    text = guarded(HIDDEN["Exception"]).replace(
        "class BudgetExceeded(Exception)", "class BudgetExceeded(BaseException)"
    )
    assert faults(text, "errors") == []


def test_suppress_hides_a_gate_error() -> None:
    run = f"result = None\nwith contextlib.suppress(Exception):\n    budget.spend()\n    result = {RUN}"
    assert [fault.how for fault in faults(loop(H, module="import contextlib\n" + ERRORS, run=run), "errors")] == [
        "broad-hides-gate"
    ]


def test_suppress_of_something_else_does_not() -> None:
    run = f"result = None\nwith contextlib.suppress(ValueError):\n    budget.spend()\n    result = {RUN}"
    assert faults(loop(H, module="import contextlib\n" + ERRORS, run=run), "errors") == []


def test_a_handler_in_a_helper_is_told_there() -> None:
    module = (
        ERRORS + "def safely(handlers, call):\n    try:\n        budget.spend()\n" + indent(f"return {RUN}", " " * 8)
    )
    text = loop(
        H,
        module=module + "\n    except Exception as e:\n        return str(e)\n",
        run="result = safely(handlers, call)",
    )
    (fault,) = faults(text, "errors")
    assert (fault.how, at(fault, text)) == ("broad-hides-gate", "except Exception as e:")
    assert [step.message for step in fault.related] == ["BudgetExceeded is raised here"]


@pytest.mark.parametrize("raised", ["RuntimeError", "RuntimeError('out of steps')", "RuntimeError(f'{n} steps')"])
@pytest.mark.parametrize(
    ("handler", "how"),
    [("except RuntimeError as e", "gate-error-as-payload"), ("except Exception as e", "broad-hides-gate")],
)
def test_what_the_bound_of_the_loop_raises_is_a_gate_error(raised: str, handler: str, how: str) -> None:
    top = f"try:\n    n += 1\n    if n > 8:\n        raise {raised}\n{handler}:\n    messages.append(str(e))"
    assert [fault.how for fault in faults(counted(top=top), "errors")] == [how]


GATHER = """\
import asyncio
class DeadlineExceeded(Exception): ...
async def one(handlers, call):
    if handlers.left < 0:
        raise DeadlineExceeded
    return await handlers[call.function.name](**json.loads(call.function.arguments))
"""


@pytest.mark.parametrize(
    ("gather", "wanted"),
    [
        (
            "out = await asyncio.gather(*[one(handlers, c) for c in message.tool_calls], return_exceptions=True)",
            ["broad-hides-gate"],
        ),
        ("out = await asyncio.gather(*[one(handlers, c) for c in message.tool_calls])", []),
        (
            "out = await asyncio.gather(*[one(handlers, c) for c in message.tool_calls], return_exceptions=True)\n"
            "for o in out:\n    if isinstance(o, DeadlineExceeded):\n        raise o",
            [],
        ),
        (
            "out = await asyncio.gather(*[one(handlers, c) for c in message.tool_calls], return_exceptions=False)",
            [],
        ),
    ],
)
def test_a_gather_that_hands_errors_back_hides_a_gate_error(gather: str, wanted: list[str]) -> None:
    text = loop(
        H,
        module=GATHER,
        is_async=True,
        leave="if not message.tool_calls:\n    return 1\n" + gather,
        run="result = call.id",
    )
    assert [fault.how for fault in faults(text, "errors")] == wanted


@pytest.mark.parametrize(
    "name",
    [
        "BudgetExceeded",
        "TokenBudgetError",
        "StepLimitExceeded",
        "MaxTurnsReached",
        "TooManySteps",
        "DeadlineExceeded",
        "WallTimeExceeded",
        "CostLimitExceeded",
        "QuotaExceeded",
        "GateError",
        "NotAllowed",
        "AllowlistError",
        "SchemaInvalid",
    ],
)
def test_a_class_of_the_project_that_says_stop_is_a_gate_error(name: str) -> None:
    text = guarded(PAYLOAD["its text"]).replace("BudgetExceeded", name)
    assert [fault.how for fault in faults(text, "errors")] == ["gate-error-as-payload"]


@pytest.mark.parametrize(
    "name",
    ["ToolFailed", "RateLimitExceeded", "ContextLengthExceeded", "NotFound", "RetryLimit", "ToolTimeout", "Odd2"],
)
def test_a_class_of_the_project_that_says_something_else_is_none(name: str) -> None:
    text = guarded(PAYLOAD["its text"]).replace("BudgetExceeded", name).replace("self.n > 8", "self.n is None")
    assert faults(text, "errors") == []


def test_the_configuration_names_gate_errors() -> None:
    run = f"try:\n    result = {RUN}\nexcept Halt as e:\n    result = str(e)"
    text = loop(H, module="from lib import Halt", run=run)
    tables: Tables = [{"gate-error": [{"name": ["lib.Halt"]}]}]
    assert faults(text, "errors") == []
    assert [fault.how for fault in faults(text, "errors", tables=tables)] == ["gate-error-as-payload"]


# ---- exit: forced-choice

FORCED = {
    "required": CREATE + ", tool_choice='required')",
    "any": CREATE + ", tool_choice={'type': 'any'})",
    "a named tool": CREATE + ", tool_choice={'type': 'function', 'function': {'name': 'x'}})",
    "the older parameter": CREATE + ", function_call={'name': 'x'})",
    "a constant": CREATE + ", tool_choice=CHOICE)",
    "a local": CREATE + ", tool_choice=choice)",
    "a field": CREATE + ", tool_choice=Settings.choice)",
    "a dictionary": CREATE + ", **options)",
    "a wrapper": "ask(messages, tools)",
}
FREE = {
    "auto": CREATE + ", tool_choice='auto')",
    "none": CREATE + ", tool_choice='none')",
    "auto as a dictionary": CREATE + ", tool_choice={'type': 'auto'})",
    "nothing": CREATE + ")",
    "the older parameter": CREATE + ", function_call='auto')",
    "forced at first": CREATE + ", tool_choice='required' if _ == 0 else 'auto')",
    "something else": CREATE + ", parallel_tool_calls=False)",
    "not known": CREATE + ", tool_choice=handlers.choice)",
}
FORCING = f"""\
CHOICE = 'required'
class Settings:
    choice = 'required'
def ask(messages, tools):
    return {CREATE}, tool_choice='required')
"""


def forcing(ask: str, **parts: Any) -> str:
    return loop(
        H,
        **{
            "module": FORCING,
            "before": "choice = 'required'\noptions = {'tool_choice': 'required'}",
            "ask": ask,
            **parts,
        },
    )


@pytest.mark.parametrize("ask", FORCED.values(), ids=FORCED.keys())
def test_a_choice_that_forces_a_call_on_every_turn_leaks(ask: str) -> None:
    (fault,) = faults(forcing(ask), "exit")
    assert fault.how == "forced-choice"
    assert dict(fault.words)["param"] in {"tool_choice", "function_call"}


@pytest.mark.parametrize("ask", FREE.values(), ids=FREE.keys())
def test_a_choice_that_leaves_the_model_free_holds(ask: str) -> None:
    assert faults(forcing(ask), "exit") == []


def test_an_exit_that_tells_its_ends_apart_and_forces_nothing_is_held() -> None:
    text = """
    import json
    from openai import OpenAI

    client = OpenAI()


    class StepsExceeded(Exception):
        pass


    class Truncated(Exception):
        pass


    def run(messages, tools, handlers):
        for _ in range(8):
            choice = client.chat.completions.create(
                model="m", messages=messages, tools=tools, tool_choice="auto"
            ).choices[0]
            if choice.finish_reason in ("length", "content_filter"):
                raise Truncated
            messages.append(choice.message)
            if not choice.message.tool_calls:
                return choice.message.content
            for call in choice.message.tool_calls:
                result = handlers[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": str(result)})
        raise StepsExceeded
    """
    assert stands(dedent(text), "exit") == "held"


RELEASED = {
    "the variable is set free": forcing(FORCED["a local"], foot="choice = 'auto'"),
    "the dictionary is set free": forcing(FORCED["a dictionary"], foot="options['tool_choice'] = 'auto'"),
    "a call ends the loop": forcing(
        FORCED["required"], inner="if call.function.name == 'final_answer':\n    return call"
    ),
    "a call sets a flag": loop(
        "while not done:",
        before="done = False",
        ask=FORCED["required"],
        inner="if call.function.name == 'finish':\n    done = True",
    ),
    "a result ends the loop": forcing(FORCED["required"], answer="if result is DONE:\n    return messages"),
}


@pytest.mark.parametrize("text", RELEASED.values(), ids=RELEASED.keys())
def test_a_forced_choice_that_a_call_or_the_first_turn_ends_holds(text: str) -> None:
    assert "forced-choice" not in stands(text, "exit")


def test_a_raise_for_an_unknown_name_is_no_end_of_a_forced_loop() -> None:
    text = forcing(FORCED["required"], inner="if call.function.name not in handlers:\n    raise LookupError")
    assert [fault.how for fault in faults(text, "exit")] == ["forced-choice"]


# ---- exit: spins


def choosing(first: str, last: str = "", head: str = "while True:") -> str:
    """A loop that dispatches on the reason ``tool_calls``."""
    return f"""\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        n = 0
        {head}
            choice = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0]
            {first}
            if choice.finish_reason == "tool_calls":
                messages.append(choice.message)
                for call in choice.message.tool_calls:
                    messages.append({{"role": "tool", "content": {RUN}}})
            {last}
    """


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ('if choice.finish_reason == "stop": return choice', ""),
        ('messages.append(choice.message)\n            if choice.finish_reason == "stop": return choice', ""),
        ("pass", 'elif choice.finish_reason == "stop":\n                return choice'),
        ('reason = choice.finish_reason\n            if reason == "stop": return choice', ""),
        ('if choice.finish_reason == "stop": break', ""),
    ],
)
def test_a_reply_that_neither_leaves_nor_dispatches_spins(first: str, last: str) -> None:
    (fault,) = faults(choosing(first, last), "exit")
    assert (fault.how, dict(fault.words)["value"]) == ("spins", "length")


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ('if choice.finish_reason == "stop": return choice', "else:\n                raise RuntimeError"),
        ("pass", "else:\n                return choice"),
        ('if choice.finish_reason != "tool_calls": return choice', ""),
        ("if not choice.message.tool_calls: return choice", ""),
        (
            'if choice.finish_reason == "stop": return choice',
            'else:\n                messages.append({"role": "user", "content": "go on"})',
        ),
        ('n += 1\n            if n > 8: break\n            if choice.finish_reason == "stop": return choice', ""),
    ],
)
def test_a_loop_that_every_reply_leaves_or_feeds_does_not_spin(first: str, last: str) -> None:
    assert faults(choosing(first, last), "exit") == []


def test_a_spin_is_told_at_the_test_that_lets_it_round() -> None:
    text = choosing('if choice.finish_reason == "stop": return choice')
    (fault,) = faults(text, "exit")
    assert at(fault, text) == 'if choice.finish_reason == "stop": return choice'
    assert [step.message for step in fault.trail] == ["create"]


def test_a_reply_that_neither_calls_nor_says_anything_spins() -> None:
    text = """\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        while True:
            message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            if message.tool_calls:
                messages.append(message)
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "content": result})
            elif message.content:
                return message.content
    """
    assert [fault.how for fault in faults(text, "exit")] == ["spins"]
    assert faults(text.replace("elif message.content:", "else:"), "exit") == []


# ---- all gates


def test_a_loop_that_holds_has_evidence_for_it() -> None:
    text = timed(before="end = time.monotonic() + 60", top="if time.monotonic() > end:\n    break")
    found = subject(text)
    assert [v.gate for v in found.verdicts] == [gate for gate in GATES if gate in {v.gate for v in found.verdicts}]
    held = {v.gate: bool(v.evidence) for v in found.verdicts if v.state == "held"}
    assert held == {"cap": True, "wall": True, "allowlist": True}
    assert not any(v.faults for v in found.verdicts if v.state == "held")


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        (loop(H), "8", "as many passes as 8"),
        (loop("for _ in range(CAP):", module="CAP = 8"), "8", "as many passes as CAP = 8 (constant)"),
        (counted(head="while n < 8:", top="n += 1"), "8", "compared with 8"),
        (counted(head="while n < cap:", params="cap=8", top="n += 1"), "8", "compared with cap = 8 (default)"),
        (loop("while len(messages) < 20:"), "20", "its size compared with 20"),
        (loop("for item in handlers:"), "", "as many passes as handlers"),
    ],
)
def test_a_cap_is_shown_with_its_number_and_where_it_comes_from(text: str, value: str, message: str) -> None:
    assert [(e.value, e.message) for e in verdict(text, "cap").evidence] == [(value, message)]


def test_faults_stand_only_in_gates_that_leak_or_are_missing() -> None:
    for text in (*OFF.values(), *CHANGED.values(), *WALL_NONE.values(), *WALL_HELD.values()):
        for found in subject(text).verdicts:
            assert bool(found.faults) == (found.state in {"leaks", "missing"})


def test_verdicts_are_the_same_however_often_they_are_asked() -> None:
    text = guarded(HIDDEN["Exception"])
    assert recognised(text, shipped(), Limits()) == recognised(text, shipped(), Limits())
