"""Settings: configuration files and command line, and what they mean for one file.

A configuration is ``[tool.toolbind-lint]`` of a ``pyproject.toml`` or a whole ``toolbind-lint.toml``; for each file
the nearest one upwards counts, up to the project root. It is data only: nothing in it names code to import or a
command to run. Whatever is wrong in it is an error that names file, line and key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from toolbind_lint.findings import SEVERITIES, Severity
from toolbind_lint.globs import Globs
from toolbind_lint.selection import PROFILES, Layer, RuleName, Selection, nearest, rank, valid_selector

FILE_NAMES = ("toolbind-lint.toml", "pyproject.toml")
"""In one folder the first wins."""

DEFAULT_EXCLUDES = (
    *(
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".git-rewrite",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pants.d",
    ),
    *(
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pypackages__",
        "_build",
    ),
    *("buck-out", "build", "dist", "node_modules", "site-packages", "venv"),
)

DEFAULT_RELAXED = ("tests/", "examples/", "docs/", "*.ipynb")

KNOWLEDGE = ("turn", "dispatch", "gate-error", "scope")
"""Tables of in-house knowledge that the catalogue's loader reads; it may know more."""


class ConfigError(Exception):
    """A configuration or an option is wrong; the text is complete (``pyproject.toml:12: ...``)."""


class Key(NamedTuple):
    """One setting: the kind of its value (a checker's name), its default, and the words that a choice allows."""

    kind: str
    default: object = None
    choices: tuple[str, ...] = ()


KEYS: Mapping[str, Key] = {
    "extend": Key("text"),
    "required-version": Key("version"),
    "profile": Key("choice", "default", PROFILES),
    "select": Key("codes"),
    "extend-select": Key("codes", ()),
    "ignore": Key("codes", ()),
    "preview": Key("flag", False),
    "per-file-ignores": Key("ignores", {}),
    "severity": Key("severities", {}),
    "relaxed": Key("texts", DEFAULT_RELAXED),
    "fail-on": Key("choice", "warning", ("error", "warning", "advice", "never")),
    "step-ceiling": Key("count", 100),
    "wall-ceiling-ms": Key("count"),
    "token-ceiling": Key("count"),
    "exclude": Key("texts", DEFAULT_EXCLUDES),
    "extend-exclude": Key("texts", ()),
    "respect-gitignore": Key("flag", True),
    "force-exclude": Key("flag", False),
    "roots": Key("texts", ()),
    "output-format": Key("format", "text"),
    "show-gates": Key("flag", False),
    "statistics": Key("flag", False),
    "baseline": Key("text"),
    "honour-new-suppressions": Key("flag", True),
    "fail-on-review": Key("flag", False),
    "fix": Key("flag", False),
    "unsafe-fixes": Key("flag", False),
    "jobs": Key("count"),
    "cache-dir": Key("text"),
}
"""All settings. ``fix``, ``unsafe-fixes`` and ``cache-dir`` are read and checked, and have no effect yet."""


class Value(NamedTuple):
    """A setting's value, where it was set (``default``, ``command line``, ``path:line``), and the folder, relative
    to the root, that its globs start from.
    """

    value: object
    origin: str = "default"
    base: str = ""


class Config(NamedTuple):
    """One configuration file with what it extends. ``tables`` are the raw in-house tables, one mapping a file,
    outermost first; ``bases`` the folders, relative to the root, that their globs start from.
    """

    path: str
    values: Mapping[str, Value] = {}
    tables: tuple[Mapping[str, object], ...] = ()
    bases: tuple[str, ...] = ()


class FileSettings(NamedTuple):
    """What the settings say about one file. ``ignored`` are its per-file ignores with their origins; sizes are
    turns, ms, tokens; ``scope`` says why bounds of a request do not fit here, or is empty.
    """

    config: str
    selection: Selection
    severities: Mapping[str, Severity]
    ignored: tuple[tuple[str, str], ...]
    relaxed: bool
    fail_on: str
    step_ceiling: int
    wall_ceiling_ms: int | None
    token_ceiling: int | None
    scope: str = ""

    def override(self, rule: RuleName) -> Severity | None:
        """The severity that the project gives the rule, by the most exact selector of its ``severity`` table."""
        ranked = [(rank(rule, selector), severity) for selector, severity in self.severities.items()]
        best = max(ranked, key=lambda pair: pair[0], default=(-1, None))
        return best[1] if best[0] >= 0 else None

    def objection(self, rule: RuleName, severity: Severity) -> str:
        """Why a finding of this rule and severity (before relaxing) is not shown in this file; empty when it is."""
        for selector, origin in self.ignored:
            if rank(rule, selector) >= 0:
                return f"ignored for this file by {origin}"
        return self.selection.objection(rule, severity)


