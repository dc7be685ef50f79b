"""Turns that are known by a reply that picks a tool from a table and gives its arguments."""

from __future__ import annotations

from textwrap import indent

import pytest
from recognising import subjects

HEAD = """\
import json

from lab import maker, registry


def fetch(source):
    return source.read()


class Agent:
    def __init__(self):
        self.step = maker("step")
        self.tools = registry()

    def run_one(self, tool_name, tool_input):
        for tool in self.tools:
            if tool.name == tool_name:
                return tool.run(tool_input)

    def run_step(self, step, dry=False):
        return None if dry else self.tools[step["tool"]](**step["args"])

    def planned(self, module, **given):
        for _ in range(2):
            try:
                return module(**given)
            except ValueError:
                continue
        raise RuntimeError("no plan")

    def run(self, goal, source):
        trail = {}
        notes = []
        prompt = goal
        for number in range(9):
"""
FED = {
    "fields": (
        "said = self.step(goal=goal, trail=trail)\n"
        "trail[number] = self.tools[said.next_tool_name](**said.next_tool_args)"
    ),
    "through a helper": (
        "said = self.planned(self.step, trail=trail)\n"
        "try:\n    seen = self.tools[said.tool_name].run(**said.tool_args)\n"
        "except Exception:\n    seen = 'failed'\n"
        "trail[f'seen_{number}'] = seen"
    ),
    "keys of a text": (
        "said = json.loads(self.step(prompt))\n"
        "seen = self.tools[said['action']](said['action_input'])\nprompt += str(seen)"
    ),
    "get": (
        "said = self.step(notes)\nseen = self.tools.get(said.get('tool'))(**said.get('args', {}))\nnotes.append(seen)"
    ),
    "a function that picks": (
        "said = self.step(**trail)\npart = getattr(said, f'part_{number}')\n"
        "tool_name = part.tool_name\ntool_input = part.tool_input\n"
        "seen = self.run_one(tool_name, tool_input)\ntrail[f'seen_{number}'] = seen"
    ),
    "a plan": (
        "plan = self.step(prompt)\nfor item in plan:\n"
        "    notes.append(self.tools[item['tool']](**item['arguments']))\nprompt = goal + str(notes)"
    ),
    "a step handed on whole": (
        "plan = json.loads(self.step(prompt))\nitem = plan.pop(0)\nprint(item['tool'])\nseen = self.run_step(item)\n"
        "notes.append(seen)\nprompt = goal + str(notes)"
    ),
    "an attribute": ("said = self.step(self.state)\nself.state = self.tools[said.function](**said.params)"),
}
APART = {
    "a step that is not the reply's": (
        "said = self.step(notes)\nseen = self.run_step(source)\nprint(said)\nnotes.append(seen)"
    ),
    "a step whose result goes elsewhere": ("said = self.step(prompt)\nseen = self.run_step(said)\nnotes.append(seen)"),
    "a result that goes elsewhere": (
        "said = self.step(goal=goal, trail=trail)\nnotes.append(self.tools[said.tool_name](**said.tool_args))"
    ),
    "requests of others": ("said = fetch(source)\nsource.reply(self.tools[said['tool']](**said['args']))"),
    "arguments of its own": ("said = self.step(trail=trail)\ntrail[number] = self.tools[said.tool_name](goal)"),
    "a name that picks no tool": ("said = self.step(trail=trail)\ntrail[number] = self.tools[said.kind](**said.args)"),
    "the arguments of another": (
        "said = self.step(trail=trail)\nother = maker(goal)\n"
        "trail[number] = self.tools[said.tool_name](**other.tool_args)"
    ),
    "a tool that is looked up and not run": (
        "said = self.step(trail=trail)\ntrail[number] = (self.tools[said.tool_name], said.tool_args)"
    ),
    "only the name goes back": (
        "said = self.step(trail=trail)\nself.tools[said.tool_name](**said.tool_args)\ntrail[number] = said.tool_name"
    ),
}


def owners(body: str) -> list[tuple[str, str]]:
    return [(s.kind, s.function) for s in subjects(HEAD + indent(body, " " * 12) + "\n")]


@pytest.mark.parametrize("body", FED.values(), ids=FED.keys())
def test_a_reply_that_picks_a_tool_whose_result_comes_back_is_a_turn(body: str) -> None:
    assert ("tool-loop", "Agent.run") in owners(body)


@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_what_only_looks_like_it_makes_no_loop(body: str) -> None:
    assert "tool-loop" not in {kind for kind, _ in owners(body)}
