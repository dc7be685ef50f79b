"""Text that is safe to show, and how wide it is: what every human-readable format builds its lines from.

Names, paths, messages and excerpts come from linted code, which may be hostile. ``visible`` is the one gate through
which they pass on their way to a terminal, a log or a workflow command.
"""

from __future__ import annotations

import re
import unicodedata

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters that count as letters or marks and show nothing."""

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CLAUSE = re.compile(r"[:;,.] ")
_SPACES = re.compile(r"[ \t\r\n]+")
LOG_COMMAND = "##["
"""GitHub's runner still looks for commands of its old form anywhere in a line of a log."""


def visible(text: str) -> str:
    """``text`` with everything that a terminal, a log or a reader could be misled by made visible as an escape.

    That is: control characters (ANSI sequences begin with one), format characters (bidi marks, zero-width ones),
    line and paragraph separators, surrogates, unassigned and private ones, and letters that show nothing. The result
    is one line and can always be encoded as UTF-8.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_visible_character, text))
    return text.replace(LOG_COMMAND, "#\\x23[")


def _visible_character(character: str) -> str:
    if character.isprintable():
        return _escape(character) if character in _BLANK_LETTERS else character
    if unicodedata.category(character) == "Zs":
        return " "
    return _escape(character)


def _escape(character: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:  # a byte of a path that is no UTF-8, as os.fsdecode gives it
        return f"\\x{point - 0xDC00:02x}"
    if character in _NAMED:
        return _NAMED[character]
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def one_line(text: str) -> str:
    """A sentence on one line: runs of blanks and newlines become one blank, the rest is made visible."""
    return visible(_SPACES.sub(" ", text).strip())


def character_cells(character: str) -> int:
    """Terminal cells of one printable character: 2 for wide ones, 0 for marks that sit on the one before."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def cells(text: str) -> int:
    """Terminal cells of a visible text."""
    return len(text) if text.isascii() else sum(map(character_cells, text))


def pad(text: str, width: int) -> str:
    """``text`` filled with blanks to ``width`` cells."""
    return text + " " * (width - cells(text))


def clip(text: str, width: int) -> str:
    """``text`` cut at its end to ``width`` cells (at least 1), with an ellipsis where something is gone."""
    if cells(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += character_cells(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def shorten(text: str, width: int) -> str:
    """``text`` in ``width`` cells: cut behind a clause where the cut leaves at least half of the room used."""
    if cells(text) <= width:
        return text
    clauses = [match.start() for match in _CLAUSE.finditer(text) if width // 2 <= cells(text[: match.start()]) <= width]
    return text[: clauses[-1]] if clauses else clip(text, width)


def clip_start(text: str, width: int) -> str:
    """``text`` cut at its beginning to ``width`` cells: of a path, the file's name stays."""
    if cells(text) <= width:
        return text
    kept, used = [], 1
    for character in reversed(text):
        used += character_cells(character)
        if used > width:
            break
        kept.append(character)
    return "…" + "".join(reversed(kept))


def wrap(text: str, width: int) -> list[str]:
    """``text`` broken at blanks into lines of at most ``width`` cells; a longer word stays whole. Never empty.

    No line begins with two colons: a log would take it for a command, and linted code may have put them there.
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and cells(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [f"\\x3a{row[1:]}" if row.startswith("::") else row for row in (*lines, line)]


def labelled(label: str, text: str, width: int, indent: int, column: int) -> list[str]:
    """``label`` at ``indent``, ``text`` wrapped at ``column``: the shape of every line of a card."""
    rows = wrap(text, max(20, width - column))
    head = pad(" " * indent + label, column - 1) + " " if label else " " * column
    return [(head + rows[0]).rstrip(), *(" " * column + row for row in rows[1:])]


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 loop``, ``2 loops``, ``12,000 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
