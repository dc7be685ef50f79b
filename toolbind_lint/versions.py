"""Which versions of a package a project admits: lock files, requirements, ``pyproject.toml``, ``setup.cfg``, PEP 723.

Nothing is resolved and nothing installed is asked: what is committed decides. The nearest folder upwards that names the
package speaks for a file, in it a lock file before requirements before metadata. A version is its release numbers; what
stands behind them (``a1``, ``.post2``) changes no default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolbind_lint.facts import Place
from toolbind_lint.snapshot import Snapshot

Version = tuple[int, ...]

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml")
METADATA = ("pyproject.toml", "setup.cfg", "setup.py")

_REQUIREMENTS = re.compile(r"(?:requirements[^/]*|[^/]*requirements|constraints)\.(?:txt|in)")
_SPEC = r"(?P<spec>(?:[ \t]*(?:===|==|~=|!=|>=|<=|>|<|\^|~)[ \t]*[\w.*+!-]+[ \t]*,?)*)"
_PART = re.compile(r"(===|==|~=|!=|>=|<=|>|<|\^|~)?[ \t]*v?(\d[\w.*+!-]*|\*)")
_SCRIPT = re.compile(r"(?m)^# /// script\s*$(?P<body>(?:\s^#(?: .*)?$)+?)\s^# ///\s*$")


class Interval(NamedTuple):
    """Versions from ``low`` to ``high``; None is no end. Each end belongs to it or not."""

    low: Version | None = None
    low_in: bool = True
    high: Version | None = None
    high_in: bool = False

    def meets(self, other: Interval) -> bool:
        """Whether some version is in both."""
        both = _narrowed(self, other)
        if both.low is None or both.high is None or both.low < both.high:
            return True
        return both.low == both.high and both.low_in and both.high_in


ANY = Interval()


class Constraint(NamedTuple):
    """What a project says of one package: it admits the versions of any of the intervals. ``text`` is as written."""

    package: str
    intervals: tuple[Interval, ...]
    text: str
    place: Place

    def admits(self, versions: str) -> bool:
        """Whether a version of a specifier set (``>=1.0,<2``; empty for all) is among them."""
        return any(each.meets(interval(versions)) for each in self.intervals)


def admitted(constraint: Constraint | None, versions: str) -> bool:
    """Whether the versions of a specifier set are to be judged; without a constraint those that the newest is in."""
    if constraint is not None:
        return constraint.admits(versions)
    return interval(versions).high is None


def interval(text: str) -> Interval:
    """The versions of a specifier set: ``>=1.0,<2``, ``==1.2.*``, ``~=1.4``, ``^1.2``. What excludes is ignored."""
    found = ANY
    for operator, number in _PART.findall(text):
        found = _narrowed(found, _part(operator or "==", number))
    return found


def _part(operator: str, number: str) -> Interval:
    open_end = number.endswith("*")
    version = _version(number)
    if not version or operator == "!=":
        return ANY
    if operator in {"==", "==="}:
        return Interval(version, True, _next(version), False) if open_end else Interval(version, True, version, True)
    if operator == ">=":
        return Interval(version)
    if operator == ">":
        return Interval(version, False)
    if operator == "<=":
        return Interval(None, True, version, True)
    if operator == "<":
        return Interval(None, True, version, False)
    if operator == "~=":
        return Interval(version, True, _next(version[:-1] or version), False)
    if operator == "^":
        first = next((n for n, part in enumerate(version) if part), len(version) - 1)
        return Interval(version, True, _next(version[: first + 1]), False)
    return Interval(version, True, _next(version[:2]), False)


def _version(text: str) -> Version:
    """The release numbers, without zeros at the end, so that 1.0 is 1."""
    match = re.match(r"\d+(?:\.\d+)*", text.rpartition("!")[2])
    numbers = [int(part) for part in match[0].split(".")] if match else []
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _next(version: Version) -> Version:
    return (*version[:-1], version[-1] + 1)


def _narrowed(one: Interval, other: Interval) -> Interval:
    low, low_in = _tighter((one.low, one.low_in), (other.low, other.low_in), low=True)
    high, high_in = _tighter((one.high, one.high_in), (other.high, other.high_in), low=False)
    return Interval(low, low_in, high, high_in)


def _tighter(
    one: tuple[Version | None, bool], other: tuple[Version | None, bool], *, low: bool
) -> tuple[Version | None, bool]:
    if one[0] is None or other[0] is None:
        return other if one[0] is None else one
    if one[0] == other[0]:
        return one[0], one[1] and other[1]
    return max(one, other) if low else min(one, other)


# ---- files


def is_manifest(path: str) -> bool:
    """Whether a file may say which versions a project admits."""
    name = path.rpartition("/")[2]
    return name in LOCKS or name in METADATA or _REQUIREMENTS.fullmatch(name) is not None


class Manifests:
    """The manifests of a snapshot, read when asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._folders: dict[str, list[str]] | None = None
        self._texts: dict[str, str] = {}
        self._known: dict[tuple[str, tuple[str, ...]], Constraint | None] = {}

    def constraint(self, path: str, packages: Sequence[str]) -> Constraint | None:
        """What speaks for the first of ``packages`` that anything near a file names; None where nothing does."""
        packages = [package for package in packages if not package.startswith("+")]
        key = (path, tuple(packages))
        if key not in self._known:
            self._known[key] = next(self._find(path, packages), None)
        return self._known[key]

    def declares(self, path: str, packages: Sequence[str]) -> bool:
        """Whether a file belongs to the project that makes one of the packages."""
        names = "|".join(_pattern(package.lstrip("+")) for package in packages)
        own = re.compile(rf"(?mi)^[ \t]*name[ \t]*=[ \t]*[\"']?(?:{names})[\"']?[ \t]*,?[ \t]*$")
        for folder in _upwards(path):
            for manifest in self._in(folder):
                if manifest.endswith(METADATA) and own.search(self._text(manifest)):
                    return True
        return False

    def _find(self, path: str, packages: Sequence[str]) -> Iterator[Constraint]:
        script = _SCRIPT.search(self._text(path)) if path.endswith(".py") else None
        for package in packages:
            if script is not None:
                yield from _quoted(path, self._text(path), package, script.start("body"), script.end("body"))
        for folder in _upwards(path):
            manifests = self._in(folder)
            for kind in (_locked, _required, _described):
                for package in packages:
                    for manifest in manifests:
                        yield from kind(manifest, self._text(manifest), package)

    def _in(self, folder: str) -> list[str]:
        if self._folders is None:
            self._folders = {}
            for path in self._snapshot.paths():
                if is_manifest(path):
                    self._folders.setdefault(path.rpartition("/")[0], []).append(path)
        return self._folders.get(folder, [])

    def _text(self, path: str) -> str:
        if path not in self._texts:
            try:
                data = self._snapshot.read(path)
            except OSError:
                data = b""
            self._texts[path] = data.replace(b"\r\n", b"\n").decode("utf-8", "replace")
        return self._texts[path]


