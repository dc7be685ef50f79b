"""Tools that a model names in its text: what is read out of it is known by the words under which it is kept."""

from __future__ import annotations

from textwrap import indent

import pytest
from recognising import subjects

HEAD = """\
import json
import re
import subprocess

from lab import make_room, parse_answer, read_rows, registry, render
from openai import OpenAI

client = OpenAI()


class Loop:
    def __init__(self):
        self.room = make_room()

    def run(self, goal, rows):
        messages = [{"role": "user", "content": goal}]
        for _ in range(9):
            reply = client.chat.completions.create(model="m", messages=messages).choices[0].message.content
            messages.append({"role": "assistant", "content": reply})
"""
END = 'messages.append({"role": "user", "content": str(seen)})\n'
RUN = {
    "a parsed name and its input": (
        "tool_name, tool_input = parse_answer(reply)\nseen = self.perform(tool_name, tool_input)"
    ),
    "a parser of a base class": "ok, action, action_args = self.detect(reply)\nseen = self.do(action, action_args)",
    "fields of a table": "said = json.loads(reply)\nseen = registry.do(said['action'], said.get('action_input'))",
    "a step of a room": "action = reply.split('Do:')[-1].strip()\nseen, score, over = self.room.step(action)",
    "code that a library runs": "language, code = parse_answer(reply)\nseen = self.room.run_code(language, code)",
    "a command": (
        "match = re.search('<sh>(.*)</sh>', reply)\n"
        "seen = subprocess.run(match.group(1), shell=True, capture_output=True).stdout"
    ),
    "a command of a shell": (
        "script = parse_answer(reply)\nseen = subprocess.check_output(['bash', '-lc', script], text=True)"
    ),
    "a chain of tests": (
        "command, rest = parse_answer(reply)\nif command == 'look':\n    seen = read_rows(rest)\n"
        "elif command == 'end':\n    return render(rest)\nelse:\n    seen = 'no such command'"
    ),
}
READ = {
    "one argument of a fixed program": (
        "seen = subprocess.run(['git', 'commit', '-m', reply], capture_output=True).stdout"
    ),
    "a fixed command": "print(reply)\nseen = subprocess.run(goal, shell=True, capture_output=True).stdout",
    "a table that is read": "said = json.loads(reply)\nseen = render(said['title'], said['body'])",
    "a score": "seen = registry.compare(parse_answer(reply), goal)",
    "a branch on a kind": (
        "kind = parse_answer(reply)\nif kind == 'long':\n    seen = render(reply)\nelse:\n    seen = reply"
    ),
}


def kinds(body: str) -> list[str]:
    text = HEAD + indent(body + "\n" + END, " " * 12)
    return [s.kind for s in subjects(text) if s.function == "Loop.run"]


@pytest.mark.parametrize("body", RUN.values(), ids=RUN.keys())
def test_what_runs_what_a_reply_says_makes_a_tool_loop(body: str) -> None:
    assert kinds(body) == ["tool-loop"]


@pytest.mark.parametrize("body", READ.values(), ids=READ.keys())
def test_what_only_reads_a_reply_makes_none(body: str) -> None:
    assert kinds(body) == []


def test_a_loop_over_the_positions_of_data_is_none_of_its_own() -> None:
    text = HEAD + indent("seen = self.room.step(reply)\n" + END, " " * 12)
    text += "\n    def all(self, rows):\n        for n in range(0, len(rows)):\n            self.run(rows[n], rows)\n"
    assert [(s.kind, s.function) for s in subjects(text)] == [("tool-loop", "Loop.run")]
