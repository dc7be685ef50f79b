"""What part a value plays in a tool loop: a model's reply, the calls in it, its name, its arguments, a tool, a result.

Flow-insensitive and on demand: the roles of an expression are the union over all bindings of the names in it, followed
through functions of the project. The catalogue gives the words (which attribute holds the calls of a reply); nothing
here knows a vendor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.index import Unit
from toolbind_lint.recognise import ir, picked_tools, spelled
from toolbind_lint.recognise.memo import Memo
from toolbind_lint.recognise.program import (
    RUNNERS,
    ClassRef,
    External,
    Function,
    FunctionRef,
    Instance,
    ModuleRef,
    Program,
    is_abstract,
)

REPLY = "reply"
CALLS = "calls"
CALL = "call"
NAME = "name"
ARGS = "args"
TOOL = "tool"
RESULT = "result"
FINISH = "finish"
ERROR = "error"
ERROR_TEXT = "error-text"
CLOCK = "clock"
JUMPING_CLOCK = "jumping-clock"

Roles = frozenset[str]
NONE: Roles = frozenset()
_TIME: Roles = frozenset({CLOCK, JUMPING_CLOCK})

_DISPATCH_WORDS = ("tool", "function", "dispatch", "action")
_WRAPS = (
    "invoke",
    "query",
    "chat",
    "complet",
    "generat",
    "ask",
    "predict",
    "respond",
    "response",
    "request",
    "stream",
    "llm",
)
_ASKING = ("query", "chat", "complete", "completion", "generate", "ask", "invoke", "predict", "respond")
_LAYS_OUT = ("template", "token", "count", "format", "convert", "render", "build", "prepare", "serializ", "translat")
"""What the name says of a call that only writes out a request, or measures one: it asks nobody."""
_SPOKEN = re.compile("_?(?:async_|a|stream_)?(?:" + "|".join((*_ASKING, "stream")) + ")")
_MODELS = frozenset({"llm", "model", "lm", "chat_model", "language_model"})
_MODEL_ENDS = ("_llm", "_model", "_lm")
_ADDING = ("append", "extend", "add")
_CONVERSATION = ("message", "history", "conversation", "prompt", "chat", "thread", "context")
_SHOWS = frozenset({"==", "in", "is", "!=", "not in", "is not"})
"""Comparisons that tell a call among other items; behind ``if block.type != <call type>: continue`` stand the calls."""
_PICKED = ("tool", "tools", "tool_name", "_map", "_registry", "_functions")
"""How the words of the catalogue end that stand in a function which may run what a reply picks from a table."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FOLDS = frozenset({"lower", "casefold", "upper"})
_PATTERN_METHODS = frozenset({"startswith", "endswith"})
RUNS = frozenset(
    [
        "run",
        "arun",
        "invoke",
        "ainvoke",
        "execute",
        "aexecute",
        "call",
        "acall",
        "func",
        "function",
        "fn",
        "handler",
        "callback",
        "forward",
        "coroutine",
        "_run",
        "_arun",
        "__call__",
    ]
)
_PASSING_METHODS = frozenset(
    [
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "replace",
        "removesuffix",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "casefold",
        "removeprefix",
        "removesuffix",
        "copy",
        "values",
        "items",
        "keys",
        "model_dump",
        "model_copy",
        "to_dict",
        "dict",
        "json",
        "read",
        "decode",
        "parse",
    ]
)
PASSING_CALLS = frozenset(
    [
        "json.loads",
        "json.dumps",
        "builtins.str",
        "builtins.dict",
        "builtins.list",
        "builtins.tuple",
        "builtins.reversed",
        "builtins.enumerate",
        "builtins.sorted",
        "builtins.iter",
        "copy.deepcopy",
        "copy.copy",
        "typing.cast",
        "builtins.zip",
        "asyncio.wait_for",
        "asyncio.create_task",
        "asyncio.gather",
        "asyncio.ensure_future",
        "asyncio.shield",
        "asyncio.run",
        "inspect.iscoroutine",
    ]
)

_NO_CALLS = ("Error", "Exception", "Event", "Message", "Record", "Result", "Response", "Log", "Span", "Trace", "Step")
"""How the names of classes end whose objects say what became of a call."""
_SAYS_NAME = re.compile("name|tool|func|action")
_SAYS_ARGUMENTS = re.compile("arg|input|param")
_MADE_HERE = re.compile(r"(?:builtins|functools)\.\w+")
"""Calls of the language itself. What stands in a table that it made may be anybody's."""
_AWAITED = frozenset({"result", "join", "wait"})
"""Methods that wait for what somebody else runs: what they give was made elsewhere."""
_TEXTS = frozenset({"json.loads", "json.dumps", "builtins.str"})
"""What makes a text, or reads one: there is no tool in a text."""


MAX_DEPTH = 400
"""How far a value is followed from name to name."""


class Turn(NamedTuple):
    """A call that asks a model. ``row`` is None where it is known by shape alone; ``tools`` is yes, no or unknown."""

    call: ir.Call
    function: Function
    row: Row | None
    tools: str
    callee: str


