"""``rules/frameworks`` and a project's own tables -> what recognition knows of the world outside the project.

One loader and one schema for both. Every row is a closed predicate: no prose in a value field, unknown keys are
errors. Calls are dotted names in which ``()`` marks the result of a call and ``{client}`` stands for every client of
the same file: ``{client}.chat.completions.create``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from toolbind_lint.verdicts import GATES

SCHEMA = 1

PROJECT = "project"
"""The framework of the rows of a project's own configuration."""

Kind = Literal["text", "texts", "flag", "number"]

_COMMON: dict[str, Kind] = {"source": "text", "versions": "text", "gone-in": "text"}
"""Where a fact was read, for which versions it holds, and in which release its names were seen to be gone."""

SCHEMAS: dict[str, dict[str, Kind]] = {
    # Constructing it gives an object whose methods make turns; `through` are attributes that give the same client back.
    "client": {"call": "texts", "through": "texts"},
    # Asks a model. `tools`, `choice`, `messages`, `stream` name parameters; `method` also holds for a receiver that
    # nobody can
    # resolve, when one of `needs` is given by keyword; a stream tells its usage only where `asks-usage` is given.
    "turn": {
        "call": "texts",
        "method": "text",
        "needs": "texts",
        "tools": "texts",
        "choice": "texts",
        "messages": "texts",
        "stream": "text",
        "asks-usage": "text",
    },
    # How calls are read out of a reply: attributes or keys that hold them, values of `type` that mark one among other
    # items,
    # where a call has its name and its arguments; the reason for which a reply ended, by value, and whether these are
    # all that there are (`finish-closed`).
    "reply": {
        "calls": "texts",
        "one-call": "texts",
        "call-types": "texts",
        "call-classes": "texts",
        "inside": "texts",
        "name": "texts",
        "args": "texts",
        "finish": "texts",
        "finish-final": "texts",
        "finish-calls": "texts",
        "finish-cut": "texts",
        "finish-closed": "flag",
        "text": "texts",
    },
    # Values of a choice parameter that force a call on every turn: literals, or dicts with one of `types` under "type"
    # (any dict
    # where `types` is absent and `any-dict` is set), or dicts with one of `keys`; `path` leads to it inside an options
    # object.
    "forced-choice": {
        "param": "text",
        "path": "text",
        "values": "texts",
        "types": "texts",
        "keys": "texts",
        "any-dict": "flag",
    },
    # Holds a turn to one call: `param` is `value` (lower case), or a dict that has it under `key`.
    "single-call": {"param": "text", "key": "text", "value": "text"},
    # What a tool's answer looks like on its way back: a role, a type, or a class; `error-flag` is the key that marks a
    # failure.
    "result-message": {"roles": "texts", "types": "texts", "classes": "texts", "keys": "texts", "error-flag": "text"},
    # Runs a tool by the name in its first argument (or in `name`); `proves` lists gates that it holds; `limit` and
    # `made-with` as
    # of a wait.
    "dispatch": {
        "call": "texts",
        "method": "text",
        "name": "text",
        "proves": "texts",
        "limit": "texts",
        "made-with": "texts",
    },
    # Brings all tools of a server in, unfiltered.
    "mcp-intake": {"call": "texts", "method": "text"},
    # Gives the names that something happens to have.
    "introspects": {"call": "texts"},
    # Says which server is meant.
    "mcp-server": {"call": "texts"},
    # A decorator or wrapper that repeats a call. `stop` names the parameters that end it, one of them by default with
    # `by-default`; `forever` values of them that do not; `one-of` and `all-of` functions that join stops.
    "retry": {
        "call": "texts",
        "stop": "texts",
        "forever": "texts",
        "one-of": "texts",
        "all-of": "texts",
        "by-default": "flag",
        "kind": "text",
    },
    # Time: `monotonic` says whether the clock can jump. A `timer` ends what stands inside it (`form` with), what it is
    # given
    # (call), what follows it in the process (process), or a wait for what was started elsewhere (wait); `param` names
    # its seconds, a
    # digit a position.
    "clock": {"call": "texts", "monotonic": "flag"},
    "timer": {"call": "texts", "method": "text", "param": "texts", "form": "text"},
    # Runs what it is given beside its caller: `kind` is task, thread, process or shield. What ends it, and what ends
    # the children of
    # a process with it.
    "starts-work": {"call": "texts", "method": "text", "kind": "text"},
    "ends-work": {"call": "texts", "method": "texts", "kind": "text"},
    "ends-children": {"call": "texts", "method": "texts"},
    # Starts a process: `shell` names the parameter that puts a shell between, `always` says that one is; `session` the
    # parameters
    # that give it a process group of its own.
    "process": {"call": "texts", "shell": "text", "always": "flag", "session": "texts"},
    # May wait without end: `limit` names the parameter that ends the wait, `made-with` one of its receiver's
    # constructor; `kills`
    # says that the work ends with the wait, `process` that it is a process, which ends only where it is killed.
    "wait": {
        "call": "texts",
        "method": "text",
        "limit": "texts",
        "made-with": "texts",
        "kills": "flag",
        "process": "flag",
    },
    # Modules and calls that cannot hang (`hangs`: that can, within such a module).
    "local": {"call": "texts", "hangs": "flag"},
    # Makes seconds of its parameters: `units` are `seconds=1`, `minutes=60`, `0=86400` for the first.
    "duration": {"call": "texts", "units": "texts"},
    # How long one request of a model may take: `limit` names the parameter of the call and of the `client`'s
    # constructor, `default`
    # the seconds where it is not given (`none`: it waits without end), `retries` and `default-retries` how often it
    # is tried again,
    # `none-is-default` that None stands for the default, `unit` ms where it is no second.
    "model-timeout": {
        "client": "texts",
        "limit": "texts",
        "default": "text",
        "retries": "texts",
        "default-retries": "text",
        "none-is-default": "flag",
        "unit": "text",
    },
    # A decorator that ends the function after a time: `param` names its limits ("0" is the first argument); `by-
    # default` says
    # that it has one where none is given; `settings` are names under which one is set for all of them.
    "enclosing-limit": {"call": "texts", "param": "texts", "entry": "text", "by-default": "flag", "settings": "texts"},
    # A call that runs the function it is given under a limit; keys as above.
    "enclosing-call": {"call": "texts", "param": "texts", "by-default": "flag"},
    # Moves money, data or identity; `key` are parameters that make a second call harmless, `repeatable` says that it
    # is.
    "mutation": {"call": "texts", "method": "text", "moves": "text", "key": "texts", "repeatable": "flag"},
    # Makes a tool of the function that it decorates.
    "tool": {"call": "texts"},
    # Turns a name into code.
    "code-by-name": {"call": "texts", "form": "text"},
    # Gives a reply back out of what it is given (the chunks of a stream, say).
    "keeps-reply": {"call": "texts"},
    # Runs a command or code: what a tool of one kind does with its argument.
    "runs-command": {"call": "texts"},
    # A test of a name by pattern; `arg` is where the name goes.
    "pattern-test": {"call": "texts", "method": "text"},
    # Waits for a person or for the next request of a client: a loop that passes it on each turn is no runaway.
    "wait-for-person": {"call": "texts", "method": "text"},
    # Ends the process or never returns.
    "no-return": {"call": "texts"},
    # Endless iterators.
    "endless": {"call": "texts", "form": "text"},
    # Values that are no bound.
    "infinite": {"call": "texts"},
    # Where a value comes from that is not committed with the code.
    "unpinned": {"call": "texts", "origin": "text"},
    # Gives the content of the data file that it reads: TOML, YAML, JSON.
    "loads": {"call": "texts"},
    # Says that the command line fills a parameter: a decorator on the function for one (option) or all (command), or
    # the parameter's default.
    "command-line": {"call": "texts", "form": "text"},
    # Reads a number out of a file or text and keeps its origin.
    "passes-value": {"call": "texts"},
    # An exception that means: this run must stop.
    "gate-error": {"name": "texts"},
    # Reads a result: `form` is shape (and raises where it does not fit), format (any text of it) or repair (broken
    # ones, too); `names` are methods that do so on receivers that nobody can resolve.
    "parse": {"call": "texts", "names": "texts", "form": "text"},
    # Base classes whose objects check what they are made of.
    "shape": {"bases": "texts"},
    # Gives back a shorter form of what it is given.
    "cut": {"call": "texts"},
    # What the name of a parameter says: `role` is name, loose-name, call, calls or args.
    "parameter": {"role": "text", "names": "texts"},
    # Words that make a statement worth reading.
    "word": {"names": "texts"},
    # Calls that can't be the dispatch of a tool, whatever they are given: logs, prints, containers.
    "inert": {"call": "texts", "method": "texts"},
    # Swallows exceptions inside a `with`, or hands them back among results.
    "swallows": {"call": "texts", "form": "text"},
    # Makes an object that owns a loop. `id` is what other rows call it by; `runs` are the methods that start the loop
    # (`()`: it is called). It can loop when one of the parameters `loops-with` is given, one of the methods `loops-by`
    # is used on it, or one of those that `members` hold can; without these keys it always can. `same` are methods that
    # give the object itself back; those named in `graph` (nodes, edges, branches) build what it runs, and it loops when
    # they close a ring. `stands-alone`: it is judged where it is made. `of-package` says whose versions count.
    "agent": {
        "call": "texts",
        "id": "text",
        "runs": "texts",
        "loops-with": "texts",
        "loops-by": "texts",
        "members": "texts",
        "same": "texts",
        "graph": "texts",
        "stands-alone": "flag",
        "of-package": "text",
    },
    # A function or class method that starts the loop; `agent` says which arguments hold what owns it (`0` is the
    # first), none where the call itself is the whole; `loops-with` then says with what it can loop.
    "run": {"call": "texts", "id": "text", "agent": "texts", "loops-with": "texts", "of-package": "text"},
    # What ends a loop of the agents or runs named in `of`. It is given as `param` to the constructor, the call, a
    # `method` of that name, or with what gives the object back (`with`); `position` is where it stands without its
    # name. `path` is the key inside what is given (an options object, a dict); `item` are constructors of what is
    # looked for in a list or in a combination by `|` and `&`, `path` then names their parameters. `default` is a
    # number, `inf` or `none`; `off` are values that switch it off (`None`, `0`, `<=0`, `falsy`), `means-default` those
    # that stand for the default. `ceiling` is the number from which it bounds nothing in practice, `per-turn` how many
    # units one turn takes. `suggest` is a sensible value.
    "bound": {
        "of": "texts",
        "param": "text",
        "where": "texts",
        "position": "text",
        "path": "texts",
        "item": "texts",
        "default": "text",
        "off": "texts",
        "means-default": "texts",
        "gate": "text",
        "unit": "text",
        "ceiling": "text",
        "per-turn": "text",
        "suggest": "text",
        "at-bound": "text",
        "stops-loop": "flag",
        "kills": "flag",
        "of-package": "text",
    },
    # A setting of an agent or run that forces a tool call on each turn; it is given like a bound. `values` are those
    # that force, with `any-text` every text but those in `free`; `types` the ones under "type" of a dict. `released-by`
    # is a parameter whose default lets go after the first turn, unless it is False; `ended-by` are parameters with
    # which a tool ends the run.
    "forced-setting": {
        "of": "texts",
        "param": "text",
        "where": "texts",
        "position": "text",
        "path": "texts",
        "values": "texts",
        "types": "texts",
        "any-text": "flag",
        "free": "texts",
        "released-by": "text",
        "ended-by": "texts",
        "of-package": "text",
    },
    # Brings the tools of a server in. `filter` are parameters that narrow them to a set of exact names, inside under
    # `path`; `filter-call` are functions that make such a filter, `path` names their parameter too. `give` are methods
    # whose result is the list of tools, `narrowed-by` those that narrow the object itself. `server` are parameters that
    # name whole servers of an object of another kind; what `own` calls make are servers of the program's own functions.
    "toolset": {
        "call": "texts",
        "filter": "texts",
        "path": "texts",
        "filter-call": "texts",
        "give": "texts",
        "narrowed-by": "texts",
        "server": "texts",
        "own": "texts",
        "of-package": "text",
    },
    # Methods under one of these decorators make the items of an `attribute` of their class.
    "gathers": {"call": "texts", "attribute": "text"},
    # Made by a node of a graph or by what chooses a branch: `param` says which node comes next (`0:name`, as below).
    "jump": {"call": "texts", "param": "text"},
    # Gives back what it is given as `param` (`0:name`: at that position or by that name), in another guise.
    "carries": {"call": "texts", "param": "text"},
    # Asks a model by a method of that name, whatever the receiver: a node of a graph that uses it does.
    "model-call": {"method": "texts"},
    # The wrong shape for request-scoped bounds, declared by the project.
    "scope": {"paths": "texts", "kind": "text", "reason": "text"},
}


