"""File patterns of configuration and command line, over root-relative paths with ``/``. A leaf module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Pattern(NamedTuple):
    """One compiled pattern: ``anchored`` ones are matched from their base, the others against any single name."""

    text: str
    regex: re.Pattern[str]
    anchored: bool
    folder: bool


class Globs:
    """A set of patterns that share a base folder.

    ``*`` and ``?`` stay within a name, ``**`` spans folders, ``[ab]`` and ``[!ab]`` are sets. A pattern without a
    slash in it matches a file or folder of that name at any depth; one with a slash is read from the base. A slash
    at the end asks for a folder. What a folder's pattern matches, it matches with all that the folder holds.

    The base is given relative to the project root: ``inside`` when it lies in the root (``"pkg/a"``), ``above`` when
    the root lies in it (the root as seen from the base: ``"repo"``). Where neither holds, ``reachable`` is False and
    anchored patterns match nothing.
    """

    def __init__(self, patterns: Iterable[str], *, inside: str = "", above: str = "", reachable: bool = True) -> None:
        self.patterns = tuple(map(compile_pattern, patterns))
        self._anchored = tuple(p for p in self.patterns if p.anchored)
        # Discovery asks about every entry of a tree: one match for all plain names instead of one each.
        self._file_names = _union(p for p in self.patterns if not p.anchored and not p.folder)
        self._folder_names = _union(p for p in self.patterns if not p.anchored)
        self._inside = f"{inside}/" if inside else ""
        self._above = f"{above}/" if above else ""
        self._reachable = reachable

    def hits(self, path: str, *, folder: bool) -> bool:
        """Whether a pattern names this very file or folder."""
        names = self._folder_names if folder else self._file_names
        if names is not None and names.fullmatch(path.rsplit("/", 1)[-1]):
            return True
        seen = self._from_base(path) if self._anchored else None
        if seen is None:
            return False
        return any(p.regex.fullmatch(seen) for p in self._anchored if folder or not p.folder)

    def covers(self, path: str) -> bool:
        """Whether a pattern names this file or one of the folders that hold it."""
        return bool(self.patterns) and any(self.hits(part, folder=part != path) for part in _parts(path))

    def _from_base(self, path: str) -> str | None:
        if not self._reachable:
            return None
        if self._inside:
            return path[len(self._inside) :] if path.startswith(self._inside) else None
        return self._above + path


def _union(patterns: Iterable[Pattern]) -> re.Pattern[str] | None:
    texts = [f"(?:{p.regex.pattern})" for p in patterns]
    return re.compile("|".join(texts), re.DOTALL) if texts else None


def _parts(path: str) -> Iterator[str]:
    """``a/b/c`` -> ``a``, ``a/b``, ``a/b/c``."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)
    yield path


def compile_pattern(text: str) -> Pattern:
    """Compile one pattern; never fails: a set that is none (``[``, ``[z-a]``) is taken literally."""
    body = text.removeprefix("./")
    folder = body.endswith("/")
    body = body.rstrip("/")
    anchored = "/" in body
    body = body.lstrip("/")
    try:
        regex = re.compile(_translate(body), re.DOTALL)
    except re.error:  # a set that runs backwards, "[z-a]"
        regex = re.compile(re.escape(body))
    return Pattern(text, regex, anchored, folder)


def _translate(body: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(body):
        if body.startswith("**/", at) and (at == 0 or body[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif body.startswith("**", at):
            out.append(".*")
            at += 2
        elif body[at] == "*":
            out.append("[^/]*")
            at += 1
        elif body[at] == "?":
            out.append("[^/]")
            at += 1
        elif body[at] == "[" and (end := body.find("]", at + 2)) > 0:
            inner = body[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            out.append(f"[^{inner[1:]}/]" if inner[0] == "!" else f"[{inner}]")
            at = end + 1
        else:
            out.append(re.escape(body[at]))
            at += 1
    return "".join(out)