class RoleFinder:
    """Roles and turns over one program. Holds the memos."""

    def __init__(self, program: Program, catalogue: Catalogue) -> None:
        self.program = program
        self.catalogue = catalogue
        self.calls_words = catalogue.words("reply", "calls")
        self.one_call_words = catalogue.words("reply", "one-call")
        self.call_types = catalogue.words("reply", "call-types")
        self.call_classes = catalogue.words("reply", "call-classes")
        self.inside_words = catalogue.words("reply", "inside")
        self.name_words = catalogue.words("reply", "name")
        self.args_words = catalogue.words("reply", "args")
        self.finish_words = catalogue.words("reply", "finish")
        self._parameters = {
            role: frozenset(
                n for r in catalogue.rows if r.kind == "parameter" and r.one("role") == role for n in r.all("names")
            )
            for role in ("name", "loose-name", "call", "calls", "args")
        }
        asked = [*catalogue.calls.get("turn", {}), *catalogue.methods.get("turn", {})]
        self._turn_names = frozenset(name.rpartition(".")[2] for name in asked)
        self._table_words = frozenset(w for w in catalogue.words("word", "names") if w.endswith(_PICKED))
        self._shape_words = self.calls_words | self.call_types | self.call_classes | self._tools_words
        self.shape_turns: dict[int, Turn] = {}
        self._roles: Memo[Roles] = Memo(NONE, MAX_DEPTH)
        self._tested: dict[str, frozenset[str]] = {}
        self._filled: dict[str, dict[str, list[tuple[ir.Expr, bool]]]] = {}
        self._picks: dict[str, tuple[ir.Compare | ir.Call, ...]] = {}
        self._turns: dict[str, tuple[Turn, ...]] = {}
        self._keep: dict[int, object] = {}

    # ---- roles

    def of(self, expr: ir.Expr | None, function: Function) -> Roles:
        """The roles that the value of an expression may play."""
        if expr is None or isinstance(expr, ir.Const):
            return NONE
        self._keep[id(expr)] = expr  # an id is an identity only while the object lives
        return self._roles.answer((id(expr), function.key), lambda: self._of(expr, function))

    def _of(self, expr: ir.Expr, function: Function) -> Roles:
        if isinstance(expr, ir.Name):
            return self._name(expr, function)
        if isinstance(expr, ir.Attr):
            return self._part(expr.base, expr.name, expr, function)
        if isinstance(expr, ir.Subscript):
            return self._subscript(expr, function)
        if isinstance(expr, ir.Call):
            return self._call(expr, function)
        if isinstance(expr, (ir.Await, ir.Walrus, ir.Starred)):
            return self.of(expr.value, function)
        if isinstance(expr, ir.IfExp):
            return self.of(expr.body, function) | self.of(expr.orelse, function)
        if isinstance(expr, ir.Bool):
            return self.of(expr.left, function) | self.of(expr.right, function)
        if isinstance(expr, ir.Comp):
            return self._comprehension(expr, function)
        if isinstance(expr, (ir.Seq, ir.DictE, ir.FString, ir.Bin)):
            found = NONE
            for child in ir.children(expr):
                given = self.of(child, function)  # type: ignore[arg-type]
                # Arguments that are put into a table inside a table are told, not handed on.
                found |= given - {NAME, ARGS} if isinstance(child, ir.DictE) else given
            if isinstance(expr, ir.DictE) and found & {NAME, ARGS} and self._is_call(expr, function):
                found = found - {NAME, ARGS} | {CALL}
            if isinstance(expr, (ir.FString, ir.Bin)):
                found -= {TOOL}
                if _is_prose(expr):
                    found -= {NAME}
            return _flat(found, isinstance(expr, ir.Seq)) | (found & _TIME if isinstance(expr, ir.Bin) else NONE)
        if isinstance(expr, (ir.Compare, ir.Neg, ir.Not)):
            found = NONE
            for child in ir.children(expr):
                found |= self.of(child, function) & _TIME  # type: ignore[arg-type]
            return found
        return NONE

    def _name(self, expr: ir.Name, function: Function) -> Roles:
        found = NONE
        for binding in self.program.lookup(expr.id, function):
            scope = binding.scope
            if binding.kind in {"assign", "context"}:
                found |= self.of(binding.value, scope)
                if _starts_empty(binding.value):
                    found |= self._collected(expr.id, scope)
            elif binding.kind in {"element", "unpack-element"}:
                found |= self._element(binding.value, scope)
            elif binding.kind == "unpack":
                found |= self._unpacked(binding.value, binding.index, scope)
            elif binding.kind == "except":
                found |= {ERROR}
            elif binding.kind == "augment":
                found |= self.of(binding.value, scope) & {ARGS}  # a command line that grows by what the model gave
            elif binding.kind == "parameter" and isinstance(binding.node, ir.Param):
                found |= self._parameter(binding.node, binding.index, scope)
            if expr.id in self.tested(scope):
                found |= {CALL}
            if binding.kind == "element" and self.picked(expr.id, scope):
                found |= {TOOL}
        return found

    def _collected(self, name: str, function: Function) -> Roles:
        """What a list or table that starts empty is filled with: the calls of a reply, put together from a stream."""
        if function.key not in self._filled:
            table: dict[str, list[tuple[ir.Expr, bool]]] = {}
            for node in function.nodes:
                for holder, value, whole in _fillings(node):
                    table.setdefault(holder, []).append((value, whole))
            self._filled[function.key] = table
        for value, whole in self._filled[function.key].get(name, ()):
            if CALLS in self.of(value, function) if whole else self._is_call(value, function):
                return frozenset({CALLS})
        return NONE

    def _is_call(self, value: ir.Expr, function: Function) -> bool:
        """Whether a value is a call of the model's, or a table laid out like one, to be filled piece by piece."""
        if isinstance(value, ir.DictE):
            keys = {k.value: v for k, v in value.items if isinstance(k, ir.Const) and isinstance(k.value, str)}
            if self.name_words & keys.keys() and self.args_words & keys.keys():
                return True
            inner = [keys[word] for word in sorted(self.inside_words & keys.keys())]
            return any(isinstance(each, ir.DictE) and self._is_call(each, function) for each in inner)
        return CALL in self.of(value, function)

    def _element(self, value: ir.Expr | None, function: Function) -> Roles:
        whole = self.of(value, function)
        found = {r for r in whole if r in {REPLY, RESULT, TOOL, NAME, ARGS, CALL}}
        if CALLS in whole:
            found.add(CALL)
        return frozenset(found)

    def _unpacked(self, value: ir.Expr | None, index: int, function: Function) -> Roles:
        """Item ``index`` of a tuple: of a display, or of what a function of the project returns."""
        inner = value.value if isinstance(value, ir.Await) else value
        if isinstance(inner, ir.Call):
            found = NONE
            known = False
            for target in self.program.targets(inner, function):
                for returned in target.returned:
                    if isinstance(returned, ir.Seq):
                        known = True
                        if index < len(returned.items):
                            found |= self.of(returned.items[index], target)
            if known:
                return found
        return self.of(value, function)

    def _parameter(self, param: ir.Param, index: int, function: Function) -> Roles:
        found = self._by_parameter_name(param.name, function)
        if (
            found & {NAME}
            and function.parent is not None
            and not function.parent.toplevel
            and self._is_told(param, index, function)
        ):
            found -= {NAME}
        if function.cls is not None and param.name == function.self_name:
            return NONE
        for given, whole, scope in self.program.handed(function, index - (1 if function.self_name else 0)):
            found |= self.of(given, scope) if whole else self._element(given, scope)
        for call, caller in self.program.callers(function, worded=True):
            value = argument(call, param, index - (1 if function.self_name else 0))
            if value is not None:
                found |= self.of(value, caller)
        return found

    def _is_told(self, param: ir.Param, index: int, function: Function) -> bool:
        """Whether every call of a helper inside a function gives a parameter a text that stands there."""
        given = [argument(call, param, index) for call, _ in self.program.callers(function, worded=True)]
        return bool(given) and all(isinstance(value, ir.Const) for value in given)

    def _by_parameter_name(self, name: str, function: Function) -> Roles:
        """What the names of a function and its parameter say, for a dispatcher whose callers are elsewhere."""
        name = name.lower()
        if name in self._parameters["name"]:
            return frozenset({NAME})
        if name in self._parameters["call"]:
            return frozenset({CALL})
        if name in self._parameters["calls"]:
            return frozenset({CALLS})
        about = function.node.name.lower() + " " + (function.cls.node.name.lower() if function.cls else "")
        if any(word in about for word in _DISPATCH_WORDS):
            if name in self._parameters["loose-name"] and any(
                p.name.lower() in self._parameters["args"] for p in function.node.params
            ):
                return frozenset({NAME})
            if name in self._parameters["args"]:
                return frozenset({ARGS})
        return NONE

    def tested(self, function: Function) -> frozenset[str]:
        """Names that a test in a function shows to hold a call: ``block.type == <call type>``, ``isinstance(block,
        <call class>)``.
        """
        if function.key not in self._tested:
            found: set[str] = set()
            body = function.node.body
            for node in ir.walk_all(body):
                if isinstance(node, ir.Compare) and node.op in _SHOWS:
                    holder, word = _key_read(node.left)
                    values = {
                        c.value for c in ir.walk(node.right) if isinstance(c, ir.Const) and isinstance(c.value, str)
                    }
                    if word == "type" and values & self.call_types and isinstance(holder, ir.Name):
                        found.add(holder.id)
                elif isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "isinstance":
                    if len(node.args) == 2 and isinstance(node.args[0].value, ir.Name):
                        classes = {
                            last_name(n) for n in ir.walk(node.args[1].value) if isinstance(n, (ir.Name, ir.Attr))
                        }
                        if classes & self.call_classes:
                            found.add(node.args[0].value.id)
            self._tested[function.key] = frozenset(found)
        return self._tested[function.key]

    def picked(self, name: str, function: Function) -> str:
        """How the model's name picks an element of a collection: ``exact``, ``pattern``, or empty where it does not.

        ``for tool in tools: if tool.name == wanted`` and its like in a comprehension.
        """
        answer = ""
        for node in self._picking(function):
            if isinstance(node, ir.Compare):
                for side, other in ((node.left, node.right), (node.right, node.left)):
                    if _root(side) == name and not isinstance(side, ir.Name) and NAME in self.of(other, function):
                        folded = any(isinstance(n, ir.Call) and last_name(n.func) in _FOLDS for n in ir.walk(node))
                        # `wanted in tool.names` is membership, `tool.name in wanted` a piece of text.
                        several = isinstance(side, ir.Attr) and side.name.endswith("s")
                        whole = not folded and (node.op == "==" or (side is node.right and several))
                        answer = "exact" if whole or answer == "exact" else "pattern"
            else:
                parts = [a.value for a in node.args] + ([node.func.base] if isinstance(node.func, ir.Attr) else [])
                if any(_root(p) == name and not isinstance(p, ir.Name) for p in parts) and any(
                    NAME in self.of(p, function) for p in parts
                ):
                    answer = answer or "pattern"
        return answer

    def _picking(self, function: Function) -> tuple[ir.Compare | ir.Call, ...]:
        """The comparisons and pattern tests of a function that may pick an element."""
        if function.key not in self._picks:
            self._picks[function.key] = tuple(
                node
                for node in function.nodes
                if (
                    isinstance(node, ir.Compare)
                    and node.op in {"==", "in"}
                    and not _literal(node.left)
                    and not _literal(node.right)
                )
                or (isinstance(node, ir.Call) and self.is_pattern(node, function))
            )
        return self._picks[function.key]

    def is_pattern(self, call: ir.Call, function: Function) -> bool:
        """Whether a call tests a text by pattern."""
        if isinstance(call.func, ir.Attr) and call.func.name in _PATTERN_METHODS:
            return True
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, External) and self.catalogue.find("pattern-test", meaning.name):
                return True
        return False

    def _part(self, base: ir.Expr, word: str, whole: ir.Expr, function: Function) -> Roles:
        """An attribute or a constant key of something."""
        if word in self.calls_words:
            return frozenset({CALLS})
        given = self._given(base, word, function) if isinstance(whole, ir.Attr) else NONE
        if given & {NAME, ARGS, CALL, CALLS}:
            return given
        roles = self.of(base, function)
        found: set[str] = set()
        if CALL in roles:
            if word in self.name_words:
                found.add(NAME)
            elif word in self.args_words:
                found.add(ARGS)
            elif word in self.inside_words:
                found.add(CALL)
        if REPLY in roles or not roles:
            if word in self.one_call_words:
                found.add(CALL)
            elif word in self.finish_words and (REPLY in roles or word.endswith("_reason")):
                found.add(FINISH)
        if REPLY in roles and not found:
            found.add(REPLY)
        found |= roles & {RESULT, TOOL, ERROR_TEXT}
        if word in {"seconds", "days"}:
            found |= roles & _TIME  # of a difference of times
        if ERROR in roles:
            found.add(ERROR_TEXT)
        if ARGS in roles and not isinstance(whole, ir.Attr):
            found.add(ARGS)
        if not found and isinstance(whole, ir.Attr):
            found |= given
            for meaning in self.program.resolve(base, function):
                computed = self.program.property_of(meaning, word)
                found |= self.returned(computed) if computed is not None else NONE
                for binding in self.program.fields(meaning, word):
                    if binding.kind == "assign":
                        found |= self.of(binding.value, binding.scope)
        return frozenset(found)

    def _given(self, base: ir.Expr, word: str, function: Function) -> Roles:
        """What the constructor calls of the project give for a declared field of an object."""
        found = NONE
        for meaning in self.program.resolve(base, function):
            if isinstance(meaning, Instance):
                if any(binding.kind == "declare" for binding in self.program.fields(meaning, word)):
                    for value, scope in self.program.constructed(meaning.cls, word):
                        found |= self.of(value, scope)
        return found

    def _subscript(self, expr: ir.Subscript, function: Function) -> Roles:
        index = expr.index
        if isinstance(index, ir.Const) and isinstance(index.value, str):
            for display, scope in self.program.displays(expr.base, function):
                value = display.get(index.value)
                if value is not None:
                    return self.of(value, scope)
            return self._part(expr.base, index.value, expr, function)
        roles = self.of(expr.base, function)
        if self._looks_up(index, roles, function):
            return frozenset({TOOL})
        if isinstance(index, ir.Slice):
            return roles
        return self._element(expr.base, function) | (roles & {REPLY, RESULT})

    def _is_key(self, expr: ir.Expr, function: Function) -> bool:
        """Whether a lookup by this is a lookup by what the model said: a call's name, or a piece of its text."""
        roles = self.of(expr, function)
        return NAME in roles or (REPLY in roles and not isinstance(expr, ir.Const))

    def _looks_up(self, key: ir.Expr, base: Roles, function: Function) -> bool:
        """Whether a key finds a tool in something; a piece of a reply's text does not find one in another reply."""
        roles = self.of(key, function)
        return NAME in roles or (self._is_key(key, function) and not base & {REPLY, CALL, CALLS})

    def _comprehension(self, expr: ir.Comp, function: Function) -> Roles:
        found = NONE
        for element in expr.elements:
            found |= self.of(element, function)
        return _flat(found, True)

    def _call(self, expr: ir.Call, function: Function) -> Roles:
        if self.turn(expr, function) is not None:
            return frozenset({REPLY})
        func = expr.func
        if self._packs(expr, function):
            return frozenset({CALL})
        if isinstance(func, ir.Attr):
            found = self._method(expr, func, function)
            if found is not None:
                return found
        elif TOOL in self.of(func, function):
            return frozenset({RESULT})
        targets = self.program.targets(expr, function)
        if targets:
            found = NONE
            for target in targets:
                found |= self.returned(target)
            return found
        return self._external_call(expr, function)

    def _packs(self, expr: ir.Call, function: Function) -> bool:
        """Whether a record is made of a tool's name and its arguments: a call by another class."""
        name = last_name(expr.func)
        if not name[:1].isupper() or name.endswith(_NO_CALLS) or len(expr.args) < 2:
            return False
        said = [f"{a.name} {last_name(a.value)}".lower() for a in expr.args]
        if not any(_SAYS_NAME.search(each) for each in said) or not any(_SAYS_ARGUMENTS.search(each) for each in said):
            return False  # what each is given may lead through the whole project
        given = [self.of(a.value, function) for a in expr.args]
        return any(NAME in roles and any(ARGS in r for r in given if r is not roles) for roles in given)

    def _external_call(self, expr: ir.Call, function: Function) -> Roles:
        for meaning in self.program.resolve(expr.func, function):
            if not isinstance(meaning, External):
                continue
            if meaning.name == "builtins.getattr" and len(expr.args) >= 2:
                word = expr.args[1].value
                if isinstance(word, ir.Const) and isinstance(word.value, str):
                    return self._part(
                        expr.args[0].value, word.value, ir.Attr(expr.span, expr.args[0].value, word.value), function
                    )
                if TOOL in self.of(word, function) or self._looks_up(
                    word, self.of(expr.args[0].value, function), function
                ):
                    return frozenset({TOOL})
                if REPLY in self.of(expr.args[0].value, function):
                    return frozenset({REPLY})
            if self.catalogue.find("code-by-name", meaning.name) and expr.args:
                if NAME in self.of(expr.args[0].value, function):
                    return frozenset({TOOL})
            if self.catalogue.find("dispatch", meaning.name):
                return frozenset({RESULT})
            clock = self.catalogue.find("clock", meaning.name)
            if clock is not None:
                return frozenset({CLOCK}) if clock.flags.get("monotonic", False) else frozenset({CLOCK, JUMPING_CLOCK})
            if meaning.name in _NUMERIC:
                found = NONE
                for arg in expr.args:
                    found |= self.of(arg.value, function) & _TIME
                return found
            if meaning.name == "builtins.next" and expr.args:
                return self._element(expr.args[0].value, function)
            if meaning.name in PASSING_CALLS or self.catalogue.find("timer", meaning.name):
                found = NONE
                for arg in expr.args:
                    found |= self.of(arg.value, function)
                return found - {TOOL} if meaning.name in _TEXTS else found
            if self.catalogue.find("pattern-test", meaning.name):
                # What a pattern makes of a name is still a name that the model gave.
                return frozenset(r for a in expr.args for r in self.of(a.value, function) if r in {NAME, REPLY})
            if self.catalogue.find("keeps-reply", meaning.name):
                return frozenset(r for a in expr.args for r in self.of(a.value, function) if r == REPLY)
        if spelled.parses(last_name(expr.func)):
            # What an unknown helper takes out of a reply is still what the reply said.
            return frozenset(r for a in expr.args for r in self.of(a.value, function) if r in {REPLY, ARGS})
        return NONE

    def _method(self, expr: ir.Call, func: ir.Attr, function: Function) -> Roles | None:
        """A method call by what its receiver is; None where that says nothing."""
        if func.name in {"get", "pop", "setdefault", "__getitem__"} and expr.args:
            key = expr.args[0].value
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                return self._part(func.base, key.value, expr, function)
            if func.name != "setdefault" and self._looks_up(key, self.of(func.base, function), function):
                targets = self.program.targets(expr, function)
                if not targets:
                    return frozenset({TOOL})
        base = self.of(func.base, function)
        if TOOL in base and (func.name in RUNS or self.carries_arguments(expr, function)):
            return frozenset({RESULT})
        if func.name in {"total_seconds", "timestamp"} and base & _TIME:
            return base & _TIME
        base -= {TOOL}
        if func.name in _PASSING_METHODS and base:
            return base - {TOOL}
        if (REPLY in base or RESULT in base) and not self.program.targets(expr, function):
            return base & {REPLY, RESULT}
        return None

    def returned(self, function: Function) -> Roles:
        """The roles of what a function returns or yields."""
        found = NONE
        for value in function.returned:
            found |= self.of(value, function)
        return found

    # ---- turns

    def turn(self, call: ir.Call, function: Function) -> Turn | None:
        """The turn that a call makes, if it makes one."""
        shaped = self.shape_turns.get(id(call))
        if shaped is not None:
            return shaped
        row, callee = self._turn_row(call, function)
        if row is None:
            return None
        return Turn(call, function, row, self._offers(call, row, function), callee)

    def _turn_row(self, call: ir.Call, function: Function) -> tuple[Row | None, str]:
        name = last_name(call.func)
        if name not in self._turn_names:
            return None, ""
        for meaning in self.program.resolve(call.func, function):
            if isinstance(meaning, External):
                row = self.catalogue.find("turn", meaning.name)
                if row is not None:
                    return row, self.catalogue.normal(meaning.name)
            elif isinstance(meaning, FunctionRef):
                return self._in_house(meaning)
        path = dotted(call.func)
        row = self.catalogue.by_method("turn", path) if path else None
        if row is not None and any(a.star == "**" or a.name in row.all("needs") for a in call.args):
            return row, row.one("method")
        return None, ""

    def _in_house(self, meaning: FunctionRef, kind: str = "turn") -> tuple[Row | None, str]:
        """A wrapper of the project's own, described in its configuration by dotted name."""
        module = meaning.function.module.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        parts = f"{module}.{meaning.function.node.qualname}".split(".")
        for start in range(len(parts)):
            name = ".".join(parts[start:])
            row = self.catalogue.find(kind, name)
            if row is not None and row.framework == "project":
                return row, name
        return None, ""

    def _offers(self, call: ir.Call, row: Row, function: Function) -> str:
        """Whether tools are on offer: by a parameter, through ``**``, or not."""
        if not row.all("tools"):
            return "unknown"
        for name in row.all("tools"):
            value = call.keyword(name)
            if value is not None:
                if isinstance(value, ir.Const) and value.value is None:
                    return "no"
                if isinstance(value, ir.Seq) and not value.items:
                    return "no"
                return "yes"
        for arg in call.args:
            if arg.star == "**":
                return self._splat_offers(arg.value, row, function)
        return "no"

    def _splat_offers(self, value: ir.Expr, row: Row, function: Function) -> str:
        displays = list(self.program.displays(value, function))
        for display, _ in displays:
            if any(display.get(name) is not None for name in row.all("tools")):
                return "yes"
        if isinstance(value, ir.Name):
            for node in function.nodes:
                if isinstance(node, ir.Assign):
                    for target in node.targets:
                        if (
                            isinstance(target, ir.Subscript)
                            and isinstance(target.base, ir.Name)
                            and target.base.id == value.id
                            and isinstance(target.index, ir.Const)
                            and target.index.value in row.all("tools")
                        ):
                            return "yes"
        return "unknown"

    def may_ask(self, unit: Unit) -> bool:
        """Whether a unit may make a turn that the catalogue knows."""
        return not self._turn_names.isdisjoint(unit.named)

    def may_show(self, unit: Unit) -> bool:
        """Whether a unit may show, by what it reads or gives, that a call in it or below it is a turn."""
        if not self._shape_words.isdisjoint(unit.words) or not self._shape_words.isdisjoint(unit.named):
            return True
        if unit.loops and not unit.words.isdisjoint(self._table_words):
            return True
        return self.may_speak(unit) and any(name.lower().startswith(_ADDING) for name in unit.named)

    def may_offer(self, unit: Unit) -> bool:
        """Whether a unit may give tools to a call."""
        return not self._tools_words.isdisjoint(unit.words)

    def find_shape_turns(self, function: Function) -> None:
        """Marks as turns the calls whose reply's calls are read in a function, though the catalogue does not know
        them.
        """
        for node in function.nodes:
            holder: ir.Expr | None = None
            if isinstance(node, (ir.Attr, ir.Subscript, ir.Call)):
                base, word = _key_read(node)
                if base is not None and word in self.calls_words:
                    holder = base
            elif (
                isinstance(node, ir.For)
                and isinstance(node.target, ir.Name)
                and node.target.id in self.tested(function)
            ):
                holder = node.iter
            elif isinstance(node, ir.Generator) and isinstance(node.target, ir.Name):
                if node.target.id in self.tested(function):
                    holder = node.iter
            if holder is not None:
                self._trace(holder, function, 0)
        for call in picked_tools.asked(function, self.program):
            self._trace(call, function, 0)

    def _trace(self, expr: ir.Expr, function: Function, depth: int) -> bool:
        """Follows a value back to the calls that made it and marks them; whether it came to one."""
        if depth > 8:
            return False
        if isinstance(expr, (ir.Attr, ir.Subscript)):
            return self._trace(expr.base, function, depth + 1)
        if isinstance(expr, (ir.Await, ir.Walrus)):
            return self._trace(expr.value, function, depth + 1)
        if isinstance(expr, ir.Bool):
            return self._trace(expr.left, function, depth + 1)
        if isinstance(expr, ir.Name):
            found = False
            for binding in self.program.lookup(expr.id, function):
                if binding.kind in {"assign", "element", "unpack", "context"} and binding.value is not None:
                    found = self._trace(binding.value, binding.scope, depth + 1) or found
            return found
        return isinstance(expr, ir.Call) and self._trace_call(expr, function, depth)

    def _trace_call(self, call: ir.Call, function: Function, depth: int) -> bool:
        if self.turn(call, function) is not None:
            return True
        targets = self.program.targets(call, function)
        if targets:
            return self._trace_targets(call, function, targets, depth)
        name = last_name(call.func)
        if isinstance(call.func, ir.Attr) and name in _AWAITED:
            return self._trace(call.func.base, function, depth + 1)
        names = [m.name for m in self.program.resolve(call.func, function) if isinstance(m, External)]
        if any(n in PASSING_CALLS or n.startswith("builtins.") for n in names):
            return bool(call.args) and self._trace(call.args[0].value, function, depth + 1)
        if isinstance(call.func, ir.Attr) and (name in _PASSING_METHODS or name in {"get", "pop", "append"}):
            return self._trace(call.func.base, function, depth + 1)
        if name in RUNNERS and not self._asks(call):
            return any(self._trace(a.value, function, depth + 1) for a in call.args)
        if name and not name[0].isupper():
            self._mark(call, function)
            return True
        return False

    def _trace_targets(self, call: ir.Call, function: Function, targets: tuple[Function, ...], depth: int) -> bool:
        found = False
        for target in targets:
            if is_stub(target):
                self._mark(call, function)
                found = True
            for value in target.returned:
                found = self._trace(value, target, depth + 1) or found
        if not found and self._asks(call) and not any(self._runs_itself(t) for t in targets):
            # A client of the project's own that builds its reply itself.
            self._mark(call, function)
            found = True
        return found

    def _runs_itself(self, function: Function) -> bool:
        """Whether a function is a run and no client: it goes round a turn that the catalogue knows and adds to a
        conversation.
        """
        for loop in function.nodes:
            if not isinstance(loop, (ir.While, ir.For)):
                continue
            calls = [n for n in ir.walk(loop) if isinstance(n, ir.Call)]
            if any(self._adds(c) for c in calls) and any(self._is_known(c, function) for c in calls):
                return True
        return False

    def _is_known(self, call: ir.Call, function: Function) -> bool:
        """Whether a call, or a function that it runs, makes a turn that the catalogue knows."""
        if self._turn_row(call, function)[0] is not None:
            return True
        targets = self.program.targets(call, function)
        return any(self._turn_row(c, t)[0] is not None for t in targets for c in t.calls)

    def _adds(self, call: ir.Call) -> bool:
        """Whether a call adds to a conversation, by its name and that of what it is called on."""
        if not isinstance(call.func, ir.Attr) or not call.func.name.startswith(_ADDING):
            return False
        said = f"{call.func.name} {last_name(call.func.base)}".lower()
        return any(part in said for part in _CONVERSATION)

    def _asks(self, call: ir.Call) -> bool:
        """Whether a call is given a conversation, by the name of an argument."""
        for arg in call.args:
            words = [arg.name or ""] + [last_name(n) for n in ir.walk(arg.value) if isinstance(n, (ir.Name, ir.Attr))]
            if any(part in word.lower() for word in words for part in _CONVERSATION):
                return True
        return False

    def find_offers(self, function: Function) -> None:
        """Marks as turns the calls that are given tools and a conversation, where nobody knows what they run."""
        for call in function.calls:
            name = last_name(call.func)
            if not name or name[0].isupper() or not any(a.name in self._tools_words for a in call.args):
                continue
            if any(word in name.lower() for word in _LAYS_OUT):
                continue
            value = next(a.value for a in call.args if a.name in self._tools_words)
            if isinstance(value, ir.Const) or not self._asks(call) or self.turn(call, function) is not None:
                continue
            targets = self.program.targets(call, function)
            meanings = self.program.resolve(call.func, function)
            if any(isinstance(m, External) and _MADE_HERE.fullmatch(m.name) for m in meanings):
                continue  # a table of what will be given
            if all(is_stub(t) for t in targets) and not any(isinstance(m, (ClassRef, ModuleRef)) for m in meanings):
                self._mark(call, function)

    def find_wrapped(self, functions: Iterable[Function]) -> None:
        """Marks as turns the innermost calls that hand tools and a conversation to a wrapper that hides who is asked.

        ``self._ask_again(messages=m, tools=t)`` whose body ends in ``self.ask(**kwargs)`` of an abstract method.
        """
        offering: list[tuple[ir.Call, Function]] = []
        for function in functions:
            for call in function.calls:
                name = last_name(call.func).lower()
                if not any(a.name in self._tools_words for a in call.args) or not self._asks(call):
                    continue
                if any(word in name for word in _WRAPS) and self.program.targets(call, function):
                    offering.append((call, function))
        self._mark_innermost(offering)

    def may_speak(self, unit: Unit) -> bool:
        """Whether a unit may hand a conversation to something that is called a model."""
        return any(self.is_asking(name) or _SPOKEN.match(name.lower()) for name in unit.named)

    def is_asking(self, name: str) -> bool:
        """Whether the name of a method says that it asks somebody."""
        return any(word in name.lower() for word in _ASKING)

    def find_spoken(self, functions: Iterable[Function]) -> None:
        """Marks as turns the innermost calls that hand a conversation to what is called a model.

        ``self.llm.chat(prompt)``, where tools are only described in the text and nobody knows what the method runs.
        """
        spoken: list[tuple[ir.Call, Function]] = []
        for function in functions:
            for call in function.calls:
                if not isinstance(call.func, ir.Attr) or not self._asks(call):
                    continue
                holder = last_name(call.func.base).lower().lstrip("_")
                # `agenerate`, `_chat`, `async_stream`: what stands before the verb says how.
                asked = _SPOKEN.match(call.func.name.lower()) is not None
                if asked and (holder in _MODELS or holder.endswith(_MODEL_ENDS)):
                    if not any(isinstance(m, External) for m in self.program.resolve(call.func, function)):
                        spoken.append((call, function))
        self._mark_innermost(spoken)

    def _mark_innermost(self, found: list[tuple[ir.Call, Function]]) -> None:
        """Marks as turns those of some calls that make no turn and run none of the others."""
        calls = {id(call) for call, _ in found}
        for call, function in found:
            if self.turn(call, function) is None and not self._asks_below(call, function, calls):
                self._mark(call, function)

    def _asks_below(self, call: ir.Call, function: Function, offering: set[int]) -> bool:
        """Whether a turn, or another call that hands on tools, is in what a call runs."""
        pending = list(self.program.targets(call, function))
        seen: set[str] = set()
        while pending and len(seen) < 60:
            target = pending.pop()
            if target.key in seen:
                continue
            seen.add(target.key)
            if self.turns_in(target) or any(id(c) in offering for c in target.calls):
                return True
            pending.extend(t for c in target.calls for t in self.program.targets(c, target))
        return len(seen) >= 60

    def find_answers(self, function: Function) -> None:
        """Marks as turns the calls that take a conversation and whose answer goes back into it, where nobody knows
        what they run.
        """
        for node in function.nodes:
            if not isinstance(node, ir.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ir.Name):
                continue
            call = node.value.value if isinstance(node.value, ir.Await) else node.value
            if (
                not isinstance(call, ir.Call)
                or not isinstance(call.func, ir.Attr)
                or self.turn(call, function) is not None
            ):
                continue
            if not self.is_asking(call.func.name) or not self._asks(call):
                continue
            if not all(is_stub(t) for t in self.program.targets(call, function)):
                continue
            if any(isinstance(m, External) for m in self.program.resolve(call.func, function)):
                continue
            if self._goes_back(node.targets[0].id, function):
                self._mark(call, function)

    def _goes_back(self, name: str, function: Function) -> bool:
        """Whether a reply is added to a conversation."""
        return any(self._adds(call) and any(_root(a.value) == name for a in call.args) for call in function.calls)

    @property
    def _tools_words(self) -> frozenset[str]:
        return self.catalogue.words("turn", "tools")

    def _mark(self, call: ir.Call, function: Function) -> None:
        self.shape_turns.setdefault(id(call), Turn(call, function, None, "unknown", dotted(call.func) or "call"))
        self._turns.pop(function.key, None)

    def turns_in(self, function: Function) -> tuple[Turn, ...]:
        """The turns that stand in a function itself."""
        if function.key not in self._turns:
            found = [t for c in function.calls if (t := self.turn(c, function)) is not None]
            self._turns[function.key] = tuple(found)
        return self._turns[function.key]

    def carries_arguments(self, call: ir.Call, function: Function) -> bool:
        """Whether a call passes on a model's arguments or its whole call."""
        return any(self.of(a.value, function) & {ARGS, CALL} for a in call.args)


