"""Which finding of an older run is this one? Identity of a finding, and the matching of two sets.

A fingerprint holds two hashes. *Place*: code, root-relative path, qualified name, kind of subject and ordinal; it tells
twins apart. *Shape*: code, how and the head of the subject with locals renamed; it survives moves. Neither sees a line,
a number of the source, a message, a catalogue version or a cell index, so that an edit which mends nothing and
breaks nothing makes nothing new.

An ordinal alone is no identity: a twin added above takes the number of the one below. So a pair needs both hashes
first, and what is left pairs by shape alone; an ordinal that moved costs nothing unless the twins are alike,
and of twins that are alike it does not matter which is called the new one.
"""

from __future__ import annotations

import hashlib
import keyword
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from toolbind_lint.facts import Place
from toolbind_lint.findings import Finding, Fingerprint

VERSION = "v1"
HASH_DIGITS = 16
"""Hexadecimal digits of each hash: 64 bits, so that among a million findings two collide once in 40 million runs."""


class Entry(NamedTuple):
    """What matching needs to know of a finding: of this run, of a base revision, or of a baseline file."""

    code: str
    path: str
    fingerprint: Fingerprint


class Matching(NamedTuple):
    """Indices into the two matched sequences: pairs (old, new), old ones that are gone, new ones that came."""

    pairs: tuple[tuple[int, int], ...]
    gone: tuple[int, ...]
    added: tuple[int, ...]


# Giving fingerprints


def assign(findings: Sequence[Finding], text: Callable[[Place], str] = lambda place: "") -> tuple[Finding, ...]:
    """The findings with their fingerprints, in the order in which they came.

    ``text`` gives the source of a place; it is asked only for findings that stand outside their subject, or have none
    (``subject_shape`` is empty). Give it all findings of a run, also those that will not be shown: ordinals must not
    depend on what was selected.
    """
    keys = [_identity(finding) for finding in findings]
    ordinals: dict[int, int] = {}
    counts: dict[tuple[str, str, str, str], int] = defaultdict(int)
    for index in sorted(range(len(findings)), key=lambda index: _source_order(findings[index])):
        ordinals[index] = counts[keys[index]]
        counts[keys[index]] += 1
    return tuple(
        finding._replace(
            fingerprint=Fingerprint(
                _hash(*keys[index], str(ordinals[index])),
                _hash(finding.code, finding.how, finding.subject_shape or normalised(text(finding.place))),
            )
        )
        for index, finding in enumerate(findings)
    )


def entry(finding: Finding) -> Entry:
    """What matching needs of a finding. Raises ValueError for one that has no fingerprint yet."""
    if finding.fingerprint is None:
        raise ValueError(f"{finding.code} at {finding.place.path}:{finding.place.line} has no fingerprint")
    return Entry(finding.code, finding.place.path, finding.fingerprint)


def parse(text: str) -> Fingerprint:
    """Read what ``str(fingerprint)`` wrote. Raises ValueError for anything else."""
    match = re.fullmatch(rf"{VERSION}:([0-9a-f]{{{HASH_DIGITS}}}):([0-9a-f]{{{HASH_DIGITS}}})", text)
    if match is None:
        raise ValueError(f"{text!r} is no {VERSION} fingerprint")
    return Fingerprint(match[1], match[2])


def _identity(finding: Finding) -> tuple[str, str, str, str]:
    # A finding outside its subjects (in a shared helper) must not change when another loop comes to share it.
    inside = bool(finding.subject_shape)
    return (
        finding.code,
        finding.place.path,
        finding.function if inside else "",
        finding.kind if inside else "",
    )


def _source_order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    place = finding.place
    return (
        place.path,
        -1 if place.cell is None else place.cell,
        place.line,
        place.column,
        finding.how,
        finding.subject_shape,
    )


def _hash(*parts: str) -> str:
    # Lengths keep ("a", "bc") and ("ab", "c") apart; paths may hold lone surrogates.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


# Text without what an edit may change freely

TOKEN = re.compile(
    r"""
    (?P<newline>\n)
  | (?P<space>(?:[^\S\n]|\\\n)+)
  | (?P<comment>\#[^\n]*)
  | (?P<string>(?i:[rbuft]{0,2})
        (?:\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)|"(?:\\.|[^\\\n"])*"?|'(?:\\.|[^\\\n'])*'?))
  | (?P<number>(?:\d|\.\d)(?:[eE][+-]\d|[\w.])*)
  | (?P<name>[^\W\d]\w*)
  | (?P<sign>->|[:!=<>]=|\*\*|//|.)
    """,
    re.VERBOSE | re.DOTALL,
)
"""Tokens of Python source, or of a piece of it; the name of the group that matched says which. Matches any text."""

