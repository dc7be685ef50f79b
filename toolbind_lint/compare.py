"""Two sides of a change, judged alike -> what the change did to the bounds, and which subject is which.

Nothing here knows a framework: limits are numbers in the evidence of verdicts, names those of subjects. A gate that
gives evidence joins by itself.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolbind_lint.changes import GATE_WORDS, Change
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Finding
from toolbind_lint.lint import Examined
from toolbind_lint.source import Source
from toolbind_lint.triage import Suppression, hides
from toolbind_lint.verdicts import Evidence, Gate, Subject, Verdict

DEMANDED: tuple[Gate, ...] = ("cap", "wall", "allowlist", "tool-timeout", "schema")
"""Without one of these nobody should add a loop, a run or a tool."""

STOPPING: tuple[Gate, ...] = (*DEMANDED, "errors", "cost")
"""Gates that end or refuse something: losing one is an error of the change that loses it."""

UNGUARDED = frozenset({"gate-error-as-payload", "stop-signal-as-payload", "broad-hides-gate"})
"""Ways of the errors gate to leak where something that was raised is raised no more."""

ADDED_WORDS: Mapping[str, str] = {"tool-loop": "a tool loop", "agent-run": "an agent run"}
"""The kinds of subjects that must have those gates, and what a message calls one that was added."""

_TOGETHER = frozenset({"cap", "wall", "cost"})
"""Gates of which every bound holds for the whole run: the smallest number is the one that counts."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(?:ms|s|min|h|turns?|steps?|calls?|tokens?)?")


class Pairing(NamedTuple):
    """Which subject of the base is which of the head: ``pairs`` by the id in the head."""

    pairs: Mapping[str, Subject]
    added: tuple[Subject, ...]


# Which subject is which


def pair(old: Iterable[Subject], new: Iterable[Subject], renamed: Mapping[str, str]) -> Pairing:
    """Pair subjects in rounds, from those that nothing happened to, to those that were moved and changed at once.

    ``renamed`` maps paths of the head to those of the base.
    """
    left, right = sorted(old, key=_order), sorted(new, key=_order)
    pairs: dict[str, Subject] = {}
    for round in _ROUNDS:
        waiting: dict[Hashable, list[Subject]] = defaultdict(list)
        for subject in reversed(left):
            waiting[round(subject, subject.place.path)].append(subject)
        taken: set[str] = set()
        for subject in right:
            queue = waiting.get(round(subject, renamed.get(subject.place.path, subject.place.path)))
            if queue:
                found = queue.pop()
                pairs[subject.id] = found
                taken.add(found.id)
        left = [subject for subject in left if subject.id not in taken]
        right = [subject for subject in right if subject.id not in pairs]
    return Pairing(pairs, tuple(right))


def _order(subject: Subject) -> tuple[str, int, int, int]:
    header = subject.header
    return header.path, -1 if header.cell is None else header.cell, header.line, header.column


def _asked(subject: Subject) -> tuple[str, ...]:
    return tuple(sorted({step.message.rpartition(".")[2] for step in subject.turns}))


def _last(subject: Subject) -> str:
    return subject.function.rpartition(".")[2]


_ROUNDS: tuple[Callable[[Subject, str], Hashable], ...] = (
    lambda subject, path: (subject.kind, path, subject.function, subject.shape),
    lambda subject, path: (subject.kind, path, subject.shape),
    lambda subject, path: (subject.kind, path, subject.function),
    lambda subject, path: (subject.kind, subject.shape),
    lambda subject, path: (subject.kind, _last(subject), _asked(subject)),
    lambda subject, path: (subject.kind, path, _asked(subject)),
)


# What was done


def changes(old: Examined, new: Examined, pairing: Pairing, renamed: Mapping[str, str]) -> tuple[Change, ...]:
    """What the change did to gates, limits and names, in the order of the subjects of the head."""
    then = Lines(old, new, renamed)
    found: list[Change] = []
    for subject in sorted(new.subjects, key=_order):
        base = pairing.pairs.get(subject.id)
        if base is None:
            found.extend(_added(subject))
            continue
        found.extend(_raised(base, subject))
        found.extend(_named(base, subject))
        found.extend(_weakened(base, subject, then))
    with_gates = {step for change in found if change.did == "tool-without-gates" for step in change.related}
    return tuple(c for c in found if c.did != "name-added" or not any(s.place == c.place for s in with_gates))


def _change(subject: Subject) -> Change:
    """A change of this subject, to be filled in."""
    return Change(
        "gate-gone",
        subject.header,
        loops=(subject.id,),
        shape=subject.shape,
        function=subject.function,
        kind=subject.kind,
    )


def lacking(subject: Subject) -> tuple[Gate, ...]:
    """The gates that a subject should have and has not, by evidence."""
    return tuple(gate for gate in DEMANDED if subject.verdict(gate).state == "missing")


