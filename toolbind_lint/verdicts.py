"""One gate, one verdict: how each gate of each loop, run, dispatcher, retry and binding stands, and what shows it.

Cards, ``gates`` and findings all read these values, so they cannot disagree.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from toolbind_lint.facts import Place, Step

Gate = Literal["cap", "wall", "allowlist", "tool-timeout", "schema", "errors", "exit", "cost", "context", "evidence"]
State = Literal["held", "leaks", "missing", "unknown", "not-applicable"]
Kind = Literal["tool-loop", "agent-run", "dispatcher", "retry", "binding"]
Confidence = Literal["high", "medium"]

GATES: tuple[Gate, ...] = (
    "cap",
    "wall",
    "allowlist",
    "tool-timeout",
    "schema",
    "errors",
    "exit",
    "cost",
    "context",
    "evidence",
)
"""The gates in the order in which a run checks them."""


class Fault(NamedTuple):
    """One way in which a gate fails.

    ``how`` is a code of the closed list of the gate. ``place`` is where the mend goes; ``words`` fill the message
    template of the rule that speaks for the how. ``trail`` leads from the subject's header to the place; ``related``
    are lighter faults and other places worth seeing.
    """

    how: str
    place: Place
    words: tuple[tuple[str, str], ...] = ()
    trail: tuple[Step, ...] = ()
    related: tuple[Step, ...] = ()
    confidence: Confidence = "high"


class Evidence(NamedTuple):
    """What shows that a gate holds, or why it is not known: ``value`` is the bound itself (``8``), possibly empty.

    ``written`` is where the value is committed, if that is elsewhere: a constant, a file, the line of a lock file.
    """

    place: Place
    value: str
    message: str
    written: Place | None = None


class Verdict(NamedTuple):
    """How one gate of one subject stands. ``faults``, heaviest first, are empty unless it leaks or is missing.

    ``beside`` is advice that leaves the gate as it stands: the turns of a loop are capped, and the calls of one turn
    are not.
    """

    gate: Gate
    state: State
    faults: tuple[Fault, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    beside: tuple[Fault, ...] = ()

    @property
    def how(self) -> str:
        """The heaviest fault's code, or an empty string."""
        return self.faults[0].how if self.faults else ""


class Envelope(NamedTuple):
    """The worst case that the bounds allow, as text: ``8``, ``?`` (unknown) or ``∞``."""

    turns: str = "?"
    calls: str = "?"
    seconds: str = "?"
    tokens: str = "?"


class Subject(NamedTuple):
    """What a card is about.

    ``place`` spans the construct, ``header`` its first line (a loop's header, the run call, the dispatcher's ``def``).
    ``function`` is the qualified name around it (``<module>`` at module level), ``label`` a short way to name it to a
    person. ``framework`` is the catalogue's name of the owner, or empty. ``shape`` is the subject's head with locals
    renamed in order: for a loop its header, the callees of its turns and dispatches, the kinds of its exits.
    ``unknown`` are the calls into code that nobody knows and that hides gates of the subject.
    ``witness`` is, for a loop that nothing ends, one full pass on which nothing moves. ``names`` are the names of tools
    that it lets run or, where that is not written down, that it offers, each where it is written.
    """

    id: str
    kind: Kind
    place: Place
    header: Place
    function: str
    label: str
    framework: str
    shape: str
    verdicts: tuple[Verdict, ...]
    envelope: Envelope = Envelope()
    turns: tuple[Step, ...] = ()
    dispatches: tuple[Step, ...] = ()
    witness: tuple[Step, ...] = ()
    names: tuple[Step, ...] = ()
    unknown: tuple[Fault, ...] = ()

    def verdict(self, gate: Gate) -> Verdict:
        """The verdict of one gate; not-applicable where the recogniser gave none."""
        return next((v for v in self.verdicts if v.gate == gate), Verdict(gate, "not-applicable"))
