"""The table of rules, for a person and for a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolbind_lint.report import DEFAULTS, Options
from toolbind_lint.report.explain import RulePage
from toolbind_lint.report.paint import Paint
from toolbind_lint.report.plain import cells, count, one_line, pad, wrap


def render(rules: Sequence[RulePage], format: str = "text", options: Options = DEFAULTS) -> str:
    """All rules by code. Raises KeyError for a format that is neither ``text`` nor ``json``."""
    return FORMATS[format](sorted(rules, key=lambda rule: rule.code), options)


def _text(rules: Sequence[RulePage], options: Options) -> str:
    """Code, name, severity, gate and summary."""
    paint = Paint(options.colour)
    name = max((cells(rule.name) for rule in rules), default=0)
    gate = max((cells(rule.gate) for rule in rules), default=0)
    column = 5 + 2 + name + 2 + 7 + 2 + gate + 2
    lines = []
    for rule in rules:
        summary = one_line(rule.summary) + (" (preview)" if rule.preview else "")
        rows = wrap(summary, max(30, options.width - column))
        head = f"{paint(rule.code, 'strong')}  {pad(rule.name, name)}  {paint(pad(rule.severity, 7), rule.severity)}  "
        lines.append(f"{head}{pad(rule.gate, gate)}  {rows[0]}")
        lines += [" " * column + row for row in rows[1:]]
    lines += ["", f"{count(len(rules), 'rule')}. A rule's page: toolbind-lint explain CODE"]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _json(rules: Sequence[RulePage], options: Options) -> str:
    del options
    return json.dumps([_row(rule) for rule in rules], ensure_ascii=True, indent=2) + "\n"


def _row(rule: RulePage) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "gate": rule.gate,
        "polarity": rule.polarity,
        "judges": list(rule.judges),
        "serves": list(rule.serves),
        "since": rule.since,
        "preview": rule.preview,
        "summary": rule.summary,
        "hows": {how: spoken.severity for how, spoken in rule.hows.items()},
    }


FORMATS: Mapping[str, Callable[[Sequence[RulePage], Options], str]] = {"text": _text, "json": _json}
