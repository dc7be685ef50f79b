"""Runs that go on after their end, and runs that follow one that has ended."""

from __future__ import annotations

import pytest
from recognising import ASK, RUN, at, subjects

from toolbind_lint.verdicts import Fault

RUNS = f"""
import json, uuid
from openai import OpenAI
client = OpenAI()

class Spent(Exception):
    pass

class Agent:
    def run(self, run_id, messages, tools, handlers, parent_id=None):
        while True:
            if self.steps >= 8:
                raise Spent(run_id)
            self.steps += 1
            message = {ASK}.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                messages.append({{"role": "tool", "tool_call_id": call.id, "content": str({RUN})}})
"""
GOES_ON = {
    "under its id": """
    def resume(self, run_id, messages, tools, handlers):
        return self.run(run_id, messages, tools, handlers)  # here
""",
    "with its count set back": """
    def retry(self, ident, messages, tools, handlers):
        self.steps = 0  # here
        return self.run(ident, messages, tools, handlers)
""",
    "with its budget reset": """
    def resume(self, ident, messages, tools, handlers):
        self.budget.reset()  # here
        return self.run(ident, messages, tools, handlers)
""",
    "in a handler": """
    def go(self, run_id, messages, tools, handlers):
        try:
            return self.run(run_id, messages, tools, handlers)
        except Spent:
            return self.run(run_id, messages, tools, handlers)  # here
""",
    "in a loop": """
    def go(self, run_id, messages, tools, handlers):
        for _ in range(3):
            try:
                return self.run(run_id, messages, tools, handlers)  # here
            except Spent:
                pass
""",
    "behind a helper": """
    def go(self, ident, messages, tools, handlers):
        return self.run(ident, messages, tools, handlers)

    def resume(self, ident, messages, tools, handlers):
        self.steps = 0  # here
        return self.go(ident, messages, tools, handlers)
""",
}
IS_NEW = {
    "first start": """
    def go(self, run_id, messages, tools, handlers):
        self.steps = 0
        return self.run(run_id, messages, tools, handlers)
""",
    "new id": """
    def resume(self, old, messages, tools, handlers):
        run_id = uuid.uuid4().hex
        self.steps = 0
        return self.run(run_id, messages, tools, handlers)
""",
    "recorded parent": """
    def resume(self, ident, messages, tools, handlers):
        self.steps = 0
        return self.run(self.fresh(), messages, tools, handlers, parent_id=ident)
""",
    "a new run": """
    def resume(self, old, messages, tools, handlers):
        self.steps = 0
        run = new_run(old)
        return self.run(run.run_id, messages, tools, handlers)
""",
    "a conversation": """
    def resume(self, session_id, messages, tools, handlers):
        return self.run(session_id, messages, tools, handlers)
""",
    "other counts": """
    def resume(self, ident, messages, tools, handlers):
        self.hits = 0
        return self.run(ident, messages, tools, handlers)
""",
    "leaves": """
    def go(self, run_id, messages, tools, handlers):
        for _ in range(3):
            try:
                return self.run(run_id, messages, tools, handlers)
            except Spent:
                raise
""",
}


def resumed(text: str) -> list[Fault]:
    """What is said of the resumes of the one run."""
    (found,) = (s for s in subjects(text) if (s.kind, s.function) == ("tool-loop", "Agent.run"))
    return [f for f in found.verdict("evidence").faults if f.how == "resumed-budget"]


@pytest.mark.parametrize("rest", GOES_ON.values(), ids=GOES_ON.keys())
def test_a_run_that_goes_on_after_its_end_is_told_where_it_does(rest: str) -> None:
    text = RUNS + rest
    (fault,) = resumed(text)
    assert at(fault, text).endswith("# here")
    assert dict(fault.words)["value"]


@pytest.mark.parametrize("rest", IS_NEW.values(), ids=IS_NEW.keys())
def test_a_new_run_is_none(rest: str) -> None:
    assert not resumed(RUNS + rest)


def test_a_decorator_repeats_the_run_that_it_is_given() -> None:
    text = RUNS.replace("    def run(", "    @retry(stop=3)\n    def run(").replace(
        "import json", "from tenacity import retry\nimport json"
    )
    (fault,) = resumed(text)
    assert at(fault, text) == "@retry(stop=3)"
    free = text.replace("run_id", "question")
    assert not resumed(free)
