"""The allowlist: between the model's name and the code that runs stands a set of exact names."""

from __future__ import annotations

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.dispatches import Dispatch
from toolbind_lint.recognise.gates import list_leaks, tool_tables, unknown_names
from toolbind_lint.recognise.gates.cap import place_of
from toolbind_lint.recognise.gates.name_tests import NameTest, NameTests, folds
from toolbind_lint.recognise.gates.name_walk import Walk, Walker, plain
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import External, Function
from toolbind_lint.recognise.roles import NAME, dotted, last_name
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, Verdict

_ORDER = (
    "code-by-name",
    "whole-server",
    "unpinned",
    "pattern",
    "empty-admits-all",
    "offered-only",
    "written-in-run",
    "unknown-goes-on",
)
_CODE = frozenset({"attribute", "namespace", "code"})


def verdict(case: Case) -> Verdict:
    """How the allowlist of a loop or dispatcher stands: the weakest of its dispatches."""
    own = own_dispatches(case)
    if not own:
        return Verdict("allowlist", "not-applicable")
    walks = Walks(case)
    faults: dict[tuple[str, Place], Fault] = {}
    evidence: list[Evidence] = []
    unknown: list[Evidence] = []
    for point in own:
        assert point.dispatch is not None
        found = _judge(case, walks, point, point.dispatch)
        if isinstance(found, Fault):
            faults.setdefault((found.how, found.place), found)
        elif found.value == "?":
            unknown.append(found._replace(value=""))
        else:
            evidence.append(found)
    open_ = bool(faults)
    for fault in (*list_leaks.faults(case, walks.tests), *unknown_names.faults(case, walks.plain)):
        faults.setdefault((fault.how, fault.place), fault)
    if faults:
        told = sorted(faults.values(), key=lambda f: (_ORDER.index(f.how), f.place))
        return Verdict("allowlist", "missing" if open_ else "leaks", tuple(told), tuple(dict.fromkeys(evidence)))
    if unknown:
        return Verdict("allowlist", "unknown", (), tuple(dict.fromkeys(unknown)))
    return Verdict("allowlist", "held", (), tuple(dict.fromkeys(evidence)))


class Walks:
    """The walks of an unlisted name through one case: those with patterns only where a pattern is tested."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.tests = NameTests(case)
        self.plain = plain(case)
        self.patterned = any(self._is_pattern(p) for p in case.finder.inside)
        self.matching = self._walk(matching=True)
        self.through = self._walk(lookups=True)
        self.matching_through = self._walk(matching=True, lookups=True)

    def _is_pattern(self, point: Point) -> bool:
        test = self.tests.test(point) if point.kind == "test" else None
        return test is not None and test.kind == "pattern"

    def _walk(self, *, matching: bool = False, lookups: bool = False) -> Walk:
        return Walker(self.case, matching=matching, lookups=lookups).walk() if self.patterned else self.plain

    def pattern(self, point: Point, dispatch: Dispatch) -> Point | None:
        """The pattern test that alone lets a name come to a dispatch, or None."""
        if dispatch.form in {"table", "chain"}:
            free, matched = self.through, self.matching_through
        else:
            free, matched = self.plain, self.matching
        test = matched.reached.get(point)
        if test is None or point in free.reached:
            return None
        return None if dispatch.form not in _CODE and self._chooses(test) else test

    def _chooses(self, test: Point) -> bool:
        """Whether a pattern only chooses between two ways of running a tool."""
        read = self.tests.test(test)
        assert read is not None
        next_call = (p for p in self.case.graph.points if p.kind == "iter" and p.loop in test.loops)
        blocked = frozenset([self.case.head, *next_call])
        others = reach([t for label, t in test.to if label != read.admits], blocked, raising=False)
        return any(p.dispatch is not None for p in others)


def _judge(case: Case, walks: Walks, point: Point, dispatch: Dispatch) -> Fault | Evidence:
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
    if dispatch.form == "fixed":
        # Of a tool that is always the same one the name decides nothing.
        return Evidence(at, "", f"only {dispatch.callee} runs here")
    pattern = walks.pattern(point, dispatch)
    if pattern is not None:
        read = walks.tests.test(pattern)
        assert read is not None
        return Fault("pattern", program.at(pattern.frame.function, read.node), words, related=runs)
    picked = _picked(case, dispatch)
    member = _membership(case, walks, point, dispatch)
    if picked == "pattern" and member is None:
        return Fault("pattern", at, words, related=runs)
    fuzzy = _fuzzy_key(case, dispatch)
    if fuzzy is not None:
        return Fault("pattern", program.at(dispatch.function, fuzzy), words, related=runs)
    filled = tool_tables.filled(case, walks.tests, point, dispatch)
    if filled is not None:
        return filled
    if picked == "exact" or dispatch.form == "chain":
        return Evidence(at, "", "compared with literal names")
    if dispatch.form == "table":
        return Evidence(at, "", f"looked up by exact name in {text_of(_lookup_base(dispatch))}")
    if member is not None:
        return member
    if dispatch.form in _CODE:
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


def _membership(case: Case, walks: Walks, point: Point, dispatch: Dispatch) -> Evidence | None:
    """What keeps an unlisted name from a dispatch: a test that it is a member of a set, a lookup in a table."""
    if point not in walks.plain.reached:
        return _held_by(case, walks, point)
    for frame in point.frame.stack() if dispatch.form == "callback" else ():
        for inner in frame.function.nodes:
            table = _lookup(inner, frame.function, case, dispatch.key)
            if table is not None:
                at = case.tools.program.at(frame.function, inner)
                return Evidence(at, text_of(table), f"looked up by exact name in {text_of(table)}")
    return None


def _held_by(case: Case, walks: Walks, dispatch: Point) -> Evidence | None:
    """The first test or lookup of the name on the way to a dispatch."""
    ahead = case.finder.ahead_raising
    for point in case.finder.ordered:
        function = point.frame.function
        if point.kind == "lookup" and isinstance(point.node, ir.Subscript):
            if ahead.bits(t for label, t in point.to if label != "raise") >> dispatch.number & 1:
                said = text_of(point.node.base)
                return Evidence(case.tools.program.at(function, point.node), said, f"looked up by exact name in {said}")
        test = walks.tests.test(point) if point.kind == "test" else None
        if test is None or test.kind != "exact":
            continue
        if ahead.bits(t for label, t in point.to if label == test.admits) >> dispatch.number & 1:
            return Evidence(case.tools.program.at(function, test.node), text_of(test.among), _said(test))
    return None


def _said(test: NameTest) -> str:
    return f"tested for membership in {text_of(test.among)}" if test.among is not None else "compared with exact names"


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


# ---- patterns


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
                if folds(node) and NAME in case.tools.roles.of(node, function):
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