class Settings:
    """All settings of a run. ``values`` are those of the command line, by key; they win over every file.

    Without ``files`` no configuration is read: ``Settings({"profile": "strict"})`` serves memory and tests. Raises
    ConfigError, also later, when a folder's own configuration is read for the first time.
    """

    def __init__(
        self,
        values: Mapping[str, object] | None = None,
        *,
        root: str = "",
        base: str = "",
        files: ConfigFiles | None = None,
        only: Config | None = None,
    ) -> None:
        self.root = root
        self._files = files
        self._only = only
        self._configs: dict[str, Config] = {}
        self._exclude_sets: dict[str, tuple[Globs, ...]] = {}
        names = files.rules if files is not None else rule_names
        self._command_line = {
            key: Value(_checked(key, value, names, f"--{key}"), "command line", base)
            for key, value in (values or {}).items()
        }

    def config_for(self, folder: str) -> Config:
        """The configuration of a folder (relative to the root, ``""`` for the root): its own or the nearest upwards."""
        known = self._configs.get(folder)
        if known is None:
            known = self._only or (self._files.in_folder(folder) if self._files is not None else None)
            if known is None:
                known = self.config_for(folder.rpartition("/")[0]) if folder else Config("")
            self._configs[folder] = known
        return known

    def value(self, key: str, folder: str = "") -> Value:
        """One setting as it holds in a folder, and where it comes from."""
        config = self.config_for(folder)
        return self._command_line.get(key) or config.values.get(key) or Value(KEYS[key].default)

    def for_file(self, path: str) -> FileSettings:
        """What holds for one file, given by its path relative to the root."""
        folder = path.rpartition("/")[0]

        def get(key: str) -> Any:
            return self.value(key, folder).value

        return FileSettings(
            config=self.config_for(folder).path,
            selection=Selection(self._layers(folder), get("profile"), get("preview")),
            severities=get("severity"),
            ignored=tuple(self._per_file(path, folder)),
            relaxed=self._globs(self.value("relaxed", folder)).covers(path),
            fail_on=get("fail-on"),
            step_ceiling=get("step-ceiling"),
            wall_ceiling_ms=get("wall-ceiling-ms"),
            token_ceiling=get("token-ceiling"),
            scope=self._scope(path, folder),
        )

    def excluded(self, path: str, *, folder: bool, whole: bool = False) -> bool:
        """Whether discovery leaves out this file or folder; ``whole`` also asks about the folders that hold it."""
        parent = path.rpartition("/")[0]
        sets = self._excludes(parent)
        return any(globs.covers(path) if whole else globs.hits(path, folder=folder) for globs in sets)

    @property
    def tables(self) -> tuple[Mapping[str, object], ...]:
        """The in-house tables of all configurations met so far, each file once, in the order of their paths."""
        configs = {config.path: config for config in self._configs.values()}
        return tuple(table for path in sorted(configs) for table in configs[path].tables)

    def _excludes(self, folder: str) -> tuple[Globs, ...]:
        config = self.config_for(folder)
        found = self._exclude_sets.get(config.path)
        if found is None:
            values = [self.value("exclude", folder), config.values.get("extend-exclude")]
            values.append(self._command_line.get("extend-exclude"))
            found = tuple(self._globs(value) for value in values if value is not None)
            self._exclude_sets[config.path] = found
        return found

    def _layers(self, folder: str) -> tuple[Layer, ...]:
        config = self.config_for(folder)
        layers = []
        for values, origin in ((config.values, config.path), (self._command_line, "the command line")):
            select, extend, ignore = (
                cast("tuple[str, ...] | None", values[key].value) if key in values else None
                for key in ("select", "extend-select", "ignore")
            )
            if select is not None or extend or ignore:
                layers.append(Layer(select, extend or (), ignore or (), origin))
        return tuple(layers)

    def _per_file(self, path: str, folder: str) -> Iterator[tuple[str, str]]:
        value = self.value("per-file-ignores", folder)
        for pattern, codes in cast("Mapping[str, tuple[str, ...]]", value.value).items():
            if self._globs(value._replace(value=(pattern,))).covers(path):
                yield from ((code, f"{pattern!r} of per-file-ignores ({value.origin})") for code in codes)

    def _scope(self, path: str, folder: str) -> str:
        """The declared scope that a file lies in: ``workflow: its own timeouts``; the last one that covers it."""
        config = self.config_for(folder)
        said = ""
        for tables, base in zip(config.tables, config.bases, strict=True):
            for row in cast("list[Mapping[str, Any]]", tables.get("scope", [])):
                patterns = row.get("paths", [])
                globs = (patterns,) if isinstance(patterns, str) else tuple(patterns)
                if self._globs(Value(globs, config.path, base)).covers(path):
                    parts = [row.get(name, "") for name in ("kind", "reason")]
                    said = ": ".join(part for part in parts if part) or "another scope"
        return said

    def _globs(self, value: Value) -> Globs:
        patterns = cast("tuple[str, ...]", value.value)
        parts = value.base.split("/")
        if ".." not in parts:
            return Globs(patterns, inside=value.base)
        if set(parts) != {".."}:
            return Globs(patterns, reachable=False)
        above = [part for part in self.root.replace(os.sep, "/").split("/") if part][-len(parts) :]
        return Globs(patterns, above="/".join(above))


