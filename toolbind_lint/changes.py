"""What a change did to the bounds of a project, as facts for the rules on changes."""

from __future__ import annotations

from typing import Literal, NamedTuple

from toolbind_lint.facts import Place, Step
from toolbind_lint.verdicts import Gate

Did = Literal[
    "limit-raised",  # a committed number is higher
    "name-added",  # an exact name more may run
    "became-pattern",  # a pattern stands where exact names stood
    "subject-without-gates",  # a loop or run came that lacks gates
    "tool-without-gates",  # a tool came to a loop that lacks gates
    "gate-gone",  # a loop that still exists lost a gate
    "gate-unseen",  # a gate that held can no longer be followed
    "proves-grew",  # a configuration says that more gates are held elsewhere
    "suppression",  # a comment accepts findings
    "baseline",  # a baseline accepts findings
    "configuration",  # a setting asks for less
]


class Change(NamedTuple):
    """One thing that a change did.

    ``place`` is in the files of now, ``gate`` empty where no gate is meant. ``words`` fill the message template of the
    rule that speaks for ``did``; ``loops``, ``shape``, ``function`` and ``kind`` are those of the subject concerned.
    """

    did: Did
    place: Place
    gate: Gate | Literal[""] = ""
    words: tuple[tuple[str, str], ...] = ()
    related: tuple[Step, ...] = ()
    loops: tuple[str, ...] = ()
    shape: str = ""
    function: str = ""
    kind: str = ""


GATE_WORDS: dict[Gate, str] = {
    "cap": "step cap",
    "wall": "wall-clock budget",
    "allowlist": "allowlist",
    "tool-timeout": "tool timeout",
    "schema": "result schema",
    "errors": "re-raise of what must stop the run",
    "exit": "exit",
    "cost": "token budget",
    "context": "care for the transcript",
    "evidence": "record of each step",
}
"""How a message calls a gate."""
