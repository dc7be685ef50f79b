"""Writes ``docs/checklist.md``: what must hold of a tool loop, and the rules that hold it.

    python docs/checklist.py            writes the page
    python docs/checklist.py --check    says whether it is up to date, status 1 where it is not

The rules say themselves what they serve (``serves`` in their ``rule.toml``); here stand the words for it. An item that
no rule serves needs a reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from toolbind_lint.check import load_rules

PAGE = Path(__file__).resolve().parent / "checklist.md"


class Item(NamedTuple):
    """Something that must hold: its key in ``serves``, and what it asks for."""

    key: str
    asks: str


PARTS: Mapping[str, tuple[Item, ...]] = {
    "Gates": (
        Item("A.gate1", "Before each model turn and each tool call, the steps used are below a committed number."),
        Item("A.gate2", "The whole run has a deadline on a clock that cannot jump."),
        Item("A.gate3", "Only tools of a committed set of exact names run, each under a timeout that ends its work."),
        Item("A.gate4", "What a tool gives back is parsed against an explicit shape before the model sees it."),
        Item("A.evidence", "Each gate shows that it held: by a record of the run, and by no file that nobody checked."),
    ),
    "Before a tool is bound": (
        Item("A.item1", "Each run has a name that its tool calls carry."),
        Item("A.item2", "The number of steps is capped by an integer that is reviewed with the code."),
        Item("A.item3", "The time of a run is capped, with the time of model and tools in it."),
        Item("A.item4", "The names of the tools are a list, and no pattern over whatever is registered."),
        Item("A.item5", "Each tool has a timeout, no longer than what the run has left."),
        Item("A.item6", "A step that fails counts like one that succeeds."),
        Item("A.item7", "Results are limited in size, then parsed, then sent back."),
        Item("A.item8", "The errors that end a run can be told apart."),
        Item("A.item9", "An error that ends the run never goes back as if a tool had answered."),
        Item("A.item10", "Who goes on after the end starts a new run, which names the one before."),
    ),
    "Ways around a gate": (
        Item("A.bypass1", "The error of a gate is sent to the model as a result."),
        Item("A.bypass2", "Only the tools that succeed are counted."),
        Item("A.bypass3", "The cap is raised where no review sees it, or while the run lives."),
        Item("A.bypass4", "One budget is shared by several runs."),
        Item("A.bypass5", "The model adds to the tools that it may call."),
        Item(
            "A.limitations", "Bounds are taken for more than they are: a late timeout, a second payment, no approval."
        ),
    ),
    "Bounds of a loop": (
        Item("B.bound1", "A number of steps."),
        Item("B.bound2", "A budget of tokens or money, added up from what each turn reports."),
        Item("B.bound3", "A deadline before each turn, and a timeout for each tool."),
        Item("B.bound4", "A repeated call is noticed and not run again."),
        Item("B.bound5", "No turn after the first is forced to call a tool."),
        Item("B.exit", "The loop leaves on a reply without calls, and handles one that was cut off."),
        Item("B.steps", "The bounds that are configured bind: each path, each twin, zero included."),
        Item("B.errors", "A failed tool is answered briefly, with nothing inside that should stay inside."),
        Item("B.context", "The conversation stays legal and does not grow without end."),
        Item("B.report", "A bound that ends a run is told, not passed over in silence."),
    ),
    "Mistakes": (
        Item("B.mistake1", "Leaving only on one reason, and turning round for ever on the others."),
        Item("B.mistake2", "Forcing a tool on every turn."),
        Item("B.mistake3", "Trusting that the model stops by itself."),
        Item("B.mistake4", "Letting the exception of a tool end the loop."),
        Item("B.mistake5", "Taking a count of steps for a limit of what they cost."),
    ),
}

REASONS: Mapping[str, str] = {}
"""For an item that no rule serves: why."""

HEAD = """# What is checked, item by item

Each line is something that must hold of a loop in which a model calls tools, with the rules that find where it does
not. `toolbind-lint explain CODE` shows a rule's page. The table is made from the rules by `python docs/checklist.py`;
whoever adds a rule runs it again.
"""


def items() -> dict[str, Item]:
    """All items by key."""
    return {item.key: item for part in PARTS.values() for item in part}


def served() -> dict[str, list[tuple[str, str]]]:
    """Code and name of the rules by the key of what they serve."""
    found: dict[str, list[tuple[str, str]]] = {}
    for rule in load_rules():
        for key in rule.serves:
            found.setdefault(key, []).append((rule.code, rule.name))
    return found


def text() -> str:
    """The page."""
    rules = served()
    parts = [HEAD]
    for title, part in PARTS.items():
        parts.append(f"## {title}\n\n| what must hold | rules |\n|---|---|\n" + "".join(_rows(part, rules)))
    return "\n".join(parts)


def _rows(part: Iterable[Item], rules: Mapping[str, list[tuple[str, str]]]) -> Iterable[str]:
    for item in part:
        held = ", ".join(f"{code} `{name}`" for code, name in rules.get(item.key, ()))
        yield f"| {item.asks} | {held or REASONS.get(item.key, '')} |\n"


def main(argv: list[str]) -> int:
    """Write the page, or check it."""
    made = text()
    if "--check" in argv:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made
        print(f"{PAGE.name} is {'up to date' if current else 'out of date: run python docs/checklist.py'}")
        return 0 if current else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