WORDY = ("client", "turn", "reply", "dispatch", "retry", "word", "enclosing-limit", "timer", "clock", "mutation")
"""Kinds whose rows give words to look for, or are asked for wherever the frameworks are not: never put off."""

CHOICES: dict[tuple[str, str], frozenset[str]] = {
    ("dispatch", "proves"): frozenset(GATES),
    ("bound", "where"): frozenset({"constructor", "call", "method", "with"}),
    ("forced-setting", "where"): frozenset({"constructor", "call", "method", "with"}),
    ("mutation", "moves"): frozenset({"money", "data", "identity"}),
    ("bound", "gate"): frozenset({"cap", "wall", "cost", "tool-timeout"}),
    ("bound", "unit"): frozenset({"turn", "call", "graph-step", "token", "second", "ms", "cost"}),
    ("bound", "at-bound"): frozenset({"raises", "returns-marked", "returns-silently"}),
}
"""The closed sets of words under some keys."""


class CatalogueError(Exception):
    """A table that does not fit the schema; ``key`` is where (``turn[2].call``)."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(f"{key}: {message}")
        self.message = message
        self.key = key


class Row(NamedTuple):
    """One fact: its kind, the framework that it belongs to, and its values."""

    kind: str
    framework: str
    texts: Mapping[str, tuple[str, ...]]
    flags: Mapping[str, bool]

    def all(self, key: str) -> tuple[str, ...]:
        """The values under a key, none where it is absent."""
        return self.texts.get(key, ())

    def one(self, key: str) -> str:
        """The first value under a key, or an empty string."""
        values = self.texts.get(key, ())
        return values[0] if values else ""


class Waiting(NamedTuple):
    """A file that is read only where the project imports one of its roots."""

    path: Path
    roots: frozenset[str]


class Catalogue:
    """Rows by what they speak of. Built once a run; immutable from then on."""

    def __init__(
        self,
        rows: Sequence[Row],
        roots: Mapping[str, str],
        packages: Mapping[str, tuple[str, ...]] | None = None,
        waiting: Sequence[Waiting] = (),
    ) -> None:
        self.rows = tuple(rows)
        self.roots = dict(roots)
        self.packages = dict(packages or {})
        """Distributions by framework: versions are those of the first that a manifest names. With a ``+`` before it a
        name is a sibling of the same project, whose versions are its own."""
        self.waiting = tuple(waiting)
        self.calls: dict[str, dict[str, Row]] = {}
        self.methods: dict[str, dict[str, Row]] = {}
        self._through: list[str] = []
        self._words: dict[tuple[str, str], frozenset[str]] = {}
        clients: dict[str, tuple[str, ...]] = {}
        for row in rows:
            if row.kind == "client":
                clients[row.framework] = (*clients.get(row.framework, ()), *row.all("call"))
                self._through.extend(row.all("through"))
        for row in rows:
            by_call = self.calls.setdefault(row.kind, {})
            for call in row.all("call"):
                if "{client}" in call:
                    for client in clients.get(row.framework, ()):
                        # A module can be the client itself: its name stands without a call.
                        base = client if client in self.roots else client + "()"
                        by_call[call.replace("{client}", base)] = row
                else:
                    by_call[call] = row
            for method in row.all("method"):
                self.methods.setdefault(row.kind, {})[method] = row
        self._strip = re.compile("|".join(re.escape("." + t) for t in self._through)) if self._through else None

    def normal(self, name: str) -> str:
        """A dotted name without what gives the same client back (``with_options()``, entering it)."""
        if "enter__" in name:
            name = name.replace(".__aenter__()", "").replace(".__enter__()", "")
        return self._strip.sub("", name) if self._strip is not None else name

    def find(self, kind: str, name: str) -> Row | None:
        """The row of a kind that speaks of a dotted name."""
        table = self.calls.get(kind)
        if not table:
            return None
        return table.get(name) or table.get(self.normal(name))

    def by_method(self, kind: str, path: str) -> Row | None:
        """The row of a kind whose ``method`` is the end of a dotted path (``self.client.chat.completions.create``)."""
        table = self.methods.get(kind)
        if not table:
            return None
        path = self.normal("." + path).lstrip(".")
        parts = path.split(".")
        for start in range(len(parts)):
            row = table.get(".".join(parts[start:]))
            if row is not None:
                return row
        return None

    def words(self, kind: str, key: str) -> frozenset[str]:
        """All values under a key of the rows of a kind."""
        if (kind, key) not in self._words:
            found = frozenset(value for row in self.rows if row.kind == kind for value in row.all(key))
            self._words[kind, key] = found
        return self._words[kind, key]

    @property
    def seeds(self) -> frozenset[str]:
        """Identifiers and literal strings that make a statement worth reading."""
        out = set(self.words("word", "names"))
        out |= self.words("reply", "calls") | self.words("reply", "one-call") | self.words("reply", "call-types")
        for kind in ("turn", "dispatch"):
            for method in self.words(kind, "method"):
                out.add(method.split(".")[-2] if "." in method else method)
        for kind in ("turn", "retry", "dispatch"):
            for call in self.words(kind, "call"):
                if "{" not in call:
                    out.add(call.split(".")[0])
        out |= {root for root, framework in self.roots.items() if framework in self._asked}
        return frozenset(out)

    @property
    def run_roots(self) -> frozenset[str]:
        """The import roots, dotted where need be, of frameworks that own loops or bring tools in."""
        kinds = {row.framework for row in self.rows if row.kind in {"agent", "run", "toolset"}}
        found = {root for root, framework in self.roots.items() if framework in kinds}
        for row in self.rows:
            if row.framework == PROJECT and row.kind in {"agent", "run", "toolset"}:
                found |= {call.rpartition(".")[0] for call in row.all("call") if "." in call}
        return frozenset(found.union(*(waiting.roots for waiting in self.waiting)))

    def completed(self, roots: Iterable[str]) -> Catalogue:
        """The catalogue with the files that waited for one of these roots; raises CatalogueError as loading does."""
        wanted = set(roots)
        due = [waiting for waiting in self.waiting if not wanted.isdisjoint(waiting.roots)]
        if not due:
            return self
        rows: list[Row] = []
        names, packages = dict(self.roots), dict(self.packages)
        for waiting in due:
            name, found = _read(waiting.path, names, packages)
            rows.extend(_rows(found, name))
        own = [row for row in self.rows if row.framework == PROJECT]
        shipped = [row for row in self.rows if row.framework != PROJECT]
        return Catalogue([*shipped, *rows, *own], names, packages, [w for w in self.waiting if w not in due])

    @property
    def _asked(self) -> frozenset[str]:
        return frozenset(row.framework for row in self.rows if row.kind in {"turn", "retry"})


def load_catalogue(
    extra: Sequence[Mapping[str, object]] = (), folder: Path | None = None, *, lazy: bool = False
) -> Catalogue:
    """The shipped catalogue and, behind it, the tables of the project's configuration.

    Each of ``extra`` maps a kind to a list of tables. With ``lazy`` the files that give no words to look for wait until
    ``completed`` asks for their roots. Raises CatalogueError where a table does not fit the schema.
    """
    rows: list[Row] = []
    roots: dict[str, str] = {}
    packages: dict[str, tuple[str, ...]] = {}
    waiting: list[Waiting] = []
    base = folder or _folder()
    for path in sorted(base.glob("*/catalogue.toml")):
        later = _waiting(path) if lazy else None
        if later is not None:
            waiting.append(later)
            continue
        name, found = _read(path, roots, packages)
        rows.extend(_rows(found, name))
    for tables in extra:
        rows.extend(_rows(tables, PROJECT))
    return Catalogue(rows, roots, packages, waiting)


_WORDY = re.compile(rb"^\[\[(?:%s)\]\]" % b"|".join(k.encode() for k in WORDY), re.MULTILINE)
_LIST = rb"^%s\s*=\s*\[([^\]]*)\]"


def _waiting(path: Path) -> Waiting | None:
    """A file of which only the head is needed at first; None where its rows give words to look for."""
    data = path.read_bytes()
    if _WORDY.search(data):
        return None
    roots = [name for key in (b"roots", b"shares") for name in _listed(data, key)]
    return Waiting(path, frozenset(roots)) if roots else None


def _listed(data: bytes, key: bytes) -> list[str]:
    match = re.search(_LIST % key, data, re.MULTILINE)
    return [name.decode() for name in re.findall(rb"\"([^\"]+)\"", match[1])] if match else []


def _read(path: Path, roots: dict[str, str], packages: dict[str, tuple[str, ...]]) -> tuple[str, dict[str, object]]:
    """A file's name and tables; notes its roots and packages."""
    import tomli

    with path.open("rb") as file:
        data = tomli.load(file)
    name = str(data.pop("name", path.parent.name))
    if data.pop("schema", SCHEMA) != SCHEMA:
        raise CatalogueError(f"schema must be {SCHEMA}", f"{path.parent.name}.schema")
    siblings = ["+" + str(package) for package in data.pop("siblings", [])]
    packages[name] = (*(str(package) for package in data.pop("packages", [])), *siblings)
    for root in data.pop("roots", []):
        roots[str(root)] = name
    data.pop("shares", None)
    return name, data


