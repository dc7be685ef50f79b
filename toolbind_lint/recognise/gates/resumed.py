"""A run that goes on after its end: a retry or resume with the dead run's id, or with its counters set back.

A new run with an id of its own and a recorded parent is none of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.flow import FunctionFlow, leaves
from toolbind_lint.recognise.gates.cap import header
from toolbind_lint.recognise.identity import field_names, has_new_id
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import ClassRef, External, Function
from toolbind_lint.recognise.roles import last_name, snake
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Fault

_RESUMES = re.compile(r"(?:^|_)(?:resumes?|retry|retries|recovers?|continues?|unpause)(?:_|$)")
_RUN_ID = re.compile(r"(?:^|_)(?:run|execution|invocation)_?(?:u?u?id|key)$")
_PARENT = re.compile(
    r"(?:^|_)(?:parent|resumed?_(?:from|of)|retry_of|previous|prior|original|origin|predecessor)(?:_|$)"
)
_AFRESH = frozenset({"reset", "clear", "restart", "set_back"})
MAX_CALLERS = 3


class Resume(NamedTuple):
    """A place from which a run is started again: ``call`` starts it (None in the function of the loop itself), ``body``
    are the statements that prepare it.
    """

    function: Function
    call: ir.Call | None
    body: tuple[ir.Node, ...]


def faults(case: Case) -> list[Fault]:
    """The faults of a loop's resumes, each once."""
    out: dict[object, Fault] = {}
    counters = {cell[-1] for b in case.bounds if b.kind == "counter" and not _is_size(b) for cell in b.cells}
    for resume in _resumes(case):
        if _is_new_run(case, resume):
            continue
        for node, text in (*_set_back(resume, counters), *_same_id(case, resume, counters)):
            place = case.tools.program.at(resume.function, node)
            related = (Step(header(case), "the loop of the run"),)
            out.setdefault(place, Fault("resumed-budget", place, (("value", text),), related=related))
    out.update((f.place, f) for f in _decorated(case))
    return list(out.values())


def _is_size(bound: Bound) -> bool:
    return bound.kind == "size"


# ---- where a run is started again


def _resumes(case: Case) -> Iterator[Resume]:
    function = case.function
    if _RESUMES.search(snake(function.node.name)):
        yield Resume(function, None, _before(function, case.node))
    pending = [(function, 0)]
    seen = {function.key}
    while pending:
        top, depth = pending.pop(0)
        for call, caller in case.tools.program.callers(top):
            yield from _around(call, caller)
            if depth + 1 < MAX_CALLERS and caller.key not in seen and not caller.toplevel:
                seen.add(caller.key)
                pending.append((caller, depth + 1))


def _before(function: Function, loop: ir.Node) -> tuple[ir.Node, ...]:
    """The nodes of a function that stand in front of its loop."""
    return tuple(n for n in function.nodes if n.span[:2] < loop.span[:2])


def _around(call: ir.Call, caller: Function) -> Iterator[Resume]:
    """The resumes of which a call is part: by the name of its function, in a handler, in a loop that tries again."""
    if _RESUMES.search(snake(caller.node.name)):
        yield Resume(caller, call, caller.nodes)
        return
    flow = FunctionFlow(caller)
    inside = flow.around(call)
    for number, stmt in enumerate(inside):
        if not isinstance(stmt, ir.Try):
            continue
        within = {id(n) for n in ir.walk_all(stmt.body)}
        for handler in stmt.handlers:
            body = tuple(ir.walk_all(handler.body))
            if any(n is call for n in body):
                yield Resume(caller, call, body)
            elif id(call) in within and _tries_again(inside[:number], handler):
                yield Resume(caller, call, (*body, *(n for o in inside[:number] if _is_loop(o) for n in ir.walk(o))))


def _is_loop(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, (ir.While, ir.For))


def _tries_again(around: tuple[ir.Stmt, ...], handler: ir.Handler) -> bool:
    """Whether a loop stands around a ``try`` whose handler goes on with it."""
    if not any(_is_loop(stmt) for stmt in around):
        return False
    last = handler.body[-1] if handler.body else None
    return not leaves(handler.body) or (isinstance(last, ir.Jump) and last.kind == "continue")


