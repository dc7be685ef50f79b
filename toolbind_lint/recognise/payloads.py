"""What becomes of a tool's result, and of an exception's text, on the way to the message that goes back to the model.

A value is followed through names, helpers, lists, texts, message classes and generators; on the way it may be parsed
against a shape or cut to a size. What is not seen is not guessed: a value that is handed to code outside the project
goes on as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.flow import FunctionFlow, leaves
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import Class, ClassRef, External, Function, FunctionRef
from toolbind_lint.recognise.roles import last_name, snake

MAX_STEPS = 3_000
MAX_FUNCTIONS = 200

_CUTS = re.compile(
    r"(^|_)(truncate|truncated|trim|clip|clamp|shorten|abbreviate|ellipsize|crop|limit|cap|cut|squeeze)(_|$|d)"
)
_KEEPERS = ("message", "history", "conversation", "transcript", "context", "memory", "item", "input", "turns", "thread")
_ENVELOPES = ("Message", "Result", "Observation", "Response", "Output", "Part", "Block")
_CONTENT = frozenset({"text", "output", "result"})
_TESTS = frozenset({"isinstance", "all", "any", "issubset", "issuperset"})
_GROW = frozenset({"append", "extend", "insert", "add", "appendleft"})
_SAYS = re.compile(
    r"(add|append|push|record|save|store|send|submit|put|insert|write)\w*"
    r"(message|result|response|output|observation|turn)"
)
_QUIET = frozenset(
    [
        "print",
        "info",
        "debug",
        "warning",
        "error",
        "exception",
        "log",
        "critical",
        "len",
        "isinstance",
        "type",
        "hasattr",
        "id",
        "bool",
        "hash",
        "callable",
    ]
)
_TEXTS = frozenset({"str", "repr", "json.dumps", "dumps", "join", "format", "builtins.str"})
_ORDER = frozenset({"<", "<=", ">", ">="})
_ERRORS = frozenset({"error", "is_error", "isError", "error_code"})
_JUDGES = re.compile(r"(?:^|_)(?:parse|validat|check_schema|conform|coerce|deserial)")
"""Names by which something whose code is not known may hold a value against a shape."""


class Marks(NamedTuple):
    """What happened to a value on its way: ``cut`` is early (of what came) or late (of what was parsed or loaded).

    ``loaded`` says that it is no longer the text that came, ``text`` that it was made text, ``perhaps`` that something
    whose code is not known may have parsed it.
    """

    parsed: bool = False
    cut: str = ""
    loaded: bool = False
    text: bool = False
    perhaps: bool = False

    def shortened(self) -> Marks:
        """After a cut; one behind the parse is late."""
        return self if self.cut else self._replace(cut="late" if self.parsed or self.loaded else "early")


class Arrival(NamedTuple):
    """A place where a followed value enters a message (or, ``said``, the conversation), with what happened to it."""

    node: ir.Node
    function: Function
    marks: Marks
    said: bool


class Step(NamedTuple):
    """A place on the way that a card shows: a parse, a cut, a parse that may fail with the raw text behind it."""

    kind: str
    node: ir.Node
    function: Function


class Trace(NamedTuple):
    """Where a value went. ``returned`` says that it left the functions that were looked at through a ``return``."""

    arrivals: tuple[Arrival, ...]
    steps: tuple[Step, ...]
    returned: tuple[Marks, ...]

    @property
    def final(self) -> tuple[Arrival, ...]:
        """The arrivals in the conversation itself; where none was seen, those in a message."""
        said = tuple(a for a in self.arrivals if a.said)
        return said or self.arrivals


_Item = tuple[ir.Node, Function, Marks]


class Payloads:
    """Follows values through the functions of one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.program = case.tools.program
        self.catalogue = case.tools.catalogue
        self.functions: dict[str, Function] = {f.function.key: f.function for f in case.graph.frames}
        self._flows: dict[str, FunctionFlow] = {}
        self._judged: dict[tuple[str, str], Marks] = {}
        self._handed: dict[str, dict[str, list[tuple[ir.Call, ir.Expr]]]] = {}
        self._own_fields: dict[str, dict[str, list[ir.Attr]]] = {}
        self._named: dict[int, frozenset[str]] = {}
        self._roles = case.tools.catalogue.words("result-message", "roles")
        self._types = case.tools.catalogue.words("result-message", "types")
        self.keys = case.tools.catalogue.words("result-message", "keys")
        self._classes = case.tools.catalogue.words("result-message", "classes")

    def flow(self, function: Function) -> FunctionFlow:
        """The flow of one function."""
        if function.key not in self._flows:
            self._flows[function.key] = FunctionFlow(function)
        return self._flows[function.key]

    def handed(self, function: Function) -> Mapping[str, Sequence[tuple[ir.Call, ir.Expr]]]:
        """The calls of a function that are given a name or an attribute, by the last name of that."""
        if function.key not in self._handed:
            found: dict[str, list[tuple[ir.Call, ir.Expr]]] = {}
            for call in function.calls:
                for arg in call.args:
                    if isinstance(arg.value, (ir.Name, ir.Attr)):
                        found.setdefault(last_name(arg.value), []).append((call, arg.value))
            self._handed[function.key] = found
        return self._handed[function.key]

    def own_fields(self, function: Function) -> Mapping[str, Sequence[ir.Attr]]:
        """The places at which a method names a field of its own object, by that field."""
        if function.key not in self._own_fields:
            found: dict[str, list[ir.Attr]] = {}
            for node in function.nodes if function.self_name else ():
                if isinstance(node, ir.Attr) and isinstance(node.base, ir.Name) and node.base.id == function.self_name:
                    found.setdefault(node.name, []).append(node)
            self._own_fields[function.key] = found
        return self._own_fields[function.key]

    def _mentions(self, expr: ir.Node, names: set[str]) -> bool:
        """``_mentions``, each expression looked through once."""
        if id(expr) not in self._named:
            self._named[id(expr)] = frozenset(n.id for n in ir.walk(expr) if isinstance(n, ir.Name))
        return not self._named[id(expr)].isdisjoint(names)

    # ---- following

    def follow(self, sources: Iterable[tuple[ir.Node, Function]], *, within: Iterable[Function] = ()) -> Trace:
        """Follows the values of some expressions; ``within`` adds functions to those of the case's graph."""
        board = _Board({**self.functions, **{f.key: f for f in within}})
        run = _Run(self, board)
        for node, function in sources:
            run.push(node, function, Marks())
        run.work()
        return Trace(
            tuple(dict.fromkeys(board.arrivals)), tuple(dict.fromkeys(board.steps)), tuple(dict.fromkeys(run.returned))
        )

    # ---- messages

    def is_message(self, node: ir.DictE) -> bool:
        """Whether a dict display is a message or a tool's answer."""
        for key, value in node.items:
            if not isinstance(key, ir.Const) or not isinstance(value, (ir.Const, ir.Name, ir.Attr, ir.IfExp)):
                continue
            if key.value == "role":
                return True
            if key.value == "type" and isinstance(value, ir.Const) and value.value in self._types:
                return True
        named = {k.value for k, _ in node.items if isinstance(k, ir.Const)}
        return len(named & (self.keys - {"type"})) >= 2

    def is_message_class(self, call: ir.Call, argument: ir.Arg) -> bool:
        """Whether a call makes a message of the argument that it is given."""
        name = last_name(call.func)
        if name in self._classes:
            return True
        if not name[:1].isupper():
            return False
        given = {a.name for a in call.args if a.name}
        ids = {k for k in self.keys if k.endswith("_id")}
        told = argument.name is None or argument.name in self.keys | _CONTENT
        return bool(given & ids) or (told and any(word in name for word in _ENVELOPES))

    def is_conversation(self, expr: ir.Expr) -> bool:
        """Whether an expression names what the model is sent."""
        name = last_name(expr).lower()
        return any(word in name for word in _KEEPERS)

    # ---- parses and cuts

    def external(self, call: ir.Call, function: Function) -> tuple[str, ...]:
        """The dotted names of what a call runs outside the project."""
        return tuple(m.name for m in self.program.resolve(call.func, function) if isinstance(m, External))

    def parse_form(self, call: ir.Call, function: Function) -> str:
        """How a call outside the project reads a result: shape, format, repair; empty where it does not."""
        for name in self.external(call, function):
            row = self.catalogue.find("parse", name)
            if row is not None:
                return row.one("form")
        return ""

    def validates(self, call: ir.Call, function: Function) -> bool:
        """Whether a call parses what it is given against a shape and raises where it does not fit."""
        if self.parse_form(call, function) == "shape":
            return True
        if isinstance(call.func, ir.Attr) and call.func.name in self.catalogue.words("parse", "names"):
            return not any(isinstance(m, FunctionRef) for m in self.program.resolve(call.func, function))
        if any(a.star == "**" for a in call.args):
            made = [m.cls for m in self.program.resolve(call.func, function) if isinstance(m, ClassRef)]
            return any(self.is_schema(cls) for cls in made)
        return False

    def is_schema(self, cls: Class) -> bool:
        """Whether making an object of a class checks what it is given."""
        bases = [b.name for b in self.program.mro(cls) if isinstance(b, External)]
        checked = self.catalogue.words("shape", "bases")
        if any(b.rpartition(".")[2] in checked for b in bases):
            return True
        return any(m in self.program.members(cls) for m in ("__post_init__", "__attrs_post_init__"))

    def judged(self, function: Function, name: str) -> Marks:
        """What a function makes sure of about a parameter before it returns: it raises where that is not so."""
        key = (function.key, name)
        if key not in self._judged:
            self._judged[key] = Marks()
            self._judged[key] = self.looked_at(name, function.node.body, function, Marks())
        return self._judged[key]

    def looked_at(self, name: str, between: Iterable[ir.Stmt], function: Function, marks: Marks) -> Marks:
        """What the statements on the way make sure of about the value of a name."""
        derived = {name}
        sized: set[str] = set()
        for stmt in between:
            if isinstance(stmt, ir.Assign) and stmt.value is not None and self._mentions(stmt.value, derived):
                targets = {n.id for t in stmt.targets for n in ir.walk(t) if isinstance(n, ir.Name)} - {name}
                derived |= targets
                if _measures(stmt.value, derived, sized):
                    sized |= targets
            if isinstance(stmt, (ir.Assign, ir.ExprStmt)) and stmt.value is not None:
                if self._mentions(stmt.value, derived):
                    marks = self._checked_by_call(stmt.value, derived, function, marks)
            elif (isinstance(stmt, ir.Try) and all(leaves(h.body) for h in stmt.handlers)) or isinstance(stmt, ir.With):
                marks = self.looked_at(name, stmt.body, function, marks)
            elif isinstance(stmt, ir.For) and self._mentions(stmt.iter, derived):
                inner = {n.id for n in ir.walk(stmt.target) if isinstance(n, ir.Name)}
                if any(_raises_on_shape(s, derived | inner) for s in stmt.body):
                    marks = marks._replace(parsed=True)
            elif isinstance(stmt, ir.If):
                marks = self._checked_by_test(stmt, name, derived, sized, marks)
        return marks

    def _checked_by_call(self, value: ir.Expr, derived: set[str], function: Function, marks: Marks) -> Marks:
        for call in ir.walk(value):
            if not isinstance(call, ir.Call) or not any(_is_of(a.value, derived) for a in call.args):
                continue
            if self.validates(call, function):
                return marks._replace(parsed=True)
            for target in self.program.targets(call, function):
                param = _given(call, target, derived)
                if param:
                    found = self.judged(target, param)
                    marks = marks._replace(parsed=marks.parsed or found.parsed)
                    marks = marks.shortened() if found.cut and not marks.cut else marks
        return marks

    def _checked_by_test(self, stmt: ir.If, name: str, derived: set[str], sized: set[str], marks: Marks) -> Marks:
        targets = [t for s in stmt.body if isinstance(s, ir.Assign) for t in s.targets]
        changed = leaves(stmt.body) or any(isinstance(t, ir.Name) and t.id in derived for t in targets)
        if changed and _measured(stmt.test, derived, sized):
            return marks.shortened()
        if _raises_on_shape(stmt, derived):
            return marks._replace(parsed=True)
        return marks

    def cuts(self, call: ir.Call, function: Function) -> bool:
        """Whether a call outside the project gives back a shorter form of what it is given, as far as its name says."""
        if self.program.targets(call, function):
            return False
        known = any(self.catalogue.find("cut", n) for n in self.external(call, function))
        return known or bool(_CUTS.search(snake(last_name(call.func))))


