"""The allowlist: between the model's name and the code that runs stands a set of exact names."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import NAME, Dispatch, dotted, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict


def verdict(case: Case) -> Verdict:
    """How the allowlist of a loop or dispatcher stands: the weakest of its dispatches."""
    if not case.dispatches:
        return Verdict("allowlist", "not-applicable")
    faults: list[Fault] = []
    evidence: list[Evidence] = []
    unknown: list[Evidence] = []
    for point in case.dispatches:
        assert point.dispatch is not None
        found = _judge(case, point, point.dispatch)
        if isinstance(found, Fault):
            if found not in faults:
                faults.append(found)
        elif found.value == "?":
            unknown.append(found._replace(value=""))
        else:
            evidence.append(found)
    if faults:
        order = {"code-by-name": 0, "pattern": 1, "whole-server": 2}
        faults.sort(key=lambda f: (order.get(f.how, 9), f.place))
        return Verdict("allowlist", "missing", tuple(faults), tuple(evidence))
    if unknown:
        return Verdict("allowlist", "unknown", (), tuple(unknown))
    return Verdict("allowlist", "held", (), tuple(dict.fromkeys(evidence)))


def _judge(case: Case, point: Point, dispatch: Dispatch) -> Fault | Evidence:
    at = place_of(case, point)
    words = (("call", text_of(dispatch.node) if isinstance(dispatch.node, ir.Call) else dispatch.callee), ("value", text_of(dispatch.key)))
    pattern = _pattern(case, point, dispatch)
    member = _membership(case, point, dispatch)
    picked = _picked(case, dispatch)
    if picked == "pattern" and member is None:
        return Fault("pattern", pattern.place if pattern is not None else at, words, related=(Step(at, "the tool that it picks runs here"),))
    if picked == "exact" or dispatch.form in {"table", "chain"}:
        if dispatch.form == "table" and picked == "" and pattern is not None and member is None and _fuzzy_key(case, dispatch):
            return Fault("pattern", pattern.place, words, related=(Step(at, "the tool that it picks runs here"),))
        return Evidence(at, "", f"looked up by exact name in {dispatch.callee}" if dispatch.form == "table" else "compared with literal names")
    if member is not None:
        return member
    if pattern is not None and dispatch.form in {"attribute", "namespace", "code", "server", "handed-on", "callback"}:
        return Fault("pattern", pattern.place, words, related=(Step(at, "runs here"),))
    if dispatch.form in {"attribute", "namespace", "code"}:
        return Fault("code-by-name", at, words)
    if dispatch.form == "server":
        intake = _intake(case)
        related = (intake,) if intake is not None else ()
        return Fault("whole-server", at, words, related=related)
    return Evidence(at, "?", f"what {dispatch.callee} does with the name is not known")


def _functions(case: Case, point: Point) -> list[Function]:
    """The functions through which a path leads to a dispatch, its own first."""
    out = [frame.function for frame in point.frame.stack()]
    if case.function not in out:
        out.append(case.function)
    return out


def _membership(case: Case, point: Point, dispatch: Dispatch) -> Evidence | None:
    """A test that the name is a member of a set, or a lookup in a table, on the way to the dispatch."""
    tools = case.tools
    functions = _functions(case, point)
    for function in functions:
        for node in ir.walk_all(function.node.body):
            if isinstance(node, ir.Compare) and node.op in {"in", "not in"} and NAME in tools.roles.of(node.left, function):
                if not _is_text(node.right, function, case) and not _folds(node.left):
                    return Evidence(tools.program.at(function, node), text_of(node.right), f"tested for membership in {text_of(node.right)}")
            if dispatch.form in {"callback", "handed-on", "server"}:
                table = _lookup(node, function, case)
                if table is not None:
                    return Evidence(tools.program.at(function, node), text_of(table), f"looked up by exact name in {text_of(table)}")
    return None


def _lookup(node: ir.Node, function: Function, case: Case) -> ir.Expr | None:
    """The table in which a name is looked up: ``table[name]``, ``table.get(name)``."""
    if isinstance(node, ir.Subscript) and NAME in case.tools.roles.of(node.index, function):
        return node.base
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "get" and node.args:
        if NAME in case.tools.roles.of(node.args[0].value, function):
            return node.func.base
    return None


def _is_text(expr: ir.Expr, function: Function, case: Case) -> bool:
    """Whether the right side of ``in`` is a string: then it is no membership but a substring test."""
    if isinstance(expr, (ir.FString,)) or (isinstance(expr, ir.Const) and isinstance(expr.value, str)):
        return True
    if isinstance(expr, ir.Call) and last_name(expr.func) in {"lower", "upper", "strip", "join", "str", "read"}:
        return True
    return any(isinstance(v, (ir.FString,)) or (isinstance(v, ir.Const) and isinstance(v.value, str)) for v, _ in case.tools.program.values(expr, function))


def _folds(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and last_name(expr.func) in {"lower", "upper", "casefold"}


def _pattern(case: Case, point: Point, dispatch: Dispatch) -> Evidence | None:
    """A test of the name by pattern on the way to the dispatch."""
    for function in _functions(case, point):
        for test in _tests(function):
            for node in ir.walk(test):
                if isinstance(node, ir.Call) and case.tools.roles.is_pattern(node, function):
                    parts = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
                    if any(NAME in case.tools.roles.of(p, function) for p in parts):
                        return Evidence(case.tools.program.at(function, node), "", text_of(node))
                elif isinstance(node, ir.Compare) and node.op in {"in", "not in"} and _is_text(node.right, function, case):
                    if NAME in case.tools.roles.of(node.left, function):
                        return Evidence(case.tools.program.at(function, node), "", text_of(node))
                elif isinstance(node, ir.Compare) and node.op in {"in", "not in"} and _folds(node.left):
                    if NAME in case.tools.roles.of(node.left, function):
                        return Evidence(case.tools.program.at(function, node), "", text_of(node))
    return None


def _tests(function: Function) -> Iterator[ir.Expr]:
    for node in ir.walk_all(function.node.body):
        if isinstance(node, (ir.If, ir.While, ir.IfExp)):
            yield node.test
        elif isinstance(node, ir.Generator):
            yield from node.ifs
        elif isinstance(node, ir.Assert):
            yield node.test
        elif isinstance(node, ir.Assign) and isinstance(node.value, ir.Call):
            yield node.value


def _fuzzy_key(case: Case, dispatch: Dispatch) -> bool:
    """Whether the key of a table lookup is what a pattern made of the name (a close match)."""
    key = dispatch.key
    if not isinstance(key, ir.Name):
        return False
    for binding in case.tools.program.lookup(key.id, dispatch.function):
        if binding.value is None:
            continue
        for node in ir.walk(binding.value):
            if isinstance(node, ir.Call) and case.tools.roles.is_pattern(node, binding.scope):
                return True
            if isinstance(node, ir.Name) and node.id != key.id:
                for inner in case.tools.program.lookup(node.id, binding.scope):
                    if isinstance(inner.value, ir.Call) and case.tools.roles.is_pattern(inner.value, inner.scope):
                        return True
    return False


def _picked(case: Case, dispatch: Dispatch) -> str:
    """``exact`` or ``pattern`` where the tool was picked out of a collection by its name."""
    node = dispatch.node
    if not isinstance(node, ir.Call):
        return ""
    pending: list[tuple[ir.Expr, Function]] = [(node.func, dispatch.function)]
    seen = 0
    while pending and seen < 24:
        seen += 1
        expr, function = pending.pop()
        if isinstance(expr, (ir.Attr, ir.Subscript)):
            pending.append((expr.base, function))
        elif isinstance(expr, ir.Await):
            pending.append((expr.value, function))
        elif isinstance(expr, ir.Name):
            how = case.tools.roles.picked(expr.id, function)
            if how:
                return how
            for binding in case.tools.program.lookup(expr.id, function):
                if binding.value is not None:
                    pending.append((binding.value, binding.scope))
        elif isinstance(expr, ir.Comp):
            pending.extend((e, function) for e in expr.elements)
        elif isinstance(expr, ir.Call):
            targets = case.tools.program.targets(expr, function)
            for target in targets:
                for inner in ir.walk_all(target.node.body):
                    if isinstance(inner, ir.Return) and inner.value is not None:
                        pending.append((inner.value, target))
            if not targets:
                pending.extend((a.value, function) for a in expr.args[:1])
    return ""


def _intake(case: Case) -> Step | None:
    """The place where all tools of a server are taken in."""
    for frame in case.graph.frames:
        for node in ir.walk_all(frame.function.node.body):
            if isinstance(node, ir.Call):
                names = [m.name for m in case.tools.program.resolve(node.func, frame.function) if isinstance(m, External)]
                if any(case.tools.catalogue.find("mcp-intake", n) for n in names) or case.tools.catalogue.by_method(
                    "mcp-intake", dotted(node.func)
                ):
                    return Step(case.tools.program.at(frame.function, node), "all tools of the server are taken in")
    return None
