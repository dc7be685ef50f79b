"""Errors that must stop the run: a gate error that a handler of the loop takes and turns into more conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.gates import failures, told, unanswered
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.name_walk import plain
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame, Point, Raised
from toolbind_lint.recognise.payloads import payloads_of
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import last_name, snake
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_GATE = re.compile(
    r"(budget|allowlist|gate_?error|"
    r"(max|step|turn|iteration|wall|deadline|token|cost|spend|time)_?s?_?(s_?)?(limit|cap|count)?_?(budget|exceeded|exhausted|reached|limit)|"
    r"(limit|cap|quota)s?_?(exceeded|reached|hit)|unknown_?tool|tool_?(not_?(found|allowed|permitted)|unknown)|not_?allowed|schema_?(invalid|error|mismatch)|invalid_?schema|"
    r"max_?(steps?|turns?|iterations?)|(step|turn|iteration)s?_?(limit|cap)|deadline|too_?many_?(steps|turns|iterations))",
    re.IGNORECASE,
)
_NOT_GATE = re.compile(r"rate_?limit|context|length|retry|recursion", re.IGNORECASE)
_ORDER = (
    "gate-error-as-payload",
    "stop-signal-as-payload",
    "broad-hides-gate",
    "unanswered-call",
    "leaks-text",
    "escapes",
    "uncapped-failures",
    "failure-as-success",
    "unactionable",
)
_BROAD = frozenset({"Exception", "BaseException"})
_QUIET = frozenset(
    [
        "print",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "log",
        "critical",
        "record_exception",
        "set_status",
        "capture_exception",
    ]
)


def verdict(case: Case) -> Verdict:
    """How the error handling of a loop or dispatcher stands."""
    declared = case.tools.catalogue.words("gate-error", "name")
    guarded = _raised_at_bounds(case) if case.kind != "dispatcher" else frozenset()
    faults: list[Fault] = []
    stops: list[Evidence] = []
    seen: set[int] = set()
    unlisted = plain(case).raises if case.dispatches else frozenset()
    answered: set[int] = set()
    for handler, source, raised in case.graph.caught:
        if (
            source not in case.finder.inside
            or handler not in case.finder.inside
            or not isinstance(handler.node, ir.Handler)
        ):
            continue
        if not is_gate(raised, declared) and source not in guarded:
            continue
        if case.kind != "dispatcher" and _of_a_nested_run(case, handler, source):
            continue  # a nested agent's own limit, shown to its parent
        if source in unlisted and source not in guarded and answers(handler.node):
            answered.add(id(handler.node))  # the allowlist tells of it
            continue
        if id(handler.node) in seen:
            continue
        if case.kind != "dispatcher" and case.finder.ends_by_state(handler):
            continue
        if not _goes_on(case, handler):
            stops.append(
                Evidence(place_of(case, handler), "", f"{raised.names[0] if raised.names else 'it'} leaves the loop")
            )
            continue
        fault = _fault(case, handler, source, raised)
        if fault is not None:
            seen.add(id(handler.node))
            faults.append(fault)
    faults.extend(_caught_by_name(case, declared, seen | answered))
    for fault in _gathered(case, declared):
        if fault not in faults:
            faults.append(fault)
    faults.extend(told.found(case))
    faults.extend(unanswered.faults(case))
    beside = tuple(failures.faults(case, lambda raised: is_gate(raised, declared)))
    if faults:
        faults.sort(key=lambda f: (_ORDER.index(f.how), f.place))
        return Verdict("errors", "leaks", tuple(faults), tuple(stops), beside)
    if stops:
        return Verdict("errors", "held", (), tuple(dict.fromkeys(stops)), beside)
    return Verdict("errors", "unknown" if case.graph.truncated else "not-applicable", (), (), beside)


def answers(handler: ir.Handler) -> bool:
    """Whether a handler makes something of what it took, and does not only pass over it or log it."""
    for node in ir.walk_all(handler.body):
        if isinstance(node, ir.Return) and node.value is not None and not _is_nothing(node.value):
            return True
        if isinstance(node, (ir.Assign, ir.Aug, ir.Yield)) and node.value is not None and not _is_nothing(node.value):
            return True
        if (
            isinstance(node, ir.ExprStmt)
            and isinstance(node.value, ir.Call)
            and last_name(node.value.func) not in _QUIET
        ):
            return True
    return False


def _is_nothing(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and (expr.value is None or isinstance(expr.value, (bool, int)))


def _caught_by_name(case: Case, declared: Iterable[str], seen: set[int]) -> list[Fault]:
    """Handlers that name a gate error of the project and hand it to the model, wherever it is raised."""
    out: list[Fault] = []
    for handler in case.finder.ordered:
        node = handler.node
        if handler.kind != "handler" or not isinstance(node, ir.Handler) or id(node) in seen or node.type is None:
            continue
        raised = case.builder.raised(node.type, handler.frame)
        parts = node.type.items if isinstance(node.type, ir.Seq) else (node.type,)
        named = [r for r in (case.builder.raised(p, handler.frame) for p in parts) if is_gate(r, declared)] or (
            [raised] if is_gate(raised, declared) else []
        )
        if not named or not _speaks_of(case, handler) or not _goes_on(case, handler):
            continue
        if _around_a_nested_run(case, handler):
            continue
        if case.kind != "dispatcher" and case.finder.ends_by_state(handler):
            continue
        seen.add(id(node))
        at = case.tools.program.place(handler.frame.function.module, node.header)
        words = (("error", named[0].names[0]), ("handler", told.header(node)))
        out.append(Fault("gate-error-as-payload", at, words))
    return out


def _gathered(case: Case, declared: Iterable[str]) -> list[Fault]:
    """``gather(return_exceptions=True)`` around what can raise a gate error, when nobody looks at the results and
    raises.
    """
    program, catalogue = case.tools.program, case.tools.catalogue
    out: list[Fault] = []
    for function in dict.fromkeys(frame.function for frame in case.graph.frames):
        for call in function.calls:
            flag = next((a.value for a in call.args if a.name in catalogue.words("swallows", "form")), None)
            if not isinstance(flag, ir.Const) or flag.value is not True:
                continue
            names = [m.name for m in program.resolve(call.func, function) if isinstance(m, External)]
            if not any(catalogue.find("swallows", n) for n in names) or _looked_at(function):
                continue
            for source, raised in _raised_below(case, call, function, declared):
                words = (("error", raised.names[0]), ("handler", f"{text_of(call.func)}(…, return_exceptions=True)"))
                related = (Step(source, f"{raised.names[0]} is raised here"),)
                out.append(Fault("broad-hides-gate", program.at(function, call), words, related=related))
                break
    return out


def _looked_at(function: Function) -> bool:
    """Whether a function tests results for exceptions and raises, returns or leaves."""
    for node in function.nodes:
        if isinstance(node, ir.If):
            tests = {last_name(n.func) for n in ir.walk(node.test) if isinstance(n, ir.Call)}
            if "isinstance" in tests and any(isinstance(s, (ir.Raise, ir.Return)) for s in ir.walk_all(node.body)):
                return True
    return False


def _raised_below(
    case: Case, call: ir.Call, function: Function, declared: Iterable[str]
) -> Iterator[tuple[Place, Raised]]:
    """The gate errors that the coroutines given to a call can raise, three functions deep."""
    program = case.tools.program
    pending: list[tuple[Function, int]] = []
    exprs = [a.value for a in call.args]
    for expr in list(exprs):
        for node in ir.walk(expr):
            if isinstance(node, ir.Name):
                exprs.extend(b.value for b in program.lookup(node.id, function) if b.value is not None)
    for expr in exprs:
        for node in ir.walk(expr):
            if isinstance(node, ir.Call):
                pending.extend((t, 0) for t in program.targets(node, function))
    seen: set[str] = set()
    while pending:
        target, depth = pending.pop(0)
        if target.key in seen or depth > 3:
            continue
        seen.add(target.key)
        caught = {id(n) for t in target.nodes if isinstance(t, ir.Try) and t.handlers for n in ir.walk_all(t.body)}
        frame = Frame(-1, target, None, {}, frozenset())
        for node in target.nodes:
            if isinstance(node, ir.Raise) and id(node) not in caught:
                raised = case.builder.raised(node.exc, frame)
                if is_gate(raised, declared):
                    yield program.at(target, node), raised
            elif isinstance(node, ir.Call) and id(node) not in caught:
                pending.extend((t, depth + 1) for t in program.targets(node, target))


def is_gate(raised: Raised, declared: Iterable[str] = ()) -> bool:
    """Whether an exception means: this run must stop."""
    if not raised.names:
        return False
    declared_names = {d.rpartition(".")[2] for d in declared}
    if any(n in declared_names for n in raised.names):
        return True
    if not raised.project:
        return False
    return any(_GATE.search(snake(n)) and not _NOT_GATE.search(snake(n)) for n in raised.names)


def _raised_at_bounds(case: Case) -> frozenset[Point]:
    """The raises that a bound of this loop makes once its cap is reached."""
    out: set[Point] = set()
    for bound in case.bounds:
        if not any(v.number is not None and v.number >= 1 for v in bound.values):
            continue  # compared with something, but with no cap
        if not case.finder.stands_on_all([bound]) or not case.finder.covers(bound):
            continue  # counts something that happens now and then: what it raises is a signal of the project's own
        for point in bound.reached:
            near = point
            for _ in range(6):
                if near.kind == "raise":
                    out.add(near)
                    break
                onward = [t for label, t in near.to if label != "raise"]
                if len(onward) != 1 or near.kind == "test":
                    break
                near = onward[0]
    for test in case.time_tests:
        for _, point in test.point.to:
            if point.kind == "raise":
                out.add(point)
    return frozenset(out)


def _of_a_nested_run(case: Case, handler: Point, source: Point) -> bool:
    """Whether an error comes out of a function, between a handler and its raise, that runs a tool loop of its own."""
    own = set(handler.loops)
    for frame in source.frame.stack():
        if frame is handler.frame:
            return False
        inner = {n for p in case.finder.inside if p.frame is frame for n in p.loops} - own
        turning = {n for p in case.finder.inside if p.kind == "turn" for n in p.loops}
        running = {n for p in case.finder.inside if p.kind == "dispatch" for n in p.loops}
        # The head of the loop that is judged may be in that very frame; then it is the same run.
        if inner & turning & running - set(case.head.loops):
            return True
    return False


def _around_a_nested_run(case: Case, handler: Point) -> bool:
    """Whether what a handler guards starts another run: a function that loops over turns and tools, or this one."""
    function = handler.frame.function
    tried = next((n for n in function.nodes if isinstance(n, ir.Try) and handler.node in n.handlers), None)
    if tried is None:
        return False
    pending = [(c, function, 0) for c in ir.walk_all(tried.body) if isinstance(c, ir.Call)]
    seen: set[str] = set()
    while pending:
        call, scope, depth = pending.pop()
        for target in case.tools.program.targets(call, scope):
            if target.key == case.function.key or _runs_a_loop(case, target):
                return True
            if target.key not in seen and depth < 2:
                seen.add(target.key)
                pending.extend((c, target, depth + 1) for c in target.calls)
    return False


def _runs_a_loop(case: Case, function: Function) -> bool:
    """Whether a loop of a function makes turns and runs tools, itself or by helpers of its own."""
    roles, program = case.tools.roles, case.tools.program
    for loop in function.nodes:
        if not isinstance(loop, (ir.While, ir.For)):
            continue
        turns = dispatches = False
        for call in (n for n in ir.walk(loop) if isinstance(n, ir.Call)):
            below = [function, *program.targets(call, function)]
            turns = turns or roles.turn(call, function) is not None or any(roles.turns_in(t) for t in below[1:])
            dispatches = (
                dispatches
                or roles.dispatch(call, function) is not None
                or any(roles.dispatches_in(t) for t in below[1:])
            )
        if turns and dispatches:
            return True
    return False


def _goes_on(case: Case, handler: Point) -> bool:
    """Whether the loop makes another pass after a handler; for a dispatcher, whether it returns as if nothing had
    been.
    """
    if case.kind == "dispatcher":
        exits = {p.op for p in reach([handler]) if p.kind == "exit"}
        return bool(exits) and "raise" not in exits
    return case.finder.goes_on(handler)


def _fault(case: Case, handler: Point, source: Point, raised: Raised) -> Fault | None:
    node = handler.node
    assert isinstance(node, ir.Handler)
    at = case.tools.program.place(handler.frame.function.module, node.header)
    name = raised.names[0] if raised.names else "the exception of the bound"
    words = (("error", name), ("handler", told.header(node)))
    raised_at = Step(place_of(case, source), f"{name} is raised here")
    if _is_broad(case, handler):
        if _judges_inside(node):
            return None
        return Fault("broad-hides-gate", at, words, related=(raised_at,))
    if _speaks_of(case, handler):
        return Fault("gate-error-as-payload", at, words, related=(raised_at,))
    return None


def _is_broad(case: Case, handler: Point) -> bool:
    node = handler.node
    assert isinstance(node, ir.Handler)
    names = case.builder.handler_names(node, handler.frame)
    return not names or any(n in _BROAD for n in names)


def _judges_inside(node: ir.Handler) -> bool:
    """``except Exception as e: if isinstance(e, GateError): raise`` looks before it goes on."""
    for inner in ir.walk_all(node.body):
        if isinstance(inner, ir.If) and any(isinstance(s, (ir.Raise, ir.Return)) for s in ir.walk_all(inner.body)):
            names = {n.id for n in ir.walk(inner.test) if isinstance(n, ir.Name)}
            if node.name and node.name in names:
                return True
    return False


_KEEPERS = ("message", "history", "result", "content", "output", "conversation", "transcript", "item", "input", "part")


def _speaks_of(case: Case, handler: Point) -> bool:
    """Whether the exception, its text or its code goes to the model: into a message, a tool's answer, or what a
    helper returns for one.
    """
    node = handler.node
    assert isinstance(node, ir.Handler)
    if not node.name:
        return False
    function = handler.frame.function
    names = {node.name}
    for _ in range(3):
        for inner in ir.walk_all(node.body):
            if isinstance(inner, ir.Assign) and inner.value is not None and _mentions(inner.value, names):
                names |= {t.id for t in inner.targets if isinstance(t, ir.Name)}
    told = (
        *ir.walk_all(node.body),
        *(n for n in function.nodes if names - {node.name} and isinstance(n, (ir.DictE, ir.Call, ir.Return))),
    )
    return any(_tells(inner, names, case, handler) for inner in told)


def _message_keys(case: Case) -> frozenset[str]:
    """The keys by which a dict is a message or a tool's answer."""
    return case.tools.catalogue.words("result-message", "keys")


