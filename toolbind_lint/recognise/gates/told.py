"""What handlers tell the model about a failure: text that leaks, stop signals, errors that it can't act on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.facts import Step as Shown
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.owned import is_inner, own_dispatches
from toolbind_lint.recognise.handlers import HandlerFinder
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Frame, Point
from toolbind_lint.recognise.payloads import Payloads, Trace, payloads_of
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

MAX_BELOW = 60
MAX_DEEP = 4

_BROAD = frozenset({"Exception", "BaseException"})
_TRACES = frozenset({"format_exc", "format_exception", "format_tb", "exc_info", "print_exc"})
_HARMLESS = frozenset({"type", "isinstance", "issubclass", "hasattr", "id"})
_SPOKEN = frozenset(
    [
        "args",
        "message",
        "msg",
        "detail",
        "details",
        "reason",
        "strerror",
        "text",
        "stderr",
        "stdout",
        "output",
        "body",
        "response",
        "with_traceback",
    ]
)
_SIGNALS = re.compile(r"(keyboard_?interrupt|system_?exit|cancel|abort|stop|pause|interrupt|shutdown)", re.IGNORECASE)
_NO_SIGNAL = re.compile(r"(stop_?iteration|stop_?async_?iteration|stop_?word|timeout)", re.IGNORECASE)
_HOPELESS = re.compile(
    r"(authenticat|authoriz|unauthori[sz]ed|permission|forbidden|access_?denied|credential|api_?key|"
    r"quota|billing|payment|insufficient_?(funds|credit)|rate_?limit)",
    re.IGNORECASE,
)


class Caught(NamedTuple):
    """A handler around tools, and where its point stands in the graph (None for one below the dispatch)."""

    node: ir.Handler
    function: Function
    names: tuple[str, ...]
    point: Point | None


def found(case: Case) -> list[Fault]:
    """The faults of what is told about failures, one for each handler and how."""
    dispatches = own_dispatches(case)
    if not dispatches:
        return []
    payloads = payloads_of(case)
    below = _below(case, dispatches)
    out: list[Fault] = []
    for caught in _handlers(case, below):
        if caught.point is not None and not _goes_on(case, caught.point):
            continue
        out.extend(_judge(case, payloads, caught, below))
    out.extend(_gathered(case, payloads))
    unique: dict[tuple[str, object], Fault] = {}
    for fault in out:
        unique.setdefault((fault.how, fault.place), fault)
    return list(unique.values())


def _judge(case: Case, payloads: Payloads, caught: Caught, below: dict[str, Function]) -> Iterator[Fault]:
    at = case.tools.program.place(caught.function.module, caught.node.header)
    words = (("handler", header(caught.node)), ("error", caught.names[0] if caught.names else "BaseException"))
    broad = not caught.names or any(n in _BROAD for n in caught.names)
    said = spoken(caught.node)
    traces: list[ir.Node] = [n for n in said if isinstance(n, ir.Call)]
    text = _told(case, payloads, caught, said if broad else traces, below)
    if text is not None:
        yield Fault("leaks-text", at, words, related=text)
    if not _is_around(case, caught):
        return
    signal = not caught.names or "BaseException" in caught.names or any(_is_signal(n) for n in caught.names)
    hopeless = [n for n in caught.names if _HOPELESS.search(n)]
    if signal or hopeless:
        answer = _told(case, payloads, caught, [*said, *_answers(caught.node)], below)
        if answer is not None and signal:
            yield Fault("stop-signal-as-payload", at, words, related=answer)
        elif answer is not None:
            yield Fault("unactionable", at, (words[0], ("error", hopeless[0])), related=answer)


def _is_signal(name: str) -> bool:
    return bool(_SIGNALS.search(name)) and not _NO_SIGNAL.search(name)


# ---- which handlers


def _handlers(case: Case, below: dict[str, Function]) -> Iterator[Caught]:
    seen: set[int] = set()
    for point in case.finder.ordered:
        node = point.node
        if point.kind != "handler" or not isinstance(node, ir.Handler) or id(node) in seen or is_inner(case, point):
            continue
        seen.add(id(node))
        yield Caught(node, point.frame.function, case.builder.handler_names(node, point.frame), point)
    for function in below.values():
        frame = Frame(-1, function, None, {}, frozenset())
        for node in function.nodes:
            if isinstance(node, ir.Handler) and id(node) not in seen:
                seen.add(id(node))
                yield Caught(node, function, case.builder.handler_names(node, frame), None)


def _below(case: Case, dispatches: tuple[Point, ...]) -> dict[str, Function]:
    """The functions of the project that run below the dispatches."""
    finder = HandlerFinder(case.tools.program)
    inside = {f.function.key for f in case.graph.frames}
    found: dict[str, Function] = {}
    queue: list[tuple[Function, int]] = []
    for point in dispatches:
        assert point.dispatch is not None
        handlers = finder.of(point.dispatch)
        if handlers is not None:
            queue.extend((f, 0) for f in handlers.functions)
            for call, function in handlers.calls:
                queue.extend((f, 0) for f in case.tools.program.targets(call, function))
        if isinstance(point.dispatch.node, ir.Call):
            queue.extend((f, 0) for f in case.tools.program.targets(point.dispatch.node, point.dispatch.function))
    while queue and len(found) < MAX_BELOW:
        function, depth = queue.pop(0)
        if function.key in found or function.key in inside:
            continue
        found[function.key] = function
        if depth < MAX_DEEP:
            for call in function.calls:
                queue.extend((t, depth + 1) for t in case.tools.program.targets(call, function))
    return found


def _goes_on(case: Case, handler: Point) -> bool:
    if case.kind == "dispatcher":
        return True
    return case.finder.goes_on(handler) and not case.finder.ends_by_state(handler)


def _is_around(case: Case, caught: Caught) -> bool:
    """Whether a handler takes what a dispatch raises."""
    if caught.point is None:
        return False
    inner = {id(n) for n in ir.walk_all(_body_of(caught))}
    return any(h is caught.point and (s.dispatch is not None or id(s.node) in inner) for h, s, _ in case.graph.caught)


def _body_of(caught: Caught) -> tuple[ir.Stmt, ...]:
    """The statements that a handler guards."""
    tries = (n for n in caught.function.nodes if isinstance(n, ir.Try))
    return next((t.body for t in tries if any(h is caught.node for h in t.handlers)), ())


# ---- what they say


def spoken(handler: ir.Handler) -> list[ir.Node]:
    """The reads of the exception in a handler that give its text away, and the calls that give its trace."""
    out: list[ir.Node] = []
    known = _known_classes(handler)
    parents = {id(c): n for n in ir.walk_all(handler.body) for c in ir.children(n)}
    for node in ir.walk_all(handler.body):
        if isinstance(node, ir.Call) and last_name(node.func) in _TRACES:
            out.append(node)
        elif isinstance(node, ir.Name) and handler.name and node.id == handler.name and id(node) not in known:
            parent = parents.get(id(node))
            if isinstance(parent, ir.Attr) and parent.name not in _SPOKEN:
                continue
            if isinstance(parent, ir.Arg):
                call = parents.get(id(parent))
                if isinstance(call, ir.Call) and last_name(call.func) in _HARMLESS:
                    continue
            if isinstance(parent, ir.Raise):
                continue
            out.append(node)
    return out


def _known_classes(handler: ir.Handler) -> set[int]:
    """The nodes under ``if isinstance(error, ToolError)``: there the handler is as narrow as the test."""
    out: set[int] = set()
    for node in ir.walk_all(handler.body):
        if isinstance(node, ir.If) and isinstance(node.test, ir.Call) and last_name(node.test.func) == "isinstance":
            if len(node.test.args) == 2:
                named = {last_name(n) for n in ir.walk(node.test.args[1].value)}
                if not named & _BROAD:
                    out.update(id(n) for n in ir.walk_all(node.body))
    return out


def _answers(handler: ir.Handler) -> list[ir.Node]:
    """The values that a handler sets, returns or puts somewhere: what stands in the place of the result."""
    out: list[ir.Node] = []
    for node in ir.walk_all(handler.body):
        if isinstance(node, (ir.Assign, ir.Return)) and node.value is not None:
            if not (isinstance(node.value, ir.Const) and not isinstance(node.value.value, str)):
                out.append(node.value)
        elif isinstance(node, ir.Call) and last_name(node.func) in {"append", "extend"}:
            out.extend(a.value for a in node.args)
    return out


def _told(
    case: Case, payloads: Payloads, caught: Caught, sources: list[ir.Node], below: dict[str, Function]
) -> tuple[Shown, ...] | None:
    """Where something that a handler says comes to the model; None where it does not."""
    if not sources:
        return None
    trace = payloads.follow([(n, caught.function) for n in sources], within=below.values())
    if trace.arrivals:
        last = trace.final[0]
        return (Shown(case.tools.program.at(last.function, last.node), "goes back to the model here"),)
    return () if trace.returned and _is_result(case, caught, trace) else None


def _is_result(case: Case, caught: Caught, trace: Trace) -> bool:
    """Whether what a handler returns stands where a tool's result would have stood."""
    if case.kind == "dispatcher" or caught.point is None:
        return True
    if caught.function.key == case.function.key:
        return False
    return any(caught.function.key in {f.function.key for f in p.frame.stack()} for p in own_dispatches(case))


