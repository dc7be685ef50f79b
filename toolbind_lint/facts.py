"""What the source says, as plain data: no tree node, no file handle, nothing that cannot be sent to a process.

Paths are relative to the project root, with ``/``. Lines and columns count from 1, columns in code points. In a
notebook ``cell`` is the index among all cells from 0, and lines count in that cell.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Place(NamedTuple):
    """A span of source: from its first character to the one behind its last (``end_column`` is exclusive)."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None


class Step(NamedTuple):
    """One labelled place: a link of a trail, a related place of a finding, the evidence of a gate."""

    place: Place
    message: str


Origin = Literal[
    "literal",  # written there
    "default",  # the default of a parameter or field
    "constant",  # a name bound once to a pinned value
    "computed",  # arithmetic, min, max over values
    "environment",  # os.environ, os.getenv, a settings class
    "argument",  # a parameter whose callers are not all known, the command line
    "file",  # read from a file
    "remote",  # a response, a database
    "infinite",  # float("inf"), sys.maxsize, itertools.count
    "absent",  # None, or nothing given
    "unknown",
]


class Value(NamedTuple):
    """Where a number comes from.

    ``number`` is its worst case where known (``inf`` for none). ``pinned`` is three-valued: committed with the code
    (True), set elsewhere (False), not known (None). ``text`` is the expression as written.
    """

    origin: Origin
    text: str
    number: float | None = None
    pinned: bool | None = None
    trail: tuple[Step, ...] = ()


class Unreadable(NamedTuple):
    """A file, or the rest of one, in which nothing was checked.

    ``reason`` is one of ``syntax``, ``encoding``, ``too-large``, ``too-slow``, ``notebook``, ``unreadable``;
    ``relevant`` says that the file holds a word that we look for, so that something may have been missed.
    """

    place: Place
    reason: str
    message: str
    relevant: bool


class Comment(NamedTuple):
    """A real comment, never text inside a string. ``own_line`` says that nothing else is on its line."""

    place: Place
    text: str
    own_line: bool
