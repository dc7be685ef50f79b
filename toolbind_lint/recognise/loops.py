"""Which loops are tool loops, which are retries, which functions are dispatchers; look-alikes stay out.

A tool loop passes a model turn whose next input holds the last reply or what its tools gave, and runs what the model
named. A loop that makes the same request again after an error is a retry. A pass that waits for a person is no
runaway.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.facts import Step
from toolbind_lint.index import Unit
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.anew import runs_anew
from toolbind_lint.recognise.bounds import Bound, BoundFinder, passes, reach
from toolbind_lint.recognise.clocks import ClockFinder, TimeTest
from toolbind_lint.recognise.dispatches import Dispatch, DispatchFinder
from toolbind_lint.recognise.handlers import HandlerFinder
from toolbind_lint.recognise.limits import LimitFinder
from toolbind_lint.recognise.once import spent
from toolbind_lint.recognise.paths import Builder, Cell, Frame, Graph, Point
from toolbind_lint.recognise.program import External, Function, FunctionRef, Instance, Module, Program
from toolbind_lint.recognise.roles import (
    ARGS,
    CALL,
    CALLS,
    ERROR_TEXT,
    NAME,
    REPLY,
    RESULT,
    dotted,
    last_name,
)
from toolbind_lint.recognise.values import Values
from toolbind_lint.recognise.waits import WaitFinder
from toolbind_lint.verdicts import Kind

_FED_BACK = frozenset({REPLY, RESULT, CALL, CALLS, ERROR_TEXT, NAME, ARGS})
MAX_REACHED = 300


@dataclass(eq=False)
class Tools:
    """What every part of recognition needs."""

    program: Program
    catalogue: Catalogue
    roles: DispatchFinder
    values: Values

    def __post_init__(self) -> None:
        self.limits = LimitFinder(self.program, self.catalogue, self.values)
        self.waits = WaitFinder(self.limits, self.roles)
        self.handlers = HandlerFinder(self.program)


@dataclass(slots=True, eq=False)
class Case:
    """One subject with its graph, before its gates are judged."""

    kind: Kind
    function: Function
    node: ir.Node
    header: ir.Span
    graph: Graph
    builder: Builder
    finder: BoundFinder
    tools: Tools
    turns: tuple[Point, ...]
    dispatches: tuple[Point, ...]
    decorator: ir.Call | None = None
    _bounds: list[Bound] | None = None
    _times: list[TimeTest] | None = None
    notes: dict[Hashable, object] = field(default_factory=dict)
    """What one gate found out and another asks for again."""

    @property
    def head(self) -> Point:
        """The head of the graph."""
        assert self.graph.head is not None
        return self.graph.head

    @property
    def bounds(self) -> list[Bound]:
        """The bounds of the loop, effective or not."""
        if self._bounds is None:
            self._bounds = self.finder.bounds()
        return self._bounds

    @property
    def time_tests(self) -> list[TimeTest]:
        """The tests of time in the loop."""
        if self._times is None:
            self._times = ClockFinder(self.finder).tests()
        return self._times


class LoopFinder:
    """Finds the subjects of one program, module by module."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.program = tools.program
        self.roles = tools.roles
        self._callees: dict[str, tuple[Function, ...]] = {}
        self._reaches: dict[str, bool] = {}
        self._told: set[str] = set()
        self._to_turns: Mapping[str, frozenset[int]] = {}
        self._rings: Mapping[str, frozenset[int]] = {}
        self._retrying = frozenset(call.partition(".")[0] for call in tools.catalogue.words("retry", "call"))
        self.passed_over: list[Step] = []
        """The loops that are neither tool loops nor retries, each with why."""
        self.owned: set[tuple[str, ir.Span]] = set()
        """The dispatches that a loop owns, by file and span."""

    def weight(self, path: str) -> int:
        """How many functions of a file may go round on the way to a turn, once ``spread`` was asked for."""
        rings = self._rings.get(path, ())
        module = self.program.project.modules.get(path)
        units = module.units if module is not None else ()
        return sum(units[each].loops or each in rings for each in self._to_turns.get(path, ()))

    def begin(self) -> None:
        """Forgets what was kept of the file before: loops passed over, rings told, dispatches owned."""
        self.passed_over.clear()
        self._told.clear()
        self.owned.clear()

    # ---- reach

    def callees(self, function: Function) -> tuple[Function, ...]:
        """The functions of the project that a function calls or passes on."""
        if function.key not in self._callees:
            self._callees[function.key] = ()
            found: dict[str, Function] = {}
            for call in function.calls:
                for target in self.program.targets(call, function):
                    found[target.key] = target
                for arg in call.args:
                    if isinstance(arg.value, (ir.Name, ir.Attr, ir.Lambda)):
                        for meaning in self.program.resolve(arg.value, function):
                            for target in self.program.run_by(meaning) if not isinstance(meaning, External) else ():
                                found[target.key] = target
            self._callees[function.key] = tuple(found.values())
        return self._callees[function.key]

    def reaches_turn(self, function: Function) -> bool:
        """Whether a function makes a turn itself or through functions of the project."""
        if function.key in self._reaches:
            return self._reaches[function.key]
        if not self._may_lead(function):
            return False
        answer = False
        seen = {function.key}
        queue = [function]
        while queue and len(seen) < MAX_REACHED and not answer:
            top = queue.pop()
            if self.roles.turns_in(top) or self._reaches.get(top.key, False):
                answer = True
            for callee in self.callees(top) if not answer else ():
                if callee.key not in seen and self._may_lead(callee):
                    seen.add(callee.key)
                    queue.append(callee)
        self._reaches[function.key] = answer
        return answer

    def _is_worded(self, function: Function) -> bool:
        """Whether a function holds a word of the catalogue."""
        unit = function.module.unit_of(function)
        return unit is None or function.module.index.units[unit].seeded

    def _may_lead(self, function: Function) -> bool:
        """Whether the index sees, by names, how a function may come to a turn."""
        unit = function.module.unit_of(function)
        return unit is None or unit in self._to_turns.get(function.module.path, ())

    def _worth_a_graph(self, loop: ir.While | ir.For, function: Function) -> bool:
        """Whether a loop reaches a turn, or tries a dispatch again and again."""
        turns = {id(t.call) for t in self.roles.turns_in(function)}
        tries = False
        for node in ir.walk(loop):
            if id(node) in turns:
                return True
            if isinstance(node, ir.Call):
                if any(self.reaches_turn(t) for t in self._run_by(node, function)):
                    return True
            tries = tries or isinstance(node, ir.Try)
        if isinstance(loop, ir.While) and tries and self._is_worded(function):
            inside = {id(n) for n in ir.walk(loop)}
            return any(id(d.node) in inside for d in self.roles.dispatches_in(function))
        return False

    # ---- subjects

    def _hot(self, module: Module, number: int, wanted: Callable[[Unit], bool]) -> tuple[Function, ...]:
        """The functions of a statement that hold a word of the catalogue or lead to one that does, and are wanted."""
        hot = self.program.project.hot(module.path)
        units = {id(unit) for each in hot if wanted(unit := module.index.units[each])}
        return self.program.functions_of(module, number, lambda unit: id(unit) in units)

    def _leading(self, module: Module, number: int) -> tuple[Function, ...]:
        """The functions of a statement that may go round, or are tried again, on the way to a turn or among words."""
        leading = self._to_turns.get(module.path, ())
        units = {id(module.index.units[each]) for each in leading}
        rings = {id(module.index.units[each]) for each in self._rings.get(module.path, ())}

        def wanted(unit: Unit) -> bool:
            if unit.loops and (unit.seeded or id(unit) in units):
                return True
            return id(unit) in rings or not unit.words.isdisjoint(self._retrying)

        return self.program.functions_of(module, number, wanted)

    def spread(self, places: Sequence[tuple[Module, int]]) -> None:
        """Once all turns are marked: finds the functions from which the calls of these statements lead to one."""
        found: dict[str, set[int]] = {}
        turning = [turn.function for turn in self.roles.shape_turns.values()]
        for module, number in places:
            turning += [f for f in self._hot(module, number, self.roles.may_ask) if self.roles.turns_in(f)]
        for function in turning:
            unit = function.module.unit_of(function)
            if unit is not None:
                found.setdefault(function.module.path, set()).add(unit)
        self._lead(found)
        if self._behind_protocols(places, found):
            self._lead(found)

    def _lead(self, turning: Mapping[str, Collection[int]]) -> None:
        """Notes what leads to the functions with turns."""
        self._to_turns, self._rings = self.program.project.leading_to(turning)

    def _behind_protocols(self, places: Iterable[tuple[Module, int]], found: dict[str, set[int]]) -> bool:
        """Adds the units that ask a model of the project through an interface that the index can't see through."""
        units = [self.program.project.modules[path].units[n] for path, each in self._to_turns.items() for n in each]
        names = frozenset(name for u in units if u.owner and self.roles.is_asking(name := u.name.rpartition(".")[2]))
        added = False
        for module, number in places:
            for function in self._hot(module, number, lambda unit: not names.isdisjoint(unit.named)):
                unit = module.unit_of(function)
                if unit is None or self._may_lead(function):
                    continue  # the index saw it already, or has no unit to add
                calls = [c for c in function.calls if isinstance(c.func, ir.Attr) and c.func.name in names]
                if any(self._may_lead(target) for call in calls for target in self.program.targets(call, function)):
                    found.setdefault(module.path, set()).add(unit)
                    added = True
        return added

    def mark(self, module: Module, number: int) -> None:
        """First pass over a statement: marks the turns that are known by shape alone."""
        for function in self._hot(module, number, self.roles.may_show):
            self.roles.find_shape_turns(function)
            self.roles.find_offers(function)
            self.roles.find_answers(function)

    def wrap(self, module: Module, number: int) -> None:
        """Second pass: marks the turns that wrappers of the project's own make, where no turn was seen below them."""
        self.roles.find_wrapped(self._hot(module, number, self.roles.may_offer))
        self.roles.find_spoken(self._hot(module, number, self.roles.may_speak))

    def find(self, module: Module, number: int) -> Iterator[Case]:
        """The tool loops and retries of a top-level statement, once ``spread`` has been asked for."""
        for function in self._leading(module, number):
            for loop in _loops(function):
                case = self.judge(loop, function)
                if case is not None:
                    yield case
            case = self._recursion(function)
            if case is not None:
                yield case
            yield from self._decorated(function)

    def judge(self, loop: ir.While | ir.For, function: Function) -> Case | None:
        """The case of a loop, or None where it is neither a tool loop nor a retry."""
        if isinstance(loop, ir.For) and not loop.is_async and self.roles.of(loop.iter, function) & {CALLS, REPLY}:
            return self._pass_over(loop, function, "it goes through the parts of one reply: that is the dispatch")
        if not self._worth_a_graph(loop, function):
            return self._pass_over(loop, function, "no call in it is known to ask a model")
        retried = self._retried(loop, function)
        if retried is not None:
            return retried
        if isinstance(loop, ir.For) and not self._acts_in(loop, function):
            return self._pass_over(loop, function, "no pass of its own asks a model or runs a tool")
        builder = Builder(self.program, self.roles, self.tools.catalogue)
        graph = builder.loop(loop, function)
        finder = BoundFinder(graph, builder.cell, self.program, self.roles, self.tools.values)
        case = Case("tool-loop", function, loop, loop.header, graph, builder, finder, self.tools, (), ())
        found = self._classify(case)
        if found is not None and graph.truncated and self._waits_itself(loop, function):
            return self._pass_over(loop, function, "it waits for a person on each pass")  # the front was cut off
        if found is None and graph.truncated:
            spans = {id(n) for n in ir.walk(loop)}
            if any(id(t.call) in spans for t in self.roles.turns_in(function)):
                return case  # too large to follow: told, with its gates unknown
        return found if found is not None else self._pass_over(loop, function, self._why_not(case))

    def _acts_in(self, loop: ir.For, function: Function) -> bool:
        """Whether a ``for`` may be a tool loop or a retry by what stands in it: over data, a turn or a dispatch of its
        own; over what a generator of the project gives, one in its body or below that. Any other may be.
        """
        given = self.program.generators(loop.iter, function)
        if not given and not _over_data(loop):
            return True
        turns = {id(t.call) for t in self.roles.turns_in(function)}
        acts = turns | {id(d.node) for d in self.roles.dispatches_in(function)}
        nodes = [n for part in (loop.body if given else (loop,)) for n in ir.walk(part, into_functions=True)]
        if any(id(n) in acts for n in nodes):
            return True
        return bool(given) and any(
            self.roles.effects.acting(target)
            for node in nodes
            if isinstance(node, ir.Call)
            for target in self._run_by(node, function)
        )

    def _run_by(self, call: ir.Call, function: Function) -> Iterator[Function]:
        """The functions of the project that a call runs, or hands on."""
        yield from self.program.targets(call, function)
        for arg in call.args:
            if isinstance(arg.value, (ir.Name, ir.Attr)):
                for meaning in self.program.resolve(arg.value, function):
                    if not isinstance(meaning, External):
                        yield from self.program.run_by(meaning)

    def _pass_over(self, loop: ir.While | ir.For, function: Function, why: str) -> Case | None:
        """Keeps why a loop is neither a tool loop nor a retry, for whoever asks about its line; no case."""
        self.passed_over.append(Step(self.program.at(function, loop), why))
        return None

    def _why_not(self, case: Case) -> str:
        """Why a loop that reaches a model is no tool loop."""
        inside = case.finder.inside
        turns = [p for p in inside if p.kind == "turn"]
        persons = [p for p in inside if p.kind == "person"]
        if not turns:
            return "no call in it is known to ask a model on the way to its next pass"
        if not any(passes(case.graph, [[t]], persons) for t in turns):
            return "it waits for a person or for the next request on each pass that asks the model, or ends there"
        if not any(p.kind == "dispatch" or p.dispatch is not None for p in inside):
            return "it asks a model, and runs no tool that the model names"
        return "it asks a model, and the next request does not depend on the last reply"

    def _waits_itself(self, loop: ir.While | ir.For, function: Function) -> bool:
        """Whether a loop waits for a person in its own body."""
        for node in ir.walk(loop):
            if isinstance(node, ir.Call):
                names = [m.name for m in self.program.resolve(node.func, function) if isinstance(m, External)]
                if any(self.tools.catalogue.find("wait-for-person", n) for n in names):
                    return True
                if isinstance(node.func, ir.Attr) and self.tools.catalogue.by_method(
                    "wait-for-person", dotted(node.func)
                ):
                    return True
        return False

    def _classify(self, case: Case) -> Case | None:
        inside = case.finder.ordered
        turns = [p for p in inside if p.kind == "turn"]
        persons = [p for p in inside if p.kind == "person"]
        if persons and isinstance(case.node, (ir.While, ir.For)):
            # What is given for the first pass alone: each later one waits.
            persons += spent(case.node, inside)
        dispatches = [p for p in inside if p.kind == "dispatch"] + self._chains(case)
        consumed = case.graph.consumed
        if consumed is not None and not any(p.number in consumed for p in [*turns, *dispatches]):
            return None  # it reads what the loop in the generator gives; that loop is judged
        own = [t for t in turns if passes(case.graph, [[t]], persons)]
        if isinstance(case.node, ir.For) and consumed is None and _over_data(case.node):
            if not any(p.frame.caller is None for p in [*own, *dispatches]):
                return None  # over data, around what helpers do for each item: each is another run
        if (
            own
            and not self._runs_anew(case, [*own, *dispatches])
            and self._is_tool_loop(case, own, dispatches, persons)
        ):
            case.turns = tuple(sorted(own, key=lambda p: p.number))
            mine = [d for d in dispatches if passes(case.graph, [[d]], persons)]
            case.dispatches = tuple(sorted(mine, key=lambda p: p.number))
            self.owned.update(_spot(p.dispatch) for p in case.dispatches if p.dispatch is not None)
            return case
        if self._is_retry(case, [*turns, *(d for d in dispatches if d.kind == "dispatch")], persons):
            case.kind = "retry"
            case.turns = tuple(sorted(turns, key=lambda p: p.number))
            return case
        return None

    def _runs_anew(self, case: Case, acts: list[Point]) -> bool:
        return isinstance(case.node, (ir.While, ir.For)) and runs_anew(case.node, case.function, acts, self.program)

    def _chains(self, case: Case) -> list[Point]:
        """Points inside an ``if name == …`` chain stand for its dispatch: the first test of each chain."""
        out: list[Point] = []
        seen: set[int] = set()
        inside = case.finder.ordered
        for frame in case.graph.frames:
            for dispatch in self.roles.dispatches_in(frame.function):
                if dispatch.form != "chain" or id(dispatch.node) in seen:
                    continue
                span = dispatch.node.span
                points = [
                    p
                    for p in inside
                    if p.kind == "test"
                    and p.frame.function is dispatch.function
                    and span[:2] <= p.node.span[:2]
                    and p.node.span[2:] <= span[2:]
                ]
                if points:
                    seen.add(id(dispatch.node))
                    first = min(points, key=lambda p: (p.node.span, p.number))
                    first.dispatch = dispatch
                    out.append(first)
        return out

    def _is_tool_loop(self, case: Case, turns: list[Point], dispatches: list[Point], persons: list[Point]) -> bool:
        offering = [t for t in turns if t.turn is not None and (t.turn.tools != "no" or t.turn.row is None)]
        if not dispatches:
            return False
        for turn in offering or turns:
            fresh = self._fresh(case, turn)
            if not passes(case.graph, [[turn], dispatches], persons):
                continue
            if not fresh or passes(case.graph, [[turn], dispatches], [*persons, *fresh]):
                return True
            if self._feeds(case, turn, persons, fresh):
                return True
        return False

    def _inputs(self, case: Case, turn: Point) -> set[Cell]:
        """The cells that a turn reads, those behind names set in the loop included."""
        assert turn.turn is not None
        found: set[Cell] = set()
        pending: list[tuple[ir.Node, object]] = [(a.value, turn.frame) for a in turn.turn.call.args]
        depth = 0
        while pending and depth < 200:
            depth += 1
            expr, frame = pending.pop()
            for node in ir.walk(expr):
                if isinstance(node, (ir.Name, ir.Attr)):
                    cell = case.builder.cell(node, frame)  # type: ignore[arg-type]
                    if cell is None or cell in found:
                        continue
                    found.add(cell)
                    for change in case.finder.changes(cell, "set"):
                        if change.value is not None:
                            pending.append((change.value, change.value_frame))
        return found

    def _fresh(self, case: Case, turn: Point) -> list[Point]:
        """Points at which an input of a turn is made anew, without anything of an earlier pass."""
        out: list[Point] = []
        row = turn.turn.row if turn.turn is not None else None
        if turn.turn is None:
            return out
        wanted = row.all("messages") if row is not None else ()
        args = [a.value for a in turn.turn.call.args if a.name in wanted] or [
            a.value for a in turn.turn.call.args if a.name is None and not a.star
        ][:2]
        cells = {
            c
            for a in args
            for n in ir.walk(a)
            if isinstance(n, (ir.Name, ir.Attr)) and (c := case.builder.cell(n, turn.frame))
        }
        # What reaches the turn by other ways (`**params`) is the conversation where it grows by what comes back.
        cells |= {cell for cell in self._inputs(case, turn) if self._grows_by_replies(case, cell)}
        for cell in cells:
            for change in case.finder.changes(cell, "set"):
                value, frame = change.value, change.value_frame
                copied = _copied(value)
                if copied is not None and frame is not None and self._stays(case, copied, frame):
                    out.append(change)
                if value is None or frame is None or any(isinstance(n, (ir.Call, ir.Await)) for n in ir.walk(value)):
                    continue
                if self.roles.of(value, frame.function) & _FED_BACK:
                    continue
                mentioned = [
                    c
                    for n in ir.walk(value)
                    if isinstance(n, (ir.Name, ir.Attr)) and (c := case.builder.cell(n, frame))
                ]
                if not isinstance(value, (ir.Seq, ir.DictE, ir.FString, ir.Const)) and mentioned:
                    continue
                if any(case.finder.changes(c, "grow", "move") for c in mentioned):
                    continue
                if not self._fills_from_memory(case, cell, change) and not self._fills_from_last(case, cell, change):
                    out.append(change)
        return out

    def _fills_from_last(self, case: Case, cell: Cell, made: Point) -> bool:
        """Whether what is made anew is filled, before any model is asked, with what the last reply's calls gave:
        ``outputs = []``, the calls of ``response``, ``response = ask(outputs)``.
        """
        if isinstance(case.node, ir.For) and _over_data(case.node):
            return False
        before = reach([t for _, t in made.to], frozenset(p for p in case.finder.inside if p.kind == "turn"))
        return any(
            change in before
            and change.value is not None
            and bool(self.roles.of(change.value, (change.value_frame or change.frame).function) & _FED_BACK)
            for change in case.finder.changes(cell, "grow")
        )

    def _fills_from_memory(self, case: Case, cell: Cell, made: Point) -> bool:
        """Whether what a cell is made of, or what is added to it, comes out of an object of the project that grows
        from pass to pass: ``messages = []`` and ``messages.append(user(self.memory.as_text()))``.
        """
        going = case.graph.round(frozenset(), raising=True)
        grown = {p.cell for p in going if p.kind in {"grow", "set", "move"} and p.cell is not None}
        owners = {each[0] for each in grown}
        fed = {p.cell[:2] for p in going if p.kind in {"grow", "move"} and p.cell is not None and self._is_fed(p)}
        pending = [(c.value, c.value_frame or c.frame, True) for c in case.finder.changes(cell, "grow")]
        pending.append((made.value, made.value_frame or made.frame, False))
        seen: set[Cell] = {cell}
        for value, frame, added in pending:
            for node in ir.walk(value) if value is not None else ():
                if not isinstance(node, (ir.Name, ir.Attr)):
                    continue
                if isinstance(node, ir.Attr):
                    for meaning in self.program.resolve(node, frame.function):
                        if isinstance(meaning, Instance) and added and meaning.cls.key in owners:
                            return True
                        if isinstance(meaning, FunctionRef) and _reads(meaning.function, fed):
                            return True
                found = case.builder.cell(node, frame)
                if found is not None and found not in seen and len(seen) < MAX_REACHED:
                    seen.add(found)
                    pending += [(c.value, c.value_frame or c.frame, added) for c in case.finder.changes(found, "set")]
        return False

    def _is_fed(self, point: Point) -> bool:
        """Whether what is added at a point is of a reply or a result."""
        frame = point.value_frame or point.frame
        return point.value is not None and bool(self.roles.of(point.value, frame.function) & _FED_BACK)

    def _grows_by_replies(self, case: Case, cell: Cell) -> bool:
        """Whether something of a reply or a result is added to a cell."""
        return any(
            change.value is not None
            and bool(self.roles.of(change.value, (change.value_frame or change.frame).function) & _FED_BACK)
            for change in case.finder.changes(cell, "grow")
        )

    def _stays(self, case: Case, value: ir.Expr, frame: Frame) -> bool:
        """Whether nothing in the loop changes what a value is made of."""
        cells = [case.builder.cell(n, frame) for n in ir.walk(value) if isinstance(n, (ir.Name, ir.Attr))]
        # Roles know no one call from another: another caller may hand in what a reply gave.
        if None in cells and self.roles.of(value, frame.function) & _FED_BACK:
            return False
        return not any(c is not None and case.finder.changes(c, "set", "grow", "move") for c in cells)

    def _feeds(self, case: Case, turn: Point, persons: list[Point], fresh: list[Point]) -> bool:
        """Whether something of the last reply is in the next input of a turn."""
        inputs = self._inputs(case, turn)
        growing = []
        for point in case.finder.ordered:
            if point.kind in {"grow", "set", "move"} and point.cell in inputs and point.value is not None:
                frame = point.value_frame or point.frame
                if self.roles.of(point.value, frame.function) & _FED_BACK or self._answers(point.value, frame.function):
                    growing.append(point)
        blocked = frozenset([*persons, *fresh])
        if turn not in reach([case.head], blocked):
            return False
        return any(case.head in reach([t for _, t in point.to], blocked) for point in growing)

    def _answers(self, value: ir.Node, function: Function) -> bool:
        """Whether a value is what a helper gives that runs the calls of a reply: its answers, in whatever form."""
        inner = value.value if isinstance(value, ir.Await) else value
        return isinstance(inner, ir.Call) and any(
            self.roles.dispatches_in(target) for target in self.program.targets(inner, function)
        )

    def _is_retry(self, case: Case, pivots: list[Point], persons: list[Point]) -> bool:
        """Whether every pass that makes the request again does so out of a handler."""
        handlers = [
            h
            for h, source, _ in case.graph.caught
            if source in pivots
            and h in case.finder.inside
            and h.frame.caller is None  # a handler deep inside helpers is a matter of theirs
            and not self._awaits_a_signal(case, h)
        ]
        again = [p for p in pivots if passes(case.graph, [[p], handlers], persons)]
        if not again or not handlers:
            return False
        every = [p for p in case.finder.inside if p.kind == "handler"]
        signals = [h for h in every if h.frame.caller is None and self._awaits_a_signal(case, h)]
        if any(passes(case.graph, [[p], signals], persons) for p in again):
            return False
        return all(not passes(case.graph, [[p]], [*persons, *every]) for p in again)

    def _awaits_a_signal(self, case: Case, handler: Point) -> bool:
        """Whether a handler takes an exception of the project's own: a signal, and no failed request."""
        node = handler.node
        return (
            isinstance(node, ir.Handler)
            and node.type is not None
            and case.builder.raised(node.type, handler.frame).project
        )

    def _recursion(self, function: Function) -> Case | None:
        """A function that reaches a turn and calls itself, directly or through others."""
        if function.toplevel or function.key in self._told or not self.reaches_turn(function):
            return None
        if self._returns_to(function) is None:
            return None
        builder = Builder(self.program, self.roles, self.tools.catalogue)
        graph = builder.recursion(function)
        if not any(p.kind == "again" for p in graph.points):
            return None
        finder = BoundFinder(graph, builder.cell, self.program, self.roles, self.tools.values)
        case = Case(
            "tool-loop", function, function.node, function.node.header, graph, builder, finder, self.tools, (), ()
        )
        found = self._classify(case)
        if found is None or found.kind != "tool-loop":
            return None
        self._told.update(frame.function.key for frame in graph.frames)
        return found

    def _returns_to(self, function: Function) -> Function | None:
        """The function through which a call comes back, if a cycle of calls starts here; each cycle is told once."""
        seen = {function.key}
        queue = [(c, c) for c in self.callees(function)]
        while queue and len(seen) < MAX_REACHED:
            top, first = queue.pop(0)
            if top.key == function.key:
                return first
            if top.key in seen:
                continue
            seen.add(top.key)
            queue.extend((c, first) for c in self.callees(top))
        return None

    def _decorated(self, function: Function) -> Iterator[Case]:
        """A function under a retry decorator."""
        for decorator in function.node.decorators:
            call = decorator if isinstance(decorator, ir.Call) else ir.Call(decorator.span, decorator, ())
            for meaning in self.program.resolve(call.func, function.parent or function):
                if isinstance(meaning, External) and self.tools.catalogue.find("retry", meaning.name):
                    if not self.reaches_turn(function) and not self.roles.dispatches_in(function):
                        continue
                    builder = Builder(self.program, self.roles, self.tools.catalogue)
                    graph = builder.function(function)
                    finder = BoundFinder(graph, builder.cell, self.program, self.roles, self.tools.values)
                    case = Case(
                        "retry", function, function.node, call.span, graph, builder, finder, self.tools, (), (), call
                    )
                    case.turns = tuple(p for p in graph.points if p.kind in {"turn", "dispatch"})
                    yield case

    def _retried(self, loop: ir.While | ir.For, function: Function) -> Case | None:
        """``for attempt in Retrying(...)``: a loop over what a library gives for each attempt."""
        call = loop.iter if isinstance(loop, ir.For) else None
        if isinstance(call, ir.Name):
            found = [v for v, _ in self.program.values(call, function) if isinstance(v, ir.Call)]
            call = found[0] if len(found) == 1 else None
        if not isinstance(call, ir.Call):
            return None
        names = [m.name for m in self.program.resolve(call.func, function) if isinstance(m, External)]
        if not any(self.tools.catalogue.find("retry", name) for name in names):
            return None
        builder = Builder(self.program, self.roles, self.tools.catalogue)
        assert isinstance(loop, ir.For)
        graph = builder.loop(loop, function)
        finder = BoundFinder(graph, builder.cell, self.program, self.roles, self.tools.values)
        turns = tuple(p for p in graph.points if p.kind in {"turn", "dispatch"})
        if not turns:
            return None
        return Case("retry", function, loop, loop.header, graph, builder, finder, self.tools, turns, (), call)

    def dispatchers(self, module: Module, number: int, owned: Collection[tuple[str, ir.Span]] = ()) -> Iterator[Case]:
        """The functions of a statement that run a tool by its name, but for the dispatches that loops own."""
        if not module.index.statements[number].words:
            return
        for function in self._hot(module, number, lambda unit: unit.seeded):
            mine = [d for d in self.roles.dispatches_in(function) if _spot(d) not in owned and d.form != "handed-on"]
            if not mine or function.toplevel or function.node.name == "__init__":
                continue
            if all(d.form == "fixed" for d in mine) or not any(self._is_given(d, function) for d in mine):
                continue
            builder = Builder(self.program, self.roles, self.tools.catalogue)
            graph = builder.function(function)
            finder = BoundFinder(graph, builder.cell, self.program, self.roles, self.tools.values)
            case = Case(
                "dispatcher", function, function.node, function.node.header, graph, builder, finder, self.tools, (), ()
            )
            points = [p for p in finder.inside if p.kind == "dispatch"] + self._chains(case)
            case.dispatches = tuple(
                p for p in points if p.dispatch is not None and p.dispatch.function.key == function.key
            )
            if case.dispatches:
                yield case

    def _is_given(self, dispatch: Dispatch, function: Function) -> bool:
        """Whether a dispatcher is given the name by which it picks, or the whole call."""
        if dispatch.form == "callback":
            return True
        names = {p.name for p in function.node.params}
        return dispatch.key is not None and NAME in self.roles.of(dispatch.key, function) and bool(names)