def _listed(gates: Sequence[Gate]) -> str:
    words = [GATE_WORDS[gate] for gate in gates]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _added(subject: Subject) -> Iterator[Change]:
    missing = lacking(subject)
    if subject.kind in ADDED_WORDS and missing:
        words = (("subject", ADDED_WORDS[subject.kind]), ("missing", _listed(missing)))
        yield _change(subject)._replace(did="subject-without-gates", words=words)


# Limits


def _raised(old: Subject, new: Subject) -> Iterator[Change]:
    for verdict in new.verdicts:
        for before, after in _higher(old.verdict(verdict.gate), verdict):
            place = after.written or after.place
            words = (("before", before.value), ("after", after.value), ("at", where(before.written or before.place)))
            related = () if _same_line(place, after.place) else (Step(after.place, after.message),)
            yield _change(new)._replace(
                did="limit-raised", place=place, gate=verdict.gate, words=words, related=related
            )


def _higher(old: Verdict, new: Verdict) -> Iterator[tuple[Evidence, Evidence]]:
    """Limits that are higher now, each with what it was."""
    before, after = _limits(old), _limits(new)
    if not before or not after:
        return
    if new.gate in _TOGETHER:
        before, after = before[:1], after[:1]
    elif len(before) != len(after):
        return  # other dispatches: nothing says which limit was which
    else:
        before.sort(key=lambda row: _order_of(row[1]))
        after.sort(key=lambda row: _order_of(row[1]))
    for (was, one), (now, other) in zip(before, after, strict=True):
        if now > was:
            yield one, other


def _limits(verdict: Verdict) -> list[tuple[float, Evidence]]:
    """The numbers in the evidence of a verdict, the smallest first."""
    found = []
    for evidence in verdict.evidence:
        match = _NUMBER.fullmatch(evidence.value)
        if match is not None:
            found.append((float(match[1]), evidence))
    return sorted(found, key=lambda row: (row[0], _order_of(row[1])))


def _order_of(evidence: Evidence) -> tuple[str, int, int]:
    return evidence.place.path, evidence.place.line, evidence.place.column


# Names


def _named(old: Subject, new: Subject) -> Iterator[Change]:
    """Names that came to a list that was there, and patterns that took its place."""
    faults = {fault.how: fault for fault in new.verdict("allowlist").faults}
    if "pattern" in faults and old.verdict("allowlist").state == "held":
        words = (("names", ", ".join(f"`{step.message}`" for step in old.names[:5])),)
        yield _change(new)._replace(did="became-pattern", place=faults["pattern"].place, gate="allowlist", words=words)
    known = {step.message for step in old.names}
    came = [step for step in new.names if step.message not in known]
    if not known or not came:
        return
    missing = lacking(new) if new.kind in ADDED_WORDS else ()
    if missing:
        names = ", ".join(f"`{step.message}`" for step in came[:5]) + (" and more" if len(came) > 5 else "")
        yield _change(new)._replace(
            did="tool-without-gates",
            words=(("names", names), ("missing", _listed(missing))),
            related=tuple(Step(step.place, f"the tool `{step.message}`") for step in came),
        )
        return
    for step in came:
        yield _change(new)._replace(
            did="name-added", place=step.place, gate="allowlist", words=(("names", f"`{step.message}`"),)
        )


# Gates


def _weakened(old: Subject, new: Subject, then: Lines) -> Iterator[Change]:
    """Gates that held, and are gone or can no longer be followed; those of one place together."""
    lost: dict[tuple[str, Place], list[tuple[Verdict, Verdict]]] = {}
    for gate in STOPPING:
        before, after = old.verdict(gate), new.verdict(gate)
        if _gone(before, after):
            lost.setdefault(("gate-gone", _losing(old, new, before, after, then)), []).append((before, after))
        elif before.state == "held" and after.state == "unknown":
            place = after.evidence[0].place if after.evidence else new.header
            lost.setdefault(("gate-unseen", place), []).append((before, after))
    for (did, place), verdicts in lost.items():
        proofs = [proof for before, _ in verdicts if (proof := _proof(before)) is not None]
        words = (
            ("missing", _listed([after.gate for _, after in verdicts])),
            ("before", "; ".join(proof.message for proof in proofs)),
            ("at", ", ".join(dict.fromkeys(where(proof.place) for proof in proofs))),
        )
        yield _change(new)._replace(
            did="gate-gone" if did == "gate-gone" else "gate-unseen",
            place=place,
            gate=verdicts[0][1].gate if len(verdicts) == 1 else "",
            words=words,
        )


def _gone(before: Verdict, after: Verdict) -> bool:
    if after.gate == "allowlist" and after.how == "pattern":
        return False  # said of the pattern itself
    if after.gate == "errors":
        hows = {fault.how for fault in after.faults} - {fault.how for fault in before.faults}
        return before.state in {"held", "leaks"} and bool(hows & UNGUARDED)
    return before.state in {"held", "leaks"} and after.state == "missing"


def _losing(old: Subject, new: Subject, before: Verdict, after: Verdict, then: Lines) -> Place:
    """The construct that lost the gate: where the fault is, or what is left in a helper, or the header."""
    faults = [f for f in after.faults if after.gate != "errors" or f.how in UNGUARDED]
    if faults and not _same_line(faults[0].place, new.header):
        return faults[0].place
    proof = _proof(before)
    if proof is not None and not _within(proof.place, old.place):
        left = then.now(proof.place)
        if left is not None:
            return left
    return new.header


