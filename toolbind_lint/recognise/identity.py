"""Which values name a run: ``run_id`` and its like, by name, by key, by the object that carries one, by how it is made.

Answers in three values: a context that nobody can see into (``ctx``, ``session``) may carry one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import Binding, Class, External, Function, Instance, Program
from toolbind_lint.recognise.roles import dotted, last_name, snake

Carries = Literal["yes", "perhaps", "no"]

_KINDS = (
    "run|session|trace|conversation|thread|request|task|job|chat|execution|invocation|correlation|workflow|episode|"
    "rollout|trajectory|trial|interaction|batch|flow|turn|process|span"
)
_ID = re.compile(rf"(?:^|_)(?:{_KINDS})_?(?:u?u?id|key|ref)$|^(?:rid|trace_?parent)$")
_OBJECT = re.compile(
    r"(?:^|_)(?:run|session|trace|conversation|thread|execution|invocation|span|workflow|episode|rollout)$"
)
_BARE = frozenset({"id", "uuid", "uid", "key"})
_FIELDS = frozenset({"run", "run_name"})
_CONTEXT = re.compile(
    r"(?:^|_)(?:ctx|context|run|session|state|runtime|metadata|meta|trace|tracer|span|deps|thread|"
    r"telemetry|callbacks?|callback_manager|config|budget|job|task|agent|extra)$"
)
_OF_A_CALL = re.compile(r"(?:^|_)(?:call|tool|message|msg|item|event|response|user|reply|block|parent)(?:_|$)")
_MAKES = ("uuid.uuid", "ulid", "secrets.token", "nanoid", "shortuuid", "cuid", "uuid6", "uuid7", "xid")
_IN_TEXT = re.compile(rf"(?:^|[^a-z])(?:{_KINDS})_?id[\"']?\s*[=:]", re.IGNORECASE)
MAX_DEPTH = 4


def is_id(name: str) -> bool:
    """Whether a name says that it is the identity of a run."""
    return bool(_ID.search(snake(name)))


def says_id(text: str) -> bool:
    """Whether a text names one: ``"run_id=%s step=%d"``."""
    return bool(_IN_TEXT.search(text))


def is_named(expr: ir.Name | ir.Attr) -> bool:
    """Whether an expression is an identity by its name: ``run_id``, ``session.id``."""
    if isinstance(expr, ir.Name):
        return is_id(expr.id)
    return is_id(expr.name) or (expr.name in _BARE and bool(_OBJECT.search(snake(last_name(expr.base)))))


def may_carry(name: str) -> bool:
    """Whether a name is that of an object which usually knows the run that it belongs to."""
    return bool(_CONTEXT.search(snake(name)))


def carries(
    program: Program, expr: ir.Expr | None, function: Function, depth: int = 0, *, objects: bool = True
) -> Carries:
    """Whether a value is, holds or may hold the identity of a run; without ``objects`` only what is one by name."""
    best: Carries = "no"
    for node in ir.walk(expr) if expr is not None else ():
        if objects or not isinstance(node, (ir.Name, ir.Attr)):
            found = _node(program, node, function, depth)
        else:
            found = "yes" if is_named(node) else "no"
        if found == "yes":
            return "yes"
        if found == "perhaps":
            best = "perhaps"
    return best


def _node(program: Program, node: ir.Node, function: Function, depth: int) -> Carries:
    if isinstance(node, ir.Name):
        return _name(program, node, function, depth)
    if isinstance(node, ir.Attr):
        return _attribute(program, node, function, depth)
    if isinstance(node, ir.DictE):
        keys = (k.value for k, _ in node.items if isinstance(k, ir.Const) and isinstance(k.value, str))
        return "yes" if any(is_id(key) for key in keys) else "no"
    if isinstance(node, ir.Subscript):
        index = node.index
        return "yes" if isinstance(index, ir.Const) and isinstance(index.value, str) and is_id(index.value) else "no"
    if isinstance(node, ir.Call):
        return "yes" if any(a.name is not None and is_id(a.name) for a in node.args) else "no"
    if isinstance(node, ir.Const) and isinstance(node.value, str):
        return "yes" if says_id(node.value) else "no"
    if isinstance(node, ir.FString):
        return "yes" if says_id(node.text) else "no"
    return "no"


def _name(program: Program, node: ir.Name, function: Function, depth: int) -> Carries:
    if is_named(node):
        return "yes"
    held = _object(program, node, function)
    if held is not None:
        return held
    best: Carries = "perhaps" if may_carry(node.id) else "no"
    for binding in program.lookup(node.id, function) if depth < MAX_DEPTH else ():
        if binding.kind != "assign" or binding.value is None:
            continue
        if makes_id(program, binding, node.id):
            return "yes"
        # The value of a call is of what the callee makes of its arguments: only names in it say something.
        found = carries(program, binding.value, binding.scope, depth + 1)
        if found == "yes":
            return "yes"
    return best


def makes_id(program: Program, binding: Binding, name: str) -> bool:
    """Whether a binding makes a new identity that is not one of a call or message: ``rid = uuid4().hex``."""
    if _OF_A_CALL.search(snake(name)) or binding.value is None:
        return False
    return has_new_id(program, binding.value, binding.scope)


def has_new_id(program: Program, value: ir.Expr, function: Function) -> bool:
    """Whether an expression draws a new random identity."""
    for node in ir.walk(value):
        if isinstance(node, ir.Call):
            names = [m.name for m in program.resolve(node.func, function) if isinstance(m, External)]
            if any(name.startswith(_MAKES) for name in names):
                return True
    return False


def _attribute(program: Program, node: ir.Attr, function: Function, depth: int) -> Carries:
    if is_named(node):
        return "yes"
    held = _object(program, node, function)
    if held is not None:
        return held
    for meaning in program.resolve(node.base, function) if depth < MAX_DEPTH else ():
        for binding in program.fields(meaning, node.name):
            if binding.kind == "assign" and binding.value is not None:
                if carries(program, binding.value, binding.scope, depth + 2) == "yes":
                    return "yes"
    return "perhaps" if may_carry(node.name) else "no"


def _object(program: Program, expr: ir.Name | ir.Attr, function: Function) -> Carries | None:
    """What the class of an object of the project says; None where nobody knows its class."""
    classes = [m.cls for m in program.resolve(expr, function) if isinstance(m, Instance)]
    if not classes:
        return None
    if any(has_id(program, cls) for cls in classes):
        return "yes"
    outside = any(isinstance(base, External) for cls in classes for base in program.mro(cls))
    return "perhaps" if outside and may_carry(last_name(expr)) else "no"


def has_id(program: Program, cls: Class) -> bool:
    """Whether objects of a class know the identity of a run."""
    key = ("has id", cls.key)
    if key not in program.notes:
        program.notes[key] = any(is_id(name) or name in _FIELDS for name in field_names(program, cls))
    return bool(program.notes[key])


def field_names(program: Program, cls: Class) -> tuple[str, ...]:
    """The names of what a class declares, and of what its methods assign on their receiver."""
    key = ("field names", cls.key)
    found = program.notes.get(key)
    if not isinstance(found, tuple):
        found = program.notes[key] = tuple(dict.fromkeys(_field_names(program, cls)))
    return found


def _field_names(program: Program, cls: Class) -> Iterator[str]:
    for top in program.mro(cls):
        if not isinstance(top, Class):
            continue
        for name, bindings in program.members(top).items():
            if any(b.kind in {"assign", "declare"} for b in bindings):
                yield name
            for binding in bindings:
                if isinstance(binding.node, ir.FuncDef):
                    yield from _stored(top, binding.node)


def _stored(cls: Class, node: ir.FuncDef) -> Iterator[str]:
    if cls.module.stores_nothing(node.span[0]):
        return
    receiver = cls.module.function(node, cls.scope, cls).self_name
    for stmt in ir.walk_all(node.body):
        for target in stmt.targets if receiver and isinstance(stmt, ir.Assign) else ():
            if isinstance(target, ir.Attr) and dotted(target.base) == receiver:
                yield target.name