# Files


def rule_names() -> tuple[RuleName, ...]:
    """The rules that there are, as selectors see them."""
    from toolbind_lint.check import load_rules

    return tuple(RuleName(r.code, r.name, r.preview, r.subject == "file") for r in load_rules())


def read_from_disk(path: str) -> bytes | None:
    """The bytes of a file, None when there is none. Raises OSError for one that cannot be read."""
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


class ConfigFiles:
    """Reads configuration files below ``root`` (absolute); ``read`` gives a file's bytes, ``rules`` the known rules,
    asked only when needed.
    """

    def __init__(
        self,
        root: str,
        *,
        read: Callable[[str], bytes | None] = read_from_disk,
        rules: Callable[[], Sequence[RuleName]] = rule_names,
    ) -> None:
        self.root = root
        self.read = read
        self.rules = rules

    def in_folder(self, folder: str) -> Config | None:
        """The configuration that lies in a folder itself, or None."""
        for name in FILE_NAMES:
            found = self.load(str(Path(self.root, folder, name)))
            if found is not None:
                return found
        return None

    def load(self, path: str, *, must: bool = False, base: str | None = None) -> Config | None:
        """Read one file, with what it extends. None where it says nothing about this tool, unless it ``must``.

        ``base`` is the folder, relative to the root, for its globs, when that is not the file's own.
        """
        return self._load(path, must, base, ())

    def _load(self, path: str, must: bool, base: str | None, chain: tuple[str, ...]) -> Config | None:
        shown = displayed(path)
        try:
            data = self.read(path)
        except OSError as error:
            raise ConfigError(f"{shown}: cannot be read: {error.strerror or error}") from error
        if data is None:
            if must:
                raise ConfigError(f"{shown}: no such configuration file")
            return None
        of_project = Path(path).name == "pyproject.toml"
        if of_project and not must and b"toolbind-lint" not in data:
            return None
        document, text = _parse(data, shown)
        table, prefix = _own_table(document, of_project, shown)
        if table is None:
            if must:
                raise ConfigError(f"{shown}: has no [tool.toolbind-lint] table")
            return None
        start = _relative(Path(path).parent, self.root) if base is None else base
        reader = _FileReader(shown, text, prefix, start, self.rules)
        own = reader.config(table)
        parent = own.values.get("extend")
        return own if parent is None else self._extend(own, path, reader, (*chain, os.path.realpath(path)))

    def _extend(self, own: Config, path: str, reader: _FileReader, chain: tuple[str, ...]) -> Config:
        target = os.path.realpath(Path(path).parent / cast(str, own.values["extend"].value))
        root = os.path.realpath(self.root)
        if target != root and not target.startswith(root.rstrip(os.sep) + os.sep):
            raise reader.error(("extend",), "must stay inside the project root")
        if target in chain:
            raise reader.error(("extend",), "goes round in a circle")
        if self.read(target) is None:
            raise reader.error(("extend",), f"there is no file `{displayed(target)}`")
        parent = self._load(target, True, None, chain)
        assert parent is not None
        tables, bases = (*parent.tables, *own.tables), (*parent.bases, *own.bases)
        return Config(own.path, {**parent.values, **own.values}, tables, bases)