def _proof(verdict: Verdict) -> Evidence | None:
    return next((e for e in verdict.evidence if e.value), next(iter(verdict.evidence), None))


# Suppressions


def accepting(old: Examined, new: Examined, hidden: Sequence[Finding], renamed: Mapping[str, str]) -> Iterator[Change]:
    """Suppressions that hide something which nothing hides in the base: one of the ``hidden`` findings, or, where the
    comment itself is new, any.
    """
    left = Counter(_written(suppression, suppression.place.path) for suppression in old.suppressions)
    moved = Counter(_written(suppression, "") for suppression in old.suppressions)
    subjects = {subject.id: subject for subject in new.subjects}
    everything = [*(f for f in new.findings if f.disposition == "suppressed"), *hidden]
    for suppression in new.suppressions:
        path = suppression.place.path
        known, anywhere = _written(suppression, renamed.get(path, path)), _written(suppression, "")
        left[known] -= 1
        moved[anywhere] -= 1
        findings = hidden if left[known] >= 0 or moved[anywhere] >= 0 else everything
        if not suppression.problem and any(hides(suppression, finding, subjects) for finding in findings):
            words = (("codes", ", ".join(suppression.codes)), ("reason", suppression.reason))
            yield Change("suppression", suppression.place, words=words)


def _written(suppression: Suppression, path: str) -> tuple[str, tuple[str, ...], str, str]:
    return path, tuple(sorted(suppression.codes)), suppression.reason, suppression.scope


# Findings of the head


def explained(finding: Finding, new: Mapping[str, Subject], pairing: Pairing) -> Finding:
    """A new finding of a subject that the base has, with what the gate had there: the message names the change."""
    for loop in finding.loops:
        base = pairing.pairs.get(loop)
        if base is None or not finding.gate or loop not in new:
            continue
        before = next((v for v in base.verdicts if v.gate == finding.gate), None)
        if before is None or finding.how in {fault.how for fault in before.faults}:
            continue
        proof = _proof(before)
        if proof is not None and (before.state == "held" or proof.value):
            said = f"{finding.message}. In the base: {proof.message} ({where(proof.written or proof.place)})"
            return finding._replace(message=said)
        if before.state == "held":
            return finding._replace(message=f"{finding.message}. In the base it was held")
    return finding


# Places


def where(place: Place) -> str:
    """``agent.py:12``, for a place of the base: it may not exist any more."""
    cell = "" if place.cell is None else f"cell {place.cell}:"
    return f"{place.path}:{cell}{place.line}"


def _same_line(one: Place, other: Place) -> bool:
    return (one.path, one.cell, one.line) == (other.path, other.cell, other.line)


def _within(inner: Place, outer: Place) -> bool:
    return (inner.path, inner.cell) == (outer.path, outer.cell) and outer.line <= inner.line <= outer.end_line


class Lines:
    """Where lines of the base stand now."""

    def __init__(self, old: Examined, new: Examined, renamed: Mapping[str, str]) -> None:
        self._old = old
        self._new = new
        self._paths = {then: now for now, then in renamed.items()}

    def now(self, place: Place) -> Place | None:
        """The line of the head in whose place a line of the base stood; None where its file or function is gone."""
        before = _source(self._old, place.path)
        after = _source(self._new, self._paths.get(place.path, place.path))
        if before is None or after is None or not after.lines:
            return None
        number = _moved(before.lines, after.lines, before.text_line(place) - 1)
        if number is None:
            return None
        text = after.lines[number]
        return after.place(number + 1, len(text) - len(text.lstrip()) + 1, number + 1, len(text.rstrip()) + 1)


def _moved(before: Sequence[str], after: Sequence[str], number: int) -> int | None:
    """The index of a line after an edit: its own; of a line that is gone, of what stands there, or stood above it.

    None where the function around it is gone as well.
    """
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    around = _definition(before, number)
    if around is not None and not any(tag == "equal" and i1 <= around < i2 for tag, i1, i2, _, _ in blocks):
        return None
    for tag, i1, i2, j1, j2 in blocks:
        if i1 <= number < i2:
            if tag == "equal":
                return j1 + number - i1
            first = next((n for n in range(j1, j2) if after[n].strip()), j1 - 1)
            return max(0, min(first, len(after) - 1))
    return len(after) - 1


def _definition(lines: Sequence[str], number: int) -> int | None:
    """The index of the line that begins the function around a line."""
    indent = len(lines[number]) - len(lines[number].lstrip())
    for above in range(number - 1, -1, -1):
        text = lines[above].lstrip()
        if text and len(lines[above]) - len(text) < indent:
            indent = len(lines[above]) - len(text)
            if text.startswith(("def ", "async def ")):
                return above
    return None


def _source(side: Examined, path: str) -> Source | None:
    try:
        return side.prepared.project.source(path)
    except KeyError:
        return None