def _upwards(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    yield folder
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _pattern(package: str) -> str:
    return r"[-_.]+".join(re.escape(part) for part in re.split(r"[-_.]+", package))


def _locked(path: str, text: str, package: str) -> Iterator[Constraint]:
    if not path.endswith(LOCKS):
        return
    toml = rf"(?mi)^name = \"{_pattern(package)}\"\n(?:source[^\n]*\n)?version = \"(?P<version>[^\"]+)\""
    json = rf"(?i)\"{_pattern(package)}\": \{{[^{{}}]*?\"version\": \"(?P<version>[^\"]+)\""
    found = list(re.finditer(json if path.endswith("Pipfile.lock") else toml, text))
    if found:
        exact = tuple(interval("==" + match["version"].lstrip("=")) for match in found)
        yield Constraint(package, exact, "==" + found[0]["version"].lstrip("="), _place(path, text, found[0].start()))


def _required(path: str, text: str, package: str) -> Iterator[Constraint]:
    if _REQUIREMENTS.fullmatch(path.rpartition("/")[2]) is None:
        return
    for match in re.finditer(rf"(?mi)^[ \t]*{_pattern(package)}(?:\[[^\]\n]*\])?{_SPEC}[ \t]*(?=$|[;#@\\])", text):
        yield _made(path, text, package, match)


def _described(path: str, text: str, package: str) -> Iterator[Constraint]:
    if not path.endswith(METADATA):
        return
    yield from _quoted(path, text, package, 0, len(text))
    if path.endswith(".toml"):
        head = rf"(?mi)^{_pattern(package)}[ \t]*=[ \t]*(?:\{{[^}}\n]*version[ \t]*=[ \t]*)?"
        table = head + r"\"(?P<spec>[\d^~<>=!*][^\"\n]*)\""
        for match in re.finditer(table, text):
            yield _made(path, text, package, match)
    if path.endswith(".cfg"):
        for match in re.finditer(rf"(?mi)^[ \t]+{_pattern(package)}(?:\[[^\]\n]*\])?{_SPEC}[ \t]*(?=$|[;#])", text):
            yield _made(path, text, package, match)


def _quoted(path: str, text: str, package: str, start: int, end: int) -> Iterator[Constraint]:
    """``"name[extra]>=1.0; marker"`` in a list of strings; a bare name followed by a colon or equals sign is a key."""
    name = rf"(?i)(?P<quote>[\"']){_pattern(package)}(?:\[[^\]\n]*\])?{_SPEC}[ \t]*"
    pattern = name + r"(?:[;@](?:(?!(?P=quote)).)*)?(?P=quote)(?![ \t]*[:=])"
    for match in re.compile(pattern).finditer(text, start, end):
        if not re.search(r"(?m)^[ \t]*name[ \t]*=[ \t]*$", text[: match.start()].rpartition("\n")[2]):
            yield _made(path, text, package, match)


def _made(path: str, text: str, package: str, match: re.Match[str]) -> Constraint:
    spec = re.sub(r"\s+", "", match["spec"] or "").strip(",")
    return Constraint(package, (interval(spec),), spec, _place(path, text, match.start("spec")))


def _place(path: str, text: str, offset: int) -> Place:
    line = text.count("\n", 0, offset) + 1
    return Place(path, line, 1, line, 1)