def payloads_of(case: Case) -> Payloads:
    """The payloads of a case, kept with it: several gates ask."""
    found = case.notes.get("payloads")
    if not isinstance(found, Payloads):
        found = case.notes["payloads"] = Payloads(case)
    return found


class _Board:
    """What is shared by the parts of one following: what was seen, and what was found."""

    def __init__(self, functions: dict[str, Function]) -> None:
        self.functions = functions
        self.arrivals: list[Arrival] = []
        self.steps: list[Step] = []
        self.seen: set[tuple[int, str, Marks]] = set()
        self.entered: dict[tuple[str, str, Marks], tuple[Marks, ...]] = {}


class _Run:
    """The following inside one function that was entered by a call (or, at the top, wherever the value goes)."""

    def __init__(self, payloads: Payloads, board: _Board, inside: str = "") -> None:
        self.of = payloads
        self.program = payloads.program
        self.board = board
        self.inside = inside
        self.returned: list[Marks] = []
        self._todo: list[_Item] = []

    def push(self, node: ir.Node, function: Function, marks: Marks) -> None:
        """A node whose value is the one that is followed."""
        key = (id(node), function.key, marks)
        if key not in self.board.seen and len(self.board.seen) < MAX_STEPS:
            self.board.seen.add(key)
            self._todo.append((node, function, marks))

    def work(self) -> None:
        """Follows until nothing is left."""
        while self._todo:
            node, function, marks = self._todo.pop()
            self._up(node, function, marks)

    # ---- one step up

    def _up(self, node: ir.Node, function: Function, marks: Marks) -> None:
        flow = self.of.flow(function)
        parent = flow.parent(node)
        if parent is None:
            return
        if isinstance(parent, ir.Arg):
            call = flow.parent(parent)
            if isinstance(call, ir.Call):
                self._given(parent, call, function, marks)
        elif isinstance(parent, (ir.Await, ir.Starred)):
            self.push(parent, function, marks)
        elif isinstance(parent, ir.Walrus):
            self._bind(parent.target, parent, function, marks)
            self.push(parent, function, marks)
        elif isinstance(parent, ir.IfExp):
            if node is not parent.test:
                self.push(parent, function, self._in_branch(node, parent, marks))
        elif isinstance(parent, (ir.Bin, ir.FString)):
            self.push(parent, function, marks._replace(text=True))
        elif isinstance(parent, ir.Seq) and isinstance(flow.parent(parent), ir.Return):
            place = next((i for i, item in enumerate(parent.items) if item is node), None)
            self._leave(function, marks, place)
        elif isinstance(parent, (ir.Bool, ir.Seq, ir.Other, ir.Attr)):
            self.push(parent, function, marks)
        elif isinstance(parent, ir.DictE):
            if any(v is node for _, v in parent.items):
                if self.of.is_message(parent):
                    self.board.arrivals.append(Arrival(parent, function, marks, False))
                if marks.cut and any(isinstance(k, ir.Const) and k.value in _ERRORS for k, _ in parent.items):
                    marks = marks._replace(parsed=True)  # a short word in a typed error is no result
                self.push(parent, function, marks)
        elif isinstance(parent, ir.Subscript):
            self._subscript(node, parent, function, marks)
        elif isinstance(parent, ir.Comp):
            self.push(parent, function, marks)
        elif isinstance(parent, ir.Generator):
            if node is parent.iter:
                self._comprehended(parent, function, marks)
        elif isinstance(parent, ir.Call):
            self.push(parent, function, marks)  # a method of the value: what it gives is still of it
        elif isinstance(parent, ir.Yield):
            self._leave(function, marks)
        else:
            self._statement(node, parent, function, marks)

    def _in_branch(self, node: ir.Node, parent: ir.IfExp, marks: Marks) -> Marks:
        """``x if len(x) <= MAX else x[:MAX]``: the branch that is not cut is short."""
        names = {n.id for n in ir.walk(node) if isinstance(n, ir.Name)}
        return marks.shortened() if names and _measured(parent.test, names, set()) else marks

    def _statement(self, node: ir.Node, parent: ir.Node, function: Function, marks: Marks) -> None:
        if isinstance(parent, ir.Assign) and node is parent.value:
            for target in parent.targets:
                self._bind(target, parent, function, marks)
        elif isinstance(parent, ir.Aug) and node is parent.value:
            self._bind(parent.target, parent, function, marks, adds=True)
        elif isinstance(parent, ir.Return):
            self._leave(function, marks)
        elif isinstance(parent, ir.For) and node is parent.iter:
            self._bind(parent.target, parent, function, marks)
        elif isinstance(parent, ir.With):
            for context, bound in parent.items:
                if context is node and bound is not None:
                    self._bind(bound, parent, function, marks)

    def _subscript(self, node: ir.Node, parent: ir.Subscript, function: Function, marks: Marks) -> None:
        if node is not parent.base:
            return
        index = parent.index
        if isinstance(index, ir.Slice):
            if index.upper is not None or _is_negative(index.lower):
                self.board.steps.append(Step("cut", parent, function))
                marks = marks.shortened()
        self.push(parent, function, marks)

    # ---- bindings

    def _bind(self, target: ir.Expr, at: ir.Node, function: Function, marks: Marks, *, adds: bool = False) -> None:
        if isinstance(target, ir.Seq):
            for item in target.items:
                self._bind(item, at, function, marks, adds=adds)
        elif isinstance(target, ir.Starred):
            self._bind(target.value, at, function, marks, adds=adds)
        elif isinstance(target, ir.Name):
            if adds and self.of.is_conversation(target):
                self.board.arrivals.append(Arrival(at, function, marks, True))
            self._reads(target.id, at, function, marks, adds=adds)
        elif isinstance(target, ir.Attr):
            self._field(target, at, function, marks)
        elif isinstance(target, ir.Subscript):
            index = target.index
            if isinstance(index, ir.Const) and index.value in self.of.keys - {"type", "role"}:
                self.board.arrivals.append(Arrival(at, function, marks, False))
            self._bind(target.base, at, function, marks, adds=True)

    def _reads(self, name: str, at: ir.Node | None, function: Function, marks: Marks, *, adds: bool = False) -> None:
        flow = self.of.flow(function)
        for read in flow.reads(name, at, adds=adds):
            self.push(read.name, function, self.of.looked_at(name, read.between, function, marks))
        for inner in flow.inner:
            if name not in {p.name for p in inner.params}:
                scope = function.module.function(inner, function, None)
                for read in self.of.flow(scope).reads(name):
                    self.push(read.name, scope, marks)

    def _field(self, target: ir.Attr, at: ir.Node, function: Function, marks: Marks) -> None:
        """``self.last = result``: read again wherever a function of the case reads that field."""
        if isinstance(target.base, ir.Name) and target.base.id != function.self_name:
            self._reads(target.base.id, at, function, marks, adds=True)
            return
        for scope in list(self.board.functions.values()):
            for node in self.of.own_fields(scope).get(target.name, ()):
                if node is not target:
                    self.push(node, scope, marks)

    def _comprehended(self, generator: ir.Generator, function: Function, marks: Marks) -> None:
        comp = self.of.flow(function).parent(generator)
        names = {n.id for n in ir.walk(generator.target) if isinstance(n, ir.Name)}
        targets = {id(n) for n in ir.walk(generator.target)}
        if comp is not None:
            for node in ir.walk(comp):
                if isinstance(node, ir.Name) and node.id in names and id(node) not in targets:
                    self.push(node, function, marks)

    # ---- calls

    def _given(self, arg: ir.Arg, call: ir.Call, function: Function, marks: Marks) -> None:
        name = last_name(call.func)
        if name in _QUIET and not self.program.targets(call, function):
            return
        if self.of.case.tools.roles.turn(call, function) is not None:
            self.board.arrivals.append(Arrival(call, function, marks, True))
            return
        names = self.of.external(call, function)
        if self.of.validates(call, function):
            self.board.steps.append(Step("parse", call, function))
            self.push(call, function, marks._replace(parsed=True, loaded=True))
            return
        if self.of.is_message_class(call, arg):
            self.board.arrivals.append(Arrival(call, function, marks, False))
        form = self.of.parse_form(call, function)
        if form:
            self.board.steps.append(Step("repair" if form == "repair" else "load", call, function))
            self.push(call, function, marks._replace(loaded=True))
            return
        if isinstance(call.func, ir.Attr) and self._kept(arg, call, call.func, function, marks):
            return
        if self.of.cuts(call, function):
            self.board.steps.append(Step("cut", call, function))
            marks = marks.shortened()
        targets = self._targets(call, function)
        for target in targets:
            self._enter(target, arg, call, function, marks)
        unknown = not any(not each.startswith("dataclasses.") for each in names)  # a declared field has no code
        if not targets and unknown and _JUDGES.search(snake(name)):
            marks = marks._replace(perhaps=True)
        if not targets or self._constructs(call, function):
            answers = any(a.name in self.of.keys and a.name.endswith("_id") for a in call.args if a.name)
            if answers or _SAYS.search(snake(name)):
                self.board.arrivals.append(Arrival(call, function, marks, True))
            self.push(call, function, marks._replace(text=True) if _TEXTS & {name, *names} else marks)

    def _targets(self, call: ir.Call, function: Function) -> tuple[Function, ...]:
        found = self.program.targets(call, function)
        return found if len(self.board.functions) < MAX_FUNCTIONS else ()

    def _constructs(self, call: ir.Call, function: Function) -> bool:
        return any(isinstance(m, ClassRef) for m in self.program.resolve(call.func, function))

    def _kept(self, arg: ir.Arg, call: ir.Call, func: ir.Attr, function: Function, marks: Marks) -> bool:
        """``results.append(x)``: what it is put into holds it."""
        if func.name not in _GROW:
            return False
        if any(not isinstance(m, External) for m in self.program.resolve(func, function)):
            return False
        if self.of.is_conversation(func.base):
            self.board.arrivals.append(Arrival(call, function, marks, True))
        self._bind(func.base, call, function, marks, adds=True)
        return True

    def _enter(self, target: Function, arg: ir.Arg, call: ir.Call, function: Function, marks: Marks) -> None:
        """Follows a value into a function of the project; what it returns goes on at the call that entered it."""
        param = _parameter(call, arg, target)
        if param is None or target.node.name == "__init__":
            return
        key = (target.key, param, marks)
        if key not in self.board.entered:
            self.board.entered[key] = ()
            self.board.functions.setdefault(target.key, target)
            inner = _Run(self.of, self.board, target.key)
            inner._reads(param, None, target, marks)
            inner.work()
            self.board.entered[key] = tuple(dict.fromkeys(inner.returned))
        for left in self.board.entered[key]:
            self.push(call, function, left)

    def _leave(self, function: Function, marks: Marks, place: int | None = None) -> None:
        """A value that is returned or yielded: it goes on at the calls of the function; of a tuple, from its place."""
        if self.inside == function.key:
            self.returned.append(marks)
            return
        if function.node.name == "<lambda>" and function.parent is not None:
            for node in function.parent.nodes:
                if isinstance(node, ir.Lambda) and node.function is function.node:
                    self.push(node, function.parent, marks)
            return
        found = False
        for call, scope in self._calls_of(function):
            found = True
            self._unpack(call, scope, marks, place)
        if not found or function.key == self.of.case.function.key:
            self.returned.append(marks)

    def _unpack(self, call: ir.Node, function: Function, marks: Marks, place: int | None) -> None:
        """What a call gave; ``a, b = f()`` gives ``b`` only what stands second."""
        flow = self.of.flow(function)
        parent = flow.parent(call)
        while isinstance(parent, ir.Await):
            parent = flow.parent(parent)
        if place is not None and isinstance(parent, ir.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
            if isinstance(target, ir.Seq) and place < len(target.items):
                if not any(isinstance(item, ir.Starred) for item in target.items):
                    self._bind(target.items[place], parent, function, marks)
                    return
        self.push(call, function, marks)

    def _calls_of(self, function: Function) -> Iterator[tuple[ir.Node, Function]]:
        for call, scope in self.program.callers(function):
            if scope.key in self.board.functions:
                yield call, scope
        for scope in list(self.board.functions.values()):
            for call, value in self.of.handed(scope).get(function.node.name, ()):
                if any(
                    isinstance(m, FunctionRef) and m.function.key == function.key
                    for m in self.program.resolve(value, scope)
                ):
                    yield call, scope


# ---- small questions


def _is_negative(expr: ir.Expr | None) -> bool:
    if isinstance(expr, ir.Const):
        return isinstance(expr.value, int) and expr.value < 0
    return isinstance(expr, ir.Neg)


def _mentions(expr: ir.Node, names: set[str]) -> bool:
    return any(isinstance(n, ir.Name) and n.id in names for n in ir.walk(expr))


def _is_of(expr: ir.Expr, names: set[str]) -> bool:
    """Whether an expression is one of some names, or a part or attribute of it."""
    if isinstance(expr, (ir.Attr, ir.Subscript)):
        return _is_of(expr.base, names)
    if isinstance(expr, (ir.Await, ir.Starred)):
        return _is_of(expr.value, names)
    return isinstance(expr, ir.Name) and expr.id in names


def _measures(expr: ir.Node, names: set[str], sized: set[str]) -> bool:
    """Whether an expression is made of the size of a name."""
    for node in ir.walk(expr):
        if isinstance(node, ir.Call) and any(word in last_name(node.func).lower() for word in ("len", "size", "count")):
            if any(_mentions(a.value, names) for a in node.args):
                return True
        elif isinstance(node, ir.Name) and node.id in sized:
            return True
    return False


def _measured(test: ir.Expr, names: set[str], sized: set[str]) -> bool:
    """Whether a test compares the size of a name with a limit."""
    for node in ir.walk(test):
        if isinstance(node, ir.Compare) and node.op in _ORDER:
            if any(_measures(side, names, sized) for side in (node.left, node.right)):
                other = node.right if _measures(node.left, names, sized) else node.left
                return not (isinstance(other, ir.Const) and other.value in {0, 1})
    return False


def _raises_on_shape(stmt: ir.Stmt, names: set[str]) -> bool:
    """``if "hits" not in data: raise``: a test of what is in a value, whose failure raises."""
    if not isinstance(stmt, ir.If) or not any(isinstance(s, ir.Raise) for s in stmt.body):
        return False
    for node in ir.walk(stmt.test):
        if isinstance(node, ir.Compare) and node.op in {"in", "not in"} and _mentions(node.right, names):
            return True
        if isinstance(node, ir.Call) and last_name(node.func) in _TESTS:
            parts = [n for a in node.args for n in ir.walk(a.value) if isinstance(n, (ir.Subscript, ir.Call))]
            if any(_mentions(n, names) for n in parts):
                return True
        if isinstance(node, ir.Name) and node.id in names and node is stmt.test:
            return True  # what was found missing
    return False


def _parameter(call: ir.Call, arg: ir.Arg, target: Function) -> str | None:
    """The name under which a function gets an argument."""
    params = target.node.params
    if arg.name is not None:
        if any(p.name == arg.name for p in params):
            return arg.name
        return next((p.name for p in params if p.kind == "**"), None)
    if arg.star == "**":
        return next((p.name for p in params if p.kind == "**"), None)
    plain = [a for a in call.args if a.name is None]
    shift = 1 if target.self_name and isinstance(call.func, ir.Attr) else 0
    position = next((i for i, a in enumerate(plain) if a is arg), -1) + shift
    inside = [p for p in params if p.kind == "plain"]
    if 0 <= position < len(inside):
        return inside[position].name
    return next((p.name for p in params if p.kind == "*"), None)


def _given(call: ir.Call, target: Function, names: set[str]) -> str | None:
    """The parameter that gets one of some names."""
    for arg in call.args:
        if _is_of(arg.value, names):
            return _parameter(call, arg, target)
    return None
