"""Code frames: the line that a finding is about, what else on the way matters, and carets under both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolbind_lint.facts import Place, Step
from toolbind_lint.report.paint import Paint, Style
from toolbind_lint.report.places import Reader
from toolbind_lint.report.plain import LOG_COMMAND, cells, clip, one_line, visible

TAB = 4
"""Cells between tab stops."""

LABELS = 4
"""At most so many related places are drawn; a frame is for seeing, not for reading a file."""

_SPAN_LINES = 3
"""A span of more lines than this is marked on its first line only: a loop's header stands for the loop."""


class _Mark(NamedTuple):
    """Something to underline on one line: first column and the one behind the last (from 1; 0 for the line's end)."""

    line: int
    first: int
    behind: int
    sign: str
    label: str


def frame(
    reader: Reader, primary: Place, related: Sequence[Step], *, width: int, paint: Paint, style: Style | None
) -> list[str]:
    """The frame of a finding as lines, empty when the report does not hold the source.

    ``related`` places of the same file or cell are underlined with dashes and their message; others are left out.
    """
    near = [step for step in related if (step.place.path, step.place.cell) == (primary.path, primary.cell)][:LABELS]
    marks = _marks(primary, "^", "")
    for step in near:
        marks += _marks(step.place._replace(end_line=step.place.line), "-", one_line(step.message))
    lines = sorted(_context(primary, reader) | {mark.line for mark in marks})
    texts = {line: reader.source(primary, line) for line in lines}
    if texts.get(primary.line) is None:
        return []
    lines = [line for line in lines if texts[line] is not None]
    gutter = len(str(lines[-1]))
    rows: list[str] = []
    for before, line in zip([lines[0] - 1, *lines], lines, strict=False):
        if line > before + 1:
            rows.append(paint(" " * (gutter + 4) + "...", "faint"))
        own = [mark for mark in marks if mark.line == line]
        room = max(20, width - gutter - 7)
        text, underlines = _draw(texts[line] or "", own, room)
        rows.append((paint(f"    {line:>{gutter}} |", "faint") + f" {text}").rstrip())
        for mark, underline in zip(own, underlines, strict=True):
            colour: Style | None = style if mark.sign == "^" else "faint"
            rows.append(paint(f"    {'':>{gutter}} |", "faint") + " " + paint(underline, colour))
    return rows


def _context(primary: Place, reader: Reader) -> set[int]:
    """One line before and one after, where they are not blank."""
    last = primary.end_line if primary.end_line - primary.line < _SPAN_LINES else primary.line
    around = {primary.line - 1, last + 1}
    return {line for line in around if (reader.source(primary, line) or "").strip()}


def _marks(place: Place, sign: str, label: str) -> list[_Mark]:
    if place.end_line <= place.line:
        return [_Mark(place.line, place.column, place.end_column, sign, label)]
    if place.end_line - place.line >= _SPAN_LINES:
        return [_Mark(place.line, place.column, 0, sign, label)]
    middle = [_Mark(line, 0, 0, sign, "") for line in range(place.line + 1, place.end_line)]
    last = _Mark(place.end_line, 0, place.end_column, sign, label)
    return [_Mark(place.line, place.column, 0, sign, ""), *middle, last]


def _draw(source: str, marks: Sequence[_Mark], room: int) -> tuple[str, list[str]]:
    """A source line as it is shown in ``room`` cells, and one underline for each mark."""
    pieces, edges = _expand(source)
    spans = []
    for mark in marks:
        indent = len(source) - len(source.lstrip())
        first = mark.first - 1 if mark.first else indent
        behind = mark.behind - 1 if mark.behind else len(source.rstrip())
        first = max(0, min(first, len(source)))
        start = edges[first]
        spans.append((start, max(start + 1, edges[max(first, min(behind, len(source)))])))
    shift = _shift(spans, edges[-1], room)
    text = _window(pieces, edges, shift, room)
    underlines = []
    for mark, (start, end) in zip(marks, spans, strict=True):
        left = max(0, start - shift)
        line = " " * left + mark.sign * max(1, min(room, end - shift) - left)
        underlines.append(clip(f"{line} {mark.label}".rstrip(), room) if mark.label else line)
    return text, underlines


def _expand(source: str) -> tuple[list[str], list[int]]:
    """Each character as it is shown, and the cell at which each begins (and, last, where the line ends)."""
    pieces, edges = [], [0]
    for index, character in enumerate(source):
        if character == "\t":
            piece = " " * (TAB - edges[-1] % TAB)
        elif source.startswith(LOG_COMMAND, index - 1):
            piece = "\\x23"
        else:
            piece = visible(character)
        pieces.append(piece)
        edges.append(edges[-1] + cells(piece))
    return pieces, edges


def _shift(spans: Sequence[tuple[int, int]], total: int, room: int) -> int:
    """How many cells of a long line to leave out at its start so that the first mark is seen."""
    if total <= room or not spans or spans[0][1] <= room - 1:
        return 0
    start, end = spans[0]
    return max(0, min(start - 10, end - room + 10) if end - start < room - 20 else start - 10)


def _window(pieces: Sequence[str], edges: Sequence[int], shift: int, room: int) -> str:
    total = edges[-1]
    first, last = shift + (1 if shift else 0), shift + room - (1 if total - shift > room else 0)
    shown = ["…"] if shift else []
    at = shift + len(shown)
    for piece, start, end in zip(pieces, edges, edges[1:], strict=False):
        if (end <= first and start < first) or end > last:
            if end > last:
                break
            continue
        shown.append(" " * (start - at) + piece)
        at = end
    text = "".join(shown).rstrip()
    return f"{text}…" if total - shift > room else text
