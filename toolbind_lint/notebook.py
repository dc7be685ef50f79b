"""Notebooks: which Python stands in which cell, and on which line of the file. Only ``source.py`` uses this.

Formats 3 and 4 of the notebook file. IPython's own syntax is taken out so that every line keeps its number and, where
that is possible, every character its column.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple


class NotebookFault(Exception):  # noqa: N818 - a fault of the linted file
    """The file is no notebook that we read. ``line`` is the line of the file, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Cell(NamedTuple):
    """A code cell. ``number`` counts all cells from 0; ``lines`` gives each line of ``text`` its line in the file."""

    number: int
    text: str
    lines: tuple[int, ...]


# --- The file ---------------------------------------------------------------------------------------------------------


def code_cells(data: bytes) -> list[Cell]:
    """The code cells of a notebook file that hold Python, in order; none in an empty file. ``NotebookFault``."""
    if not data.strip():
        return []
    try:
        raw = data.decode(json.detect_encoding(data))
        document = json.loads(raw)
    except json.JSONDecodeError as error:
        raise NotebookFault(error.lineno, f"not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise NotebookFault(data.count(b"\n", 0, error.start) + 1, f"not JSON: {error}") from None
    except (RecursionError, MemoryError):
        raise NotebookFault(1, "nested too deeply to read") from None
    except ValueError as error:  # a number of more digits than the interpreter converts
        raise NotebookFault(1, f"not JSON: {error}") from None
    cells = _cells(document)
    if not _speaks_python(document.get("metadata")):
        return []
    where = _source_lines(raw)
    return [
        Cell(index, _newlines(text), tuple(_line_of_each(text, where.get(index, []))))
        for index, cell in enumerate(cells)
        if (text := _python_text(cell)) is not None
    ]


def _cells(document: object) -> list[object]:
    """All cells in order, of whatever kind."""
    if isinstance(document, dict):
        cells = document.get("cells")
        if isinstance(cells, list):
            return cells
        sheets = document.get("worksheets")
        if isinstance(sheets, list):
            return [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    raise NotebookFault(1, "no list of cells")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _speaks_python(metadata: object) -> bool:
    """Whether the notebook's kernel runs Python; yes when it doesn't say."""
    if not isinstance(metadata, dict):
        return True
    for part in ("language_info", "kernelspec"):
        entry = metadata.get(part)
        if isinstance(entry, dict):
            name = entry.get("name" if part == "language_info" else "language")
            if isinstance(name, str) and name:
                return "python" in name.lower()
    return True


def _python_text(cell: object) -> str | None:
    """The source of a code cell, None for other cells. Format 3 says ``input`` and ``language``."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return None
    language = cell.get("language")
    if isinstance(language, str) and "python" not in language.lower():
        return None
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, str):
        return source
    if isinstance(source, list) and all(isinstance(part, str) for part in source):
        return "".join(source)
    return None


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]')
_NEWLINE = re.compile(r"\r\n|\r|\n")


def _source_lines(raw: str) -> dict[int, list[tuple[int, str]]]:
    """Per cell index the strings of its source, each with its line in the file.

    ``raw`` is known to be JSON, so a scan over strings and punctuation is enough: a slot of ``slots`` holds the key or
    the index at which each open object or array stands.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    slots: list[str | int | None] = []
    earlier_sheets = cells_of_sheet = 0
    line, counted = 1, 0
    for token in _TOKEN.finditer(raw):
        text = token.group()
        if text == "{":
            if len(slots) == 4 and slots[0] == "worksheets" and slots[2] == "cells":
                cells_of_sheet += 1
            slots.append(None)
        elif text == "[":
            slots.append(0)
        elif text in "}]":
            slots.pop()
        elif text == ",":
            top = slots[-1]
            slots[-1] = top + 1 if isinstance(top, int) else None
            if len(slots) == 2 and slots[0] == "worksheets":
                earlier_sheets, cells_of_sheet = earlier_sheets + cells_of_sheet, 0
        elif slots and slots[-1] is None:
            slots[-1] = json.loads(text)
            index = _cell_index(slots, earlier_sheets)
            if index is not None:
                found[index] = []  # of a key given twice the last counts
        else:
            index = _cell_index(slots, earlier_sheets)
            if index is not None:
                line += raw.count("\n", counted, token.start())
                counted = token.start()
                found.setdefault(index, []).append((line, json.loads(text)))
    return found


def _cell_index(slots: list[str | int | None], earlier_sheets: int) -> int | None:
    """The cell whose source stands at ``slots``, None elsewhere."""
    if len(slots) in (3, 4) and slots[0] == "cells" and slots[2] == "source" and isinstance(slots[1], int):
        return slots[1]
    if len(slots) in (5, 6) and slots[0] == "worksheets" and slots[2] == "cells" and slots[4] == "input":
        return earlier_sheets + slots[3] if isinstance(slots[3], int) else None
    return None


def _line_of_each(text: str, strings: list[tuple[int, str]]) -> Iterator[int]:
    """For each line of ``text``, which is the ``strings`` joined, the line of the string in which it starts."""
    ends, total = [], 0
    for _, part in strings:
        total += len(part)
        ends.append(total)
    for start in (0, *(newline.end() for newline in _NEWLINE.finditer(text))):
        at = min(bisect_right(ends, start), len(strings) - 1)
        yield strings[at][0] if strings else 1


# --- The cell ---------------------------------------------------------------------------------------------------------

_CELL_MAGIC = re.compile(r"\s*%%(\w+)(.*)")
_PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "python", "python3", "pypy", "debug"})
_FILE_CELL_MAGICS = frozenset({"writefile", "file"})
_PYTHON_LINE_MAGIC = re.compile(r"%(?:time|timeit|prun|memit)(?:[ \t]+-\w+(?:[ \t]+\d+)?)*(?=[ \t]+[^ \t\-])")
_ASSIGNED_ESCAPE = re.compile(r"(?P<target>\s*[\w.,* \t\[\]'\"]+?=[ \t]*)(?P<escape>[%!].*)", re.DOTALL)
_HELP = re.compile(r"\s*%{0,2}[\w.*]+(?:\[[^\]]*\][\w.]*)?[ \t]*\?\??[ \t]*(?:#.*)?$")
_AUTOMAGIC = re.compile(
    r"\s*(?:pip|pip3|conda|mamba|uv|cd|ls|ll|cat|cp|mv|rm|mkdir|pwd|env|set_env|load_ext|reload_ext|matplotlib|autoreload)"
    r"(?:[ \t]+[\w./~-].*)?$"
)
_ESCAPES = frozenset("%!?/,;")


