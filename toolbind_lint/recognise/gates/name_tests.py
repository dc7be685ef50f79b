"""The tests of a case that look at the model's name, or at what was found by it: exact ones and patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import reach
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import NAME, TOOL, last_name
from toolbind_lint.recognise.values import text_of

_CODE = frozenset({"attribute", "namespace", "code"})
_EQUAL = {"==": "true", "is": "true", "!=": "false", "is not": "false"}
_FOLDS = frozenset({"lower", "upper", "casefold"})


class NameTest(NamedTuple):
    """What a test asks of the name. ``admits`` is the way that a listed name takes.

    ``kind`` is exact, pattern, or named (whether there is a name at all, which an unlisted one is).

    ``gate`` says that a tool is run on that way, so that missing it is missing the tool; ``node`` is the expression
    that does the testing, ``among`` the set or table that it tests against, where there is one.
    """

    kind: str
    admits: str
    gate: bool
    node: ir.Node
    among: ir.Expr | None = None


class NameTests:
    """Reads the tests of one case, each once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.roles = case.tools.roles
        self._read: dict[Point, NameTest | None] = {}
        self._sets: dict[str, frozenset[str]] = {}

    def test(self, point: Point) -> NameTest | None:
        """What a test asks of the name, or None where it asks something else."""
        if point not in self._read:
            found = next(self._of(point.node, point.frame.function, point), None)
            if found is not None and found.kind == "exact":
                found = found._replace(gate=self._leads_to_a_tool(point, found))
            self._read[point] = found
        return self._read[point]

    def _of(self, node: ir.Node, function: Function, point: Point) -> Iterator[NameTest]:
        yield from self._pattern(node, function)
        if isinstance(node, ir.Compare):
            yield from self._compared(node, function, point)
        elif isinstance(node, ir.Call):
            yield from self._called(node, function)
        elif isinstance(node, (ir.Name, ir.Attr)) and text_of(node) in self._asked(function):
            yield NameTest("named", "false", False, node)  # of a list that is there
        elif isinstance(node, (ir.Name, ir.Walrus, ir.Subscript)):
            roles = self.roles.of(node, function)
            if TOOL in roles and self._from_a_table(node, function):
                yield NameTest("exact", "true", False, node)
            elif NAME in roles:
                yield NameTest("named", "false", False, node)

    def _compared(self, node: ir.Compare, function: Function, point: Point) -> Iterator[NameTest]:
        left, right = self.roles.of(node.left, function), self.roles.of(node.right, function)
        if node.op in {"in", "not in"}:
            admits = "true" if node.op == "in" else "false"
            if NAME in left and not self._is_recorded(node.right, point):
                yield NameTest("exact", admits, False, node, node.right)
            return
        nothing = isinstance(node.right, ir.Const) and node.right.value is None
        if nothing and node.op in _EQUAL and text_of(node.left) in self._asked(function):
            yield NameTest("named", _EQUAL[node.op], False, node)
            return
        if node.op not in _EQUAL:
            if isinstance(node.left, ir.Call) and last_name(node.left.func) == "len":
                yield from self._counted(node, function)
            return
        admits = _EQUAL[node.op]
        if isinstance(node.right, ir.Const) and not node.right.value:
            if TOOL in left and node.right.value is None and self._from_a_table(node.left, function):
                yield NameTest("exact", "false" if admits == "true" else "true", False, node)
            elif NAME in left:
                yield NameTest("named", admits, False, node)
            elif isinstance(node.left, ir.Call) and last_name(node.left.func) == "len":
                yield from self._counted(node, function)
        elif NAME in left or NAME in right:
            yield NameTest("exact", admits, False, node)

    def _counted(self, node: ir.Compare, function: Function) -> Iterator[NameTest]:
        """``len(found) == 0`` of the tools that bear the name."""
        assert isinstance(node.left, ir.Call)
        if not node.left.args or not isinstance(node.right, ir.Const) or node.right.value not in {0, 1}:
            return
        if TOOL in self.roles.of(node.left.args[0].value, function):
            empty = {"==": "true", "<": "true", "<=": "true"}.get(node.op, "false")
            yield NameTest("exact", "false" if empty == "true" else "true", False, node)

    def _called(self, node: ir.Call, function: Function) -> Iterator[NameTest]:
        name = last_name(node.func)
        given = node.args[0].value if node.args else None
        if name in {"any", "all"} and isinstance(given, ir.Comp):
            for element in given.elements:
                for inner in ir.walk(element):
                    if isinstance(inner, ir.Compare) and inner.op in _EQUAL:
                        if NAME in self.roles.of(inner.left, function) | self.roles.of(inner.right, function):
                            yield NameTest("exact", "true" if name == "any" else "false", False, node)
        elif name in {"callable", "isinstance", "bool"} and given is not None:
            if TOOL in self.roles.of(given, function) and self._from_a_table(given, function):
                yield NameTest("exact", "true", False, node)
        elif TOOL in self.roles.of(node, function) and self._from_a_table(node, function):
            yield NameTest("exact", "true", False, node)

    def _from_a_table(self, expr: ir.Expr, function: Function) -> bool:
        """Whether a tool was found by its name in a table or a list, and not among all attributes of something."""
        if isinstance(expr, ir.Attr):
            return False
        return self.roles.looked_up(expr, function)[0] not in _CODE

    def _asked(self, function: Function) -> frozenset[str]:
        """The sets of a function in which the name is looked for, as written."""
        if function.key not in self._sets:
            self._sets[function.key] = frozenset(
                text_of(n.right)
                for n in function.nodes
                if isinstance(n, ir.Compare)
                and n.op in {"in", "not in"}
                and isinstance(n.right, (ir.Name, ir.Attr))
                and NAME in self.roles.of(n.left, function)
            )
        return self._sets[function.key]

    def _is_recorded(self, among: ir.Expr, point: Point) -> bool:
        """Whether names of the run itself are gathered in a set: what has been called, and not what may be."""
        cell = self.case.builder.cell(among, point.frame)
        begins = [v for v, _ in self.case.tools.program.values(among, point.frame.function)]
        if cell is None or not begins or not all(_is_empty(v) for v in begins):
            return False
        for change in self.case.finder.changes(cell, "grow"):
            frame = change.value_frame or change.frame
            if NAME in self.roles.of(change.value, frame.function):
                return True
        return False

    def _leads_to_a_tool(self, point: Point, test: NameTest) -> bool:
        """Whether a dispatch is run, within the same call, on the way that a listed name takes, and the run goes on."""
        starts = [t for label, t in point.to if label == test.admits]
        if self.case.kind != "dispatcher" and not any(t in self.case.graph.returning for t in starts):
            return False  # this name ends the run
        for dispatch in self.case.dispatches:
            found = dispatch.dispatch
            if found is not None and found.form == "chain" and found.function.key == point.frame.function.key:
                span, inner = found.node.span, point.node.span
                if span[:2] <= inner[:2] and inner[2:] <= span[2:]:
                    return True
        next_call = (p for p in self.case.graph.points if p.kind == "iter" and p.loop in point.loops)
        inside = reach(starts, frozenset([self.case.head, *next_call]), raising=False)
        return any(p.dispatch is not None and p is not point for p in inside)

    # ---- patterns

    def _pattern(self, node: ir.Node, function: Function) -> Iterator[NameTest]:
        """A test of the name by pattern, with the way that a match takes."""
        if isinstance(node, ir.Compare):
            named = NAME in self.roles.of(node.left, function)
            if node.op in {"in", "not in"} and named and (self.is_text(node.right, function) or folds(node.left)):
                yield NameTest("pattern", "true" if node.op == "in" else "false", False, node)
            if node.op in {"is", "is not", "==", "!=", ">", ">="}:
                call = self._pattern_call(node.left, function)
                if call is not None:
                    none = isinstance(node.right, ir.Const) and node.right.value is None
                    yield NameTest("pattern", "false" if none and node.op in {"is", "=="} else "true", False, call)
            return
        call = self._pattern_call(node, function)
        if call is not None:
            yield NameTest("pattern", "true", False, call)

    def _pattern_call(self, node: ir.Node, function: Function) -> ir.Call | None:
        """A pattern test of the model's name: the call itself, or one that a name was set to."""
        if isinstance(node, ir.Name):
            for binding in self.case.tools.program.lookup(node.id, function):
                if binding.kind == "assign" and isinstance(binding.value, ir.Call):
                    found = self._pattern_call(binding.value, binding.scope)
                    if found is not None:
                        return found
            return None
        if isinstance(node, ir.Call) and last_name(node.func) in {"any", "bool"} and node.args:
            inner = node.args[0].value
            for element in inner.elements if isinstance(inner, ir.Comp) else (inner,):
                found = self._pattern_call(element, function)
                if found is not None:
                    return found
        if isinstance(node, ir.Call) and self.roles.is_pattern(node, function):
            parts = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
            if any(NAME in self.roles.of(p, function) for p in parts):
                return node
        return None

    def is_text(self, expr: ir.Expr, function: Function) -> bool:
        """Whether the right side of ``in`` is a string: then it is no membership but a substring test."""
        if _text(expr) or (
            isinstance(expr, ir.Call) and last_name(expr.func) in {"lower", "upper", "strip", "join", "str"}
        ):
            return True
        return any(_text(value) for value, _ in self.case.tools.program.values(expr, function))


