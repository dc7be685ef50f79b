"""Tools that fail: do their errors end the run unrecorded, go back without a limit, or look like results?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point, Raised
from toolbind_lint.recognise.program import Function
from toolbind_lint.verdicts import Fault

MAX_CALLERS = 12

_ORDER = frozenset({"<", "<=", ">", ">=", "=="})
_COUNTED = re.compile(r"(fail|error|consecutive|retr(y|ies)|attempt|strike|mistake|invalid|malformed|exception)", re.I)
_MALFORMED = re.compile(
    r"(format|pars|malform|invalid|bad)\w*(error|exception|call|action|argument|reply|response)", re.I
)
_BROAD = frozenset({"Exception", "BaseException"})


def faults(case: Case, is_gate: Callable[[Raised], bool]) -> list[Fault]:
    """The advice on failures of tools; it leaves the gate as it stands. ``is_gate`` knows the errors that end a run."""
    dispatches = own_dispatches(case)
    if not dispatches or case.graph.truncated:
        return []
    out: list[Fault] = []
    answering = [h for h in _answering(case, dispatches) if not is_gate(_taken(case, h))]
    if case.kind == "tool-loop":
        if answering and not _is_counted(case):
            first = min(answering, key=lambda p: (p.node.span, p.number))
            shown = Step(_at(case, first), "answers a failure and goes on")
            out.append(Fault("uncapped-failures", header(case), related=(shown,)))
        escaping = _escapes(case, dispatches)
        if escaping is not None:
            callee = escaping.dispatch.callee if escaping.dispatch is not None else ""
            out.append(Fault("escapes", place_of(case, escaping), (("call", callee),)))
    out.extend(_unmarked(case, answering))
    return out


def _at(case: Case, handler: Point) -> Place:
    node = handler.node
    assert isinstance(node, ir.Handler)
    return case.tools.program.place(handler.frame.function.module, node.header)


def _answering(case: Case, dispatches: tuple[Point, ...]) -> Iterator[Point]:
    """The handlers that take what a tool raises, after which the loop goes on."""
    sources = set(dispatches)
    seen: set[Point] = set()
    for handler, source, raised in case.graph.caught:
        if handler in seen or handler not in case.finder.inside:
            continue
        if source not in sources and not _is_bad_call(source, raised):
            continue
        seen.add(handler)
        if not isinstance(handler.node, ir.Handler) or not _takes_failures(case, handler):
            continue
        if case.kind != "tool-loop" or (case.finder.goes_on(handler) and not case.finder.ends_by_state(handler)):
            yield handler


def _is_bad_call(source: Point, raised: Raised) -> bool:
    """Whether the project itself raises because a call or an action of the model's has no form that can be run."""
    return source.kind == "raise" and raised.project and any(_MALFORMED.search(n) for n in raised.names)


def _taken(case: Case, handler: Point) -> Raised:
    node = handler.node
    assert isinstance(node, ir.Handler)
    return case.builder.raised(node.type, handler.frame)


def _takes_failures(case: Case, handler: Point) -> bool:
    """Whether a handler takes ordinary exceptions, and not only a signal or what a lookup raises."""
    node = handler.node
    assert isinstance(node, ir.Handler)
    names = set(case.builder.handler_names(node, handler.frame))
    return not names or bool(names - {"KeyError", "KeyboardInterrupt", "CancelledError", "JSONDecodeError"})


# ---- a cap on failures


def _is_counted(case: Case) -> bool:
    """Whether failures are counted against anything, as far as names and counters say."""
    functions = {f.function.key: f.function for f in case.graph.frames}
    for function in functions.values():
        for node in function.nodes:
            if isinstance(node, ir.Compare) and node.op in _ORDER and _speaks_of_failures(node):
                return True
    handlers = [p for p in case.finder.inside if p.kind == "handler"]
    normal = reach([case.head], frozenset(handlers))
    # A counter that moves only where something failed.
    return any(b.leaves and b.moves and not any(m in normal for m in b.moves) for b in case.bounds)


def _speaks_of_failures(node: ir.Compare) -> bool:
    if isinstance(node.right, ir.Const) and isinstance(node.right.value, str):
        return False
    for side in (node.left, node.right):
        for inner in ir.walk(side):
            word = inner.id if isinstance(inner, ir.Name) else inner.name if isinstance(inner, ir.Attr) else ""
            if word and _COUNTED.search(word):
                return True
            if isinstance(inner, ir.Subscript) and isinstance(inner.index, ir.Const):
                if isinstance(inner.index.value, str) and _COUNTED.search(inner.index.value):
                    return True
    return False


