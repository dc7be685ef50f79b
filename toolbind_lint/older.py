"""Spells what is newer than the interpreter in older words, place for place, so that its own fast parser can read it.

Type parameters (3.12) are left out, ``type X = int`` becomes ``X = int``. No character moves, so that positions hold.
What cannot be spelled so stays as it is, and the parser refuses it as before.
"""

from __future__ import annotations

import re

_GENERIC = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w+(?P<open>\[)", re.MULTILINE)
_ALIAS = re.compile(r"^(?P<indent>[ \t]*)type[ \t]+(?P<name>\w+)(?:(?P<open>\[)|(?=[ \t]*=))", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]]")


def older(text: str) -> str:
    """A text of the same length and lines that says the same to whoever reads no types."""
    found = [(match, match.start("open")) for match in _GENERIC.finditer(text)]
    found += [(match, -1) for match in _ALIAS.finditer(text)]
    pieces: list[str] = []
    end = 0
    for match, kept in sorted(found, key=lambda each: each[0].start()):
        closed = match.end() if match["open"] is None else _closing(text, match.end())
        if closed < 0 or match.start() < end:
            continue
        head = text[match.start() : kept] if kept >= 0 else match["indent"] + match["name"]
        pieces += [text[end : match.start()], head, _blank(text[match.start() + len(head) : closed])]
        end = closed
    return "".join([*pieces, text[end:]])


def _blank(text: str) -> str:
    """Nothing, as long as a text, and going on where the text goes on in another line."""
    lines = [" " * len(line) for line in text.split("\n")]
    return "\n".join([*(line[:-1] + "\\" if line else "" for line in lines[:-1]), lines[-1]])


def _closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one in front of ``start``; -1 where there is none."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "[" else -1
        if depth == 0:
            return match.end()
    return -1
