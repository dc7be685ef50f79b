"""The allowlist: between the model's name and the code that runs stands a set of exact names."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.facts import Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import NAME, dotted, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_ORDER = {"code-by-name": 0, "whole-server": 1, "pattern": 2}


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
        faults.sort(key=lambda f: (_ORDER.get(f.how, 9), f.place))
        return Verdict("allowlist", "missing", tuple(faults), tuple(dict.fromkeys(evidence)))
    if unknown:
        return Verdict("allowlist", "unknown", (), tuple(dict.fromkeys(unknown)))
    return Verdict("allowlist", "held", (), tuple(dict.fromkeys(evidence)))


def _judge(case: Case, point: Point, dispatch: Dispatch) -> Fault | Evidence:
    program = case.tools.program
    at = program.at(dispatch.function, dispatch.lookup) if dispatch.lookup is not None else place_of(case, point)
    called = text_of(dispatch.node) if isinstance(dispatch.node, ir.Call) else dispatch.callee
    words = (("call", called), ("value", text_of(dispatch.key)))
    runs = (Step(place_of(case, point), "runs here"),)
    if dispatch.form == "declared":
        held = "allowlist" in dispatch.proves
        return Evidence(
            at, "" if held else "?", "held by configuration" if held else f"what {dispatch.callee} admits is not known"
        )
    # Of a tool that is always the same one the name decides nothing.
    pattern = _pattern(case, point) if dispatch.form != "fixed" else None
    if pattern is not None:
        return Fault("pattern", pattern.place, words, related=runs)
    picked = _picked(case, dispatch)
    member = _membership(case, point, dispatch)
    if picked == "pattern" and member is None:
        return Fault("pattern", at, words, related=runs)
    fuzzy = _fuzzy_key(case, dispatch)
    if fuzzy is not None:
        return Fault("pattern", program.at(dispatch.function, fuzzy), words, related=runs)
    if picked == "exact" or dispatch.form in {"chain", "fixed"}:
        said = f"only {dispatch.callee} runs here" if dispatch.form == "fixed" else "compared with literal names"
        return Evidence(at, "", said)
    if dispatch.form == "table":
        return Evidence(at, "", f"looked up by exact name in {text_of(_lookup_base(dispatch))}")
    if member is not None:
        return member
    if dispatch.form in {"attribute", "namespace", "code"}:
        return Fault("code-by-name", at, words)
    if dispatch.form == "server" and case.kind == "dispatcher" and not _brings_a_server(case):
        return Evidence(at, "?", "which server is called, and with which tools, is for whoever gives one")
    if dispatch.form == "server":
        intake = _intake(case)
        return Fault("whole-server", at, words, related=(intake,) if intake is not None else ())
    return Evidence(at, "?", f"what {dispatch.callee} does with the name is not known")


def _lookup_base(dispatch: Dispatch) -> ir.Expr | None:
    """The table of a lookup."""
    lookup = dispatch.lookup
    if isinstance(lookup, ir.Subscript):
        return lookup.base
    if isinstance(lookup, ir.Call) and isinstance(lookup.func, ir.Attr):
        return lookup.func.base
    return lookup if isinstance(lookup, ir.Call) else None


# ---- membership


def guards(case: Case, test: Point, dispatch: Point, admitting: str) -> bool:
    """Whether a dispatch is reached over one way of a test only, and the other way runs no tool."""
    blocked = frozenset({case.head})
    yes = reach([t for label, t in test.to if label == admitting], blocked, raising=False)
    if dispatch not in yes:
        return False
    others = [t for label, t in test.to if label != admitting]
    no = reach(others, blocked, raising=False)
    # The other calls of the same reply come after: a way that leads to the next call is no way to this one.
    turns = frozenset(p for p in no if p.kind == "iter" and p.loop in dispatch.loops)
    if turns:
        no = reach(others, blocked | turns, raising=False)
    return dispatch not in no and not any(p.dispatch is not None for p in no)


def _membership(case: Case, point: Point, dispatch: Dispatch) -> Evidence | None:
    """A test that the name is a member of a set, or a lookup in a table, on the way to the dispatch."""
    tools = case.tools
    for test in sorted(case.finder.inside, key=lambda p: p.number):
        node = test.node
        if test.kind != "test" or not isinstance(node, ir.Compare) or node.op not in {"in", "not in"}:
            continue
        function = test.frame.function
        if NAME not in tools.roles.of(node.left, function) or _is_text(node.right, function, case) or _folds(node.left):
            continue
        if guards(case, test, point, "true" if node.op == "in" else "false"):
            said = text_of(node.right)
            return Evidence(tools.program.at(function, node), said, f"tested for membership in {said}")
    if dispatch.form not in {"callback", "handed-on", "server"}:
        return None
    for frame in point.frame.stack():
        for inner in frame.function.nodes:
            table = _lookup(inner, frame.function, case, dispatch.key)
            if table is not None:
                said = text_of(table)
                return Evidence(tools.program.at(frame.function, inner), said, f"looked up by exact name in {said}")
    return None


def _lookup(node: ir.Node, function: Function, case: Case, key: ir.Expr | None = None) -> ir.Expr | None:
    """The table in which a name is looked up: ``table[name]``, ``table.get(name)``."""
    if isinstance(key, ir.Name):
        index = (
            node.index
            if isinstance(node, ir.Subscript)
            else node.args[0].value
            if isinstance(node, ir.Call) and node.args
            else None
        )
        if isinstance(index, ir.Name) and index.id == key.id:
            if isinstance(node, ir.Subscript):
                return node.base
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "get":
                return node.func.base
    if isinstance(node, ir.Subscript) and NAME in case.tools.roles.of(node.index, function):
        return node.base
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "get" and node.args:
        if NAME in case.tools.roles.of(node.args[0].value, function):
            return node.func.base
    return None


def _is_text(expr: ir.Expr, function: Function, case: Case) -> bool:
    """Whether the right side of ``in`` is a string: then it is no membership but a substring test."""
    if _text(expr) or (
        isinstance(expr, ir.Call) and last_name(expr.func) in {"lower", "upper", "strip", "join", "str"}
    ):
        return True
    return any(_text(value) for value, _ in case.tools.program.values(expr, function))


def _text(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.FString) or (isinstance(expr, ir.Const) and isinstance(expr.value, str))


def _folds(expr: ir.Node) -> bool:
    return isinstance(expr, ir.Call) and last_name(expr.func) in {"lower", "upper", "casefold"}


# ---- patterns


def _pattern(case: Case, dispatch: Point) -> Evidence | None:
    """A test of the name by pattern that admits the dispatch."""
    for test in sorted(case.finder.inside, key=lambda p: (p.frame.number, p.node.span)):
        if test.kind != "test":
            continue
        for node, admitting in _pattern_tests(test, case):
            if guards(case, test, dispatch, admitting):
                return Evidence(case.tools.program.at(test.frame.function, node), "", text_of_node(node))
    return None


def text_of_node(node: ir.Node) -> str:
    """``text_of`` for a comparison or a call."""
    return text_of(node) if isinstance(node, (ir.Compare, ir.Call)) else ""


def _pattern_tests(test: Point, case: Case) -> Iterator[tuple[ir.Node, str]]:
    """The pattern test that a point is, with the way that a match takes."""
    node, function = test.node, test.frame.function
    if isinstance(node, ir.Compare):
        named = NAME in case.tools.roles.of(node.left, function)
        if node.op in {"in", "not in"} and named and (_is_text(node.right, function, case) or _folds(node.left)):
            yield node, "true" if node.op == "in" else "false"
        if node.op in {"is", "is not", "==", "!=", ">", ">="}:
            call = _pattern_call(node.left, function, case)
            if call is not None:
                none = isinstance(node.right, ir.Const) and node.right.value is None
                yield call, "false" if none and node.op in {"is", "=="} else "true"
        return
    call = _pattern_call(node, function, case)
    if call is not None:
        yield call, "true"


def _pattern_call(node: ir.Node, function: Function, case: Case) -> ir.Call | None:
    """A pattern test of the model's name: the call itself, or one that a name was set to."""
    if isinstance(node, ir.Name):
        for binding in case.tools.program.lookup(node.id, function):
            if binding.kind == "assign" and isinstance(binding.value, ir.Call):
                found = _pattern_call(binding.value, binding.scope, case)
                if found is not None:
                    return found
        return None
    if isinstance(node, ir.Call) and last_name(node.func) in {"any", "bool"} and node.args:
        inner = node.args[0].value
        for element in inner.elements if isinstance(inner, ir.Comp) else (inner,):
            found = _pattern_call(element, function, case)
            if found is not None:
                return found
    if isinstance(node, ir.Call) and case.tools.roles.is_pattern(node, function):
        parts = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
        if any(NAME in case.tools.roles.of(p, function) for p in parts):
            return node
    return None


