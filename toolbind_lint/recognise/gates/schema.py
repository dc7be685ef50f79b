"""The result schema: what a tool returns is parsed against a shape and bounded in size before the model reads it."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Place
from toolbind_lint.facts import Step as Shown
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.flow import leaves
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.handlers import HandlerFinder, Handlers
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.payloads import Arrival, Payloads, Step, Trace, payloads_of
from toolbind_lint.recognise.program import ClassRef, Function
from toolbind_lint.recognise.roles import ARGS, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

Words = tuple[tuple[str, str], ...]

_ORDER = {"raw-fallback": 0, "none": 1, "unbounded-size": 2, "cut-late": 3}
_MAY_FAIL = frozenset({"Exception", "BaseException", "ValueError", "TypeError", "JSONDecodeError", "ValidationError"})
_TYPED_CALLS = frozenset({"int", "float", "bool", "len", "round", "sum", "min", "max", "abs"})
_DUMPS = frozenset({"asdict", "model_dump", "model_dump_json", "_asdict", "to_dict", "dict", "vars"})
_ERROR_KEYS = frozenset({"error", "is_error", "isError", "code", "error_code", "status"})
_QUIET = frozenset({"print", "info", "debug", "warning", "error", "exception", "log", "critical"})


def verdict(case: Case) -> Verdict:
    """How the schema of the results of a loop or dispatcher stands: the weakest of its dispatches."""
    dispatches = own_dispatches(case)
    if not dispatches:
        return Verdict("schema", "not-applicable")
    payloads = payloads_of(case)
    faults: list[Fault] = []
    evidence: list[Evidence] = []
    for point in dispatches:
        for found in _judge(case, payloads, point):
            if isinstance(found, Fault):
                if not any(f.how == found.how and f.place == found.place for f in faults):
                    faults.append(found)
            elif found not in evidence:
                evidence.append(found)
    if faults:
        faults.sort(key=lambda f: (_ORDER[f.how], f.place))
        missing = any(f.how in {"none", "unbounded-size"} for f in faults)
        return Verdict("schema", "missing" if missing else "leaks", tuple(faults), tuple(evidence))
    if not evidence:
        return Verdict("schema", "not-applicable")
    if any(e.value != "?" for e in evidence):
        return Verdict("schema", "held", (), tuple(e for e in evidence if e.value != "?"))
    return Verdict("schema", "unknown", (), tuple(e._replace(value="") for e in evidence))


def _judge(case: Case, payloads: Payloads, point: Point) -> Iterator[Fault | Evidence]:
    dispatch = point.dispatch
    assert dispatch is not None
    at = place_of(case, point, dispatch.node)
    if "schema" in dispatch.proves:
        yield Evidence(at, "", "held by configuration")
        return
    handlers = HandlerFinder(case.tools.program).of(dispatch)
    sources = _sources(case, point)
    if not sources:
        return  # a branch that only notes something
    trace = payloads.follow(sources)
    if not trace.arrivals and not trace.returned and all(_is_dropped(payloads, n, f) for n, f in sources):
        return  # nobody looks at what it gives
    words = (("call", text_of(dispatch.node) if isinstance(dispatch.node, ir.Call) else dispatch.callee),)
    for handler, step in _fallbacks(payloads, trace):
        place = case.tools.program.place(step.function.module, handler)
        related = (Shown(at, "the tool runs here"),)
        yield Fault("raw-fallback", place, (*words, ("value", text_of(step.node))), related=related)  # type: ignore[arg-type]
    if case.kind == "dispatcher":
        yield from _of_dispatcher(trace, at, words)
        return
    final = trace.final
    shown = tuple(Shown(case.tools.program.at(a.function, a.node), "goes back to the model here") for a in final[:1])
    if _is_typed(case, handlers):
        yield Evidence(at, "", "each tool builds its result from typed values")
    elif final and all(a.marks.parsed for a in final):
        yield from (Evidence(case.tools.program.at(s.function, s.node), "", "parsed here") for s in trace.steps[:1])
        yield Evidence(case.tools.program.at(final[0].function, final[0].node), "", "only parsed results get here")
    elif final and all(a.marks.parsed or a.marks.perhaps for a in final):
        yield Evidence(at, "?", "whether its results are held against a shape is not known")
    else:
        yield Fault("none", at, words, related=shown)
    size = _size(case, handlers, final, at, words)
    if size is not None:
        yield size


def _size(
    case: Case, handlers: Handlers | None, final: tuple[Arrival, ...], at: Place, words: Words
) -> Fault | Evidence | None:
    shown = tuple(Shown(case.tools.program.at(a.function, a.node), "goes back to the model here") for a in final[:1])
    if final and all(a.marks.cut for a in final):
        if all(a.marks.cut == "late" for a in final):
            return Fault("cut-late", shown[0].place, words, related=(Shown(at, "the tool runs here"),))
        return Evidence(at, "", "bounded in size before it goes back")
    if _is_short(case, handlers):
        return None
    return Fault("unbounded-size", at, words, related=shown)


def _sources(case: Case, point: Point) -> list[tuple[ir.Node, Function]]:
    """The expressions that hold what a tool gave."""
    dispatch = point.dispatch
    assert dispatch is not None
    if isinstance(dispatch.node, ir.Call):
        return [(dispatch.node, dispatch.function)]
    out: list[tuple[ir.Node, Function]] = []
    roles = case.tools.roles
    inert = case.tools.catalogue.words("inert", "method")
    # A tool that a branch runs with the model's arguments is a dispatch of its own, and is judged as that.
    calls = [p.dispatch.node for p in own_dispatches(case) if p.dispatch is not None]
    apart = {id(n) for c in calls if isinstance(c, ir.Call) for n in ir.walk(c)}
    for call in _branch_calls(dispatch.node):
        if last_name(call.func) in inert or id(call) in apart:
            continue
        if ARGS in roles.of(call, dispatch.function) and not case.tools.program.targets(call, dispatch.function):
            continue  # it reads the arguments
        given = any(roles.of(a.value, dispatch.function) & {ARGS} for a in call.args)
        if given or case.tools.program.targets(call, dispatch.function):
            out.append((call, dispatch.function))
    return out


def _is_dropped(payloads: Payloads, node: ir.Node, function: Function) -> bool:
    parent = payloads.flow(function).parent(node)
    while isinstance(parent, ir.Await):
        parent = payloads.flow(function).parent(parent)
    return isinstance(parent, ir.ExprStmt)


def _branch_calls(node: ir.Node) -> Iterator[ir.Call]:
    bodies: list[tuple[ir.Stmt, ...]] = []
    while isinstance(node, ir.If):
        bodies.append(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ir.If):
            node = node.orelse[0]
        else:
            break
    if isinstance(node, ir.Match):
        bodies.extend(c.body for c in node.cases)
    for body in bodies:
        for inner in ir.walk_all(body):
            if isinstance(inner, ir.Call):
                yield inner


def _of_dispatcher(trace: Trace, at: Place, words: Words) -> Iterator[Fault | Evidence]:
    """A dispatcher that hands out what it got leaves the schema to its caller; one that makes a payload does not."""
    out = [*(a.marks for a in trace.arrivals), *(m for m in trace.returned if m.text or m.parsed)]
    if not out:
        yield Evidence(at, "?", "the result is for whoever calls")
        return
    if all(m.parsed for m in out):
        yield Evidence(at, "", "parsed before it is returned")
    else:
        yield Fault("none", at, words)
    if all(m.cut for m in out):
        if all(m.cut == "late" for m in out):
            yield Fault("cut-late", at, words)
    elif not all(m.parsed for m in out):
        yield Fault("unbounded-size", at, words)


# ---- a parse that falls back


def _fallbacks(payloads: Payloads, trace: Trace) -> Iterator[tuple[ir.Span, Step]]:
    if not trace.arrivals and not trace.returned:
        return
    for step in trace.steps:
        if step.kind == "repair":
            yield step.node.span, step
        elif step.kind in {"load", "parse"} and isinstance(step.node, ir.Call):
            for handler in _handlers_of(payloads, step):
                if _keeps_raw(payloads, handler, step.node, step):
                    yield handler.header, step


def _handlers_of(payloads: Payloads, step: Step) -> Iterator[ir.Handler]:
    for stmt in reversed(payloads.flow(step.function).around(step.node)):
        if isinstance(stmt, ir.Try) and any(n is step.node for s in stmt.body for n in ir.walk(s)):
            for handler in stmt.handlers:
                names = {last_name(n) for n in ir.walk(handler.type)} if handler.type is not None else _MAY_FAIL
                if names & _MAY_FAIL:
                    yield handler
            return


def _keeps_raw(payloads: Payloads, handler: ir.Handler, call: ir.Call, step: Step) -> bool:
    """Whether the text that could not be parsed goes on as the result."""
    raw = {name for a in call.args for name in _texts(a.value)}
    for node in step.function.nodes:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Name):
            if any(isinstance(t, ir.Name) and t.id in raw for t in node.targets):
                raw = raw | {node.value.id}
    stmt = payloads.flow(step.function).statement(call)
    targets = {t.id for t in stmt.targets if isinstance(t, ir.Name)} if isinstance(stmt, ir.Assign) else set()
    if any(isinstance(s, ir.Raise) for s in handler.body):
        return False
    for inner in ir.walk_all(handler.body):
        value = inner.value if isinstance(inner, (ir.Assign, ir.Return)) else None
        if value is not None and _is_raw(value, raw):
            return True
        if isinstance(inner, ir.Call) and last_name(inner.func) in {"append", "extend"}:
            if any(_is_raw(a.value, raw) for a in inner.args):
                return True
    assigned = [t for s in ir.walk_all(handler.body) if isinstance(s, ir.Assign) for t in s.targets]
    rebound = {n.id for t in assigned for n in ir.walk(t) if isinstance(n, ir.Name)}
    return bool(targets & raw) and not targets & rebound and not leaves(handler.body)


def _texts(expr: ir.Node) -> Iterator[str]:
    """The names whose values are in an expression: of ``body[: tool.limit]`` only the body."""
    if isinstance(expr, ir.Name):
        yield expr.id
    elif isinstance(expr, (ir.Subscript, ir.Attr)):
        yield from _texts(expr.base)
    else:
        for child in ir.children(expr):
            yield from _texts(child)


def _is_raw(value: ir.Expr, raw: set[str]) -> bool:
    if isinstance(value, ir.DictE):
        if any(isinstance(k, ir.Const) and k.value in _ERROR_KEYS for k, _ in value.items):
            return False
        return any(_is_raw(v, raw) for _, v in value.items)
    if isinstance(value, ir.Call):
        return last_name(value.func) not in _QUIET and any(_is_raw(a.value, raw) for a in value.args)
    return any(isinstance(n, ir.Name) and n.id in raw for n in ir.walk(value))


# ---- handlers of the project


def _is_typed(case: Case, handlers: Handlers | None) -> bool:
    """Whether all handlers are seen, and each builds what it returns out of typed values."""
    if handlers is None or not handlers.functions or handlers.calls:
        return False
    return all(_builds(case, f) for f in handlers.functions)


def _builds(case: Case, function: Function) -> bool:
    values = [v for v in function.returned if not (isinstance(v, ir.Const) and v.value is None)]
    return bool(values) and all(_is_built(case, v, function, 0) for v in values)


def _is_built(case: Case, value: ir.Expr, function: Function, depth: int) -> bool:
    """A display with literal keys, an object of a class of the project, or a number: nothing that came as text."""
    if depth > 4:
        return False
    if isinstance(value, ir.DictE):
        return bool(value.items) and all(
            isinstance(k, ir.Const) and _is_value(case, v, function, depth + 1) for k, v in value.items
        )
    if isinstance(value, ir.Call):
        if last_name(value.func) in _TYPED_CALLS:
            return True
        if last_name(value.func) in _DUMPS:
            inner = value.func.base if isinstance(value.func, ir.Attr) else None
            inner = value.args[0].value if value.args and inner is None else inner
            return inner is not None and _is_built(case, inner, function, depth + 1)
        made = [m for m in case.tools.program.resolve(value.func, function) if isinstance(m, ClassRef)]
        return bool(made) and all(_is_value(case, a.value, function, depth + 1) for a in value.args)
    if isinstance(value, (ir.Compare, ir.Not)):
        return True
    if isinstance(value, ir.Const):
        return not isinstance(value.value, (str, bytes))
    if isinstance(value, ir.Name):
        found = list(case.tools.program.values(value, function))
        return bool(found) and all(_is_built(case, v, s, depth + 1) for v, s in found if v is not value)
    return False


def _is_value(case: Case, value: ir.Expr, function: Function, depth: int) -> bool:
    """What may stand in a built result: literals, parameters, numbers, and built things."""
    if isinstance(value, (ir.Const, ir.Compare, ir.Not, ir.Neg)):
        return True
    if isinstance(value, ir.Seq):
        return all(_is_value(case, v, function, depth + 1) for v in value.items)
    if isinstance(value, ir.IfExp):
        return all(_is_value(case, v, function, depth + 1) for v in (value.body, value.orelse))
    if isinstance(value, ir.Bin):
        return _is_value(case, value.left, function, depth + 1) and _is_value(case, value.right, function, depth + 1)
    if isinstance(value, ir.Name) and any(p.name == value.id for p in function.node.params):
        return True
    return _is_built(case, value, function, depth)


def _is_short(case: Case, handlers: Handlers | None) -> bool:
    """Whether all handlers are seen, and each cuts what it returns or builds it out of typed values."""
    if handlers is None or not handlers.functions or handlers.calls:
        return False
    return all(_cuts(f) or _builds(case, f) for f in handlers.functions)


def _cuts(function: Function) -> bool:
    """Whether what a function returns is a slice, or a text that is cut."""
    values = function.returned
    return bool(values) and all(isinstance(v, ir.Const) or _is_slice(v) for v in values)


def _is_slice(value: ir.Expr) -> bool:
    return any(isinstance(n, ir.Slice) and n.upper is not None for n in ir.walk(value))
