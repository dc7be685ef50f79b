"""The calls and chains that run what a model named, and how each turns the name into code.

Built on the roles of values: a call is a dispatch because of what it is given or what it calls. A lookup in a table, an
attribute of that name, a chain of literal comparisons, a server that is given the name: the form says which.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.recognise import ir, spelled
from toolbind_lint.recognise.effects import Effects
from toolbind_lint.recognise.memo import Memo
from toolbind_lint.recognise.program import Binding, ClassRef, External, Function, FunctionRef, ModuleRef, Program
from toolbind_lint.recognise.roles import (
    ARGS,
    CALL,
    CALLS,
    MAX_DEPTH,
    NAME,
    PASSING_CALLS,
    REPLY,
    RESULT,
    RUNS,
    TOOL,
    RoleFinder,
    argument,
    dotted,
    is_stub,
    last_name,
)

_READS = (
    "parse",
    "split",
    "valid",
    "load",
    "check",
    "format",
    "log",
    "print",
    "convert",
    "normal",
    "coerce",
    "describe",
    "render",
    "show",
    "serial",
    "sanit",
    "record",
    "redact",
    "match",
    "mask",
    "trunc",
    "summar",
    "hash",
    "schema",
    "hook",
    "notif",
    "emit",
    "error",
    "estimat",
    "measur",
    "dump",
    "stringif",
    "fragment",
    "chunk",
)
_KEEPS = frozenset({"get", "pop", "setdefault", "update", "append", "extend", "add", "insert", "join", "format"})
"""Methods of containers and texts."""
_ASKS = re.compile(
    r"(?:^|_)(?:approv|confirm|permi|authori[sz]|allow|audit|before|after|on)(?:e|ed|al|ation|t|s|ss?ion)?(?:_|$)"
)
"""Names of what is asked or told about a call, and does not run it."""
_EXECUTES = frozenset(
    [
        "execute",
        "run",
        "exec",
        "execute_action",
        "run_action",
        "execute_command",
        "run_command",
        "run_code",
        "execute_code",
    ]
)

_MAKES = re.compile(r"_*(?:from|make|build|construct|to|as|new|wrap|with)_|.*_(?:cls|class|type|model)$")
"""Names of what puts a name and arguments into a record, and runs nothing."""
_BUILDS = re.compile(
    r"_*(?:(?:is|has|should|can|needs)_|(?:construct|build|make|compose|format|get|create)_.*"
    r"(?:messages?|prompt|content|schema|params?)$)"
)
"""Names of functions of a project that look at what they are given, or word it."""
_RUNS_CALLS = re.compile(r"_*(?:a|async_)?(?:dispatch|exec|run|invoke|call|handle|perform|process)(?:[a-z]*_|[a-z]*$)")
"""Names of what runs a whole call that it is given."""
_STEPS = re.compile(
    r"step$|communicate$|(?:a|async_)?(?:execute|run|exec)_(?:the_)?"
    r"(?:actions?|commands?|cmd|code|bash|shell|python|script|cell|ipython|code_block)"
)
"""Names of what runs the action, command or code that a reply says."""

_RUNS_A_CALL = re.compile(
    r"(?:^|_)(?:call|run|exec|execute|invoke|dispatch|perform|handle|process)(?:_[a-z]+)?_(?:tool|function|action)s?(?:_|$)"
)
"""Names of what runs the call that it is given: a verb, and what it runs."""
_FAR = 12
"""Names and calls between a value and the call that it was taken out of."""


class Dispatch(NamedTuple):
    """A call (or a chain of tests, at its ``node``) that runs what a model named.

    ``form`` is table, attribute, namespace, code, server, chain or handed-on. ``key`` is the expression that holds the
    name.
    """

    node: ir.Node
    function: Function
    form: str
    key: ir.Expr | None
    callee: str
    lookup: ir.Node | None = None
    """The expression that turns the name into code, where that is not the call itself."""
    proves: tuple[str, ...] = ()
    """The gates that the configuration says it holds."""


Lookup = tuple[str, "ir.Expr | None", "ir.Node | None"]


class DispatchFinder(RoleFinder):
    """Roles, turns and dispatches over one program."""

    def __init__(self, program: Program, catalogue: Catalogue) -> None:
        super().__init__(program, catalogue)
        self.effects = Effects(program, self)
        self._dispatches: Memo[tuple[Dispatch, ...]] = Memo((), MAX_DEPTH, settles=False)
        self._own_calls: dict[str, frozenset[int]] = {}
        self._refusing: dict[str, bool] = {}
        self._dropped: dict[str, frozenset[int]] = {}

    # ---- what an unknown name meets

    def raises_on_miss(self, expr: ir.Subscript | ir.Call, function: Function) -> str:
        """The builtin exception that a lookup by the model's name raises where the name is not there, or empty.

        ``TOOLS[name]``, ``next(t for t in tools if t.name == name)``, ``[t for t in tools if t.name == name][0]``.
        """
        if isinstance(expr, ir.Call):
            bare = isinstance(expr.func, ir.Name) and expr.func.id == "next" and len(expr.args) == 1
            return "StopIteration" if bare and TOOL in self.of(expr, function) else ""
        if isinstance(expr.index, ir.Const):
            listed = isinstance(expr.base, ir.Comp) and isinstance(expr.index.value, int)
            return "IndexError" if listed and TOOL in self.of(expr.base, function) else ""
        if isinstance(expr.index, ir.Slice) or not self._looks_up(expr.index, self.of(expr.base, function), function):
            return ""
        if self._is_namespace(expr.base, function) or self._fills_itself(expr, function):
            return ""
        return "KeyError"

    def _fills_itself(self, expr: ir.Subscript, function: Function) -> bool:
        """Whether a mapping gets what is looked up in it on the way: a count of calls, a cache, a ``defaultdict``."""
        for value, scope in self.program.values(expr.base, function):
            if isinstance(value, ir.Call):
                names = [m.name for m in self.program.resolve(value.func, scope) if isinstance(m, External)]
                if any(n in {"collections.defaultdict", "collections.Counter"} for n in names):
                    return True
        base = dotted(expr.base)
        for node in function.nodes:
            if isinstance(node, (ir.Assign, ir.Aug)):
                targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
                for target in targets:
                    if isinstance(target, ir.Subscript) and base and dotted(target.base) == base:
                        if NAME in self.of(target.index, function):
                            return True
        return False

    def refuses_names(self, function: Function) -> bool:
        """Whether a function looks at the model's name, or a tool found by it, and may raise."""
        if function.key not in self._refusing:
            self._refusing[function.key] = False
            raising = any(isinstance(n, ir.Raise) for n in function.nodes)
            self._refusing[function.key] = any(
                (isinstance(n, (ir.Subscript, ir.Call)) and bool(self.raises_on_miss(n, function)))
                or (raising and isinstance(n, ir.If) and self._asks_for_name(n.test, function))
                or (raising and isinstance(n, ir.For) and self._searches(n, function))
                for n in function.nodes
            )
        return self._refusing[function.key]

    def _asks_for_name(self, test: ir.Expr, function: Function) -> bool:
        for node in ir.walk(test):
            if isinstance(node, ir.Compare) and node.op in {"in", "not in", "==", "!="}:
                if NAME in self.of(node.left, function) | self.of(node.right, function):
                    return True
            if isinstance(node, ir.Name) and TOOL in self.of(node, function):
                return True
        return False

    def _searches(self, loop: ir.For, function: Function) -> bool:
        return isinstance(loop.target, ir.Name) and bool(self.picked(loop.target.id, function))

    # ---- finding them

    def dispatches_in(self, function: Function) -> tuple[Dispatch, ...]:
        """The dispatches that stand in a function itself."""
        return self._dispatches.answer(function.key, lambda: tuple(self._find_dispatches(function)))

    def _find_dispatches(self, function: Function) -> Iterator[Dispatch]:
        chained: set[int] = set()
        for node in function.nodes:
            if isinstance(node, ir.Call):
                found = self._dispatch(node, function)
                if found is not None:
                    yield found
            elif isinstance(node, ir.If) and id(node) not in chained:
                found = self._chain(node, function, chained)
                if found is not None:
                    yield found
            elif isinstance(node, ir.Match) and NAME in self.of(node.subject, function):
                if any(c.pattern.kind in {"value", "or"} and _calls(c.body) for c in node.cases):
                    yield Dispatch(node, function, "chain", node.subject, "match")

    def dispatch(self, call: ir.Call, function: Function) -> Dispatch | None:
        """The dispatch that a call makes, if it makes one."""
        if id(call) not in self._calls_of(function):
            return self._dispatch(call, function)  # put together from other calls
        return next((d for d in self.dispatches_in(function) if d.node is call), None)

    def _calls_of(self, function: Function) -> frozenset[int]:
        if function.key not in self._own_calls:
            self._own_calls[function.key] = frozenset(map(id, function.calls))
        return self._own_calls[function.key]

    def _dispatch(self, call: ir.Call, function: Function) -> Dispatch | None:
        func = call.func
        callee = dotted(func) or last_name(func) or "call"
        for meaning in self.program.resolve(func, function):
            if isinstance(meaning, External):
                row = self.catalogue.find("dispatch", meaning.name)
                if row is not None and row.framework == "project":
                    return self._declared(call, row, function, callee)
                if row is not None and self._model_named(call, row, function):
                    return Dispatch(call, function, "server", _first(call, row.one("name")), callee)
                if self._is_written_out(call, meaning, function):
                    return Dispatch(call, function, "code", call.args[0].value, callee, call)
            elif isinstance(meaning, FunctionRef):
                row, _ = self._in_house(meaning, "dispatch")
                if row is not None:
                    return self._declared(call, row, function, callee)
        if isinstance(func, ir.Attr):
            unknown = not any(isinstance(m, External) for m in self.program.resolve(func, function))
            row = self.catalogue.by_method("dispatch", callee) if unknown else None
            if row is not None and row.framework == "project" and not self.program.targets(call, function):
                return self._declared(call, row, function, callee)
            if row is not None and not self.program.targets(call, function) and self._model_named(call, row, function):
                return Dispatch(call, function, "server", _first(call, row.one("name")), callee)
            if TOOL in self.of(func.base, function) and (func.name in RUNS or self._runs_by_it(call, func, function)):
                form, key, lookup = self._looked_up(func.base, function, 0)
                return Dispatch(call, function, form, key, callee, lookup)
        elif TOOL in self.of(func, function):
            form, key, lookup = self._looked_up(func, function, 0)
            return Dispatch(call, function, form, key, callee, lookup)
        return (
            self._callback(call, function)
            or self._handed_a_tool(call, function, callee)
            or self._fixed(call, function, callee)
            or self._executed(call, function, callee)
            or self._handed_on(call, function, callee)
        )

    def _runs_by_it(self, call: ir.Call, func: ir.Attr, function: Function) -> bool:
        """Whether a method of a tool is given the arguments to run with, not to read or to keep them."""
        if func.name in self._inert_methods or func.name in _KEEPS or func.name.lstrip("_").startswith(_READS):
            return False
        return self.carries_arguments(call, function) and not self.is_dropped(call, function)

    def _is_written_out(self, call: ir.Call, meaning: External, function: Function) -> bool:
        """``eval(f"{name}(**arguments)")``: a whole call is made of the name and evaluated."""
        row = self.catalogue.find("code-by-name", meaning.name)
        if row is None or row.one("form") != "code" or not call.args:
            return False
        text = call.args[0].value
        spelled = text.text if isinstance(text, ir.FString) else ""
        if isinstance(text, ir.Bin):
            spelled = "".join(str(n.value) for n in ir.walk(text) if isinstance(n, ir.Const))
        return "(" in spelled and NAME in self.of(text, function)

    def _fixed(self, call: ir.Call, function: Function, callee: str) -> Dispatch | None:
        """``search(**json.loads(call.arguments))``: one tool, run with the arguments that the model gave."""
        name = last_name(call.func)
        if not name or name[0].isupper() or name in self._inert_methods or self.turn(call, function) is not None:
            return None
        # What a call means costs less to know than what it is given, which may lead through the whole project.
        meanings = self.program.resolve(call.func, function)
        runs = any(
            isinstance(m, FunctionRef) or (isinstance(m, External) and self.catalogue.find("runs-command", m.name))
            for m in meanings
        )
        if not call.args or not (runs or any(a.star == "**" for a in call.args)):
            return None
        given = [a for a in call.args if ARGS in self.of(a.value, function) and not self._has_run(a.value, function)]
        if not given:
            return None
        splat = any(a.star == "**" for a in given)
        if not splat and not (runs and any(self._are_arguments_here(a.value, function) for a in given)):
            return None
        if any(isinstance(m, External) and self.catalogue.find("runs-command", m.name) for m in meanings):
            return Dispatch(call, function, "fixed", None, callee)
        if not runs and any(a.name is None and NAME in self.of(a.value, function) for a in call.args):
            return None  # the name is handed on with them, to what nobody knows
        for meaning in meanings:
            if isinstance(meaning, (ClassRef, ModuleRef)):
                return None
            if isinstance(meaning, External) and (
                meaning.name.startswith("builtins.") or self.catalogue.find("inert", meaning.name)
            ):
                return None
            if isinstance(meaning, FunctionRef) and self._hands_down(meaning.function):
                return None
            if isinstance(meaning, FunctionRef) and not splat and _measures(meaning.function):
                return None
        if not splat and (
            self.is_dropped(call, function) or any(NAME in self.of(a.value, function) for a in call.args)
        ):
            return None  # what is told the name, or gives nothing back, keeps a record
        return Dispatch(call, function, "fixed", None, callee)

    def _are_arguments_here(self, expr: ir.Expr, function: Function, depth: int = 0) -> bool:
        """Whether a function itself shows that a value is the arguments of a call: it takes them out of one, or calls a
        parameter so. What only some caller knows is any value that helpers pass around.
        """
        if ARGS not in self.of(expr, function) or depth > _FAR:
            return False
        if isinstance(expr, (ir.Await, ir.Starred)):
            return self._are_arguments_here(expr.value, function, depth + 1)
        if isinstance(expr, ir.Name):
            return any(self._bound_here(binding, depth) for binding in self.program.lookup(expr.id, function))
        parts: list[ir.Expr] = []
        if isinstance(expr, (ir.Attr, ir.Subscript)):
            parts = [expr.base]
        elif isinstance(expr, ir.Call):
            parts = [a.value for a in expr.args] + ([expr.func.base] if isinstance(expr.func, ir.Attr) else [])
        elif isinstance(expr, (ir.Bool, ir.Bin)):
            parts = [expr.left, expr.right]
        elif isinstance(expr, ir.IfExp):
            parts = [expr.body, expr.orelse]
        held = [part for part in parts if ARGS in self.of(part, function)]
        # Where no part has them they are taken out here: `call.arguments`.
        return not held or any(self._are_arguments_here(part, function, depth + 1) for part in held)

    def _bound_here(self, binding: Binding, depth: int) -> bool:
        if binding.kind == "parameter":
            name = binding.node.name if isinstance(binding.node, ir.Param) else ""
            return ARGS in self._by_parameter_name(name, binding.scope)
        return binding.value is not None and self._are_arguments_here(binding.value, binding.scope, depth + 1)

    def is_dropped(self, call: ir.Call, function: Function) -> bool:
        """Whether nothing is done with what a call gives back."""
        if function.key not in self._dropped:
            values = (n.value for n in function.nodes if isinstance(n, ir.ExprStmt))
            self._dropped[function.key] = frozenset(id(v.value if isinstance(v, ir.Await) else v) for v in values)
        return id(call) in self._dropped[function.key]

    def _has_run(self, expr: ir.Expr, function: Function) -> bool:
        """Whether an expression is what a dispatch of the project gave: its result, though arguments may be in it."""
        inner = expr.value if isinstance(expr, ir.Await) else expr
        return isinstance(inner, ir.Call) and any(
            self._hands_down(target, 1) for target in self.program.targets(inner, function)
        )

    def _executed(self, call: ir.Call, function: Function, callee: str) -> Dispatch | None:
        """``env.execute(action)`` for the actions of a reply, where nobody knows what runs them; a command of one."""
        name = last_name(call.func)
        if not call.args or not (name in _EXECUTES or _STEPS.match(name)):
            return self._command(call, function, callee)
        targets = self.program.targets(call, function)
        if any(self._hands_down(t, 1) for t in (*targets, *self._handed_functions(call, function))):
            return None
        meanings = self.program.resolve(call.func, function)
        # A library's own `execute` asks a database as often as it runs an action.
        if any(
            not isinstance(m, FunctionRef) and not (isinstance(m, External) and _STEPS.match(name)) for m in meanings
        ):
            return self._command(call, function, callee)
        if not any(isinstance(a.value, (ir.Name, ir.Attr)) and self._is_said(a.value, function) for a in call.args):
            return None
        known = any(not is_stub(t) for t in targets)
        return Dispatch(call, function, "fixed" if known else "handed-on", None, callee)

    def _handed_functions(self, call: ir.Call, function: Function) -> Iterator[Function]:
        """The functions of the project that a call is given to run: what they run is told there."""
        for arg in call.args:
            for meaning in self.program.resolve(arg.value, function) if isinstance(arg.value, ir.Attr) else ():
                if isinstance(meaning, FunctionRef):
                    yield meaning.function

    def _is_said(self, expr: ir.Expr, function: Function) -> bool:
        """Whether a value is what a reply says: a name for it, or a field of what was made of its text."""
        roles = self.of(expr, function)
        return (
            bool(roles & {REPLY, ARGS})
            and not roles & {CALLS, RESULT}
            and (isinstance(expr, ir.Name) or spelled.is_name(expr))
        )

    def _command(self, call: ir.Call, function: Function, callee: str) -> Dispatch | None:
        """``subprocess.run(script, shell=True)`` for a command that a reply says."""
        for meaning in self.program.resolve(call.func, function):
            if not isinstance(meaning, External) or meaning.name == "builtins.exec":
                continue
            if self.catalogue.find("runs-command", meaning.name):
                text = spelled.command(call)
                if text is not None and REPLY in self.of(text, function):
                    return Dispatch(call, function, "fixed", None, callee)
        return None

    def _hands_down(self, function: Function, depth: int = 0) -> bool:
        """Whether a function of the project runs a tool itself or below it, or only reads what it is given."""
        if depth > 3:
            return False
        if self.turns_in(function) or self.dispatches_in(function):
            return True
        for call in function.calls:
            targets = self.program.targets(call, function)
            # Only what is given the arguments can run a tool with them; looking further leads through the project.
            if targets and (self.carries_arguments(call, function) or any(self.turns_in(t) for t in targets)):
                if any(self._hands_down(t, depth + 1) for t in targets):
                    return True
        return depth == 0 and any(word in function.node.name for word in _READS)

    def _handed_a_tool(self, call: ir.Call, function: Function, callee: str) -> Dispatch | None:
        """``to_thread(tools[name], **arguments)``: a tool and its arguments are given to what runs it."""
        name = last_name(call.func)
        if not call.args or name in self._inert_methods or self.program.targets(call, function):
            return None
        if _ASKS.search(name) or name[:1].isupper() or name.lstrip("_").startswith("dump"):
            return None  # it is asked about the call, holds what is known of it, or writes it down
        known = [m.name for m in self.program.resolve(call.func, function) if isinstance(m, External)]
        if any(each in PASSING_CALLS or each.startswith("builtins.") for each in known):
            return None  # it says the tool's name, looks at it, or waits for what runs it
        given = next((a.value for a in call.args if TOOL in self.of(a.value, function)), None)
        if given is None or not self.carries_arguments(call, function):
            return None
        form, key, lookup = self._looked_up(given, function, 0)
        return Dispatch(call, function, form, key, callee, lookup)

    def _callback(self, call: ir.Call, function: Function) -> Dispatch | None:
        """``invoke()`` in a dispatcher: a parameter is run after the tool's name was looked up."""
        if not isinstance(call.func, ir.Name) or function.toplevel:
            return None
        bindings = self.program.locals(function).get(call.func.id, ())
        if not bindings or any(b.kind != "parameter" or b.value is not None for b in bindings):
            return None
        for param in function.node.params:
            if param.name == call.func.id:
                continue
            if NAME in self._by_parameter_name(param.name, function) or self._is_looked_up(param.name, function):
                return Dispatch(call, function, "callback", ir.Name(param.span, param.name), call.func.id)
        return None

    def _is_looked_up(self, name: str, function: Function) -> bool:
        """Whether a parameter is looked up in a table, a miss raises, and the function speaks of tools."""
        found = raises = speaks = False
        for node in function.nodes:
            if isinstance(node, ir.Raise):
                raises = True
            elif isinstance(node, (ir.Subscript, ir.Call)):
                base, key = (node.base, node.index) if isinstance(node, ir.Subscript) else (node.func, _only(node))
                method = isinstance(node, ir.Subscript) or (isinstance(base, ir.Attr) and base.name == "get")
                found = found or (method and isinstance(key, ir.Name) and key.id == name)
            elif isinstance(node, ir.Const) and isinstance(node.value, str):
                speaks = speaks or "tool" in node.value.lower()
        for param in function.node.params:
            words = (
                [param.name] + [n.id for n in ir.walk(param.annotation) if isinstance(n, ir.Name)]
                if param.annotation
                else [param.name]
            )
            speaks = speaks or any("tool" in w.lower() for w in words)
        return found and raises and speaks

    def _declared(self, call: ir.Call, row: Row, function: Function, callee: str) -> Dispatch:
        """A dispatcher that the project's configuration describes."""
        return Dispatch(call, function, "declared", _first(call, row.one("name")), callee, None, row.all("proves"))

    def _model_named(self, call: ir.Call, row: Row, function: Function) -> bool:
        """Whether the name that a dispatching call gets is one that the model gave."""
        return NAME in self.of(_first(call, row.one("name")), function)

    def _handed_on(self, call: ir.Call, function: Function, callee: str) -> Dispatch | None:
        """A call into code that nobody knows, to which a name and its arguments, or a whole call, are given."""
        if self.program.targets(call, function) or self.turn(call, function) is not None:
            return None
        name = last_name(call.func)
        if not name or name[0].isupper() or name in self._inert_methods or name in _KEEPS:
            return None
        if not isinstance(call.func, (ir.Attr, ir.Name)) or _MAKES.match(name):
            return None
        meanings = self.program.resolve(call.func, function)
        for meaning in meanings:
            if isinstance(meaning, External) and (
                meaning.name.startswith("builtins.")
                or self.catalogue.find("inert", meaning.name)
                or meaning.name in PASSING_CALLS
            ):
                return None
            if not isinstance(meaning, External):
                return None
        if not meanings and self.is_dropped(call, function):
            return None  # what gives nothing back keeps a record
        given = [(a.value, self.of(a.value, function)) for a in call.args]
        for key, roles in given:
            # A name and its arguments in one table are told to somebody; side by side they are run.
            if NAME in roles and any(ARGS in r for value, r in given if value is not key):
                return Dispatch(call, function, "handed-on", key, callee)
            if CALL in roles and _RUNS_A_CALL.search(name) and not _ASKS.search(name):
                return Dispatch(call, function, "handed-on", key, callee)
        for key, roles in given:
            if REPLY in roles and spelled.is_name(key):
                if any(spelled.are_arguments(v) and r & {REPLY, ARGS} for v, r in given if v is not key):
                    return Dispatch(call, function, "handed-on", key, callee)
        if _RUNS_CALLS.match(name) and not self.is_dropped(call, function):
            whole = next((value for value, roles in given if roles & {CALL, CALLS}), None)
            if whole is not None:
                return Dispatch(call, function, "handed-on", None, callee)
        return None

    @property
    def _inert_methods(self) -> frozenset[str]:
        return self.catalogue.words("inert", "method")

    def _chain(self, node: ir.If, function: Function, chained: set[int]) -> Dispatch | None:
        key = self._compared(node.test, function)
        if key is None or not _calls(node.body):
            return None
        rest = node.orelse
        while len(rest) == 1 and isinstance(rest[0], ir.If):
            chained.add(id(rest[0]))
            rest = rest[0].orelse
        return Dispatch(node, function, "chain", key, "if")

    def _compared(self, test: ir.Expr, function: Function) -> ir.Expr | None:
        """The name that a test compares with literals, or None."""
        for node in ir.walk(test):
            if isinstance(node, ir.Compare) and node.op in {"==", "in"}:
                literal = isinstance(node.right, ir.Const) and isinstance(node.right.value, str)
                if isinstance(node.right, ir.Seq):
                    literal = bool(node.right.items) and all(isinstance(i, ir.Const) for i in node.right.items)
                if literal and self._names_tool(node.left, function):
                    return node.left
        return None

    def _names_tool(self, expr: ir.Expr, function: Function) -> bool:
        roles = self.of(expr, function)
        return NAME in roles or (REPLY in roles and spelled.is_name(expr))

    def looked_up(self, expr: ir.Expr, function: Function) -> Lookup:
        """How a tool was found by its name: table, attribute, namespace or code; by what, and where."""
        return self._looked_up(expr, function, 0)

    def _looked_up(self, expr: ir.Expr, function: Function, depth: int) -> Lookup:
        """How a tool was found by its name: the form of the lookup and the expression that holds the name."""
        if depth > 8:
            return "table", None, None
        if isinstance(expr, (ir.Await, ir.Walrus, ir.Starred)):
            return self._looked_up(expr.value, function, depth + 1)
        if isinstance(expr, ir.Subscript):
            if self._is_key(expr.index, function):
                form = "namespace" if self._is_namespace(expr.base, function) else "table"
                return form, expr.index, expr
            return self._looked_up(expr.base, function, depth + 1)
        if isinstance(expr, ir.Attr):
            return self._looked_up(expr.base, function, depth + 1)
        if isinstance(expr, ir.Call):
            return self._looked_up_by_call(expr, function, depth)
        if isinstance(expr, (ir.IfExp, ir.Bool)):
            left, right = (expr.body, expr.orelse) if isinstance(expr, ir.IfExp) else (expr.left, expr.right)
            side = left if TOOL in self.of(left, function) else right
            return self._looked_up(side, function, depth + 1)
        if isinstance(expr, ir.Name):
            for binding in self.program.lookup(expr.id, function):
                if binding.value is not None and TOOL in self.of(binding.value, binding.scope):
                    return self._looked_up(binding.value, binding.scope, depth + 1)
                for value, caller in self._passed(binding):
                    if TOOL in self.of(value, caller):
                        return self._looked_up(value, caller, depth + 1)
        return "table", None, None

    def _passed(self, binding: Binding) -> Iterator[tuple[ir.Expr, Function]]:
        """What the callers of a function of the project give for a parameter of it."""
        if binding.kind == "parameter" and isinstance(binding.node, ir.Param):
            index = binding.index - (1 if binding.scope.self_name else 0)
            for call, caller in self.program.callers(binding.scope):
                value = argument(call, binding.node, index)
                if value is not None:
                    yield value, caller

    def _looked_up_by_call(self, expr: ir.Call, function: Function, depth: int) -> Lookup:
        for meaning in self.program.resolve(expr.func, function):
            if isinstance(meaning, External):
                row = self.catalogue.find("code-by-name", meaning.name)
                if row is not None:
                    position = 1 if row.one("form") == "attribute" and len(expr.args) > 1 else 0
                    given = expr.args[position].value if expr.args else None
                    if given is not None and TOOL in self.of(given, function):
                        return self._looked_up(given, function, depth + 1)  # a name of ours, picked by the model's
                    return row.one("form"), expr.args[position].value if expr.args else None, expr
        for target in self.program.targets(expr, function):
            for value in target.returned:
                if TOOL in self.of(value, target):
                    return self._looked_up(value, target, depth + 1)
        if isinstance(expr.func, ir.Attr):
            if expr.args and self._is_key(expr.args[0].value, function):
                form = "namespace" if self._is_namespace(expr.func.base, function) else "table"
                return form, expr.args[0].value, expr
            return self._looked_up(expr.func.base, function, depth + 1)
        return "table", None, None

    def _is_namespace(self, base: ir.Expr, function: Function) -> bool:
        """Whether a mapping is ``globals()``, ``vars(x)`` or ``x.__dict__``."""
        if isinstance(base, ir.Attr) and base.name == "__dict__":
            return True
        for value, scope in self.program.values(base, function):
            if isinstance(value, ir.Attr) and value.name == "__dict__":
                return True
            if isinstance(value, ir.Call):
                for meaning in self.program.resolve(value.func, scope):
                    if isinstance(meaning, External):
                        row = self.catalogue.find("code-by-name", meaning.name)
                        if row is not None and row.one("form") == "namespace":
                            return True
        return False


def _measures(function: Function) -> bool:
    """Whether a function says that it gives a number, a yes or no, or a wording: it looks at what it is given."""
    returns = function.node.returns
    return _BUILDS.match(function.node.name) is not None or (
        isinstance(returns, ir.Name) and returns.id in {"int", "float", "bool"}
    )


def _calls(body: tuple[ir.Stmt, ...]) -> bool:
    return any(isinstance(n, ir.Call) for n in ir.walk_all(body))


def _only(call: ir.Call) -> ir.Expr | None:
    """The first argument of a call."""
    return call.args[0].value if call.args else None


def _first(call: ir.Call, name: str) -> ir.Expr | None:
    """The argument given under a name, or the first one."""
    return (call.keyword(name) if name else None) or call.positional(0)