def _gathered(case: Case, payloads: Payloads) -> Iterator[Fault]:
    """``isinstance(result, Exception)`` among gathered results, and then its text."""
    program = case.tools.program
    for function in payloads.functions.values():
        for node in function.nodes:
            if not isinstance(node, ir.If) or not isinstance(node.test, ir.Call) or len(node.test.args) != 2:
                continue
            subject, kinds = node.test.args[0].value, node.test.args[1].value
            if last_name(node.test.func) != "isinstance" or not isinstance(subject, ir.Name):
                continue
            if not {last_name(n) for n in ir.walk(kinds)} & _BROAD or _is_handlers(function, subject.id):
                continue
            reads = [n for n in ir.walk_all(node.body) if isinstance(n, ir.Name) and n.id == subject.id]
            trace = payloads.follow([(n, function) for n in reads])
            if trace.arrivals:
                words = (("handler", f"isinstance({subject.id}, {text_of(kinds)})"), ("error", text_of(kinds)))
                last = trace.final[0]
                shown = (Shown(program.at(last.function, last.node), "goes back to the model here"),)
                yield Fault("leaks-text", program.at(function, node.test), words, related=shown)


def _is_handlers(function: Function, name: str) -> bool:
    return any(isinstance(n, ir.Handler) and n.name == name for n in function.nodes)


def header(node: ir.Handler) -> str:
    """``except (A, B)``: a handler as a finding names it."""
    if node.type is None:
        return "except"
    if isinstance(node.type, ir.Seq):
        return f"except ({', '.join(text_of(i) for i in node.type.items)})"
    return f"except {text_of(node.type)}"