# ---- an error that nobody takes


def _escapes(case: Case, dispatches: tuple[Point, ...]) -> Point | None:
    """A dispatch whose exceptions no handler takes on the way out, here or where the loop is called."""
    for point in sorted(dispatches, key=lambda p: (p.node.span, p.number)):
        dispatch = point.dispatch
        if dispatch is None or point.kind != "dispatch" or dispatch.form in {"server", "handed-on"} or dispatch.proves:
            continue
        if any(label == "raise" for label, _ in point.to) or _is_held_inside(case, point):
            continue
        if not any(_is_tried(case, f.function) for f in point.frame.stack()) and not _is_tried_outside(case):
            return point
    return None


def _is_held_inside(case: Case, point: Point) -> bool:
    """Whether what a dispatch runs takes its errors itself, or is not known."""
    dispatch = point.dispatch
    assert dispatch is not None
    handlers = case.tools.handlers.of(dispatch)
    if handlers is None:
        # Tools come from elsewhere: functions raise, objects with a method of their own may not.
        return not (isinstance(dispatch.node, ir.Call) and any(a.star == "**" for a in dispatch.node.args))
    return bool(handlers.functions) and all(_takes_its_errors(f) for f in handlers.functions)


def _takes_its_errors(function: Function) -> bool:
    body = [s for s in function.node.body if not (isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Const))]
    raising = [s for s in body if any(isinstance(n, (ir.Call, ir.Raise, ir.Subscript)) for n in ir.walk(s))]
    return all(isinstance(s, ir.Try) and s.handlers for s in raising)


def _is_tried(case: Case, function: Function) -> bool:
    """Whether a function has a handler for any exception, or code that runs on every way out, at all."""
    return any(isinstance(n, ir.Try) and (n.final or _has_broad(n)) for n in function.nodes)


def _has_broad(stmt: ir.Try) -> bool:
    return any(
        h.type is None or any(isinstance(n, ir.Name) and n.id in _BROAD for n in ir.walk(h.type)) for h in stmt.handlers
    )


def _is_tried_outside(case: Case) -> bool:
    """Whether a caller of the loop's function, two steps up, tries it."""
    program = case.tools.program
    queue = [(case.function, 0)]
    seen: set[str] = set()
    while queue and len(seen) < MAX_CALLERS:
        function, depth = queue.pop(0)
        if function.key in seen:
            continue
        seen.add(function.key)
        for _, caller in program.callers(function):
            if _is_tried(case, caller):
                return True
            if depth < 2:
                queue.append((caller, depth + 1))
    return False


# ---- an error that looks like a result


def _unmarked(case: Case, answering: list[Point]) -> Iterator[Fault]:
    """Handlers whose answer goes back as a plain result, where the provider has a flag for failures."""
    rows = [r for r in case.tools.catalogue.rows if r.kind == "result-message" and r.one("error-flag")]
    functions = list({f.function.key: f.function for f in case.graph.frames}.values())
    for row in rows:
        keys = {*row.all("keys")} - {"role", "content", "type"}
        built = [n for f in functions for n in f.nodes if _is_answer(n, keys)]
        if not built or _mentions(functions, row.one("error-flag")):
            continue
        for handler in answering:
            if _says_something(case, handler):
                words = (("handler", ""), ("param", row.one("error-flag")))
                yield Fault("failure-as-success", _at(case, handler), words)


def _is_answer(node: ir.Node, keys: set[str]) -> bool:
    if isinstance(node, ir.DictE):
        return any(isinstance(k, ir.Const) and k.value in keys for k, _ in node.items)
    return isinstance(node, ir.Call) and any(a.name in keys for a in node.args)


def _mentions(functions: list[Function], flag: str) -> bool:
    for function in functions:
        for node in function.nodes:
            if isinstance(node, ir.Const) and node.value == flag:
                return True
            if isinstance(node, ir.Call) and any(a.name == flag or a.star == "**" for a in node.args if a.name == flag):
                return True
            if isinstance(node, (ir.Name, ir.Attr)) and (node.id if isinstance(node, ir.Name) else node.name) == flag:
                return True
    return False


def _says_something(case: Case, handler: Point) -> bool:
    """Whether a handler puts a text in the place of the result."""
    node = handler.node
    assert isinstance(node, ir.Handler)
    for inner in ir.walk_all(node.body):
        if isinstance(inner, (ir.Assign, ir.Return)) and inner.value is not None:
            if not (isinstance(inner.value, ir.Const) and not isinstance(inner.value.value, str)):
                return True
        if isinstance(inner, ir.DictE):
            return True
    return False