def blank(text: str) -> str:
    """As many empty lines as ``text`` has."""
    return "\n" * text.count("\n")


def cell_magic(text: str) -> str:
    """The cell without its ``%%magic`` line, if it has one; blank when what follows is not Python."""
    match = _CELL_MAGIC.match(text)
    if match is None:
        return text
    name, rest = match.group(1), match.group(2).strip()
    if name in _PYTHON_CELL_MAGICS or (name in _FILE_CELL_MAGICS and rest.endswith(".py")):
        head = text[: match.end()]
        return blank(head) + text[match.end() :]
    return blank(text)


def without_escapes(text: str) -> str:
    """The cell with every line of IPython's own syntax replaced by ``pass``. Text inside strings and brackets is left
    alone.

    ``%time f()`` becomes ``pass; f()`` and ``x = %time f()`` becomes ``x = f()``, both without moving ``f``.
    """
    out: list[str] = []
    state = _LineState()
    hidden = False  # the line continues a command
    for line in text.split("\n"):
        if hidden:
            out.append("")
            hidden = line.endswith("\\")
            continue
        if state.at_statement:
            replaced = _replaced(line)
            if replaced is not None:
                out.append(replaced)
                hidden = line.endswith("\\")
                continue
        out.append(line)
        state.feed(line)
    return "\n".join(out)


def _replaced(line: str) -> str | None:
    """What stands for a line of IPython's own syntax, None for a line of Python."""
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    if body[:1] in _ESCAPES and body:
        magic = _PYTHON_LINE_MAGIC.match(body)
        if magic is not None:
            return indent + "pass;" + " " * (magic.end() - 5) + body[magic.end() :]
        return indent + "pass"
    assigned = _ASSIGNED_ESCAPE.match(line)
    if assigned is not None and not assigned["target"].rstrip("= \t").endswith(("!", "<", ">")):
        magic = _PYTHON_LINE_MAGIC.match(assigned["escape"])
        if magic is not None:
            return assigned["target"] + " " * magic.end() + assigned["escape"][magic.end() :]
        return indent + "pass"
    if _HELP.match(line) or _AUTOMAGIC.match(line):
        return indent + "pass"
    return None


_MARK = re.compile(r"'''|\"\"\"|['\"#]|[(\[{]|[)\]}]")
_STRING_REST = {
    "'": re.compile(r"(?:[^'\\]|\\.)*'"),
    '"': re.compile(r'(?:[^"\\]|\\.)*"'),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*'''"),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"""'),
}


class _LineState:
    """Whether the next line begins a statement: outside brackets, triple quotes and continued lines."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._continued = False

    @property
    def at_statement(self) -> bool:
        return self._depth == 0 and not self._quote and not self._continued

    def feed(self, line: str) -> None:
        at = 0
        self._continued = False
        if self._quote:
            rest = _STRING_REST[self._quote].match(line)
            if rest is None:
                return
            self._quote, at = "", rest.end()
        while (mark := _MARK.search(line, at)) is not None:
            text, at = mark.group(), mark.end()
            if text == "#":
                return
            if text in "([{":
                self._depth += 1
            elif text in ")]}":
                self._depth = max(0, self._depth - 1)
            else:
                rest = _STRING_REST[text].match(line, at)
                if rest is None:
                    self._quote = text if len(text) == 3 else ""
                    self._continued = len(text) == 1 and line.endswith("\\")
                    return
                at = rest.end()
        self._continued = line.endswith("\\")
