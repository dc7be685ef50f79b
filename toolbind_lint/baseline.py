"""The baseline: findings that a project had when it began, kept by fingerprint in a file of the project.

It holds no line, no number and no message, one entry a line in a fixed order, so that it changes only when findings
come or go. What it hides is counted; an entry that hides nothing any more is said, and removed when the file is next
written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from toolbind_lint.findings import Finding, Fingerprint
from toolbind_lint.fingerprint import Entry, entry, match, parse

FILE_NAME = "toolbind-lint-baseline.json"
SCHEMA_VERSION = 1
ON_CHANGES = "TB9"
"""Codes of rules on changes: no baseline hides them."""


class BaselineError(Exception):
    """A baseline that cannot be read; the text names file and fault."""


class Accepted(NamedTuple):
    """One entry: ``description`` says to a reader which finding it was."""

    code: str
    path: str
    fingerprint: Fingerprint
    description: str


class Baseline(NamedTuple):
    """A baseline as it was read: ``path`` is relative to the project root, ``shown`` how messages call it."""

    path: str
    shown: str
    text: str = ""
    entries: tuple[Accepted, ...] = ()


class Applied(NamedTuple):
    """The findings with what the baseline hides, and the entries that match none of them any more."""

    findings: tuple[Finding, ...]
    stale: tuple[Accepted, ...]


def accept(findings: Iterable[Finding]) -> tuple[Accepted, ...]:
    """Entries for the findings that are shown or in the baseline already, in the order of the file."""
    made = [
        Accepted(f.code, f.place.path, f.fingerprint, f"{f.name} in {f.function}" if f.function else f.name)
        for f in findings
        if f.disposition in {"new", "baselined"} and f.fingerprint is not None and not f.code.startswith(ON_CHANGES)
    ]
    return tuple(sorted(made, key=_order))


def apply(
    entries: Sequence[Accepted], findings: Sequence[Finding], linted: Collection[str], there: Collection[str]
) -> Applied:
    """Hide what the baseline accepts.

    ``linted`` are the files of this run, ``there`` all of the project: entries of files that are there and were not
    linted stand for their own findings and for no others.
    """
    concerned = [each for each in entries if each.path in linted or each.path not in there]
    shown = [n for n, f in enumerate(findings) if f.disposition == "new" and not f.code.startswith(ON_CHANGES)]
    matching = match(_entries(concerned), [entry(findings[n]) for n in shown])
    hidden = {shown[new] for _, new in matching.pairs}
    rest = [concerned[old] for old in matching.gone]
    others = [entry(f) for f in findings if f.disposition in {"suppressed", "unselected", "existing"}]
    gone = match(_entries(rest), others).gone
    return Applied(
        tuple(f._replace(disposition="baselined") if n in hidden else f for n, f in enumerate(findings)),
        tuple(rest[old] for old in gone),
    )


def refresh(
    old: Sequence[Accepted], new: Sequence[Accepted], linted: Collection[str], there: Collection[str]
) -> tuple[Accepted, ...]:
    """The entries of a new baseline: those of this run, and the old ones of files that it did not lint."""
    kept = [each for each in old if each.path in there and each.path not in linted]
    return tuple(sorted((*kept, *new), key=_order))


def _entries(entries: Iterable[Accepted]) -> list[Entry]:
    return [Entry(each.code, each.path, each.fingerprint) for each in entries]


def _order(each: Accepted) -> tuple[str, str, str, str]:
    return each.path, each.code, each.description, str(each.fingerprint)


# The file


def written(entries: Iterable[Accepted]) -> str:
    """The file's text: JSON, one entry a line."""
    lines = [
        json.dumps(
            {
                "path": each.path,
                "code": each.code,
                "description": each.description,
                "fingerprint": str(each.fingerprint),
            }
        )
        for each in sorted(entries, key=_order)
    ]
    body = ",\n".join(f"    {line}" for line in lines)
    findings = f"[\n{body}\n  ]" if lines else "[]"
    return f'{{\n  "schema_version": {SCHEMA_VERSION},\n  "findings": {findings}\n}}\n'


def read(data: bytes, shown: str) -> tuple[Accepted, ...]:
    """The entries of a file; ``shown`` is its name in errors. Raises BaselineError."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BaselineError(f"{shown}: is no baseline: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError(f"{shown}: is no baseline: it has no list of findings")
    if document.get("schema_version") != SCHEMA_VERSION:
        raise BaselineError(f"{shown}: its schema_version is not {SCHEMA_VERSION}: write it anew")
    return tuple(_accepted(row, number, shown) for number, row in enumerate(document["findings"], 1))


def _accepted(row: object, number: int, shown: str) -> Accepted:
    keys = ("code", "path", "fingerprint", "description")
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
        raise BaselineError(f"{shown}: entry {number} lacks one of {', '.join(keys)}")
    try:
        fingerprint = parse(row["fingerprint"])
    except ValueError as error:
        raise BaselineError(f"{shown}: entry {number}: {error}") from error
    return Accepted(row["code"], row["path"], fingerprint, row["description"])


def line_of(text: str, fingerprint: Fingerprint) -> int:
    """The line on which an entry stands, 1 where it cannot be found."""
    wanted = str(fingerprint)
    return next((number for number, line in enumerate(text.split("\n"), 1) if wanted in line), 1)


def told(stale: Sequence[Accepted], shown: str) -> str:
    """A note on entries that hide nothing any more; empty when there are none."""
    if not stale:
        return ""
    places = list(dict.fromkeys(f"{each.code} in {each.path}" for each in stale))
    named = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
    number = f"{len(stale)} entries" if len(stale) > 1 else "1 entry"
    return f"{shown}: {number} without a finding ({named}): `toolbind-lint baseline` removes what is gone"