def _fuzzy_key(case: Case, dispatch: Dispatch) -> ir.Expr | None:
    """What makes the key of a lookup something else than the name that was given: a close match, a fold of case."""
    if dispatch.key is None:
        return None
    pending: list[tuple[ir.Expr, Function]] = [(dispatch.key, dispatch.function)]
    for _ in range(12):
        if not pending:
            return None
        expr, function = pending.pop(0)
        for node in ir.walk(expr):
            if isinstance(node, ir.Call):
                if _folds(node) and NAME in case.tools.roles.of(node, function):
                    return None if _folded_at_registration(node, function) else node
                if last_name(node.func) == "get_close_matches" and case.tools.roles.is_pattern(node, function):
                    return node
            elif isinstance(node, ir.Name):
                for binding in case.tools.program.lookup(node.id, function):
                    local = binding.scope.key == function.key and binding.kind in {"assign", "unpack"}
                    if local and binding.value is not None:
                        pending.append((binding.value, binding.scope))
    return None


def _folded_at_registration(fold: ir.Call, function: Function) -> bool:
    """Whether the same fold stands where the table is filled: then the names are exact after all."""
    name = last_name(fold.func)
    scope = function.cls.node.body if function.cls is not None else function.node.body
    for node in ir.walk_all(scope, into_functions=True):
        keys: list[ir.Expr] = []
        if isinstance(node, ir.Assign):
            keys.extend(t.index for t in node.targets if isinstance(t, ir.Subscript))
        elif isinstance(node, ir.Comp) and node.kind == "dict":
            keys.append(node.elements[0])
        if any(isinstance(n, ir.Call) and last_name(n.func) == name for k in keys for n in ir.walk(k)):
            return True
    return False