def _folder() -> Path:
    here = Path(__file__).resolve().parent
    inside = here / "rules" / "frameworks"
    return inside if inside.is_dir() else here.parent / "rules" / "frameworks"


def _rows(data: Mapping[str, object], framework: str) -> Iterable[Row]:
    for kind, tables in data.items():
        if kind not in SCHEMAS:
            raise CatalogueError(f"unknown kind; one of {', '.join(sorted(SCHEMAS))}", kind)
        if not isinstance(tables, list):
            raise CatalogueError("must be an array of tables", kind)
        for number, table in enumerate(tables):
            where = f"{kind}[{number}]"
            if not isinstance(table, dict):
                raise CatalogueError("must be a table", where)
            yield _row(kind, framework, table, where)


def _row(kind: str, framework: str, table: Mapping[str, object], where: str) -> Row:
    schema = {**SCHEMAS[kind], **_COMMON}
    texts: dict[str, tuple[str, ...]] = {}
    flags: dict[str, bool] = {}
    for key, value in table.items():
        wanted = schema.get(key)
        if wanted is None:
            raise CatalogueError(f"unknown key; one of {', '.join(sorted(schema))}", f"{where}.{key}")
        if wanted == "flag":
            if not isinstance(value, bool):
                raise CatalogueError("must be true or false", f"{where}.{key}")
            flags[key] = value
        elif isinstance(value, str):
            texts[key] = (value,)
        elif wanted == "texts" and isinstance(value, list) and all(isinstance(v, str) for v in value):
            texts[key] = tuple(value)
        else:
            raise CatalogueError(
                "must be a string" + (" or a list of strings" if wanted == "texts" else ""), f"{where}.{key}"
            )
        allowed = CHOICES.get((kind, key))
        if allowed is not None and not allowed.issuperset(texts[key]):
            raise CatalogueError(f"must be of {', '.join(sorted(allowed))}", f"{where}.{key}")
    return Row(kind, framework, texts, flags)


