"""The gates of an agent run: which of the framework's bounds end it, by what is given and by the defaults.

Of each bound every version that the project admits is judged, and the worst wins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Place, Step
from toolbind_lint.facts import Value as Number
from toolbind_lint.recognise import Limits, ir
from toolbind_lint.recognise.gates import wall
from toolbind_lint.recognise.gates.cap import number_text, source_text
from toolbind_lint.recognise.makers import Made, Spot, Wrap
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import dotted
from toolbind_lint.recognise.runs import MAX_MEMBERS, Run, RunFinder
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Gate, Verdict
from toolbind_lint.versions import Constraint, admitted

State = Literal["finite", "unknown", "unpinned", "off-by-default", "infinite", "none"]

_ORDER: tuple[State, ...] = ("finite", "unknown", "unpinned", "off-by-default", "infinite", "none")
"""From what holds to what does not."""


class Stand(NamedTuple):
    """How one bound stands: its number in units of its own, where it is given, the row that says so."""

    state: State
    row: Row | None = None
    number: float | None = None
    value: Number | None = None
    place: Place | None = None
    default: bool = False
    constraint: Constraint | None = None

    @property
    def rank(self) -> tuple[int, float]:
        """The higher, the worse."""
        return _ORDER.index(self.state), self.turns if self.state == "finite" else 0.0

    @property
    def turns(self) -> float:
        """The number, in turns where its unit is another one."""
        per = float(self.row.one("per-turn") or 1) if self.row is not None else 1.0
        return (self.number or 0.0) / per


class RunJudge:
    """Judges the gates of runs."""

    def __init__(self, finder: RunFinder) -> None:
        self.finder = finder
        self.tools = finder.tools
        self._forcing: dict[str, list[Row]] = {}
        for row in self.tools.catalogue.rows:
            if row.kind == "forced-setting":
                for owner in row.all("of"):
                    self._forcing.setdefault(owner, []).append(row)
        self._bounds: dict[tuple[str, str], list[Row]] = {}
        for row in self.tools.catalogue.rows:
            if row.kind == "bound" and row.flags.get("stops-loop", True):
                for owner in row.all("of"):
                    self._bounds.setdefault((owner, row.one("gate") or "cap"), []).append(row)

    def verdicts(self, run: Run, limits: Limits) -> tuple[Verdict, ...]:
        """All verdicts of a run, in the order of the gates."""
        found = [self._cap(run, limits.step_ceiling)]
        if not run.alone:
            found.append(self._wall(run))
            found.extend(self._optional(run, gate) for gate in _OPTIONAL if self._rows(run, gate))
            found.append(self._exit(run))
        return tuple(found)

    # ---- gates

    def _cap(self, run: Run, ceiling: int) -> Verdict:
        stand = self._stand(run, "cap")
        at = self._place(run)
        if stand.state == "unknown":
            return Verdict("cap", "unknown", (), (self._evidence(stand, at),))
        if stand.state == "finite":
            evidence = (self._evidence(stand, at),)
            if stand.turns <= ceiling:
                return Verdict("cap", "held", (), evidence)
            words = (("cap", _text(stand.turns)), ("ceiling", str(ceiling)), *self._words(run, stand))
            return Verdict("cap", "leaks", (self._fault(run, stand, "too-high", words),), evidence)
        if stand.state in {"unpinned", "off-by-default"}:
            return Verdict("cap", "leaks", (self._value_fault(run, stand, stand.state),))
        return Verdict("cap", "missing", (self._fault(run, stand, stand.state, self._words(run, stand)),))

    def _wall(self, run: Run) -> Verdict:
        stand = self._stand(run, "wall") if self._rows(run, "wall") else Stand("none")
        at = self._place(run)
        if stand.state == "finite":
            return Verdict("wall", "held", (), (self._evidence(stand, at),))
        around = self.tools.limits.enclosing(run.function, run.call)
        if around:
            return wall.enclosed(self.tools, around)
        if stand.state == "unknown":
            return Verdict("wall", "unknown", (), (self._evidence(stand, at),))
        if stand.state in {"unpinned", "off-by-default"}:
            return Verdict("wall", "leaks", (self._value_fault(run, stand, stand.state),))
        return Verdict("wall", "missing", (self._fault(run, stand, "none", self._words(run, stand)),))

    def _optional(self, run: Run, gate: Gate) -> Verdict:
        """A gate that is judged only where the framework has a parameter for it."""
        stand = self._stand(run, gate)
        at = self._place(run)
        if stand.state in {"finite", "unpinned"}:
            return Verdict(gate, "held", (), (self._evidence(stand, at),))
        if stand.state == "unknown":
            return Verdict(gate, "unknown", (), (self._evidence(stand, at),))
        return Verdict(gate, "missing", (self._fault(run, stand, "none", self._words(run, stand)),))

    def _exit(self, run: Run) -> Verdict:
        """Whether a setting forces a tool call on every turn, so that no answer can end the run."""
        for made in run.agents or (None,):
            owners = [_identity(r) for r in (run.row, made.row if made is not None else None) if r is not None]
            for row in (row for owner in owners for row in self._forcing.get(owner, ())):
                if admitted(self._constraint(run, row), row.one("versions")):
                    fault = self._forced(run, made, row)
                    if fault is not None:
                        return Verdict("exit", "leaks", (fault,))
        return Verdict("exit", "unknown")

    def _forced(self, run: Run, made: Made | None, row: Row) -> Fault | None:
        if made is not None:
            if any(self.finder.nonempty(v) for param in row.all("ended-by") for v in self.finder.given(made, param)):
                return None
            if row.one("released-by") and not self._holds_on(made, row.one("released-by")):
                return None
        for given in self._given(run, made, row):
            for value in self.finder.agents.final(given.expr, given.function):
                if _forces(value.expr, row):
                    at = self.tools.program.at(given.function, given.expr)
                    words = (("param", _param(row)), ("value", text_of(value.expr)), ("call", text_of(run.call.func)))
                    return Fault("forced-choice", self._place(run), words, related=(Step(at, "forced here"),))
        return None

    def _holds_on(self, made: Made, param: str) -> bool:
        return any(
            isinstance(v.expr, ir.Const) and v.expr.value is False
            for given in self.finder.given(made, param)
            for v in self.finder.agents.final(given.expr, given.function)
        )

    # ---- words

    def _place(self, run: Run) -> Place:
        return self.tools.program.at(run.function, run.call)

    def _fault(self, run: Run, stand: Stand, how: str, words: tuple[tuple[str, str], ...]) -> Fault:
        related = []
        if stand.place is not None:
            said = text_of_value(stand.value) if stand.value is not None else ""
            related.append(Step(stand.place, f"{_param(stand.row)} is given here: {said}" if said else "given here"))
        for made in run.agents:
            if made.call is not None and made.call is not run.call:
                related.append(Step(self.tools.program.at(made.function, made.call), "made here"))
        if stand.constraint is not None and stand.default:
            said = f"{stand.constraint.package}{stand.constraint.text or ' (any version)'}"
            related.append(Step(stand.constraint.place, f"admits {said}"))
        trail = stand.value.trail if stand.value is not None else ()
        return Fault(how, self._place(run), words, trail, tuple(related))

    def _value_fault(self, run: Run, stand: Stand, how: str) -> Fault:
        value = stand.value
        assert value is not None
        words = (
            ("cap", number_text(value)),
            ("source", source_text(value)),
            ("value", value.text),
            *self._words(run, stand),
        )
        at = value.trail[0].place if value.trail else stand.place
        fault = self._fault(run, stand, how, words)
        return fault._replace(place=at) if at is not None else fault

    def _words(self, run: Run, stand: Stand) -> tuple[tuple[str, str], ...]:
        words = [("call", text_of(run.call.func))]
        row = stand.row
        if row is not None:
            words.append(("param", _param(row)))
            note = self._note(stand, row)
            if note:
                words.append(("note", note))
            if row.one("suggest"):
                words.append(("at", f"{_param(row)}={row.one('suggest')}"))
        return tuple(words)

    def _note(self, stand: Stand, row: Row) -> str:
        """What the bound is and since when: ``pkg >=1.0.6: limit is 10007 by default``."""
        if not stand.default:
            return f"`{_param(row)}` is {text_of_value(stand.value)}" if stand.value is not None else ""
        package = self._package(row)
        since = f" {row.one('versions')}" if row.one("versions") else ""
        default = row.one("default")
        said = "has no value" if default in {"", "none"} else f"is {default}"
        admits = (
            "" if not row.one("versions") else "; your pin admits it" if stand.constraint else "; no version is pinned"
        )
        return f"{package}{since}: `{_param(row)}` {said} by default{admits}"

    def _evidence(self, stand: Stand, at: Place) -> Evidence:
        place = stand.place or at
        if stand.row is None:
            return Evidence(place, "", "what is run is not known")
        param = _param(stand.row)
        if stand.state == "unknown":
            return Evidence(place, "", f"the value of {param} is not known")
        number = _text(stand.number) if stand.number is not None else ""
        said = f"{param} is {number} by default" if stand.default else f"{param}={number}"
        pinned = stand.constraint.place if stand.default and stand.constraint is not None else None
        return Evidence(place, number, said, pinned)

    # ---- how a bound stands

    def _rows(self, run: Run, gate: str) -> bool:
        return any(self._known(run, i, gate) for i in self._ids(run)) or any(
            self._member_rows(run, m, gate, 0) for m in run.agents
        )

    def _known(self, run: Run, owner: str, gate: str) -> bool:
        """Whether some version that the project admits has a bound for a gate."""
        rows = self._bounds.get((owner, gate), ())
        return any(admitted(self._constraint(run, row), row.one("versions")) for row in rows)

    def _member_rows(self, run: Run, made: Made, gate: str, depth: int) -> bool:
        if self._known(run, _identity(made.row), gate):
            return True
        inner = self.finder.members(made) if depth < MAX_MEMBERS else ()
        return any(self._member_rows(run, m, gate, depth + 1) for m in inner)

    def _ids(self, run: Run) -> list[str]:
        found = [_identity(run.row)] if run.row is not None else []
        return found + [_identity(m.row) for m in run.agents]

    def _stand(self, run: Run, gate: str) -> Stand:
        """The worst over what may be run; for each the best of its bounds."""
        if not run.agents:
            return self._best(run, None, gate) or Stand("none")
        return max((self._of_agent(run, made, gate, 0) for made in run.agents), key=lambda s: s.rank)

    def _of_agent(self, run: Run, made: Made, gate: str, depth: int) -> Stand:
        own = self._best(run, made, gate)
        if own is not None:
            return own
        if depth >= MAX_MEMBERS:
            return Stand("none")
        inner = [self._of_agent(run, m, gate, depth + 1) for m in self.finder.members(made) if self.finder.loops_of(m)]
        # One whose members have the bounds, and nobody knows these: its steps may be bounded.
        known = not made.row.all("members") or gate != "cap"
        return max(inner, key=lambda s: s.rank) if inner else Stand("none" if known else "unknown")

    def _best(self, run: Run, made: Made | None, gate: str) -> Stand | None:
        owners = [_identity(run.row)] if run.row is not None else []
        owners += [_identity(made.row)] if made is not None else []
        groups: dict[tuple[str, ...], list[Row]] = {}
        for owner in owners:
            for row in self._bounds.get((owner, gate), ()):
                groups.setdefault((owner, row.one("param"), *row.all("path"), *row.all("item")), []).append(row)
        stands = [s for rows in groups.values() if (s := self._group(run, made, rows)) is not None]
        return min(stands, key=lambda s: s.rank) if stands else None

    def _group(self, run: Run, made: Made | None, rows: list[Row]) -> Stand | None:
        """One parameter in all versions that the project admits; None where no version has it."""
        judged = []
        for row in rows:
            constraint = self._constraint(run, row)
            if admitted(constraint, row.one("versions")):
                judged.append((row, constraint))
        if not judged:
            return None
        row = judged[-1][0]
        given = list(dict.fromkeys(self._given(run, made, row)))
        found: list[Stand] = []
        for row, constraint in judged:
            default = self._default(row, constraint)
            if made is not None and made.call is None and set(row.all("where")) <= {"constructor", "method", "with"}:
                default = Stand("unknown", row)
            if not given:
                found.append(default)
            for value in given:
                found.append(self._of_items(value, row, default) if row.all("item") else self._of(value, row, default))
        worst = max(found, key=lambda s: s.rank)
        if worst.state == "infinite" and any(s.state in {"finite", "unpinned"} for s in found) and given:
            return worst._replace(state="off-by-default") if worst.value is not None else worst
        return worst

    def _constraint(self, run: Run, row: Row) -> Constraint | None:
        packages = (
            (self._package(row),) if row.one("of-package") else self.tools.catalogue.packages.get(row.framework, ())
        )
        return self.finder.manifests.constraint(run.function.module.path, packages)

    def _package(self, row: Row) -> str:
        return row.one("of-package") or (*self.tools.catalogue.packages.get(row.framework, ()), row.framework)[0]

    def _default(self, row: Row, constraint: Constraint | None) -> Stand:
        text = row.one("default")
        if text in {"", "none", "inf"}:
            return Stand("none", row, default=True, constraint=constraint)
        number = float(text.replace("_", ""))
        if _above(number, row):
            return Stand("none", row, number, default=True, constraint=constraint)
        return Stand("finite", row, number, default=True, constraint=constraint)

    # ---- where it is given

    def _given(self, run: Run, made: Made | None, row: Row) -> Iterator[Spot]:
        """The values that are given for a bound, at any of the places where it may stand."""
        for value in self._outer(run, made, row):
            paths = row.all("path")
            if not paths or row.all("item"):
                yield value
                continue
            for path in paths:
                yield from self._inside(value, path.split("."))

    def _inside(self, value: Spot, path: list[str]) -> Iterator[Spot]:
        for found in self.finder.under(value.expr, path[0], value.function):
            if len(path) > 1:
                yield from self._inside(found, path[1:])
            else:
                yield found

    def _outer(self, run: Run, made: Made | None, row: Row) -> Iterator[Spot]:
        param, position = row.one("param"), row.one("position")
        places = row.all("where") or ("call",)
        at_call = False
        if "call" in places and not run.alone:
            for value in self._of_call(run.call, run, param, position):
                at_call = True
                yield value
        if at_call or made is None:
            return
        if "with" in places:
            for wrap in made.wraps:
                yield from self._wrapped(wrap, run, row)
        if "constructor" in places:
            yield from self.finder.given(made, param, position)
        if "method" in places:
            for call, function in self.finder.on(made, (param,)):
                first = call.positional(0) or next((a.value for a in call.args if a.name), None)
                if first is not None:
                    yield Spot(first, function)

    def _wrapped(self, wrap: Wrap, run: Run, row: Row) -> Iterator[Spot]:
        """``with_config({"limit": 5})``, or with the key itself as a keyword: ``with_config(limit=5)``."""
        call = wrap.call
        found = list(self._of_call(call, run._replace(function=wrap.function), row.one("param"), "0"))
        yield from found
        named = [(ir.Const(call.span, p), v) for p in row.all("path") if (v := call.keyword(p)) is not None]
        if named and not found:
            yield Spot(ir.DictE(call.span, tuple(named)), wrap.function)

    def _of_call(self, call: ir.Call, run: Run, param: str, position: str) -> Iterator[Spot]:
        value = call.keyword(param)
        if value is None and position.isdigit():
            value = call.positional(int(position))
        if value is not None:
            yield Spot(value, run.function)
            return
        for arg in call.args:
            if arg.star == "**":
                yield from self.finder.under(arg.value, param, run.function)

    # ---- what it is

    def _of(self, given: Spot, row: Row, default: Stand) -> Stand:
        """How a given value stands: the worst of its alternatives."""
        at = self.tools.program.at(given.function, given.expr)
        alternatives = self.tools.values.alternatives(given.expr, given.function)
        stands = [self._alternative(v, row, default, at) for v in alternatives]
        worst = max(stands, key=lambda s: s.rank)
        if worst.state == "infinite" and len(stands) > 1 and any(s.state == "finite" for s in stands):
            return worst._replace(state="off-by-default")
        return worst

    def _alternative(self, value: Number, row: Row, default: Stand, at: Place) -> Stand:
        if _listed(value, row.all("means-default")):
            return default
        if _listed(value, row.all("off")) or (value.number is not None and math.isinf(value.number)):
            return Stand("infinite", row, None, value, at)
        if value.origin == "absent":
            return default
        if value.pinned is False:
            return Stand("unpinned", row, value.number, value, at)
        if value.number is None:
            return Stand("unknown", row, None, value, at)
        if _above(value.number, row):
            return Stand("infinite", row, value.number, value, at)
        return Stand("finite", row, value.number, value, at)

    def _of_items(self, given: Spot, row: Row, default: Stand, depth: int = 0) -> Stand:
        """A bound that is one of several things in a list, or a part of a combination by ``|`` and ``&``."""
        expr, function = given
        at = self.tools.program.at(function, expr)
        if depth > MAX_MEMBERS * 2:
            return Stand("unknown", row, place=at)
        if isinstance(expr, ir.Bin) and expr.op in {"|", "&", "+"}:
            sides = [self._of_items(Spot(side, function), row, default, depth + 1) for side in (expr.left, expr.right)]
            return max(sides, key=lambda s: s.rank) if expr.op == "&" else min(sides, key=lambda s: s.rank)
        if isinstance(expr, ir.Const):
            return default
        if isinstance(expr, (ir.Seq, ir.Comp)):
            items = [self._of_items(v, row, default, depth + 1) for v in self.finder.agents.elements(expr, function)]
            return min(items, key=lambda s: s.rank, default=default)
        if isinstance(expr, ir.Call):
            names = self.finder.agents.names(expr.func, function)
            if any(name in row.all("item") for name in names):
                return self._of_item(expr, function, row, at)
        further = list(self.finder.agents.step(expr, function))
        if further:
            # `stop = stop | more` in a loop: what adds to what it was before is as good as its best part.
            parts = [side for v in further if _adds(v.expr, expr) for side in self._sides(v)]
            if parts:
                return min((self._of_items(v, row, default, depth + 1) for v in parts), key=lambda s: s.rank)
            return max((self._of_items(v, row, default, depth + 1) for v in further), key=lambda s: s.rank)
        if isinstance(expr, ir.Call) and self.finder.agents.names(expr.func, function):
            return Stand("none", row, place=at)
        return Stand("unknown", row, place=at)

    def _sides(self, joined: Spot) -> Iterator[Spot]:
        """All that the sides of a ``|`` may be."""
        expr = joined.expr
        for side in (expr.left, expr.right) if isinstance(expr, ir.Bin) else ():
            spot = Spot(side, joined.function)
            yield from list(self.finder.agents.step(*spot)) or [spot]

    def _of_item(self, call: ir.Call, function: Function, row: Row, at: Place) -> Stand:
        found = []
        for param in row.all("path"):
            value = call.positional(int(param)) if param.isdigit() else call.keyword(param)
            if value is not None:
                found.append(self._of(Spot(value, function), row, Stand("none", row, place=at)))
        return min(found, key=lambda s: s.rank, default=self._default(row, None)._replace(place=at))


_OPTIONAL: tuple[Gate, ...] = ("tool-timeout", "cost")


def _forces(expr: ir.Expr, row: Row) -> bool:
    """Whether a value of a setting forces a call."""
    if isinstance(expr, ir.Const) and isinstance(expr.value, str):
        return expr.value in row.all("values") or (
            row.flags.get("any-text", False) and expr.value not in row.all("free")
        )
    if isinstance(expr, ir.DictE):
        kind = expr.get("type")
        return isinstance(kind, ir.Const) and kind.value in row.all("types")
    return False


def _adds(value: ir.Expr, name: ir.Expr) -> bool:
    """Whether a value joins something to what stood under a name before: ``stop | more``."""
    if not isinstance(value, ir.Bin) or value.op != "|":
        return False
    return dotted(name) != "" and any(dotted(side) == dotted(name) for side in (value.left, value.right))


def _identity(row: Row) -> str:
    return row.one("id") or row.framework


def _param(row: Row | None) -> str:
    """The parameter as a person calls it: the key inside an options object where there is one."""
    if row is None:
        return ""
    if row.all("item"):
        name = row.all("item")[0].rpartition(".")[2]
        inner = next((p for p in row.all("path") if not p.isdigit()), "")
        return f"{name}({inner})" if inner else name
    return row.one("path").rpartition(".")[2] or row.one("param")


def _above(number: float, row: Row) -> bool:
    return bool(row.one("ceiling")) and number >= float(row.one("ceiling"))


def _listed(value: Number, words: Iterable[str]) -> bool:
    """Whether a value is one of ``None``, ``0``, ``<=0``, ``falsy``, ``-1``, ``inf``."""
    for word in words:
        if word in {"None", "falsy"} and value.origin == "absent":
            return True
        if value.number is None:
            continue
        if word == "falsy" and value.number == 0:
            return True
        if word.startswith("<=") and value.number <= float(word[2:]):
            return True
        if word not in {"None", "falsy"} and word[:1] not in "<>" and value.number == float(word):
            return True
    return False


def _text(number: float | None) -> str:
    if number is None:
        return ""
    return "∞" if math.isinf(number) else str(int(number)) if number == int(number) else str(number)


def text_of_value(value: Number) -> str:
    """A value as a person reads it."""
    return value.text if value.origin == "absent" or value.number is None else number_text(value)