_COMPOUND = frozenset(
    ["async", "case", "class", "def", "elif", "else", "except", "finally", "for", "if", "match", "try", "while", "with"]
)  # heads that end at a colon
_CLOSERS = frozenset(")]}")
_KEPT = frozenset({"self", "cls"})


def normalised(text: str) -> str:
    """The head of ``text`` without spacing, comments, numbers, strings' contents and names of locals.

    The head is the first logical line, of a compound statement what stands before its colon. A local is a name in
    lower case that is neither an attribute, a callee nor a keyword argument, or what the text assigns to; the first
    becomes ``a0``, the next ``a1``.
    The text of a comment alone is kept, in lower case. Written with a small lexer of its own, because ``tokenize`` cuts
    f-strings differently from Python 3.12 on, and a baseline must read the same everywhere.
    """
    tokens = list(_head(text))
    if not tokens:
        return " ".join(text.lower().split())
    names: dict[str, str] = {}
    return " ".join(_rename(tokens, index, names) for index in range(len(tokens)))


def _head(text: str) -> Iterator[tuple[str, str]]:
    """(kind, text) of each token of the head: no trailing commas, adjacent strings as one."""
    depth = 0
    first = last = ""
    comma = False
    for match in TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match[0]
        if kind in {"space", "comment"} or (kind == "newline" and (depth > 0 or not first)):
            continue
        if kind == "newline" or (token == ":" and depth == 0 and first in _COMPOUND):
            return
        if kind == "sign":
            depth += (token in "([{") - (token in _CLOSERS)
        if comma and token not in _CLOSERS:
            yield "sign", ","
        comma = token == ","
        if not comma and not (kind == last == "string"):
            yield kind, token
        first, last = first or token, kind


def _rename(tokens: Sequence[tuple[str, str]], index: int, names: dict[str, str]) -> str:
    kind, token = tokens[index]
    if kind != "name":
        return {"string": '""', "number": "0"}.get(kind, token)
    before = tokens[index - 1][1] if index else ""
    after = tokens[index + 1][1] if index + 1 < len(tokens) else ""
    if before in {"def", "class"}:
        return "_"
    if index == 0 and after in {"=", ":"} and not keyword.iskeyword(token):
        return names.setdefault(token, f"a{len(names)}")
    keyword_argument = after == "=" and before in {"(", ","}
    kept = keyword.iskeyword(token) or token in _KEPT or not token[0].islower() or token in _COMPOUND
    if kept or before == "." or after == "(" or keyword_argument:
        return token
    return names.setdefault(token, f"a{len(names)}")


# Matching


def match(old: Sequence[Entry], new: Sequence[Entry]) -> Matching:
    """Pair two sets of findings as multisets, in three rounds.

    Both hashes; then shape in the same file; then shape anywhere. Inside a round equals pair in the order of path and
    given index, so that the result depends on nothing but the two sets.
    """
    left = sorted(range(len(old)), key=lambda index: (old[index].path, index))
    right = sorted(range(len(new)), key=lambda index: (new[index].path, index))
    pairs: list[tuple[int, int]] = []
    for key in _ROUNDS:
        found = _pair(((key(old[index]), index) for index in left), ((key(new[index]), index) for index in right))
        pairs += found
        taken_left, taken_right = {index for index, _ in found}, {index for _, index in found}
        left = [index for index in left if index not in taken_left]
        right = [index for index in right if index not in taken_right]
    pairs.sort(key=lambda pair: pair[1])
    return Matching(tuple(pairs), tuple(sorted(left)), tuple(sorted(right)))


_ROUNDS: tuple[Callable[[Entry], Hashable], ...] = (
    lambda entry: entry.fingerprint,
    lambda entry: (entry.fingerprint.shape, entry.path),
    lambda entry: entry.fingerprint.shape,
)


def _pair(old: Iterable[tuple[Hashable, int]], new: Iterable[tuple[Hashable, int]]) -> list[tuple[int, int]]:
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for key, index in new:
        waiting[key].append(index)
    for queue in waiting.values():
        queue.reverse()
    return [(index, waiting[key].pop()) for key, index in old if waiting.get(key)]
