"""Two configurations of a project -> where the newer one asks for less.

A change is judged by the settings of its base, so nothing here decides what is found; it is shown to whoever reviews
the change, before the setting counts. What asks for more is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolbind_lint.changes import Change
from toolbind_lint.config import Settings, Value, line_of
from toolbind_lint.facts import Place
from toolbind_lint.findings import SEVERITIES, Severity
from toolbind_lint.selection import PROFILES, RuleName, rank

ASKING = frozenset(
    {
        *("turn", "client", "reply", "retry", "gate-error", "code-by-name", "pattern-test", "unpinned", "infinite"),
        *("endless", "runs-command", "result-message", "forced-choice", "swallows", "word", "parameter", "dispatch"),
    }
)
"""Tables of in-house knowledge whose rows make the check see more; a row of any other may make it demand less."""

FAIL_ON = ("advice", "warning", "error", "never")
"""Strictest first."""


class Loosened(NamedTuple):
    """One setting that asks for less: its key, what changed, and whether a gate is declared to be held elsewhere."""

    key: str
    said: str
    proves: bool = False


class Sources(NamedTuple):
    """The configuration files of the head, by their path as messages show it: ``path`` gives that from the root,
    ``text`` what stands in them.
    """

    path: Callable[[str], str]
    text: Callable[[str], str]


def loosened(
    old: Settings, new: Settings, folders: Iterable[str], sources: Sources, rules: Mapping[RuleName, Severity]
) -> tuple[Change, ...]:
    """Compare two configurations in some folders (relative to the root). ``rules`` are all that there are, with what
    they weigh.

    Raises ConfigError for a configuration of the head that is wrong.
    """
    found: dict[Place, list[Loosened]] = {}
    for folder in sorted(folders):
        for each in _values(old, new, folder, rules):
            here = new.config_for(folder).path or old.config_for(folder).path
            shown, line = _set_at(new.value(each.key, folder), here)
            _add(found, Place(sources.path(shown), line, 1, line, 2), each)
        then, now = old.config_for(folder), new.config_for(folder)
        for each, row in _tables(then.tables, now.tables):
            shown = now.path or then.path
            line = _row_at(sources.text(shown), shown, each.key, row)
            _add(found, Place(sources.path(shown), line, 1, line, 2), each)
    return tuple(
        Change(
            "proves-grew" if any(each.proves for each in group) else "configuration",
            place,
            words=(("setting", "; ".join(each.said for each in group)),),
        )
        for place, group in sorted(found.items())
    )


def _add(found: dict[Place, list[Loosened]], place: Place, each: Loosened) -> None:
    group = found.setdefault(place, [])
    if each not in group:
        group.append(each)


def _set_at(now: Value, here: str) -> tuple[str, int]:
    """The file and line that set the value; where none does, the top of the file that could."""
    path, _, line = now.origin.rpartition(":")
    return (path, int(line)) if path and line.isdigit() else (here, 1)


def _row_at(text: str, path: str, kind: str, row: int) -> int:
    """The line on which a row of a table begins."""
    prefix = ("tool", "toolbind-lint") if path.endswith("pyproject.toml") else ()
    return line_of(text, (*prefix, kind, row))


# Values


def _values(old: Settings, new: Settings, folder: str, rules: Mapping[RuleName, Severity]) -> Iterator[Loosened]:
    for key, compare in _COMPARISONS.items():
        before, after = old.value(key, folder).value, new.value(key, folder).value
        if key in _SELECTORS:
            before, after = _meant(before, rules), _meant(after, rules)
        said = compare(key, before, after) if before != after else ""
        if said:
            yield Loosened(key, said)
    yield from _severities(old.value("severity", folder).value, new.value("severity", folder).value, rules)


_SELECTORS = frozenset({"select", "extend-select", "ignore"})


def _meant(selectors: Any, rules: Iterable[RuleName]) -> Any:
    """The codes that selectors mean, so that a rule by its name is the same as by its code."""
    if selectors is None:
        return None
    return tuple(rule.code for rule in rules if any(rank(rule, selector) >= 0 for selector in selectors))


def _more(key: str, before: Any, after: Any) -> str:
    """A list that leaves out more."""
    came = [item for item in after or () if item not in (before or ())]
    return f"`{key}` has {_listed(came)} more" if came else ""


def _fewer(key: str, before: Any, after: Any) -> str:
    """A list that names less of what is asked."""
    if before is None:
        return f"`{key}` asks for {_listed(after)} only"
    gone = [item for item in before if item not in (after or ())] if after is not None else []
    return f"`{key}` has lost {_listed(gone)}" if gone else ""


def _ordered(choices: Sequence[str]) -> Callable[[str, Any, Any], str]:
    """A choice that asks for less further on in the sequence."""

    def compare(key: str, before: Any, after: Any) -> str:
        return f"`{key}` goes from `{before}` to `{after}`" if choices.index(after) > choices.index(before) else ""

    return compare


def _higher(key: str, before: Any, after: Any) -> str:
    """A ceiling that is raised or gone."""
    if before is None or (after is not None and after < before):
        return ""
    return f"`{key}` goes from {before} to {after if after is not None else 'none'}"


def _to(loose: bool) -> Callable[[str, Any, Any], str]:
    """A flag that asks for less when it is ``loose``."""

    def compare(key: str, before: Any, after: Any) -> str:
        return f"`{key}` is {str(after).lower()} now" if after is loose else ""

    return compare


def _other(key: str, before: Any, after: Any) -> str:
    return f"`{key}` is `{after}` now" if after is not None else ""


def _ignores(key: str, before: Any, after: Any) -> str:
    came = [
        f"{code} in {pattern!r}"
        for pattern, codes in after.items()
        for code in codes
        if code not in before.get(pattern, ())
    ]
    return f"`{key}` has {_listed(came)} more" if came else ""


_COMPARISONS: Mapping[str, Callable[[str, Any, Any], str]] = {
    "profile": _ordered(tuple(reversed(PROFILES))),
    "select": _fewer,
    "extend-select": _fewer,
    "ignore": _more,
    "preview": _to(False),
    "per-file-ignores": _ignores,
    "relaxed": _more,
    "fail-on": _ordered(FAIL_ON),
    "step-ceiling": _higher,
    "wall-ceiling-ms": _higher,
    "token-ceiling": _higher,
    "exclude": _more,
    "extend-exclude": _more,
    "respect-gitignore": _to(True),
    "force-exclude": _to(True),
    "baseline": _other,
    "honour-new-suppressions": _to(True),
    "fail-on-review": _to(False),
}


def _severities(before: Any, after: Any, rules: Mapping[RuleName, Severity]) -> Iterator[Loosened]:
    """Rules that weigh less than before, by the most exact selector of each side."""
    lower = []
    for rule, own in rules.items():
        was, now = _weight(rule, before) or own, _weight(rule, after) or own
        if SEVERITIES.index(now) < SEVERITIES.index(was):
            lower.append(f"{rule.code} to {now}")
    if lower:
        yield Loosened("severity", f"`severity` lowers {_listed(lower)}")


def _weight(rule: RuleName, table: Mapping[str, Severity]) -> Severity | None:
    ranked = [(rank(rule, selector), severity) for selector, severity in table.items()]
    exactness, severity = max(ranked, key=lambda pair: pair[0], default=(-1, None))
    return severity if exactness >= 0 else None


# Tables


def _tables(
    before: Sequence[Mapping[str, object]], after: Sequence[Mapping[str, object]]
) -> Iterator[tuple[Loosened, int]]:
    """Rows that came or went, each with its number in the head."""
    old, new = _rows(before), _rows(after)
    for number, kind, row in new:
        if any(kind == other and row == known for _, other, known in old):
            continue
        proved = _proves(row) - _proved_before(row, old)
        name = _called(row)
        if kind == "dispatch" and proved:
            yield Loosened(kind, f"`{name}` proves {_listed(sorted(proved))}", True), number
        elif kind not in ASKING:
            yield Loosened(kind, f"a row of `{kind}` for `{name}`"), number
    for _, kind, row in old:
        names = _names(row)
        if (
            kind in ASKING
            and not _proves(row)
            and not any(kind == other and names <= _names(known) for _, other, known in new)
        ):
            yield Loosened(kind, f"the row of `{kind}` for `{_called(row)}` is gone"), 0


def _rows(tables: Sequence[Mapping[str, object]]) -> list[tuple[int, str, Mapping[str, object]]]:
    return [
        (number, kind, row)
        for table in tables
        for kind, rows in table.items()
        for number, row in enumerate(rows if isinstance(rows, list) else ())
    ]


def _proves(row: Mapping[str, object]) -> frozenset[str]:
    return _texts(row.get("proves"))


def _proved_before(row: Mapping[str, object], old: Sequence[tuple[int, str, Mapping[str, object]]]) -> frozenset[str]:
    """What was proved before for every call that the row names."""
    sets = [
        frozenset(
            gate for _, kind, known in old if kind == "dispatch" and name in _names(known) for gate in _proves(known)
        )
        for name in _names(row)
    ]
    return frozenset.intersection(*sets) if sets else frozenset()


def _names(row: Mapping[str, object]) -> frozenset[str]:
    return frozenset().union(*(_texts(row.get(key)) for key in ("call", "method", "name", "names", "paths")))


def _called(row: Mapping[str, object]) -> str:
    return ", ".join(sorted(_names(row))) or "nothing"


def _texts(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({value})
    return frozenset(str(item) for item in value) if isinstance(value, list) else frozenset()


def _listed(items: Iterable[object]) -> str:
    shown = [f"`{item}`" for item in items]
    return ", ".join(shown[:5]) + (f" and {len(shown) - 5} more" if len(shown) > 5 else "")