# ---- what is wrong with it


def _is_new_run(case: Case, resume: Resume) -> bool:
    """Whether the resume makes an identity of its own, or records whose child it is."""
    for node in resume.body:
        if isinstance(node, ir.Call):
            if has_new_id(case.tools.program, node, resume.function):
                return True
            if any(a.name is not None and _PARENT.search(snake(a.name)) for a in node.args):
                return True
            if re.search(
                r"(?:^|_)(?:new|make|create|start|fork|spawn|child)_?(?:run|execution)?(?:_id)?$",
                snake(last_name(node.func)),
            ):
                if any(word in snake(last_name(node.func)) for word in ("run", "execution", "fork", "child")):
                    return True
    return False


def _set_back(resume: Resume, counters: set[str]) -> Iterator[tuple[ir.Node, str]]:
    """The counters of the loop that are given their first value again."""
    for node in resume.body:
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value == 0:
            for target in node.targets:
                # A local of the function is made with it; what is kept on an object is the dead run's.
                kept = isinstance(target, (ir.Attr, ir.Subscript))
                name = _key(target)
                if kept and name in counters:
                    yield node, f"`{text_of(target)}` is set back"
        elif isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in _AFRESH:
            if re.search(r"(budget|counter|steps?|limits?)$", snake(last_name(node.func.base))):
                yield node, f"`{text_of(node.func)}()` sets its budget back"


def _key(target: ir.Expr) -> str:
    if isinstance(target, ir.Subscript):
        return str(target.index.value) if isinstance(target.index, ir.Const) else ""
    return last_name(target)


def _same_id(case: Case, resume: Resume, counters: set[str]) -> Iterator[tuple[ir.Node, str]]:
    """The start, or a new budget, that is given the id of the run that has ended."""
    for node in resume.body:
        if not isinstance(node, ir.Call):
            continue
        if node is not resume.call and not _makes_budget(case, node, resume.function, counters):
            continue
        for arg in node.args:
            if _is_old_id(arg, resume):
                yield node, f"it goes on as `{text_of(arg.value)}`"
                break
    if resume.call is not None and all(n is not resume.call for n in resume.body):
        for arg in resume.call.args:
            if _is_old_id(arg, resume):
                yield resume.call, f"it goes on as `{text_of(arg.value)}`"
                break


def _is_old_id(arg: ir.Arg, resume: Resume) -> bool:
    """Whether an argument is the id of a run, and is not made for this attempt."""
    value = arg.value
    if isinstance(value, (ir.Const, ir.Call)):
        return False
    if isinstance(value, ir.Name):
        made = any(
            isinstance(n, ir.Assign) and any(isinstance(t, ir.Name) and t.id == value.id for t in n.targets)
            for n in resume.body
        )
        if made:
            return False
    named = _key(value) if isinstance(value, (ir.Name, ir.Attr, ir.Subscript)) else ""
    words = [w for w in (arg.name or "", named) if w]
    return any(_RUN_ID.search(snake(w)) for w in words) and not any(_PARENT.search(snake(w)) for w in words)


def _makes_budget(case: Case, call: ir.Call, function: Function, counters: set[str]) -> bool:
    """Whether a call builds an object of the project that holds a counter of the loop."""
    for meaning in case.tools.program.resolve(call.func, function):
        if isinstance(meaning, ClassRef) and counters & set(field_names(case.tools.program, meaning.cls)):
            return True
    return False


def _decorated(case: Case) -> Iterator[Fault]:
    """A retry decorator on the function of the run, which is given its id from outside."""
    function = case.function
    param = next((p for p in function.node.params if _RUN_ID.search(snake(p.name))), None)
    if param is None or _PARENT.search(snake(param.name)):
        return
    for decorator in function.node.decorators:
        inner = decorator.func if isinstance(decorator, ir.Call) else decorator
        for meaning in case.tools.program.resolve(inner, function.parent or function):
            if isinstance(meaning, External) and case.tools.catalogue.find("retry", meaning.name):
                place = case.tools.program.place(function.module, decorator.span)
                words = (("value", f"each attempt goes on as `{param.name}`"),)
                yield Fault("resumed-budget", place, words, related=(Step(header(case), "the loop of the run"),))
