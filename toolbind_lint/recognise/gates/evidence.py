"""The evidence of a run: whose it is, what is recorded of each step, and whether its bounds are its own."""

from __future__ import annotations

import re

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.flow import FunctionFlow
from toolbind_lint.recognise.gates import records, resumed, shared
from toolbind_lint.recognise.gates.cap import header
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.identity import Carries, carries, has_id, is_id, may_carry
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import Function, Instance
from toolbind_lint.recognise.region import acting, region
from toolbind_lint.recognise.roles import ARGS, CALL, CALLS, NAME, REPLY, TOOL, last_name, snake
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, State, Verdict

_TRACED = re.compile(
    r"(?:^|_)(trac|span|observ|instrument|telemetr|monitor|track|op$|task$|flow$|activity|workflow|step$)"
)
_SPANS = re.compile(r"(?:^|_)(?:span|trace|tracer|observation|generation)(?:_|$)")
_BINDS = re.compile(
    r"(bind_context|contextualize|push_context|set_context|context_?var|start_(?:as_current_)?(?:span|trace|run)|"
    r"^(?:set|use|with)_(?:run|trace|session|request|correlation)|get_current_(?:run|span|trace)|current_(?:run|span))"
)
_RECORDS = re.compile(
    r"(?:^|_)(add|append|save|store|record|log|emit|write|push|put|send|track|event|attributes?|update|persist|commit|"
    r"insert|publish|report|trace|start|notify|observe|on|capture|info|debug|warning|error|exception|critical)(?:_|$)"
)
MAX_CALLERS = 6


def verdict(case: Case) -> Verdict:
    """How the evidence of a loop or dispatcher stands."""
    faults = [*shared.faults(case), *resumed.faults(case)] if case.kind == "tool-loop" else []
    leaking = bool(faults)
    evidence: list[Evidence] = []
    unknown = False
    judged = [_named(case)] if own_dispatches(case) else []
    if case.kind == "tool-loop":
        judged.append(records.found(case))
    for found in judged:
        if isinstance(found, Fault):
            faults.append(found)
        elif found is not None:
            evidence.append(found)
        else:
            unknown = True
    if faults:
        return Verdict("evidence", "leaks" if leaking else "missing", tuple(faults), tuple(evidence))
    state: State = "unknown" if unknown else "held" if evidence else "not-applicable"
    return Verdict("evidence", state, (), tuple(evidence))


# ---- whose run is it?


def _named(case: Case) -> Fault | Evidence | None:
    """What carries the identity of the run to a dispatch or to a record of it; None where it is not known."""
    program = case.tools.program
    given = _given(case)
    if given is not None:
        return given
    area = region(case)
    perhaps = not area.whole
    own = acting(case)
    raised = {id(n) for s in area.spots if isinstance(s.node, ir.Raise) for n in ir.walk(s.node)}
    for node, function, often in area.spots:
        if often == "end" or id(node) in raised:
            continue
        if isinstance(node, ir.DictE) and carries(program, node, function) == "yes":
            return Evidence(program.at(function, node), "", "what is recorded carries the id of the run")
        if not isinstance(node, ir.Call):
            continue
        name = snake(last_name(node.func))
        records_it = bool(_RECORDS.search(name))
        answers = [_carried(case, a, function, id(node) in own or records_it) for a in node.args]
        if "yes" in answers:
            return _said(case, node, function)
        perhaps = perhaps or "perhaps" in answers
        if records_it and isinstance(node.func, ir.Attr):
            holder = carries(program, node.func.base, function)
            if holder == "yes":
                return _said(case, node, function)
            perhaps = perhaps or holder == "perhaps"
        perhaps = perhaps or bool(_BINDS.search(name) or _SPANS.search(name))
    if perhaps or _is_traced(case) or _is_handed_on(case):
        return None
    return Fault("anonymous", header(case))


def _carried(case: Case, arg: ir.Arg, function: Function, told: bool) -> Carries:
    """Whether an argument is the identity of the run; what the model gave is none of it. Only what runs a tool or
    records it is ``told`` by an object that has one.
    """
    named = arg.name is not None and is_id(arg.name)
    found: Carries = "yes" if named else carries(case.tools.program, arg.value, function, objects=told)
    if found == "no":
        return "no"
    given = case.tools.roles.of(arg.value, function)
    return "no" if ARGS in given or (found == "perhaps" and given & {CALL, CALLS, REPLY, NAME, TOOL}) else found


def _said(case: Case, call: ir.Call, function: Function) -> Evidence:
    return Evidence(case.tools.program.at(function, call), "", f"{text_of(call.func)} carries the id of the run")


def _given(case: Case) -> Evidence | None:
    """A dispatcher that is given the identity, or an object that has it."""
    if case.kind != "dispatcher":
        return None
    program = case.tools.program
    for param in case.function.node.params:
        if param.name == case.function.self_name:
            continue
        name = ir.Name(param.span, param.name)
        known = [m for m in program.resolve(name, case.function) if isinstance(m, Instance)]
        if is_id(param.name) or any(has_id(program, m.cls) for m in known):
            return Evidence(program.place(case.function.module, param.span), "", f"it is given {param.name}")
    return None


def _is_handed_on(case: Case) -> bool:
    """Whether what a dispatcher is given, or who calls it, may know the run."""
    program = case.tools.program
    if any(p.dispatch is not None and p.dispatch.form in {"handed-on", "declared"} for p in case.dispatches):
        return True
    if case.kind != "dispatcher":
        return False
    for param in case.function.node.params:
        name = ir.Name(param.span, param.name)
        typed = any(isinstance(m, Instance) for m in program.resolve(name, case.function))
        if param.name != case.function.self_name and may_carry(param.name) and not typed:
            return True
    callers = program.callers(case.function)[:MAX_CALLERS]
    return any(
        carries(program, arg.value, caller) == "yes"
        for _, caller in callers
        for call in caller.calls
        for arg in call.args
    )


def _is_traced(case: Case) -> bool:
    """Whether something around the loop may give each record the identity of the run: a span, a bound context."""
    for function in region(case).functions:
        for decorator in function.node.decorators:
            inner = decorator.func if isinstance(decorator, ir.Call) else decorator
            if _TRACED.search(snake(last_name(inner))):
                return True
    for stmt in FunctionFlow(case.function).around(case.node):
        if isinstance(stmt, ir.With):
            for context, _ in stmt.items:
                inner = context.func if isinstance(context, ir.Call) else context
                name = snake(last_name(inner))
                if _TRACED.search(name) or _BINDS.search(name) or may_carry(name):
                    return True
    return any(_BINDS.search(snake(last_name(call.func))) for call in case.function.calls)