def displayed(path: str) -> str:
    """A path as a message shows it: from the working directory where it lies below, else in full."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return path if relative.startswith("..") else relative


def _relative(folder: Path | str, root: str) -> str:
    """A folder relative to the root with ``/``, empty for the root itself."""
    relative = os.path.relpath(folder, root).replace(os.sep, "/")
    return "" if relative == "." else relative


def _parse(data: bytes, shown: str) -> tuple[dict[str, Any], str]:
    import tomli

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{shown}:{line}: is not UTF-8") from error
    text = text.replace("\r\n", "\n")
    try:
        return tomli.loads(text), text
    except tomli.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r"at line (\d+)", message)
        line = int(place[1]) if place else text.count("\n") + 1
        raise ConfigError(f"{shown}:{line}: is no TOML: {message}") from error


def _own_table(document: dict[str, Any], of_project: bool, shown: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    if not of_project:
        return document, ()
    prefix = ("tool", "toolbind-lint")
    table: Any = document
    for name in prefix:
        if not isinstance(table, dict) or name not in table:
            return None, prefix
        table = table[name]
    if not isinstance(table, dict):
        raise ConfigError(f"{shown}: `tool.toolbind-lint` must be a table")
    return table, prefix


class _FileReader:
    """Checks the table of one file and places its errors."""

    def __init__(
        self, shown: str, text: str, prefix: tuple[str, ...], base: str, rules: Callable[[], Sequence[RuleName]]
    ) -> None:
        self.shown = shown
        self.text = text
        self.prefix = prefix
        self.base = base
        self.rules = rules

    def error(self, key: Sequence[str | int], message: str, needle: str = "") -> ConfigError:
        path = (*self.prefix, *key)
        line = line_of(self.text, path, needle)
        return ConfigError(f"{self.shown}:{line}: `{dotted(key)}` {message}")

    def config(self, table: Mapping[str, Any]) -> Config:
        values: dict[str, Value] = {}
        tables: dict[str, object] = {}
        for key, raw in table.items():
            if key in KEYS:
                values[key] = self._value(key, raw)
            elif isinstance(raw, list) and all(isinstance(row, dict) for row in raw) and (raw or key in KNOWLEDGE):
                tables[key] = raw
            else:
                raise self._unknown(key, raw)
        self._check_tables(tables)
        return Config(self.shown, values, (tables,) if tables else (), (self.base,) if tables else ())

    def _value(self, key: str, raw: object) -> Value:
        try:
            value = check_value(key, raw, self.rules)
        except _WrongValueError as wrong:
            raise self.error((key, *wrong.path), wrong.message, wrong.needle) from wrong
        line = line_of(self.text, (*self.prefix, key))
        return Value(value, f"{self.shown}:{line}", self.base)

    def _unknown(self, key: str, raw: object) -> ConfigError:
        if key in KNOWLEDGE:
            return self.error((key,), f"must be an array of tables, written [[{dotted((*self.prefix, key))}]]")
        if key == "tool" and not self.prefix:
            return self.error((key,), "does not belong here: in toolbind-lint.toml the keys stand at the top")
        return self.error((key,), "is an unknown key" + nearest(key, (*KEYS, *KNOWLEDGE)))

    def _check_tables(self, tables: Mapping[str, object]) -> None:
        """Let the catalogue's loader judge the in-house tables, file by file, so that its errors get a place."""
        if not tables:
            return
        from toolbind_lint.catalogue import SCHEMAS, CatalogueError, load_catalogue

        try:
            load_catalogue([tables], lazy=True)
        except CatalogueError as error:
            key = _split_key(error.key)
            known: Collection[str] = SCHEMAS if len(key) == 1 else SCHEMAS.get(str(key[0]), ())
            guess = nearest(str(key[-1]), known) if str(key[-1]) not in known else ""
            raise self.error(key, error.message + guess) from error


def _split_key(key: str) -> tuple[str | int, ...]:
    """``turn[0].call`` -> ``("turn", 0, "call")``."""
    parts = re.findall(r"[^.\[\]]+", key)
    return tuple(int(part) if part.isdigit() else part for part in parts)


