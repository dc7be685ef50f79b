"""How a loop ends at its bounds: with an error, a marked result or a record, or as if nothing had been."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound, reach
from toolbind_lint.recognise.flow import FunctionFlow, leaves
from toolbind_lint.recognise.gates.cap import header, holding, place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import ClassRef, External, Function
from toolbind_lint.recognise.roles import last_name, snake
from toolbind_lint.recognise.spending import is_budget
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_STATUS = re.compile(
    r"(status|state|outcome|reason|stop|finish|terminat|truncat|exceed|exhaust|limit|incomplete|complete|"
    r"timed?_?out|timeout|ran_out|error|success|fail|abort|max_|over_budget|gave_up)"
)
_ENDS = re.compile(r"(exceed|limit|max|incomplete|error|timeout|stopp|fail|abort|exhaust|unfinished|status)")
_LOUD = frozenset({"warning", "warn", "error", "critical", "exception", "fatal"})
_RECORDS = re.compile(
    r"(metric|incr|counter|gauge|emit|telemetry|audit|track|add_event|set_attribute|set_status|publish|capture|"
    r"record|report_|dispatch_event|on_[a-z]+|trace|finish_run|_event$)"
)
_LEVELS = frozenset({"WARNING", "WARN", "ERROR", "CRITICAL", "warning", "warn", "error", "critical"})
_SHOWN_ONLY = re.compile(r"(verbose|debug|print|quiet|show|display|interactive|console)")
_ANONYMOUS = frozenset({"builtins.Exception", "builtins.RuntimeError", "builtins.BaseException"})
MAX_DEEP = 3


def faults(case: Case) -> list[Fault]:
    """The bounds that are reached without a trace: one fault, at the header of the loop."""
    silent = [(at, text) for at, text, visible in _ends(case) if not visible]
    if not silent:
        return []
    at, text = silent[0]
    related = (Step(place_of(case, at), "the loop is bounded by it here"),)
    return [Fault("silent-end", header(case), (("cap", text),), related=related)]


def anonymous(case: Case) -> list[Fault]:
    """The ends at a bound that raise an exception which any other failure could have raised."""
    out: dict[object, Fault] = {}
    for points, _, text in _bounds(case):
        for point in reach(points, frozenset({case.head}), raising=False):
            if point.kind != "raise" or not isinstance(point.node, ir.Raise):
                continue
            if _is_anonymous(case, point.node, point.frame.function):
                at = place_of(case, point)
                words = (("error", text_of(_class_of(point.node.exc))), ("cap", text))
                out.setdefault(at, Fault("one-anonymous-end", at, words))
    for stmt in behind(case):
        if isinstance(stmt, ir.Raise) and holding(case) and _is_anonymous(case, stmt, case.function):
            at = case.tools.program.at(case.function, stmt)
            out.setdefault(at, Fault("one-anonymous-end", at, (("error", text_of(_class_of(stmt.exc))),)))
    return list(out.values())


def _is_anonymous(case: Case, stmt: ir.Raise, function: Function) -> bool:
    meanings = case.tools.program.resolve(_class_of(stmt.exc), function) if stmt.exc is not None else ()
    return any(isinstance(m, External) and m.name in _ANONYMOUS for m in meanings)


def _class_of(exc: ir.Expr | None) -> ir.Expr | None:
    return exc.func if isinstance(exc, ir.Call) else exc


# ---- which ends


def _bounds(case: Case) -> Iterator[tuple[tuple[Point, ...], Point, str]]:
    """What is reached at each bound, the point that tests it, and the bound as text."""
    seen: set[Point] = set()
    for bound in (*holding(case), *(b for b in case.bounds if b.leaves and is_budget(case, b))):
        if bound.tests[0] not in seen and _ends_it(bound):
            seen.add(bound.tests[0])
            yield bound.reached, bound.tests[0], text_of(bound.cap)
    for test in case.time_tests:
        if test.leaves and not test.rearmed and test.point not in seen:
            seen.add(test.point)
            spent = tuple(t for _, t in test.point.to if not case.finder.goes_on(t))
            yield spent, test.point, text_of(test.budget)


def _ends_it(bound: Bound) -> bool:
    """Whether something stands at the end of a bound; a walk over data is over when the data is."""
    counted = isinstance(bound.cap, (ir.Const, ir.Name, ir.Attr, ir.Call))
    return bool(bound.reached) and (bound.kind != "range" or counted)


def _ends(case: Case) -> Iterator[tuple[Point, str, bool]]:
    for points, test, text in _bounds(case):
        if not points or any(case.finder.goes_on(p) for p in points):
            continue  # tools are switched off: one more turn says how it ends
        yield test, text, _is_visible(case, points, test)


def _is_visible(case: Case, points: tuple[Point, ...], test: Point) -> bool:
    here = reach(points, frozenset({case.head}), raising=False)
    if any(p.kind == "raise" for p in here if p not in _shared(case, test, points)):
        return True
    function = test.frame.function
    branch = _branch(case, test, points)
    if _says(case, branch, function, 0):
        return True
    exits = [p for p in here if p.kind == "exit"]
    for point in exits:
        if point.op == "raise":
            return True
        if point.op == "end":
            if _visible_behind(case, test, points):
                return True
        elif _is_marked(case, point.value, point.value_frame.function if point.value_frame else function, 0):
            return True
    return not exits


def _shared(case: Case, test: Point, points: tuple[Point, ...]) -> set[Point]:
    """What other ways come by, too."""
    return reach([t for _, t in test.to if t not in points], frozenset({case.head}), raising=False)


def _branch(case: Case, test: Point, points: tuple[Point, ...]) -> tuple[ir.Stmt, ...]:
    """The statements of the ``if`` that is taken at the bound."""
    for node in test.frame.function.nodes:
        if isinstance(node, ir.If) and any(n is test.node for n in ir.walk(node.test)):
            taken = {id(p.node) for p in reach(points, frozenset({case.head}), raising=False)}
            label = next((label for label, t in test.to if t in points), "true")
            body = node.body if label == "true" else node.orelse
            inside = any(id(n) in taken for n in ir.walk_all(body))
            return body if inside or label == "true" else ()
    return ()


# ---- what stands behind the loop


def behind(case: Case) -> list[ir.Stmt]:
    """The statements that follow the loop in its function, those of its ``else`` first."""
    loop = case.node
    if not isinstance(loop, (ir.While, ir.For)):
        return []
    out: list[ir.Stmt] = list(loop.orelse)
    if leaves(loop.orelse):
        return out
    around = FunctionFlow(case.function).around(loop)
    for outer in (None, *around[::-1]):
        if outer is None:
            continue
        rest = _following(case.function, outer)
        out.extend(rest)
        if leaves(tuple(rest)):
            break
        if isinstance(outer, (ir.While, ir.For)) and outer is not loop:
            break
    return out


def _following(function: Function, stmt: ir.Stmt) -> list[ir.Stmt]:
    for body in _bodies(function):
        for number, other in enumerate(body):
            if other is stmt:
                return list(body[number + 1 :])
    return []


def _bodies(function: Function) -> Iterator[tuple[ir.Stmt, ...]]:
    yield function.node.body
    for node in function.nodes:
        if isinstance(node, (ir.If, ir.While, ir.For)):
            yield node.body
            yield node.orelse
        elif isinstance(node, ir.With):
            yield node.body
        elif isinstance(node, ir.Try):
            yield from (node.body, *(h.body for h in node.handlers), node.orelse, node.final)
        elif isinstance(node, ir.Match):
            yield from (c.body for c in node.cases)


def _visible_behind(case: Case, test: Point, points: tuple[Point, ...]) -> bool:
    loop = case.node
    rest = behind(case)
    if isinstance(loop, (ir.While, ir.For)) and loop.orelse and test is case.head:
        if _says(case, loop.orelse, case.function, 0) or any(isinstance(s, ir.Raise) for s in ir.walk_all(loop.orelse)):
            return True
        if leaves(loop.orelse):
            return any(_is_marked(case, s.value, case.function, 0) for s in loop.orelse if isinstance(s, ir.Return))
    if not _is_shared(case, test, points):
        if _says(case, rest, case.function, 0) or any(isinstance(s, ir.Raise) for s in rest):
            return True
    # What ends in the same place can still be told apart by a test of what the loop set.
    set_inside = {n.id for n in ir.walk(loop) if isinstance(n, ir.Name)} & _assigned(loop)
    for stmt in rest:
        if isinstance(stmt, ir.If) and any(isinstance(n, ir.Name) and n.id in set_inside for n in ir.walk(stmt.test)):
            inner = (*ir.walk_all(stmt.body), *ir.walk_all(stmt.orelse))
            if any(isinstance(n, ir.Raise) for n in inner) or _says(case, (stmt,), case.function, 0):
                return True
            if any(isinstance(n, ir.Return) and _is_marked(case, n.value, case.function, 0) for n in inner):
                return True
    return any(_is_marked(case, s.value, case.function, 0) for s in rest if isinstance(s, ir.Return))


def _assigned(loop: ir.Node) -> set[str]:
    """The names that a loop sets."""
    targets: list[ir.Node] = []
    for node in ir.walk(loop):
        if isinstance(node, ir.Assign):
            targets.extend(node.targets)
        elif isinstance(node, (ir.Aug, ir.For)):
            targets.append(node.target)
    return {n.id for t in targets for n in ir.walk(t) if isinstance(n, ir.Name)}


def _is_shared(case: Case, test: Point, points: tuple[Point, ...]) -> bool:
    """Whether the loop also comes to its end in another way than at this bound."""
    ends = {p for p in case.graph.exits if p.op == "end" and p.frame.caller is None}
    mine = {test, *reach(points, frozenset({case.head}), raising=False)}
    return any(t in ends for p in case.finder.inside if p not in mine for label, t in p.to if label != "raise")


# ---- what can be told from outside


def _says(case: Case, body: Iterable[ir.Stmt], function: Function, depth: int) -> bool:
    """Whether statements record an end: a log at warning or above, a metric, a status."""
    for node in _unconditional(body):
        if isinstance(node, ir.Call) and _is_record(case, node, function, depth):
            return True
        if isinstance(node, ir.Assign) and any(_is_status(t) for t in node.targets):
            return True
        if isinstance(node, ir.Yield) and node.value is not None and _is_marked(case, node.value, function, depth):
            return True
    return False


def _unconditional(body: Iterable[ir.Stmt]) -> Iterator[ir.Node]:
    """The nodes of statements, without what is only shown to somebody who asks for it."""
    for stmt in body:
        if isinstance(stmt, ir.If):
            if not _is_shown_only(stmt.test):
                yield from _unconditional(stmt.body)
                yield from _unconditional(stmt.orelse)
        else:
            yield from ir.walk(stmt)


def _is_shown_only(test: ir.Expr) -> bool:
    return any(_SHOWN_ONLY.search(snake(last_name(n))) for n in ir.walk(test) if isinstance(n, (ir.Name, ir.Attr)))


def _is_status(target: ir.Expr) -> bool:
    if isinstance(target, ir.Subscript) and isinstance(target.index, ir.Const):
        return isinstance(target.index.value, str) and bool(_STATUS.search(target.index.value))
    return bool(_STATUS.search(snake(last_name(target))))


def _is_record(case: Case, call: ir.Call, function: Function, depth: int) -> bool:
    name = last_name(call.func)
    if name in _LOUD and isinstance(call.func, ir.Attr):
        return True
    if name == "log" and call.args:
        first = call.args[0].value
        word = first.value if isinstance(first, ir.Const) else last_name(first)
        return word in _LEVELS
    if _RECORDS.search(snake(name)):
        return True
    if depth < MAX_DEEP:
        for target in case.tools.program.targets(call, function):
            if len(target.nodes) < 400 and _says(case, target.node.body, target, depth + 1):
                return True
    return False


def _is_marked(case: Case, value: ir.Expr | None, function: Function, depth: int) -> bool:
    """Whether a result can be told from an answer."""
    if value is None or isinstance(value, (ir.Const, ir.FString, ir.Bin)):
        return isinstance(value, ir.Const) and value.value is False
    if isinstance(value, ir.Await):
        return _is_marked(case, value.value, function, depth)
    if isinstance(value, ir.DictE):
        keys = [k.value for k, _ in value.items if isinstance(k, ir.Const) and isinstance(k.value, str)]
        return any(_STATUS.search(k) for k in keys)
    if isinstance(value, ir.Call):
        return _is_marked_call(case, value, function, depth)
    if isinstance(value, ir.Seq):
        return any(_is_mark(i) for i in value.items) or any(
            _is_marked(case, i, function, depth) for i in value.items if isinstance(i, (ir.DictE, ir.Call))
        )
    if isinstance(value, ir.IfExp):
        return _is_marked(case, value.body, function, depth) or _is_marked(case, value.orelse, function, depth)
    return _is_mark(value)


def _is_mark(value: ir.Expr) -> bool:
    """A constant of a set of outcomes, or a name that says how it ended."""
    if isinstance(value, ir.Const):
        return isinstance(value.value, bool) or (
            isinstance(value.value, str) and bool(_ENDS.search(value.value.lower()))
        )
    if isinstance(value, ir.Attr):
        return value.name.isupper() or bool(_STATUS.search(snake(value.name)))
    return isinstance(value, ir.Name) and bool(_STATUS.search(snake(value.id)))


def _is_marked_call(case: Case, call: ir.Call, function: Function, depth: int) -> bool:
    if any(a.name and _STATUS.search(snake(a.name)) for a in call.args):
        return True
    if any(isinstance(a.value, ir.Attr) and a.value.name.isupper() for a in call.args):
        return True
    if _ENDS.search(snake(last_name(call.func))):
        targets = case.tools.program.targets(call, function)
        if not targets:
            return True
    if any(isinstance(m, ClassRef) for m in case.tools.program.resolve(call.func, function)):
        return bool(_ENDS.search(snake(last_name(call.func))))
    return _is_record(case, call, function, depth)