def _spot(dispatch: Dispatch) -> tuple[str, ir.Span]:
    return dispatch.function.module.path, dispatch.node.span


def _reads(function: Function, cells: Collection[tuple[Hashable, ...]]) -> bool:
    """Whether a method reads one of some attributes of its own object."""
    if function.cls is None or function.self_name is None:
        return False
    return any(
        isinstance(node, ir.Attr)
        and isinstance(node.base, ir.Name)
        and node.base.id == function.self_name
        and (function.cls.key, node.name) in cells
        for node in function.nodes
    )


def _copied(value: ir.Expr | None) -> ir.Expr | None:
    """What a value is a copy of."""
    if isinstance(value, ir.Call) and isinstance(value.func, (ir.Name, ir.Attr)):
        if last_name(value.func) in {"deepcopy", "copy", "list"}:
            if value.args:
                return value.args[0].value
            return value.func.base if isinstance(value.func, ir.Attr) else None
    return None


def _over_data(loop: ir.For) -> bool:
    """Whether a loop takes its passes from a collection or from its positions, not from ``range`` or an endless
    counter.
    """
    calls = [n for n in ir.walk(loop.iter) if isinstance(n, ir.Call)]
    if any(last_name(n.func) == "range" and any(_is_length(a.value) for a in n.args) for n in calls):
        return True
    return not any(last_name(n.func) in {"range", "count", "cycle", "repeat"} for n in calls)


def _is_length(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and last_name(expr.func) == "len"


def _loops(function: Function) -> Iterator[ir.While | ir.For]:
    for node in function.nodes:
        if isinstance(node, (ir.While, ir.For)):
            yield node