def _is_empty(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Call):
        return not expr.args or (isinstance(expr.func, ir.Name) and expr.func.id == "defaultdict")
    return isinstance(expr, (ir.Seq, ir.DictE)) and not expr.items


def _text(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.FString) or (isinstance(expr, ir.Const) and isinstance(expr.value, str))


def folds(expr: ir.Node) -> bool:
    """Whether an expression folds the case of a text."""
    return isinstance(expr, ir.Call) and last_name(expr.func) in _FOLDS


def guards(case: Case, test: Point, dispatch: Point, admitting: str) -> bool:
    """Whether a dispatch is reached over one way of a test only, and the other way runs no tool."""
    ahead = case.finder.ahead
    if not ahead.bits(t for label, t in test.to if label == admitting) >> dispatch.number & 1:
        return False
    others = [t for label, t in test.to if label != admitting]
    no = ahead.bits(others)
    # The other calls of the same reply come after: a way that leads to the next call is no way to this one.
    turns = frozenset(p for p in case.finder.iterations if p.loop in dispatch.loops and no >> p.number & 1)
    if turns:
        no = _without(case, test, admitting, turns)
    return not no & _dispatching(case)


def _without(case: Case, test: Point, admitting: str, turns: frozenset[Point]) -> int:
    """What lies ahead of the other ways of a test, as bits, without the next passes of inner loops."""
    key = ("without", test.number, admitting, turns)
    found = case.notes.get(key)
    if not isinstance(found, int):
        others = [t for label, t in test.to if label != admitting]
        points = reach(others, frozenset({case.head}) | turns, raising=False)
        found = case.notes[key] = sum(1 << p.number for p in points)
    return found


def _dispatching(case: Case) -> int:
    """The points that run a tool, as bits."""
    found = case.notes.get("dispatching")
    if not isinstance(found, int):
        found = case.notes["dispatching"] = sum(1 << p.number for p in case.graph.points if p.dispatch is not None)
    return found
