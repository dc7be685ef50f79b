"""What a time limit leaves behind: work that only the wait for it ended, children of a shell, tasks that nobody ends.

Each is told where the mend goes: at the wait, at the start of the process, at the task.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.catalogue import Row
from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.limits import Limit, given
from toolbind_lint.recognise.loops import Case, Tools
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import CLOCK, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.recognise.waits import Survey, Wait
from toolbind_lint.verdicts import Fault

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "cmd", "cmd.exe", "powershell", "pwsh"})


def of_limit(case: Case, point: Point, limit: Limit) -> Iterator[Fault]:
    """What the limit around a dispatch, or of the dispatch itself, leaves behind."""
    if limit.kills:
        return
    at = case.tools.program.at(limit.function, limit.call)
    related = (Step(place_of(case, point), "the tool runs here"),)
    words = (("call", text_of(limit.call) if isinstance(limit.call, ir.Call) else ""), ("value", _kind(limit)))
    if limit.work == "shield":
        if not _cancels(case.tools, limit.function):
            yield Fault("left-running", at, words, related=related)
        return
    yield from _dropped(case.tools, limit.function)
    yield Fault("does-not-kill", at, words, related=related)


def _kind(limit: Limit) -> str:
    return {"thread": "the thread", "process": "the process", "task": "the task"}.get(limit.work, "the work")


def of_survey(tools: Tools, survey: Survey) -> Iterator[Fault]:
    """What the limits in the handlers leave behind."""
    for wait in survey.of("limited"):
        if wait.limit is not None and _goes_on(tools, wait):
            at = tools.program.at(wait.function, wait.call)
            words = (("call", text_of(wait.limit.call) if isinstance(wait.limit.call, ir.Call) else ""),)
            value = "the process" if _is_process(wait.row) else _kind(wait.limit)
            yield Fault("does-not-kill", at, (*words, ("value", value)))
    for function in survey.functions:
        yield from children(tools, function.calls, function)
        yield from _dropped(tools, function)
    for wait in survey.waits:
        if wait.function.key not in {f.key for f in survey.functions}:
            yield from children(tools, (wait.call,), wait.function)


def _is_process(row: Row | None) -> bool:
    return row is not None and row.flags.get("process", False)


def _goes_on(tools: Tools, wait: Wait) -> bool:
    """Whether the work of a limited wait goes on when the wait ends."""
    assert wait.limit is not None
    if _is_process(wait.row):
        return not _ends_process(tools, wait.function)
    if wait.limit.form == "own":
        return False
    return not wait.limit.kills


def _ends_process(tools: Tools, function: Function) -> bool:
    """Whether a function, what it calls, or another method of its class ends processes."""
    near = [function, *(t for c in function.calls for t in tools.program.targets(c, function))]
    if function.cls is not None:
        for bindings in tools.program.members(function.cls).values():
            near.extend(
                function.cls.module.function(b.node, function.cls.scope, function.cls)
                for b in bindings
                if isinstance(b.node, ir.FuncDef)
            )
    return any(tools.limits.ends_work(c, f, "process") for f in near for c in f.calls)


def _cancels(tools: Tools, function: Function) -> bool:
    return any(tools.limits.ends_work(c, function, "task") for c in function.calls)


# ---- children of a process


def children(tools: Tools, calls: tuple[ir.Call, ...], function: Function) -> Iterator[Fault]:
    """A shell that is killed alone, so that what it started goes on."""
    for call in calls:
        row = _process(tools, call, function)
        if row is None or not _has_shell(call, row) or _own_group(call, row):
            continue
        wait, _, _ = tools.waits.judge(call, function)
        killed = (
            wait is not None and wait.state == "limited" and wait.row is not None and wait.row.flags.get("kills", False)
        )
        if not killed and not any(tools.limits.ends_work(c, function, "process") for c in function.calls):
            continue
        if _ends_children(tools, function):
            continue
        words = (("call", text_of(call.func)),)
        yield Fault("misses-children", tools.program.at(function, call), words)


def _process(tools: Tools, call: ir.Call, function: Function) -> Row | None:
    for meaning in tools.program.resolve(call.func, function):
        row = tools.catalogue.find("process", meaning.name) if isinstance(meaning, External) else None
        if row is not None:
            return row
    return None


def _has_shell(call: ir.Call, row: Row) -> bool:
    if row.flags.get("always", False):
        return True
    if row.one("shell"):
        value = call.keyword(row.one("shell"))
        if isinstance(value, ir.Const) and value.value:
            return True
    argv = [a.value for a in call.args if a.name is None and not a.star]
    if argv and isinstance(argv[0], ir.Seq):
        argv = list(argv[0].items)
    words = [a.value for a in argv[:2] if isinstance(a, ir.Const) and isinstance(a.value, str)]
    return len(words) == 2 and words[0].rpartition("/")[2] in _SHELLS and words[1].lower() in {"-c", "-lc", "/c"}


def _own_group(call: ir.Call, row: Row) -> bool:
    if any(a.star == "**" for a in call.args):
        return True  # it may be in there
    value = given(call, row.all("session"))
    return value is not None and not (isinstance(value, ir.Const) and not value.value and value.value != 0)


def _ends_children(tools: Tools, function: Function) -> bool:
    for call in function.calls:
        names = [m.name for m in tools.program.resolve(call.func, function) if isinstance(m, External)]
        if any(tools.catalogue.find("ends-children", n) for n in names):
            return True
        if isinstance(call.func, ir.Attr) and tools.catalogue.by_method("ends-children", call.func.name):
            return True
    return False


# ---- what was started and forgotten


def forgotten(case: Case, point: Point) -> Iterator[Fault]:
    """A task that runs the tool and that nobody holds, in the functions that lead to the dispatch."""
    tools = case.tools
    node: ir.Node = point.dispatch.node if point.dispatch is not None else point.node
    frame = point.frame
    while True:
        function = frame.function
        yield from _dropped(tools, function)
        for statement in function.nodes:
            if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call):
                call = statement.value
                inside = call.span[:2] <= node.span[:2] and node.span[2:] <= call.span[2:]
                if inside and tools.limits.starter(call, function) == "task" and not _grouped(call, function):
                    if last_name(call.func) != "gather":
                        at = tools.program.at(function, call)
                        yield Fault("left-running", at, (("call", text_of(call.func)), ("value", "the task")))
        if frame.caller is None or frame.call is None:
            return
        node, frame = frame.call, frame.caller


def _grouped(call: ir.Call, function: Function) -> bool:
    """Whether a task belongs to a group that a ``with`` waits for."""
    if not isinstance(call.func, ir.Attr) or not isinstance(call.func.base, ir.Name):
        return False
    name = call.func.base.id
    return any(
        isinstance(target, ir.Name) and target.id == name
        for stmt in function.nodes
        if isinstance(stmt, ir.With)
        for _, target in stmt.items
    )


def _dropped(tools: Tools, function: Function) -> Iterator[Fault]:
    """``done, pending = await wait(tasks, timeout=9)`` whose pending ones nobody looks at."""
    for stmt in function.nodes:
        if not isinstance(stmt, ir.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.value, ir.Await):
            continue
        target, call = stmt.targets[0], stmt.value.value
        if not isinstance(target, ir.Seq) or len(target.items) != 2 or not isinstance(call, ir.Call):
            continue
        pending = target.items[1]
        if not isinstance(pending, ir.Name) or not tools.limits.waits_with_limit(call, function):
            continue
        if not any(isinstance(n, ir.Name) and n.id == pending.id and n is not pending for n in function.nodes):
            words = (("call", text_of(call.func)), ("value", "what is pending"))
            yield Fault("left-running", tools.program.at(function, call), words)


# ---- against the budget of the run


def not_clamped(case: Case, point: Point, limits: tuple[Limit, ...]) -> Iterator[Fault]:
    """A tool whose limits all ignore what is left of the run's budget."""
    tests = [t for t in case.time_tests if (t.leaves and not t.rearmed) or _gates(t.point)]
    if not tests:
        return
    inside = {f.function.key for f in case.graph.frames}
    for limit in limits:
        around = limit.function.key not in inside or limit.form in {"decorator", "process"} or limit.value is None
        outside = (
            case.kind == "tool-loop" and limit.function.key == case.function.key and not _within(limit.call, case.node)
        )
        if around or outside or CLOCK in case.tools.roles.of(limit.value, limit.function):
            return
    at = case.tools.program.at(limits[0].function, limits[0].call)
    related = (Step(place_of(case, tests[0].point), "the run's own budget is compared here"),)
    yield Fault("not-clamped", at, (("value", text_of(limits[0].value)),), related=related)


def _within(node: ir.Node, outer: ir.Node) -> bool:
    return outer.span[:2] <= node.span[:2] and node.span[2:] <= outer.span[2:]


def _gates(point: Point) -> bool:
    """Whether one way of a test leads to a dispatch and the other does not."""
    ways = [any(p.kind == "dispatch" for p in reach([t])) for _, t in point.to]
    return True in ways and False in ways
