"""The reference dispatcher, vendored: its gates are held for what the code does, and lost with the line that does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recognising import subjects

from toolbind_lint.runtime import vendor

OWN = """
import json

from openai import OpenAI

from gates import Budget, Call, Dispatcher, Tool

TOOLS = [Tool("search", "tools:search", timeout_s=2.0, result=("hits",))]
SCHEMAS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
client = OpenAI(max_retries=0)


def own_loop(messages, sink):
    with Dispatcher(TOOLS, sink) as dispatcher, dispatcher.start(Budget(max_steps=8, max_wall_s=30.0)) as run:
        while True:
            run.charge()
            reply = client.chat.completions.create(
                model="m", messages=messages, tools=SCHEMAS, timeout=run.remaining_s
            )
            run.spend(reply.usage.total_tokens)
            message = reply.choices[0].message
            if not message.tool_calls:
                return message.content
            messages.append(message)
            for call in message.tool_calls:
                answer = dispatcher.answer(run, Call(call.id, call.function.name, call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(answer.value)})
"""
RENAMED = {
    **{"Dispatcher": "Engine", "Budget": "Terms", "Run": "Trip", "Allowlist": "Shelf", "GateError": "Refusal"},
    **{"charge": "pay", "answer": "tell", "answer_async": "tell_soon", "max_steps": "most", "max_wall_s": "span"},
    **{"remaining_s": "left_over", "_bounded": "_within", "steps": "count", "allowlist": "shelf", "stop": "shut"},
}
OURS = {"cap", "wall", "allowlist", "tool-timeout", "schema", "errors", "cost"}
"""The gates that the dispatcher owns; how a loop ends and what it keeps of the conversation are the loop's."""
HELD = {"cap": "8", "wall": "30", "cost": "200000"}


def states(dispatcher: str, loop: str = OWN) -> dict[str, tuple[str, str]]:
    """State and number of each gate of the loop."""
    (found,) = [s for s in subjects({"gates.py": dispatcher, "agent.py": loop}) if s.place.path == "agent.py"]
    judged = [v for v in found.verdicts if v.gate in OURS]
    return {v.gate: (v.state, next((e.value for e in v.evidence if e.value), "")) for v in judged}


def test_all_gates_are_held_with_the_numbers_of_the_project() -> None:
    found = states(vendor.dispatcher())
    assert {state for gate, (state, _) in found.items() if gate != "schema"} <= {"held", "not-applicable"}, found
    assert found["schema"][0] in {"held", "unknown"}
    assert {gate: found[gate][1] for gate in HELD} == HELD
    assert found["tool-timeout"][0] == found["allowlist"][0] == "held"


def test_no_name_of_it_matters() -> None:
    pattern = re.compile(rf"\b({'|'.join(RENAMED)})\b")
    new, loop = (pattern.sub(lambda found: RENAMED[found[0]], text) for text in (vendor.dispatcher(), OWN))
    found = states(new, loop)
    assert {state for gate, (state, _) in found.items() if gate != "schema"} <= {"held", "not-applicable"}, found
    assert found["schema"][0] in {"held", "unknown"}
    assert {gate: found[gate][1] for gate in HELD} == HELD


@pytest.mark.parametrize(
    ("gate", "old", "new"),
    [
        ("cap", "if self.steps >= self.budget.max_steps:", "if self.ended == 'never':"),
        ("cap", "self.steps += 1", "pass"),
        ("wall", "if (left := self.remaining_s) <= 0 or late:", "left = 1.0\n        if late:"),
        ("wall", "self.owner.clock() - self._started)", "0.0)"),
        ("tool-timeout", "await asyncio.wait({task}, timeout=min(left, _SLICE))", "await asyncio.wait({task})"),
        ("allowlist", "self.allowlist.tools.get(call.name)", "getattr(self, call.name)"),
    ],
)
def test_a_gate_is_lost_with_its_line(gate: str, old: str, new: str) -> None:
    text = vendor.dispatcher()
    assert text.count(old) == 1
    found = states(text.replace(old, new))
    assert found[gate][0] in {"missing", "leaks"}, found[gate]


def test_the_ready_loop_is_held_too(tmp_path: Path) -> None:
    vendor.write(tmp_path / "gates.py", beside=["adapters"])
    agent = """
from gates import Budget, Tool
from gates_loop import run_loop

TOOLS = [Tool("search", "tools:search", timeout_s=2.0, result=("hits",))]


def answer(model, messages, sink):
    return run_loop(model, TOOLS, Budget(max_steps=6, max_wall_s=20.0), messages, sink=sink).text
"""
    files = {path.name: path.read_text() for path in tmp_path.iterdir()} | {"agent.py": agent}
    (found,) = subjects(files)
    judged = [v for v in found.verdicts if v.gate in OURS]
    assert {v.state for v in judged} <= {"held", "unknown", "not-applicable"}, judged
    cap = next(v for v in found.verdicts if v.gate == "cap")
    assert [e.value for e in cap.evidence] == ["6"]