_NUMERIC = frozenset(
    {"builtins.int", "builtins.float", "builtins.round", "builtins.max", "builtins.min", "builtins.abs"}
)


def _literal(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) or (isinstance(expr, ir.Seq) and all(isinstance(i, ir.Const) for i in expr.items))


def _is_prose(expr: ir.FString | ir.Bin) -> bool:
    """Whether a text has words around what is put into it: it speaks of a name and is none."""
    if isinstance(expr, ir.FString):
        return len(expr.text.split()) > 1
    texts = (n.value for n in (expr.left, expr.right) if isinstance(n, ir.Const) and isinstance(n.value, str))
    return any(len(text.split()) > 1 for text in texts)


def _root(expr: ir.Expr) -> str:
    """The name at the root of a chain of attributes, keys and calls."""
    while True:
        if isinstance(expr, ir.Name):
            return expr.id
        if isinstance(expr, (ir.Attr, ir.Subscript)):
            expr = expr.base
        elif isinstance(expr, ir.Call):
            expr = expr.func
        else:
            return ""


def _flat(roles: Roles, collection: bool) -> Roles:
    """What a display or a text keeps of its parts."""
    out = set(roles & {REPLY, RESULT, ERROR_TEXT, TOOL, NAME, ARGS})
    if ERROR in roles:
        out.add(ERROR_TEXT)
    if collection and CALL in roles:
        out.add(CALLS)
    elif CALL in roles:
        out.add(CALL)
    return frozenset(out)


