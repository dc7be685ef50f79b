"""What ends a loop whatever the model says, and what only looks like it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from recognising import RUN, case, index, kinds, loop, shipped, stands, subject, subjects

from toolbind_lint.recognise import Limits, paths, recognise
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.values import text_of

BUDGET = """\
class Stop(Exception): ...
class Budget:
    def __init__(self, cap=8):
        self.cap = cap
        self.used = 0
    def spend(self):
        self.used += 1
        if self.used > self.cap:
            raise Stop
    def take(self):
        self.used += 1
        return self.used <= self.cap
    def spent(self):
        self.used += 1
        if self.used > self.cap:
            return True
        return False
    @property
    def over(self):
        return self.used > self.cap
"""

COUNT = "import itertools"


def program(text: str) -> str:
    """A module that begins with the usual imports."""
    return "import json\nfrom openai import OpenAI\nclient = OpenAI()\n" + dedent(text)


def bounded(**parts: str) -> str:
    """The usual loop with a counter ``n`` that starts at 0."""
    return loop(**{"before": "n = 0", **parts})  # type: ignore[arg-type]


# ---- bounds that hold

HELD = {
    "range": loop("for _ in range(8):"),
    "range with a start": loop("for _ in range(1, 9):"),
    "range with for-else": loop("for _ in range(8):", after="else:\n    raise RuntimeError('out of steps')"),
    "enumerate of a range": loop("for n, _ in enumerate(range(8)):"),
    "reversed range": loop("for n in reversed(range(8)):"),
    "progress bar": loop("for n in tqdm(range(8)):", module="from tqdm import tqdm"),
    "as many passes as items": loop("for item in handlers:"),
    "repeat with a number": loop("for _ in itertools.repeat(None, 8):", module=COUNT),
    "slice of an endless count": loop("for n in itertools.islice(itertools.count(), 8):", module=COUNT),
    "endless count with a break": loop("for n in itertools.count():", module=COUNT, top="if n >= 8:\n    break"),
    "while below": bounded(head="while n < 8:", top="n += 1"),
    "while above, turned round": bounded(head="while 8 > n:", top="n += 1"),
    "while not reached": bounded(head="while not n >= 8:", top="n += 1"),
    "while not equal": bounded(head="while n != 8:", top="n += 1"),
    "and with something else": bounded(head="while n < 8 and messages:", top="n += 1"),
    "and with something else in front": bounded(head="while messages and n < 8:", top="n += 1"),
    "neither reached nor done": bounded(head="while not (n >= 8 or x.done):", top="n += 1"),
    "walrus": bounded(head="while (n := n + 1) < 8:"),
    "break in front": bounded(top="n += 1\nif n > 8:\n    break"),
    "raise in front": bounded(top="n = n + 1\nif n > 8:\n    raise RuntimeError"),
    "return in front": bounded(top="n += 1\nif n > 8:\n    return None"),
    "exit of the process": bounded(module="import sys", top="n += 1\nif n > 8:\n    sys.exit(1)"),
    "exit of the process in a helper": bounded(
        module="import sys\ndef stop():\n    sys.exit(1)", top="n += 1\nif n > 8:\n    stop()"
    ),
    "an exception that becomes the role of the last message": bounded(
        module="class Limit(Exception): ...",
        top="try:\n    n += 1\n    if n > 8:\n        raise Limit\nexcept Limit as e:\n"
        "    messages.append({'role': 'exit', 'content': str(e)})\nif messages[-1]['role'] == 'exit':\n    break",
    ),
    "assert": bounded(top="n += 1\nassert n < 8"),
    "match": bounded(top="n += 1\nmatch n:\n    case 8:\n        break\n    case _:\n        pass"),
    "break at the foot": bounded(foot="n += 1\nif n >= 8:\n    break"),
    "raise in the loop over the calls": bounded(inner="n += 1\nif n > 8:\n    raise RuntimeError"),
    "else of a test": bounded(top="n += 1\nif n < 8:\n    pass\nelse:\n    break"),
    "elif": bounded(top="n += 1\nif messages == []:\n    pass\nelif n > 8:\n    break\nif n > 8:\n    break"),
    "both sides of an or": bounded(top="n += 1\nif n > 8 or messages == []:\n    break"),
    "countdown": loop("while n > 0:", before="n = 8", top="n -= 1"),
    "countdown by truth": loop("while n:", before="n = 8", top="n -= 1"),
    "countdown with a break": loop(before="n = 8", top="n -= 1\nif not n:\n    break"),
    "difference": loop(before="used = 0\nleft = 8", top="used += 1\nif left - used <= 0:\n    break"),
    "doubling": loop("while n < 64:", before="n = 1", top="n *= 2"),
    "flag set by the counter": loop("while not done:", before="n, done = 0, False", foot="n += 1\ndone = n >= 8"),
    "flag cleared by the counter": loop(
        "while running:", before="n, running = 0, True", foot="n += 1\nif n >= 8:\n    running = False"
    ),
    "flag of an object": loop(
        "while not state.done:",
        module="class State:\n    done = False\n    n = 0\nstate = State()",
        foot="state.n += 1\nif state.n >= 8:\n    state.done = True",
    ),
    "key of a dict": loop(before="s = {'n': 0}", top="s['n'] += 1\nif s['n'] > 8:\n    break"),
    "size of the transcript": loop("while len(messages) < 20:"),
    "size of the transcript, broken off": loop(top="if len(messages) > 20:\n    break"),
    "size of a list of its own": loop(before="log = []", top="log.append(1)\nif len(log) > 20:\n    break"),
    "helper that raises": loop(module=BUDGET, before="b = Budget()", top="b.spend()"),
    "helper that answers by a comparison": loop(
        module=BUDGET, before="b = Budget()", top="if not b.take():\n    break"
    ),
    "helper that answers by returns": loop(module=BUDGET, before="b = Budget()", top="if b.spent():\n    break"),
    "helper in the condition": loop("while b.take():", module=BUDGET, before="b = Budget()"),
    "property": loop(module=BUDGET, before="b = Budget()", top="b.used += 1\nif b.over:\n    break"),
    "helper around the turn": loop(
        module="class T:\n    n = 0\n    def ask(self, messages, tools):\n        self.n += 1\n"
        "        if self.n > 8:\n            raise RuntimeError\n"
        "        return client.chat.completions.create(model='m', messages=messages, tools=tools)\nt = T()",
        ask="t.ask(messages, tools)",
    ),
    "counter of an outer function": loop(
        before="n = 0\ndef tick():\n    nonlocal n\n    n += 1\n    if n > 8:\n        raise RuntimeError", top="tick()"
    ),
    "counter of the module": loop(
        module="n = 0\ndef tick():\n    global n\n    n += 1\n    if n > 8:\n        raise RuntimeError", top="tick()"
    ),
    "flag and else": program(
        """\
    def run(messages, tools, handlers):
        done, n = False, 0
        while not done:
            message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
            messages.append(message)
            if not message.tool_calls:
                done = True
            else:
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "content": result})
                n += 1
                if n >= 8:
                    raise RuntimeError
    """
    ),
    "flag and continue": loop(
        "while not done:",
        before="n, done = 0, False",
        leave="if not message.tool_calls:\n    done = True\n    continue",
        foot="n += 1\nif n >= 8:\n    raise RuntimeError",
    ),
    "flag cleared and continue": loop(
        "while running:",
        before="n, running = 0, True",
        leave="if not message.tool_calls:\n    running = False\n    continue",
        foot="n += 1\nif n >= 8:\n    raise RuntimeError",
    ),
    "flag of an object and continue": loop(
        "while not state.done:",
        module="class State:\n    def __init__(self):\n        self.done = False",
        before="n, state = 0, State()",
        leave="if not message.tool_calls:\n    state.done = True\n    continue",
        foot="n += 1\nif n >= 8:\n    raise RuntimeError",
    ),
    "counter that a helper gives back": loop(
        module="def bump(n):\n    return n + 1", before="n = 0", top="n = bump(n)\nif n > 8:\n    break"
    ),
    "counter that a helper gives back in a tuple": loop(
        module="def bump(n):\n    return n + 1, True", before="n = 0", top="n, ok = bump(n)\nif n > 8:\n    break"
    ),
    "finally": bounded(top="if n > 8:\n    break\ntry:\n    print(n)\nfinally:\n    n += 1"),
    "counted in front of a failing call": bounded(
        head="while n < 8:", run=f"try:\n    n += 1\n    result = {RUN}\nexcept Exception:\n    result = 'failed'"
    ),
    "counted behind the try": bounded(
        head="while n < 8:", run=f"try:\n    result = {RUN}\nexcept Exception:\n    result = 'failed'\nn += 1"
    ),
    "failure leaves": bounded(head="while n < 8:", run=f"result = {RUN}\nn += 1"),
    "failure is raised on": bounded(
        head="while n < 8:", run=f"try:\n    result = {RUN}\n    n += 1\nexcept Exception:\n    raise"
    ),
    "continue behind the count": bounded(
        top="n += 1\nif n > 8:\n    break", leave="if not message.tool_calls:\n    continue"
    ),
    "last turn without tools": bounded(top="n += 1\nif n >= 8:\n    tools = None"),
    "last turn that may not call": loop(
        before="n = 0\nchoice = 'auto'",
        top="n += 1\nif n >= 8:\n    choice = 'none'",
        ask="client.chat.completions.create(model='m', messages=messages, tools=tools, tool_choice=choice)",
    ),
}


@pytest.mark.parametrize("text", HELD.values(), ids=HELD.keys())
def test_a_finite_bound_that_every_pass_meets_holds(text: str) -> None:
    assert stands(text, "cap") == "held"


# ---- bounds that do not

NONE = {
    "no counter": loop(),
    "while one": loop("while 1:"),
    "while the reply asks": loop("while message is None or message.tool_calls:", before="message = None"),
    "counted and shown": bounded(top="n += 1\nprint(n)"),
    "counted and logged at the limit": bounded(top="n += 1\nif n > 8:\n    print('too many')"),
    "or": bounded(head="while n < 8 or messages:", top="n += 1"),
    "not both": bounded(head="while not (n >= 8 and messages):", top="n += 1"),
    "joined by and": bounded(top="n += 1\nif n > 8 and not message:\n    break", before="n, message = 0, None"),
    "leaves the loop over the calls": bounded(inner="n += 1\nif n > 8:\n    break"),
    "set back on each pass": bounded(top="n = 0\nn += 1\nif n > 8:\n    break"),
    "moved the other way": bounded(head="while n < 8:", top="n -= 1"),
    "moved both ways": bounded(head="while n < 8:", top="n += 1", foot="if result:\n    n -= 1"),
    "continue in front of the test": bounded(
        leave="if not message.tool_calls:\n    continue", foot="n += 1\nif n > 8:\n    break"
    ),
    "flag set back": loop(
        "while running:", before="n, running = 0, True", foot="n += 1\nif n >= 8:\n    running = False\nrunning = True"
    ),
    "helper with an early return": loop(
        module="class B:\n    n = 0\n    def spend(self, m):\n        if not m:\n"
        "            return\n        self.n += 1\n        if self.n > 8:\n"
        "            raise RuntimeError\nb = B()",
        top="b.spend(messages)",
    ),
    "another loop's counter": bounded(top="for n in range(3):\n    print(n)"),
    "transcript trimmed": loop(top="if len(messages) > 20:\n    break\nmessages = messages[-10:]"),
    "transcript shortened": loop(top="if len(messages) > 20:\n    break\nmessages.pop(0)"),
    "counted by a handler only": bounded(
        head="while n < 8:", run=f"try:\n    result = {RUN}\nexcept Exception:\n    n += 1\n    result = 'failed'"
    ),
    "an infinite number that is only logged": bounded(
        module="import math", top="n += 1\nif n > math.inf:\n    print('never')"
    ),
    "the role of the last message, which nothing sets": bounded(
        top="n += 1\nif n > 8:\n    messages.append({'role': 'user'})\nif messages[-1]['role'] == 'exit':\n    break"
    ),
    "an event that others set": loop(params="event", top="if event.is_set():\n    break"),
    "a function of the project": loop(module="def stop(m):\n    return m == []", top="if stop(messages):\n    break"),
    "a file that may appear": loop(module="import os", top="if os.path.exists('stop'):\n    break"),
    "cap on tokens of one reply": loop(
        ask="client.chat.completions.create(model='m', messages=messages, tools=tools, max_tokens=8)"
    ),
    "number that reaches only the prompt": loop(before="max_steps = 8\nmessages.append(f'at most {max_steps} steps')"),
    "told to the model": bounded(
        inner="n += 1", run=f"if n > 8:\n    result = 'no calls left'\nelse:\n    result = {RUN}"
    ),
    "a name set that is not on offer": bounded(top="n += 1\nif n >= 8:\n    offered = None"),
    "compared with equality behind a jump": bounded(top="if messages == 8:\n    break"),
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE.keys())
def test_what_does_not_end_every_run_is_no_bound(text: str) -> None:
    assert stands(text, "cap") == "missing none"


def test_a_call_that_nobody_can_read_and_that_ends_the_loop_makes_the_cap_unknown() -> None:
    found = subject(loop(params="stop", top="if stop(messages):\n    break")).verdict("cap")
    assert (found.state, found.faults) == ("unknown", ())
    assert found.evidence[0].message == "whether stop(messages) ever ends the loop is not known"


def test_a_call_that_nobody_can_read_and_that_ends_nothing_does_not() -> None:
    assert stands(loop(params="stop", top="if stop(messages):\n    print('x')"), "cap") == "missing none"


STUCK = {
    "never moved": bounded(head="while n < 8:"),
    "never moved, tested inside": bounded(top="if n > 8:\n    break"),
    "helper that compares and does not count": loop(
        module="class B:\n    n = 0\n    def spent(self):\n        return self.n > 8\nb = B()",
        top="if b.spent():\n    break",
    ),
}


@pytest.mark.parametrize("text", STUCK.values(), ids=STUCK.keys())
def test_a_counter_that_stays_where_it_is_never_moves(text: str) -> None:
    assert stands(text, "cap") == "missing never-moves"


ENDLESS = {
    "count": loop("for n in itertools.count():", module=COUNT),
    "enumerate of a count": loop("for n, _ in enumerate(itertools.count()):", module=COUNT),
    "cycle": loop("for n in itertools.cycle('ab'):", module=COUNT),
    "repeat": loop("for n in itertools.repeat(None):", module=COUNT),
    "iter with a sentinel": loop("for n in iter(int, 1):"),
    "range of the largest integer": loop("for n in range(sys.maxsize):", module="import sys"),
    "infinite parameter": loop("while n < cap:", params="cap=float('inf')", before="n = 0", top="n += 1"),
    "infinite constant": loop("while n < CAP:", module="import math\nCAP = math.inf", before="n = 0", top="n += 1"),
    "infinite field": loop(
        "while n < limits.cap:",
        module="import math\nclass Limits:\n    cap = math.inf\nlimits = Limits()",
        before="n = 0",
        top="n += 1",
    ),
    "more passes than anyone waits for": loop("for _ in range(10**12):"),
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_infinite_cap_is_no_cap(text: str) -> None:
    assert stands(text, "cap") == "missing infinite"


def test_a_bound_that_only_one_mode_has_is_off_by_default() -> None:
    text = bounded(params="strict=False", top="n += 1\nif strict and n > 8:\n    break")
    assert stands(text, "cap") == "leaks off-by-default"


# ---- recursion


def recursion(params: str = "", first: str = "pass", passed: str = "") -> str:
    """A function that calls itself for the next turn."""
    return f"""\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers{params}):
        {first}
        message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            result = handlers[call.function.name](**json.loads(call.function.arguments))
            messages.append({{"role": "tool", "content": result}})
        return run(messages, tools, handlers{passed})
    """


@pytest.mark.parametrize(
    ("params", "first", "passed", "wanted"),
    [
        ("", "pass", "", "missing none"),
        (", depth=0", "if depth > 8: raise RuntimeError", ", depth + 1", "held"),
        (", depth=0", "if depth > 8: raise RuntimeError", ", depth=depth + 1", "held"),
        (", left=8", "if left <= 0: return None", ", left - 1", "held"),
        (", left=8", "if not left: return None", ", left=left - 1", "held"),
        ("", "if len(messages) > 20: raise RuntimeError", "", "held"),
        (", depth=0", "if depth > 8: raise RuntimeError", "", "missing never-moves"),
        (", depth=0", "print(depth)", ", depth + 1", "missing none"),
        (", depth=0", "if depth > 8: print('deep')", ", depth + 1", "missing none"),
        (
            ", depth=0, cap=None",
            "if cap is not None and depth > cap: return None",
            ", depth + 1, cap",
            "leaks off-by-default",
        ),
    ],
)
def test_a_depth_that_is_handed_on_and_compared_bounds_a_recursion(
    params: str, first: str, passed: str, wanted: str
) -> None:
    assert stands(recursion(params, first, passed), "cap") == wanted


def test_a_depth_that_is_handed_on_unchanged_bounds_nothing() -> None:
    text = recursion(", depth=0", "if depth > 8: raise RuntimeError", ", depth")
    assert stands(text, "cap").startswith("missing")


# ---- generators


def consumed(body: str) -> str:
    """A loop over a generator ``steps``."""
    return loop(
        "for step in steps():", module="def steps():\n    n = 0\n" + "\n".join("    " + b for b in body.split("\n"))
    )


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("while n < 8:\n    n += 1\n    yield n", "held"),
        ("while True:\n    n += 1\n    if n > 8:\n        return\n    yield n", "held"),
        ("while True:\n    n += 1\n    yield n", "missing none"),
        ("for n in range(8):\n    yield n", "held"),
    ],
)
def test_a_bound_in_a_consumed_generator_counts(body: str, wanted: str) -> None:
    assert stands(consumed(body), "cap") == wanted


# ---- nested loops


def nested(outer: str, foot: str = "") -> str:
    return f"""\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        {outer}
            for _ in range(5):
                message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({{"role": "tool", "content": result}})
            {foot or "pass"}
    """


def test_an_outer_loop_around_a_bounded_one_needs_a_cap_of_its_own() -> None:
    assert kinds(nested("while True:")) == [("tool-loop", "run"), ("tool-loop", "run")]


def test_an_outer_loop_with_a_cap_of_its_own_holds() -> None:
    outer, inner = caps(nested("for _ in range(3):"))
    assert (outer, inner) == ("held", "held")


def caps(files: str) -> list[str]:
    return [s.verdict("cap").state for s in subjects(files)]


def test_of_two_loops_only_the_endless_one_is_told() -> None:
    assert caps(nested("while True:")) == ["missing", "held"]


def test_an_outer_loop_that_waits_for_a_person_is_none() -> None:
    assert caps(nested("while True:", "messages.append(input())")) == ["held"]


def test_an_inner_counter_that_the_outer_pass_sets_back_bounds_the_inner_loop_only() -> None:
    text = """\
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        while True:
            n = 0
            while n < 5:
                n += 1
                message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "content": result})
    """
    assert caps(text) == ["missing", "held"]


def test_the_range_of_an_inner_loop_is_no_bound_of_the_outer() -> None:
    text = """
    def run(messages, tools, handlers):
        while True:
            for _ in range(5):
                message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "content": result})
            else:
                return messages
    """
    assert caps(program(text)) == ["missing", "held"]


def test_the_numbers_of_an_inner_loop_are_no_counter_of_the_outer() -> None:
    text = """
    class Flow:
        def __init__(self, plans):
            self.plans = plans

        def current(self):
            plan = self.plans["today"]
            steps = plan.get("steps", [])
            states = plan.get("states", [])
            for number, step in enumerate(steps):
                state = "new" if number >= len(states) else states[number]
                if state in {"new", "going"}:
                    if number < len(states):
                        states[number] = "going"
                    else:
                        while len(states) < number:
                            states.append("new")
                        states.append("going")
                    return number, step
            return None, None

        def run(self, messages, tools, handlers):
            while True:
                number, step = self.current()
                if number is None:
                    break
                messages.append({"role": "user", "content": step})
                message = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "content": result})
    """
    assert caps(program(text)) == ["missing"]


# ---- what a bound tells


def bounds(text: str) -> list[Bound]:
    return case(text).bounds


def test_a_range_moves_itself() -> None:
    (bound,) = bounds(loop("for _ in range(8):"))
    assert (bound.kind, bound.leaves, text_of(bound.cap)) == ("range", True, "8")
    assert bound.tests == bound.moves == (case_head(bound),)


def case_head(bound: Bound) -> object:
    return bound.tests[0]


def test_a_counter_knows_its_test_its_moves_and_its_cap() -> None:
    (bound,) = bounds(bounded(top="n += 1\nif n > CAP:\n    break", foot="n += 1", module="CAP = 8"))
    assert (bound.kind, bound.leaves, text_of(bound.cap), len(bound.moves), len(bound.tests)) == (
        "counter",
        True,
        "CAP",
        2,
        1,
    )
    assert [v.number for v in bound.values] == [8]


def test_the_cap_of_a_countdown_is_what_it_starts_from() -> None:
    (bound,) = bounds(loop("while n > 0:", before="n = 8", top="n -= 1"))
    assert text_of(bound.cap) == "8"


def test_a_size_is_told_from_a_counter() -> None:
    (bound,) = bounds(loop("while len(messages) < 20:"))
    assert (bound.kind, text_of(bound.cap)) == ("size", "20")


def test_a_test_that_does_not_leave_is_kept_as_one_that_does_not() -> None:
    (bound,) = bounds(bounded(top="n += 1\nif n > 8:\n    print('many')"))
    assert not bound.leaves


def test_a_guard_belongs_to_the_test_behind_it() -> None:
    (bound,) = bounds(bounded(params="cap=None", top="n += 1\nif cap is not None and n > cap:\n    break"))
    assert len(bound.guards) == 1
    assert bound.cap_cells


def test_resets_are_told() -> None:
    (bound,) = bounds(bounded(head="while n < 8:", top="n += 1", foot="if result:\n    n = 0"))
    assert len(bound.resets) == 1


def test_a_comparison_of_other_things_is_no_bound() -> None:
    assert bounds(loop(top="if messages[-1] > 3 or tools == 'x':\n    break")) == []


def test_a_comparison_of_the_time_is_no_counter() -> None:
    text = loop(module="import time", before="end = time.monotonic() + 9", top="if time.monotonic() > end:\n    break")
    assert bounds(text) == []


# ---- walking the graph


def test_a_pass_leads_from_the_head_through_turn_and_dispatch() -> None:
    found = case(loop())
    walk = found.finder.uncovered_by([])
    assert walk is not None
    assert walk[0] is found.head
    assert {*found.turns, *found.dispatches} <= set(walk)


def test_no_pass_avoids_the_turn() -> None:
    found = case(loop())
    assert found.finder.uncovered_by(found.turns) is None


def test_a_pass_may_avoid_what_stands_on_one_branch() -> None:
    found = case(loop(before="n = 0", top="if messages:\n    n += 1"))
    (move,) = [p for p in found.graph.of("move") if p.value is not None]
    assert found.finder.uncovered_by([move]) is not None


def test_a_loop_goes_on_from_its_dispatch_and_not_from_its_exit() -> None:
    found = case(loop())
    assert found.finder.goes_on(found.dispatches[0])
    assert not any(found.finder.goes_on(p) for p in found.graph.exits)


def test_after_a_flag_is_set_its_test_has_one_way() -> None:
    found = case(loop("while not done:", before="done = False", leave="if not message.tool_calls:\n    done = True"))
    (flag,) = [p for p in found.graph.of("set") if getattr(p.value, "value", None) is True]
    assert not found.finder.goes_on(flag)


# ---- truncation


def test_of_a_loop_too_large_to_follow_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_POINTS", 30)
    module = "def h(x):\n" + "".join(f"    if x > {n}: raise KeyError\n" for n in range(40))
    found = subject(loop(module=module, top="h(0)"))
    assert found.verdict("cap").state == "unknown"
    assert "too large" in found.verdict("cap").evidence[0].message
    # Nothing in reach compares the time, so none of what was cut off can be a wall-clock budget.
    assert found.verdict("wall").state == "missing"
    timed = loop(
        module="import time\n" + module,
        top="h(0)",
        before="end = time.monotonic() + 9",
        foot="print(end > time.monotonic())",
    )
    assert subject(timed).verdict("wall").state == "unknown"


def test_a_loop_that_is_cut_where_its_turn_stands_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "MAX_POINTS", 100)
    module = "def h(x):\n" + "".join(f"    if x > {n}: raise KeyError\n" for n in range(40))
    text = loop(module=module, foot="h(0)\nh(1)\nh(2)\nh(3)")
    found = recognise(index(text, shipped()), shipped(), lambda _: Limits())
    assert found.crashes == ()
    assert [s.verdict("cap").state for s in found.subjects] == ["unknown"] or found.unreadable != ()