def json_schema() -> dict[str, object]:
    """A JSON Schema of a catalogue file, for editors; ``rules/frameworks/catalogue.schema.json`` holds it."""
    texts = {"type": "array", "items": {"type": "string"}}
    forms: dict[Kind, dict[str, object]] = {
        "text": {"type": "string"},
        "texts": {"anyOf": [{"type": "string"}, texts]},
        "flag": {"type": "boolean"},
        "number": {"type": "number"},
    }
    kinds: dict[str, object] = {}
    for kind, keys in SCHEMAS.items():
        properties: dict[str, object] = {}
        for key, form in {**keys, **_COMMON}.items():
            allowed = CHOICES.get((kind, key))
            one: dict[str, object] = {"type": "string", "enum": sorted(allowed)} if allowed else {"type": "string"}
            if allowed and form == "texts":
                properties[key] = {"anyOf": [one, {"type": "array", "items": one}]}
            else:
                properties[key] = one if allowed else forms[form]
        row = {"type": "object", "properties": properties, "additionalProperties": False}
        kinds[kind] = {"type": "array", "items": row}
    head: dict[str, object] = {
        "schema": {"const": SCHEMA},
        "name": {"type": "string"},
        **dict.fromkeys(("packages", "siblings", "roots", "shares"), texts),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What a framework's calls mean to toolbind-lint",
        "type": "object",
        "properties": {**head, **kinds},
        "required": ["schema", "name"],
        "additionalProperties": False,
    }
