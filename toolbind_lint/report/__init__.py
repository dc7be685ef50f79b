"""Reports: one module a format, each a pure function ``render(report, options) -> str``.

A renderer opens no file, asks no terminal and reads no clock: what it prints depends on the report and the options
alone. The command decides about colour and width with ``terminal`` and passes them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TextIO

from toolbind_lint.findings import Report

if TYPE_CHECKING:
    from toolbind_lint.report.explain import RulePage

PIPE_WIDTH = 120
"""Columns of text that does not go to a terminal: fixed, so that logs and goldens never depend on the machine."""

FORMATS: Mapping[str, str] = {
    "text": "toolbind_lint.report.text",
    "concise": "toolbind_lint.report.concise",
    "json": "toolbind_lint.report.json",
    "jsonl": "toolbind_lint.report.jsonl",
    "sarif": "toolbind_lint.report.sarif",
    "github": "toolbind_lint.report.github",
    "gitlab": "toolbind_lint.report.gitlab",
    "junit": "toolbind_lint.report.junit",
    "markdown": "toolbind_lint.report.markdown",
}
"""Format -> the module that has its ``render``; imported when asked for."""


class Options(NamedTuple):
    """How a report is shown.

    ``width`` is in terminal cells. ``working_directory`` is the working directory relative to the project root where it
    lies inside it (``src/agent``), else empty: text and concise show paths as seen from there. ``rules`` are described
    by formats that can.
    """

    colour: bool = False
    width: int = PIPE_WIDTH
    verbose: bool = False
    show_gates: bool = False
    statistics: bool = False
    quiet: bool = False
    working_directory: str = ""
    rules: tuple[RulePage, ...] = ()


DEFAULTS = Options()
"""Plain text for a pipe."""


def render(report: Report, format: str, options: Options = DEFAULTS) -> str:
    """Render ``report``; the text ends with a newline unless it is empty. Raises KeyError for an unknown format."""
    import importlib

    module = importlib.import_module(FORMATS[format])
    text: str = module.render(report, options)
    return text


def terminal(stream: TextIO, environ: Mapping[str, str], *, no_color: bool = False) -> tuple[bool, int]:
    """Whether to colour what goes to ``stream``, and how wide it may be.

    ``--no-color`` wins over ``NO_COLOR`` (https://no-color.org: any value but the empty one), that over
    ``FORCE_COLOR``, that over what the stream is. The width is the terminal's, between 60 and 140 columns.
    """
    import shutil

    interactive = stream.isatty()
    forced = environ.get("FORCE_COLOR", "") not in {"", "0"}
    colour = forced or (interactive and environ.get("TERM") != "dumb")
    if no_color or environ.get("NO_COLOR"):
        colour = False
    if not interactive:
        return colour, PIPE_WIDTH
    return colour, max(60, min(140, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns))


def working_directory(root: str, current: str) -> str:
    """The working directory as seen from the root, for ``Options``.

    ``root`` is the report's (relative to the working directory), ``current`` the absolute working directory. Empty
    unless the working directory lies inside the root: ``working_directory("../..", "/x/repo/src/agent")`` is
    ``src/agent``.
    """
    ups = [part for part in root.replace("\\", "/").split("/") if part not in {"", "."}]
    if not ups or any(part != ".." for part in ups):
        return ""
    parts = [part for part in current.replace("\\", "/").split("/") if part]
    return "/".join(parts[-len(ups) :]) if len(ups) <= len(parts) else ""
