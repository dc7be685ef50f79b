"""How places are written for a reader, and where the text behind them is."""

from __future__ import annotations

from collections.abc import Sequence

from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Finding, Report
from toolbind_lint.report import Options
from toolbind_lint.report.plain import one_line, visible


def order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    """The order of every list of findings: path, cell, line, column, code; then how, so that it is total."""
    return (*place_order(finding.place), finding.code, finding.how)


def place_order(place: Place) -> tuple[str, int, int, int]:
    """Path, cell, line, column. A file's own places come before those of its cells."""
    return place.path, -1 if place.cell is None else place.cell, place.line, place.column


def line_of(place: Place) -> tuple[str, int, int]:
    """What places on the same line share."""
    return place_order(place)[:3]


class Reader:
    """A report's places as a person at the working directory sees them, and the source lines behind them."""

    def __init__(self, report: Report, options: Options) -> None:
        self._root = report.root
        self._inside = [part for part in options.working_directory.split("/") if part]
        self._sources = dict(report.sources)
        self._cells = {(cell.path, cell.cell): cell for cell in report.cells}

    def path(self, path: str) -> str:
        """A root-relative path as seen from the working directory, made visible; an empty one is no file."""
        return visible(self._relative(path)) if path else "the whole run"

    def _relative(self, path: str) -> str:
        if self._inside:
            parts = path.split("/")
            shared = 0
            while shared < min(len(self._inside), len(parts) - 1) and self._inside[shared] == parts[shared]:
                shared += 1
            path = "/".join([".."] * (len(self._inside) - shared) + parts[shared:])
        elif self._root.rstrip("/") not in {"", "."}:
            path = f"{self._root.rstrip('/')}/{path}"
        # A log takes a line that begins with two colons for a command.
        return f"./{path}" if path.startswith((":", " ")) else path

    def line(self, place: Place) -> str:
        """``path:line``, in a notebook ``path:cell N:line``."""
        cell = "" if place.cell is None else f"cell {place.cell}:"
        return f"{self.path(place.path)}:{cell}{place.line}"

    def place(self, place: Place) -> str:
        """``path:line:column``."""
        return f"{self.line(place)}:{place.column}"

    def source(self, place: Place, line: int) -> str | None:
        """The text of a line of the place's file or cell, without its newline; None where the report has none."""
        indent = ""
        if place.cell is not None:
            cell = self._cells.get((place.path, place.cell))
            if cell is None or not 0 < line <= len(cell.physical):
                return None
            line, indent = line + cell.first - 1, " " * cell.shift
        lines = self._sources.get(place.path, ())
        return indent + lines[line - 1] if 0 < line <= len(lines) else None

    def physical(self, place: Place) -> int | None:
        """The line of the place in the file on disk; None for a cell that the report does not map."""
        if place.cell is None:
            return place.line
        cell = self._cells.get((place.path, place.cell))
        return cell.physical[place.line - 1] if cell is not None and 0 < place.line <= len(cell.physical) else None

    def walk(self, steps: Sequence[Step], start: Place | None = None) -> str:
        """Steps as one line: ``98 -> 112 _ask -> 131 _run_tool``. Another file than the one before is named.

        With ``start`` the line begins and ends there: a pass of a loop.
        """
        ends = () if start is None else (Step(start, ""),)
        steps = tuple(steps)
        if ends and steps and line_of(steps[0].place) == line_of(ends[0].place):
            steps = steps[1:]
        if ends and steps and line_of(steps[-1].place) == line_of(ends[0].place):
            steps = steps[:-1]
        words, here = [], start.path if start else None
        for place, message in (*ends, *steps, *ends):
            at = str(place.line) if place.path == here else self.line(place)
            here = place.path
            words.append(f"{at} {one_line(message)}".rstrip())
        return " -> ".join(words)
