"""Tools that move money, data or identity: is there a key that makes a second call harmless, and does a person agree?

What guards a tool may stand in the tool, around the dispatch, or where the tool is bound. What may be a guard and can't
be seen into (a hook, a policy) counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.flow import FunctionFlow, leaves
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.loops import Case, Tools
from toolbind_lint.recognise.mutations import Mutation, MutationFinder
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.region import region
from toolbind_lint.recognise.roles import last_name, snake
from toolbind_lint.verdicts import Fault, Verdict

_KEY = re.compile(
    r"(?:idempot|dedup|client_?token|client_?request|request_?token|once_?key|client_?order_?id|external_?id|"
    r"(?:already|was|been)_(?:done|paid|sent|seen|processed|executed|run)|(?:processed|executed|seen|done)_(?:ids|keys|calls))"
)
_KEY_TEXT = re.compile(
    r"(?:idempot|on\s+conflict|if\s+not\s+exists|if-none-match|if-match|insert\s+or\s+ignore)", re.IGNORECASE
)
_AGREES = re.compile(
    r"(?:approv|confirm(?!ation_?(?:id|code|number))|consent|authori[sz]|human|permi(?:t|ss)|ask_user|interrupt|elicit|"
    r"hitl|sign_?off|review)"
)
_MAY_AGREE = re.compile(
    r"(?:^|_)(?:hooks?|middlewares?|guards?|guardrails?|polic(?:y|ies)|gates?|before|pre|callbacks?|security)(?:_|$)"
)


class Guards(NamedTuple):
    """What is seen around some code: a key, the agreement of a person."""

    key: bool
    agreement: bool

    def __or__(self, other: object) -> Guards:
        assert isinstance(other, Guards)
        return Guards(self.key or other.key, self.agreement or other.agreement)


class Bound(NamedTuple):
    """A tool that a loop, a dispatcher or an agent may run."""

    function: Function
    mutation: Mutation


def beside(case: Case, verdict: Verdict) -> Verdict:
    """The verdict of the allowlist with what is said of the tools that it lets run."""
    return verdict._replace(beside=(*verdict.beside, *faults(case)))


def faults(case: Case) -> list[Fault]:
    """The faults of the tools that a loop or dispatcher runs."""
    finder = MutationFinder(case.tools.program, case.tools.catalogue)
    bound = list(_bound(case, finder))
    if not bound:
        return []
    around = _around(case)
    out: list[Fault] = []
    for tool, point in bound:
        out.extend(judge(case.tools, finder, tool, around, _retry_of(case, point)))
    return list({(f.how, f.place): f for f in out}.values())


def judge(
    tools: Tools, finder: MutationFinder, tool: Bound, around: Guards, retry: tuple[ir.Node, Function] | None = None
) -> Iterator[Fault]:
    """What is wrong with one tool, given what guards it from outside; ``retry`` is what repeats it from there."""
    functions = finder.reached(tool.function)
    found = around | _seen(tools, functions, tool.function) | _decorated(tool.function)
    key = found.key or not tool.mutation.again or _is_given(tool.mutation)
    missing = [text for text, held in (("an idempotency key", key), ("an approval step", found.agreement)) if not held]
    at = tools.program.place(tool.function.module, tool.function.node.header)
    moved = Step(tools.program.at(tool.mutation.function, tool.mutation.node), f"{tool.mutation.moves} is moved here")
    words = (("call", tool.function.node.name), ("value", tool.mutation.moves))
    if missing:
        yield Fault("unguarded-mutation", at, (*words, ("param", " and ".join(missing))), related=(moved,))
    again = retry or _retried(tools, tool, functions)
    if again is not None and not key:
        place = tools.program.place(again[1].module, _header(again[0]))
        yield Fault("retried-mutation", place, words, related=(moved,))


def _header(node: ir.Node) -> ir.Span:
    return node.header if isinstance(node, (ir.While, ir.For)) else node.span


# ---- which tools


def _bound(case: Case, finder: MutationFinder) -> Iterator[tuple[Bound, Point]]:
    """The functions that the dispatches run, as far as they are seen, and that move something."""
    for point in own_dispatches(case):
        dispatch = point.dispatch
        if dispatch is None:
            continue
        handlers = case.tools.handlers.of(dispatch)
        found: list[Function] = list(handlers.functions) if handlers is not None else []
        for call, function in handlers.calls if handlers is not None else ():
            if case.tools.roles.carries_arguments(call, function):
                found.extend(case.tools.program.targets(call, function))
        if dispatch.form == "fixed" and isinstance(dispatch.node, ir.Call):
            found.extend(case.tools.program.targets(dispatch.node, dispatch.function))
        for function in found:
            mutation = finder.of(function)
            if mutation is not None:
                yield Bound(function, mutation), point


# ---- what guards them


def _around(case: Case) -> Guards:
    """What a loop or dispatcher does before it runs a tool."""
    area = region(case)
    guards = Guards(not area.whole, not area.whole)
    nodes = [(s.node, s.function) for s in area.spots]
    guards |= _of_nodes(case.tools, nodes)
    for node, function in nodes:
        if isinstance(node, ir.Call) and _MAY_AGREE.search(snake(last_name(node.func))):
            if not case.tools.program.targets(node, function):
                guards |= Guards(False, True)
    return guards


def _seen(tools: Tools, functions: Iterable[Function], tool: Function) -> Guards:
    guards = _of_nodes(tools, [(n, f) for f in functions for n in f.nodes])
    params = any(_KEY.search(snake(p.name)) for f in functions for p in f.node.params)
    return guards | Guards(params, False)


def _of_nodes(tools: Tools, nodes: list[tuple[ir.Node, Function]]) -> Guards:
    key = agreement = False
    for node, function in nodes:
        if isinstance(node, (ir.Name, ir.Attr)):
            key = key or bool(_KEY.search(snake(last_name(node))))
        elif isinstance(node, ir.Const) and isinstance(node.value, str):
            key = key or bool(_KEY_TEXT.search(node.value) or _KEY.search(snake(node.value)[:40]))
        elif isinstance(node, ir.Call):
            words = [snake(last_name(node.func)), *(snake(a.name) for a in node.args if a.name)]
            key = key or any(_KEY.search(word) for word in words)
            agreement = agreement or any(_AGREES.search(word) for word in words) or _asks_person(tools, node, function)
        elif isinstance(node, (ir.If, ir.While, ir.IfExp, ir.Assert)):
            for part in ir.walk(node.test):
                if isinstance(part, (ir.Name, ir.Attr)):
                    agreement = agreement or bool(_AGREES.search(snake(last_name(part))))
        elif isinstance(node, ir.Raise) and node.exc is not None:
            agreement = agreement or bool(
                _AGREES.search(snake(last_name(node.exc.func if isinstance(node.exc, ir.Call) else node.exc)))
            )
    return Guards(key, agreement)


def _asks_person(tools: Tools, call: ir.Call, function: Function) -> bool:
    names = [m.name for m in tools.program.resolve(call.func, function) if isinstance(m, External)]
    return any(tools.catalogue.find("wait-for-person", name) for name in names)


def _decorated(function: Function) -> Guards:
    """What the decorators of a tool say: their names, and the names and values of what they are given."""
    key = agreement = False
    for decorator in function.node.decorators:
        for node in ir.walk(decorator):
            words = [snake(last_name(node))] if isinstance(node, (ir.Name, ir.Attr)) else []
            if isinstance(node, ir.Call):
                words += [snake(a.name) for a in node.args if a.name and not _is_false(a.value)]
            key = key or any(_KEY.search(word) for word in words)
            agreement = agreement or any(_AGREES.search(word) for word in words)
    return Guards(key, agreement)


def _is_false(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and not value.value


def _is_given(mutation: Mutation) -> bool:
    """Whether the call that moves something is given the key that its row names."""
    call, row = mutation.node, mutation.row
    return isinstance(call, ir.Call) and row is not None and any(call.keyword(k) is not None for k in row.all("key"))


# ---- what repeats them


def _retried(tools: Tools, tool: Bound, functions: list[Function]) -> tuple[ir.Node, Function] | None:
    """A retry in the tool: a decorator on it or on what moves something, or a loop around that which tries again."""
    moving = tool.mutation.function
    for function in (tool.function, moving):
        found = decorator_of(tools, function)
        if found is not None:
            return found, function
    loop = trying_loop(tools, tool.mutation.node, moving)
    if loop is not None:
        return loop, moving
    if moving is not tool.function:
        for call in tool.function.calls:
            if any(t.key == moving.key for t in tools.program.targets(call, tool.function)):
                loop = trying_loop(tools, call, tool.function)
                if loop is not None:
                    return loop, tool.function
    return None


def _retry_of(case: Case, point: Point) -> tuple[ir.Node, Function] | None:
    """What repeats a dispatch: a loop around it in its function, or around a call that leads to it, or a decorator."""
    assert point.dispatch is not None
    node: ir.Node | None = point.dispatch.node
    for frame in point.frame.stack():
        if node is not None:
            loop = trying_loop(case.tools, node, frame.function, apart=case.node)
            if loop is not None:
                return loop, frame.function
        if frame.caller is not None:
            found = decorator_of(case.tools, frame.function)
            if found is not None:
                return found, frame.function
        node = frame.call
    if case.kind == "dispatcher":
        found = decorator_of(case.tools, case.function)
        return (found, case.function) if found is not None else None
    return None


def decorator_of(tools: Tools, function: Function) -> ir.Expr | None:
    """The decorator that repeats a function after a failure."""
    scope = function.parent or function
    for decorator in function.node.decorators:
        inner = decorator.func if isinstance(decorator, ir.Call) else decorator
        for meaning in tools.program.resolve(inner, scope):
            if isinstance(meaning, External) and tools.catalogue.find("retry", meaning.name):
                return decorator
    return None


def trying_loop(
    tools: Tools, node: ir.Node, function: Function, apart: ir.Node | None = None
) -> ir.While | ir.For | None:
    """The innermost loop around a node that makes the same call again after a failure; ``apart`` is none."""
    inside = FunctionFlow(function).around(node)
    for number in range(len(inside) - 1, -1, -1):
        loop = inside[number]
        if not isinstance(loop, (ir.While, ir.For)):
            continue
        if loop is apart:
            return None
        if isinstance(loop, ir.For) and not _counts(tools, loop, function):
            continue
        for stmt in inside[number + 1 :]:
            if isinstance(stmt, ir.Try) and any(id(n) == id(node) for n in ir.walk_all(stmt.body)):
                if any(_goes_on(h) for h in stmt.handlers):
                    return loop
        if _is_library_retry(tools, loop, function):
            return loop
    return None


def _counts(tools: Tools, loop: ir.For, function: Function) -> bool:
    """Whether a ``for`` counts attempts and goes through no data."""
    call = loop.iter
    if not isinstance(call, ir.Call):
        return False
    return last_name(call.func) in {"range", "count", "repeat"} or _is_library_retry(tools, loop, function)


def _is_library_retry(tools: Tools, loop: ir.While | ir.For, function: Function) -> bool:
    if not isinstance(loop, ir.For) or not isinstance(loop.iter, ir.Call):
        return False
    names = [m.name for m in tools.program.resolve(loop.iter.func, function) if isinstance(m, External)]
    return any(tools.catalogue.find("retry", name) for name in names)


def _goes_on(handler: ir.Handler) -> bool:
    last = handler.body[-1] if handler.body else None
    return not leaves(handler.body) or (isinstance(last, ir.Jump) and last.kind == "continue")