def _tells(node: ir.Node, names: set[str], case: Case, handler: Point) -> bool:
    if isinstance(node, ir.DictE):
        keys = {k.value for k, _ in node.items if isinstance(k, ir.Const)}
        return bool(keys & _message_keys(case)) and any(_mentions(v, names) for _, v in node.items)
    if isinstance(node, ir.Assign) and node.value is not None and _mentions(node.value, names):
        indices = [t.index for t in node.targets if isinstance(t, ir.Subscript)]
        return any(isinstance(i, ir.Const) and i.value in _message_keys(case) for i in indices)
    if isinstance(node, ir.Call):
        name = last_name(node.func)
        if any(a.name in _message_keys(case) and _mentions(a.value, names) for a in node.args):
            return True
        if name in _QUIET or not any(_mentions(a.value, names) for a in node.args):
            return False
        if name in {"append", "extend", "insert"} and isinstance(node.func, ir.Attr):
            return any(word in last_name(node.func.base).lower() for word in _KEEPERS)
        return any(word in name.lower() for word in ("message", "result"))
    if isinstance(node, ir.Return) and node.value is not None and _mentions(node.value, names):
        # A helper's answer stands where the tool's would have stood.
        if case.kind == "dispatcher":
            return True
        if handler.frame.caller is None:
            return False
        return _runs_a_tool(case, handler) or _gives_a_message(case, handler, node)
    return False


def _gives_a_message(case: Case, handler: Point, node: ir.Return) -> bool:
    """Whether what a helper beside the tool returns of an exception becomes a message at a caller."""
    function, caught = handler.frame.function, handler.node
    assert isinstance(caught, ir.Handler)
    said = [n for n in told.spoken(caught) if any(n is inner for inner in ir.walk(node))]
    return bool(payloads_of(case).follow([(n, function) for n in said]).arrivals)


def _runs_a_tool(case: Case, handler: Point) -> bool:
    return any(handler.frame in p.frame.stack() for p in case.dispatches)


def _mentions(expr: ir.Expr, names: set[str]) -> bool:
    return any(isinstance(n, ir.Name) and n.id in names for n in ir.walk(expr))
