"""A declared scope: where a job system bounds the run, the bounds of one request are not asked for."""

from __future__ import annotations

from toolbind_lint.verdicts import Envelope, Evidence, Gate, Subject, Verdict

BOUNDS: frozenset[Gate] = frozenset({"cap", "wall", "tool-timeout", "cost"})
"""The gates that bound one request. What may run, and what its errors do, is asked in any scope."""


def in_scope(subject: Subject, scope: str) -> Subject:
    """A subject whose bounds are declared to be somebody else's; the same subject where nothing is declared."""
    if not scope:
        return subject
    declared = (Evidence(subject.header, "", f"declared as {scope}"),)
    verdicts = tuple(
        Verdict(v.gate, "not-applicable", (), declared) if v.gate in BOUNDS else v for v in subject.verdicts
    )
    return subject._replace(verdicts=verdicts, envelope=Envelope(), witness=(), unknown=())
