"""A dispatcher that checks budget, name, time and shape, in this order. It holds no loop: the runtime calls it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping


class Refused(Exception):
    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


@dataclass(frozen=True)
class ToolRule:
    name: str
    limit_s: float
    required: tuple[str, ...]


@dataclass
class Allowance:
    run: str
    calls_allowed: int
    seconds_allowed: float
    began: float = field(default_factory=time.monotonic)
    calls_made: int = 0

    def seconds_left(self) -> float:
        return self.seconds_allowed - (time.monotonic() - self.began)

    def require(self) -> None:
        if self.calls_made >= self.calls_allowed:
            raise Refused("budget_exceeded", f"{self.run}: {self.calls_allowed} calls")
        if self.seconds_left() <= 0:
            raise Refused("budget_exceeded", f"{self.run}: out of time")


def read_result(text: str, rule: ToolRule) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as exc:
        raise Refused("schema_invalid", f"{rule.name}: no JSON") from exc
    if not isinstance(value, dict):
        raise Refused("schema_invalid", f"{rule.name}: no object")
    absent = [key for key in rule.required if key not in value]
    if absent:
        raise Refused("schema_invalid", f"{rule.name}: lacks {absent}")
    return value


def run_call(
    allowance: Allowance,
    rules: Mapping[str, ToolRule],
    name: str,
    perform: Callable[[], str],
) -> dict[str, Any]:
    allowance.require()
    rule = rules.get(name)
    if rule is None:
        raise Refused("unknown_tool", name)

    limit = min(rule.limit_s, max(allowance.seconds_left(), 0.0))
    if limit <= 0:
        raise Refused("budget_exceeded", "no time left")

    stop_at = time.monotonic() + limit
    text = perform()
    if time.monotonic() > stop_at:
        allowance.calls_made += 1
        raise Refused("tool_timeout", f"{name}: over {limit}s")

    value = read_result(text, rule)
    allowance.calls_made += 1
    return value
