"""A number that says how far a loop may go and has no say in it: unused, overwritten, or used by its twin alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolbind_lint.facts import Place, Step
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.bounds import Bound
from toolbind_lint.recognise.gates.cap import header, place_of
from toolbind_lint.recognise.loops import Case
from toolbind_lint.recognise.program import Binding, Class, Function
from toolbind_lint.recognise.roles import last_name
from toolbind_lint.verdicts import Fault

_CAP = re.compile(
    r"^(max|limit|n|num|total|allowed)_?(agent_|tool_|loop_|llm_|model_)?"
    r"(step|turn|iteration|iter|round|loop|cycle|pass)(e?s)?$"
    r"|^(step|turn|iteration|iter|round|loop|cycle)s?_(limit|cap|max|maximum|budget)$",
    re.IGNORECASE,
)
"""How a parameter is called that can be nothing but a cap; whether it is dead is judged by its uses alone."""


def faults(case: Case, bounds: list[Bound]) -> list[Fault]:
    """What configures a bound of this loop and does not bind it."""
    found = [*_overwritten(case, bounds), *_unused(case), *_of_the_twin(case, bounds)]
    return list(dict.fromkeys(found))[:1]


# ---- a parameter that is set again before it is used


def _overwritten(case: Case, bounds: list[Bound]) -> Iterator[Fault]:
    """``def run(self, max_steps): max_steps = 10``: what the caller passes is lost."""
    for bound in bounds:
        function = bound.cap_frame.function
        if not isinstance(bound.cap, ir.Name) or function.toplevel:
            continue
        bindings = case.tools.program.locals(function).get(bound.cap.id, [])
        param = next((b for b in bindings if b.kind == "parameter"), None)
        if param is None or param.node is None:
            continue
        for stmt in function.node.body:
            names = [t.id for t in _assigned(stmt) if isinstance(t, ir.Name)]
            if bound.cap.id in names and isinstance(stmt, ir.Assign) and not _mentions(stmt.value, bound.cap.id):
                related = (Step(case.tools.program.at(function, stmt), "set again here, whatever was passed"),)
                words = (("param", bound.cap.id),)
                yield Fault("dead", case.tools.program.at(function, param.node), words, related=related)
                break
            if any(_mentions(n, bound.cap.id) for n in (stmt,)):
                break  # read before it is set


def _assigned(stmt: ir.Stmt) -> tuple[ir.Expr, ...]:
    return stmt.targets if isinstance(stmt, ir.Assign) else ()


def _mentions(node: ir.Node | None, name: str) -> bool:
    if node is None:
        return False
    return any(isinstance(n, ir.Name) and n.id == name for n in ir.walk(node, into_functions=True))


# ---- a parameter or field that nothing reads


def _unused(case: Case) -> Iterator[Fault]:
    function = case.function
    if function.toplevel:
        return
    for param in function.node.params:
        if _CAP.match(param.name) and param.kind in {"plain", "keyword"} and not _used(param.name, function):
            if not _handed_on_whole(function):
                yield Fault("dead", case.tools.program.at(function, param), (("param", param.name),))
    if function.cls is None or not function.self_name:
        return
    for name, binding in _stored_caps(case, function.cls):
        if not _read_anywhere(case, name):
            yield Fault("dead", case.tools.program.place(binding.scope.module, binding.span), (("param", name),))


def _used(name: str, function: Function) -> bool:
    return any(isinstance(n, ir.Name) and n.id == name for n in ir.walk_all(function.node.body, into_functions=True))


def _handed_on_whole(function: Function) -> bool:
    """Whether a function has no body to speak of, or hands on all that it has: ``locals()``."""
    names = {n.id for n in ir.walk_all(function.node.body) if isinstance(n, ir.Name)}
    return bool(names & {"locals", "vars"})


def _stored_caps(case: Case, cls: Class) -> Iterator[tuple[str, Binding]]:
    """The fields of a class, set from a parameter of its constructor, that are called a cap."""
    for binding in case.tools.program.members(cls).get("__init__", ()):
        if not isinstance(binding.node, ir.FuncDef):
            continue
        made = cls.module.function(binding.node, cls.scope, cls)
        for node in made.nodes:
            if not isinstance(node, ir.Assign) or not isinstance(node.value, ir.Name):
                continue
            for target in node.targets:
                own = isinstance(target, ir.Attr) and isinstance(target.base, ir.Name)
                if own and isinstance(target, ir.Attr) and _CAP.match(target.name):
                    yield target.name, Binding("assign", node.value, made, target.span)


def _read_anywhere(case: Case, name: str) -> bool:
    """Whether any file of the project reads an attribute or key of that name, or can do so by text."""
    project = case.tools.program.project
    written = re.compile(rf"(\.{re.escape(name)}\b(?!\s*(:[^=\n]+)?=[^=]))|[\"']{re.escape(name)}[\"']")
    return any(written.search(project.source(path).text) for path in sorted(project.modules))


# ---- a bound that one of the twins lacks


def _of_the_twin(case: Case, bounds: list[Bound]) -> Iterator[Fault]:
    """A field that bounds the loop of the synchronous (or plain) twin and is not read in this one."""
    function = case.function
    if function.cls is None or not bounds:
        return
    for name, twin in _twins(function):
        for field, place in _fields_compared(case, twin):
            if any(_reads(frame.function, field) for frame in case.graph.frames):
                continue
            if any(field in (c[-1] for c in b.cap_cells if c) for b in bounds):
                continue
            related = (Step(place, f"{name} is bounded by it"), Step(place_of(case, bounds[0].tests[0]), "not here"))
            yield Fault("dead", header(case), (("param", field),), related=related)


def _twins(function: Function) -> Iterator[tuple[str, Function]]:
    """The methods of the same class that differ in name by what says async or streaming."""
    cls = function.cls
    if cls is None:
        return
    own = _plain(function.node.name)
    for binding in (b for bindings in function.module.program.members(cls).values() for b in bindings):
        if isinstance(binding.node, ir.FuncDef) and binding.node is not function.node:
            if _plain(binding.node.name) == own:
                yield binding.node.name, cls.module.function(binding.node, cls.scope, cls)


_AFFIX = re.compile(r"^(a|async_|stream_)(?=[a-z])|_(async|sync|stream|streaming)$")


def _plain(name: str) -> str:
    text = name.strip("_")
    bare = _AFFIX.sub("", text)
    return bare if len(bare) > 2 else text


def _fields_compared(case: Case, function: Function) -> Iterator[tuple[str, Place]]:
    """The fields of the receiver that a loop of a function takes for its cap: in ``range``, or compared in a test."""
    program = case.tools.program
    for loop in function.nodes:
        if not isinstance(loop, (ir.While, ir.For)):
            continue
        for node in ir.walk(loop):
            for expr in _caps_in(node):
                if isinstance(expr, ir.Attr) and isinstance(expr.base, ir.Name) and expr.base.id == function.self_name:
                    if any(v.number is not None for v in case.tools.values.alternatives(expr, function)):
                        yield expr.name, program.at(function, expr)


def _caps_in(node: ir.Node) -> tuple[ir.Expr, ...]:
    if isinstance(node, ir.Call) and last_name(node.func) == "range":
        return tuple(a.value for a in node.args)
    if isinstance(node, ir.Compare) and node.op in {"<", "<=", ">", ">="}:
        return (node.left, node.right)
    return ()


def _reads(function: Function, field: str) -> bool:
    return any(isinstance(n, ir.Attr) and n.name == field for n in function.nodes)