# ---- tools picked out of a collection


def _picked(case: Case, dispatch: Dispatch) -> str:
    """``exact`` or ``pattern`` where the tool was picked out of a collection by its name."""
    node = dispatch.node
    if not isinstance(node, ir.Call):
        return ""
    program = case.tools.program
    pending: list[tuple[ir.Expr, Function]] = [(node.func, dispatch.function)]
    for _ in range(24):
        if not pending:
            return ""
        expr, function = pending.pop()
        if isinstance(expr, (ir.Attr, ir.Subscript)):
            pending.append((expr.base, function))
        elif isinstance(expr, ir.Await):
            pending.append((expr.value, function))
        elif isinstance(expr, ir.Name):
            bindings = program.lookup(expr.id, function)
            how = case.tools.roles.picked(expr.id, function) if any(b.kind == "element" for b in bindings) else ""
            if how:
                return how
            pending.extend((b.value, b.scope) for b in bindings if b.value is not None)
        elif isinstance(expr, ir.Comp):
            pending.extend((e, function) for e in expr.elements)
        elif isinstance(expr, ir.Call):
            targets = program.targets(expr, function)
            for target in targets:
                for inner in target.nodes:
                    if isinstance(inner, ir.Return) and inner.value is not None:
                        pending.append((inner.value, target))
            if not targets:
                pending.extend((a.value, function) for a in expr.args[:1])
    return ""


def _brings_a_server(case: Case) -> bool:
    """Whether the module that calls a server also says which one it is."""
    words = {word.rpartition(".")[2] for word in case.tools.catalogue.words("mcp-server", "call")}
    module = case.function.module
    if not words & module.names:
        return False
    for number, statement in enumerate(module.index.statements):
        if not words & statement.calls:
            continue
        for word in sorted(words):
            for call, _ in module.calls_named(number, word):
                given = [a.value for a in call.args if a.name in {None, "command", "url"}][:1]
                if given and isinstance(given[0], ir.Const):
                    return True
    return False


def _intake(case: Case) -> Step | None:
    """The place where all tools of a server are taken in."""
    tools = case.tools
    for frame in case.graph.frames:
        for node in frame.function.nodes:
            if isinstance(node, ir.Call):
                names = [m.name for m in tools.program.resolve(node.func, frame.function) if isinstance(m, External)]
                if any(tools.catalogue.find("mcp-intake", n) for n in names) or tools.catalogue.by_method(
                    "mcp-intake", dotted(node.func)
                ):
                    return Step(tools.program.at(frame.function, node), "all tools of the server are taken in")
    return None