def dotted(key: Sequence[str | int]) -> str:
    """A key path as TOML writes it: parts that are no bare keys in quotes, indices in brackets."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        bare = re.fullmatch(r"[A-Za-z0-9_-]+", part)
        text += ("." if text else "") + (part if bare else f'"{part}"')
    return text


def line_of(text: str, key: Sequence[str | int], needle: str = "") -> int:
    """The line (from 1) on which a TOML document sets a key, or holds ``needle`` within that key's value.

    The parser gives no places; but a key stands on the first line of which the document up to there has it, asked only
    for the lines that hold its text.
    """
    lines = text.split("\n")
    while key:
        name = next((part for part in reversed(key) if isinstance(part, str)), "")
        for at, line in enumerate(lines):
            if name in line and _first_with(lines, at, key):
                rest = (n for n in range(at, len(lines)) if needle and needle in lines[n])
                return next(rest, at) + 1
        key = key[:-1]
    return 1


def _first_with(lines: list[str], at: int, key: Sequence[str | int]) -> bool:
    """Whether the document gets the key with the statement that begins on line ``at`` (from 0)."""
    before = next((d for n in range(at, -1, -1) if (d := _try(lines[:n])) is not None), {})
    after = next((d for n in range(at + 1, len(lines) + 1) if (d := _try(lines[:n])) is not None), {})
    return not _has(before, key) and _has(after, key)


def _try(lines: list[str]) -> dict[str, Any] | None:
    import tomli

    try:
        return tomli.loads("\n".join(lines))
    except tomli.TOMLDecodeError:
        return None


def _has(document: Any, key: Sequence[str | int]) -> bool:
    for part in key:
        try:
            document = document[part]
        except (LookupError, TypeError):
            return False
    return True


# Values


class _WrongValueError(Exception):
    """A value is wrong: what to say, the path below the key, and a text to look for."""

    def __init__(self, message: str, path: tuple[str | int, ...] = (), needle: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.needle = needle


def _checked(key: str, raw: object, rules: Callable[[], Sequence[RuleName]], option: str) -> object:
    """A value of the command line."""
    try:
        return check_value(key, raw, rules)
    except _WrongValueError as wrong:
        raise ConfigError(f"{option}: {wrong.message}") from wrong


def check_value(key: str, raw: object, rules: Callable[[], Sequence[RuleName]]) -> object:
    """The value of a key in its final form (lists as tuples)."""
    spec = KEYS[key]
    return _CHECKS[spec.kind](raw, spec, rules)


Rules = Callable[[], Sequence[RuleName]]


def _flag(raw: object, spec: Key, rules: Rules) -> bool:
    if not isinstance(raw, bool):
        raise _WrongValueError(f"must be true or false, not {_kind(raw)}")
    return raw


def _text(raw: object, spec: Key, rules: Rules) -> str:
    if not isinstance(raw, str):
        raise _WrongValueError(f"must be a string, not {_kind(raw)}")
    return raw


def _texts(raw: object, spec: Key, rules: Rules) -> tuple[str, ...]:
    if not isinstance(raw, list | tuple):
        raise _WrongValueError(f"must be a list of strings, not {_kind(raw)}")
    for item in raw:
        if not isinstance(item, str):
            raise _WrongValueError(f"must be a list of strings, but holds {_kind(item)}", needle=str(item))
    return tuple(raw)


def _count(raw: object, spec: Key, rules: Rules) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 1:
        shown = raw if isinstance(raw, int) and not isinstance(raw, bool) else _kind(raw)
        raise _WrongValueError(f"must be a whole number of 1 or more, not {shown}")
    return raw


def _choice(raw: object, spec: Key, rules: Rules) -> str:
    if raw not in spec.choices:
        given = f"`{raw}`" if isinstance(raw, str) else _kind(raw)
        guess = nearest(raw, spec.choices) if isinstance(raw, str) else ""
        raise _WrongValueError(f"must be one of {', '.join(spec.choices)}, not {given}{guess}")
    return str(raw)


def _format(raw: object, spec: Key, rules: Rules) -> str:
    from toolbind_lint.report import FORMATS

    return _choice(raw, spec._replace(choices=tuple(FORMATS)), rules)


def _codes(raw: object, spec: Key, rules: Rules) -> tuple[str, ...]:
    selectors = _texts(raw, spec, rules)
    for selector in selectors:
        _selector(selector, rules, ())
    return selectors


def _selector(selector: str, rules: Rules, path: tuple[str, ...]) -> None:
    known = rules()
    if not valid_selector(selector, known):
        words = [word for rule in known for word in (rule.code, rule.name)]
        raise _WrongValueError(f"names no rule `{selector}`{nearest(selector, [*words, 'ALL'])}", path, selector)


def _ignores(raw: object, spec: Key, rules: Rules) -> dict[str, tuple[str, ...]]:
    if not isinstance(raw, dict):
        raise _WrongValueError(f"must be a table of globs and lists of codes, not {_kind(raw)}")
    found = {}
    for pattern, codes in raw.items():
        try:
            found[pattern] = _codes(codes, spec, rules)
        except _WrongValueError as wrong:
            raise _WrongValueError(wrong.message, (pattern,), wrong.needle) from wrong
    return found


def _severities(raw: object, spec: Key, rules: Rules) -> dict[str, Severity]:
    allowed = [severity for severity in reversed(SEVERITIES) if severity != "review"]
    if not isinstance(raw, dict):
        raise _WrongValueError(f"must be a table of codes and severities, not {_kind(raw)}")
    for selector, severity in raw.items():
        _selector(selector, rules, (selector,))
        if severity not in allowed:
            guess = nearest(severity, allowed) if isinstance(severity, str) else ""
            given = f"`{severity}`" if isinstance(severity, str) else _kind(severity)
            raise _WrongValueError(f"must be one of {', '.join(allowed)}, not {given}{guess}", (selector,))
    return dict(raw)


_CLAUSE = re.compile(r"\s*(==|!=|>=|<=|~=|>|<|)\s*v?(\d+(?:\.\d+)*)\s*")


def _version(raw: object, spec: Key, rules: Rules) -> str:
    from toolbind_lint import __version__

    text = _text(raw, spec, rules)
    for clause in text.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise _WrongValueError(f"must be a version or comparisons such as `>=0.1,<1`, not `{text}`")
        if not _admits(match[1] or "==", match[2], __version__):
            raise _WrongValueError(f"asks for `{text}`, but this is toolbind-lint {__version__}")
    return text


def _admits(comparison: str, wanted: str, actual: str) -> bool:
    numbers = [int(part) for part in wanted.split(".")]
    have = [int(part) for part in re.findall(r"\d+", actual)[:3]]
    width = max(len(numbers), len(have))
    left, right = (have + [0] * width)[:width], (numbers + [0] * width)[:width]
    if comparison == "~=":
        return left >= right and left[: len(numbers) - 1] == numbers[:-1]
    return {
        "==": left == right,
        "!=": left != right,
        ">=": left >= right,
        "<=": left <= right,
        ">": left > right,
        "<": left < right,
    }[comparison]


_CHECKS: Mapping[str, Callable[[object, Key, Rules], object]] = {
    "flag": _flag,
    "text": _text,
    "texts": _texts,
    "count": _count,
    "choice": _choice,
    "format": _format,
    "codes": _codes,
    "ignores": _ignores,
    "severities": _severities,
    "version": _version,
}


def _kind(value: object) -> str:
    """What a TOML value is, in TOML's words."""
    names = {bool: "a boolean", str: "a string", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), "a date")


def load_settings(
    values: Mapping[str, object],
    *,
    root: str,
    cwd: str,
    isolated: bool = False,
    config: str | None = None,
    read: Callable[[str], bytes | None] = read_from_disk,
) -> Settings:
    """The settings of a run over ``root`` (absolute): ``config`` alone, or the files of the project, or none when
    ``isolated``.

    Globs of the command line and of an explicit ``config`` start from ``cwd``. ``read`` gives the bytes of a file.
    Raises ConfigError.
    """
    base = _relative(cwd, root)
    if isolated:
        return Settings(values, root=root, base=base)
    files = ConfigFiles(root, read=read)
    only = None
    if config is not None:
        only = files.load(str(Path(config).absolute()), must=True, base=base)
    settings = Settings(values, root=root, base=base, files=files, only=only)
    settings.config_for("")
    return settings


def nearest_config_folder(folder: str) -> str | None:
    """The nearest folder, from an absolute one upwards, whose configuration speaks of this tool."""
    here = Path(folder)
    for parent in (here, *here.parents):
        for name in FILE_NAMES:
            data = read_from_disk(str(parent / name))
            if data is not None and (name != "pyproject.toml" or b"[tool.toolbind-lint" in data):
                return str(parent)
    return None
