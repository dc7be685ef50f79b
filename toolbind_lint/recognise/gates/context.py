"""The context: a conversation cut without tearing a call from its answer, and repeated calls that are noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.gates.owned import own_dispatches
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.paths import Cell, Point
from toolbind_lint.recognise.program import Function
from toolbind_lint.recognise.roles import ARGS, CALL, CALLS, NAME, last_name, snake
from toolbind_lint.recognise.values import text_of
from toolbind_lint.verdicts import Evidence, Fault, State, Verdict

_SHORTENS = re.compile(
    r"(trim|compact|summar|prune|truncat|shorten|condense|compress|evict|drop|forget|window|shrink|limit_|cut_|clear)"
)
_NOTICES = re.compile(r"(repeat|duplicate|seen|fingerprint|signature|already|stuck|identical|same_call|loop_detect)")
_REPEATED = frozenset({NAME, ARGS, CALL, CALLS})
MAX_READ = 120


def verdict(case: Case) -> Verdict:
    """How the context of a loop stands."""
    if not own_dispatches(case):
        return Verdict("context", "not-applicable")
    functions = _reached(case)
    cells = _conversation(case)
    torn = list(_torn(case, cells))
    faults = list(torn)
    evidence: list[Evidence] = []
    unknown = False
    for found in (_repeats(case, functions), _grows(case, cells, functions)):
        if isinstance(found, Fault):
            faults.append(found)
        elif found is not None:
            evidence.append(found)
        else:
            unknown = True
    if torn:
        faults = [f for f in faults if f.how != "only-grows"]
    if faults:
        return Verdict("context", "leaks" if torn else "missing", tuple(faults), tuple(evidence))
    state: State = "unknown" if unknown or case.graph.truncated else "held"
    return Verdict("context", state, (), tuple(evidence))


def _reached(case: Case) -> list[Function]:
    """The functions of the graph and those that they call."""
    found = {f.function.key: f.function for f in case.graph.frames}
    queue = list(found.values())
    while queue and len(found) < MAX_READ:
        function = queue.pop(0)
        for call in function.calls:
            for target in case.tools.program.targets(call, function):
                if target.key not in found:
                    found[target.key] = target
                    queue.append(target)
    return list(found.values())


# ---- repeated calls


def _repeats(case: Case, functions: list[Function]) -> Fault | Evidence | None:
    """What notices a call that was made before; None where it is not known."""
    for point in case.finder.ordered:
        node = point.node
        if point.kind != "test" or not isinstance(node, ir.Compare):
            continue
        function = point.frame.function
        left, right = case.tools.roles.of(node.left, function), case.tools.roles.of(node.right, function)
        if node.op in {"in", "not in"} and ARGS in left and not isinstance(node.right, (ir.Const, ir.Seq)):
            return Evidence(place_of(case, point), "", f"{text_of(node.left)} is looked for among earlier calls")
        if node.op in {"==", "!="} and left & {ARGS, CALLS} and right & _REPEATED:
            return Evidence(place_of(case, point), "", "compared with the call before")
    for function in functions:
        if any(_NOTICES.search(snake(word)) for word in _names(function)):
            return None
    return None if case.graph.truncated else Fault("no-repeat-check", header(case))


def _names(function: Function) -> Iterator[str]:
    yield function.node.name
    for node in function.nodes:
        if isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, ir.Attr):
            yield node.name


# ---- the conversation


def _conversation(case: Case) -> set[Cell]:
    """The cells that turns read as their conversation and that the loop adds to."""
    out: set[Cell] = set()
    for turn in case.turns:
        if turn.turn is None:
            continue
        for arg in turn.turn.call.args:
            for node in ir.walk(arg.value):
                if isinstance(node, (ir.Name, ir.Attr)):
                    cell = case.builder.cell(node, turn.frame)
                    if cell is not None and case.finder.changes(cell, "grow", "move"):
                        out.add(cell)
    return out


def _grows(case: Case, cells: set[Cell], functions: list[Function]) -> Fault | Evidence | None:
    if not cells:
        return None
    for cell in sorted(cells):
        for point in case.finder.changes(cell, "shrink", "set"):
            return Evidence(place_of(case, point), "", "the conversation is shortened or made anew here")
    for function in functions:
        if any(_SHORTENS.search(snake(last_name(call.func))) for call in function.calls):
            return None
    return None if case.graph.truncated else Fault("only-grows", header(case))


def _torn(case: Case, cells: set[Cell]) -> Iterator[Fault]:
    """Places where the front of the conversation is cut by position, with no look at what is cut."""
    for cell in sorted(cells):
        for point in case.finder.changes(cell, "set", "shrink"):
            if _by_position(case, point, cell) and not _looks(point.frame.function):
                words = (("value", text_of(point.value)),) if point.value is not None else ()
                yield Fault("torn", place_of(case, point), words)


def _by_position(case: Case, point: Point, cell: Cell) -> bool:
    if point.kind == "set":
        frame = point.value_frame or point.frame
        for node in ir.walk(point.value) if point.value is not None else ():
            if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Slice) and node.index.lower is not None:
                lower = node.index.lower
                last = isinstance(lower, ir.Neg) or (isinstance(lower, ir.Const) and lower.value != 0)
                if last and case.builder.cell(node.base, frame) == cell:
                    return True
        return False
    node = point.node
    if isinstance(node, ir.Call) and last_name(node.func) == "pop":
        return bool(node.args) and isinstance(node.args[0].value, ir.Const)
    if isinstance(node, ir.Call) and last_name(node.func) == "popleft":
        return True
    if isinstance(node, ir.Delete):
        return any(
            isinstance(t, ir.Subscript) and isinstance(t.index, (ir.Slice, ir.Const)) and not _is_last(t.index)
            for t in node.targets
        )
    return False


def _is_last(index: ir.Expr) -> bool:
    """``del messages[-1]`` takes back what was added last."""
    if isinstance(index, ir.Slice):
        return index.upper is None
    return isinstance(index, ir.Const) and isinstance(index.value, int) and index.value < 0


def _looks(function: Function) -> bool:
    """Whether a function looks at the roles of messages or at their calls before it cuts."""
    for node in function.nodes:
        if isinstance(node, (ir.If, ir.While, ir.IfExp, ir.Comp)):
            tests = node.generators[0].ifs if isinstance(node, ir.Comp) else (node.test,)
            for test in tests:
                for part in ir.walk(test):
                    word = part.value if isinstance(part, ir.Const) else last_name(part)
                    if isinstance(word, str) and re.search(r"(role|tool|assistant|pair|orphan)", word.lower()):
                        if isinstance(part, ir.Const) or "role" in word.lower() or "pair" in word.lower():
                            return True
    return False