def _starts_empty(value: ir.Expr | None) -> bool:
    if isinstance(value, (ir.Seq, ir.DictE)):
        return not value.items
    return isinstance(value, ir.Call) and last_name(value.func) in {"list", "dict", "defaultdict", "OrderedDict"}


def _fillings(node: ir.Node) -> Iterator[tuple[str, ir.Expr, bool]]:
    """The names of lists and tables that a node fills, with what, and whether that is a list itself."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and isinstance(node.func.base, ir.Name):
        if node.args and node.func.name in {"append", "extend", "insert", "setdefault"}:
            yield node.func.base.id, node.args[-1].value, node.func.name == "extend"
    elif isinstance(node, ir.Aug) and isinstance(node.target, ir.Name):
        yield node.target.id, node.value, not isinstance(node.value, ir.Seq)
    elif isinstance(node, ir.Assign) and node.value is not None:
        for target in node.targets:
            if isinstance(target, ir.Subscript) and isinstance(target.base, ir.Name):
                yield target.base.id, node.value, False


def _key_read(expr: ir.Expr) -> tuple[ir.Expr | None, str]:
    """``(x, "k")`` of ``x.k``, ``x["k"]``, ``x.get("k")`` and ``getattr(x, "k")``."""
    if isinstance(expr, ir.Attr):
        return expr.base, expr.name
    if isinstance(expr, ir.Subscript) and isinstance(expr.index, ir.Const) and isinstance(expr.index.value, str):
        return expr.base, expr.index.value
    if isinstance(expr, ir.Call) and expr.args:
        if isinstance(expr.func, ir.Attr) and expr.func.name == "get":
            key = expr.args[0].value
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                return expr.func.base, key.value
        if isinstance(expr.func, ir.Name) and expr.func.id == "getattr" and len(expr.args) >= 2:
            key = expr.args[1].value
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                return expr.args[0].value, key.value
    return None, ""


key_read = _key_read


def argument(call: ir.Call, param: ir.Param, index: int) -> ir.Expr | None:
    """What a call gives for a parameter; None where it gives nothing that can be seen."""
    named = call.keyword(param.name)
    if named is not None:
        return named
    return call.positional(index) if param.kind == "plain" and index >= 0 else None


def is_stub(function: Function) -> bool:
    """Whether a function has no body of its own."""
    return is_abstract(function.node)


def snake(name: str) -> str:
    """A name in lower case, its words apart."""
    return _HUMP.sub("_", name).lower()


def last_name(expr: ir.Node) -> str:
    """The last name of a callee: ``c`` of ``a.b.c``."""
    if isinstance(expr, ir.Attr):
        return expr.name
    return expr.id if isinstance(expr, ir.Name) else ""


def dotted(expr: ir.Expr) -> str:
    """``a.b.c`` of a chain of names, with ``()`` and ``[]`` for what stands between; empty where it starts with
    neither.
    """
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        base = dotted(expr.base)
        return f"{base}.{expr.name}" if base else ""
    if isinstance(expr, ir.Call):
        base = dotted(expr.func)
        return f"{base}()" if base else ""
    if isinstance(expr, ir.Subscript):
        base = dotted(expr.base)
        return f"{base}[]" if base else ""
    if isinstance(expr, ir.Await):
        return dotted(expr.value)
    return ""
