"""Which calls start a loop that a framework owns, and what they are joined to: a run and the constructors behind it.

A run is a method of an object that an ``agent`` row makes (``agent.run(...)``, or the call of the object itself), or a
function of a ``run`` row that is given one (``Runner.run(agent, ...)``). An agent that cannot loop starts none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.loops import LoopFinder, Tools
from toolbind_lint.recognise.makers import Made, Makers, Spot
from toolbind_lint.recognise.program import Class, Function, FunctionRef, Module
from toolbind_lint.recognise.roles import dotted, last_name
from toolbind_lint.versions import Manifests

MAX_MEMBERS = 4
"""How deep agents that hold agents are followed."""

CALLED = "()"
"""In ``runs``: the object itself is called."""


_QUOTED = re.compile(r"[\"']([^\"']+)[\"']")


class Run(NamedTuple):
    """One run: the call (or, of what stands alone, the constructor), the row that knows it, the agents behind it.

    ``row`` is None where a method starts it; ``agents`` is empty where nobody knows what is run.
    """

    call: ir.Call
    function: Function
    row: Row | None
    agents: tuple[Made, ...]
    alone: bool = False


class RunFinder:
    """Finds the runs of one program, module by module."""

    def __init__(self, tools: Tools, finder: LoopFinder, manifests: Manifests) -> None:
        self.tools = tools
        self.program = tools.program
        self.catalogue: Catalogue = tools.catalogue
        self.loops = finder
        self.manifests = manifests
        self.agents = Makers(self.program, self.catalogue, "agent", self.owns)
        self.starts = Makers(self.program, self.catalogue, "run", self.owns)
        rows = [row for row in self.catalogue.rows if row.kind == "agent"]
        self._methods = frozenset(m for row in rows for m in row.all("runs") if m != CALLED)
        called = [call for row in rows if CALLED in row.all("runs") for call in row.all("call")]
        self._called = frozenset(call.partition(".")[0] for call in called)
        self._jumps = frozenset(
            call.rpartition(".")[2] for row in self.catalogue.rows if row.kind == "jump" for call in row.all("call")
        )
        self._functions = frozenset(
            call.rpartition(".")[2] for row in self.catalogue.rows if row.kind == "run" for call in row.all("call")
        )
        self._alone = frozenset(
            call.rpartition(".")[2] for row in rows if row.flags.get("stands-alone") for call in row.all("call")
        )
        self._loops: dict[tuple[object, ...], bool] = {}

    def owns(self, path: str, framework: str) -> bool:
        """Whether a file of the project belongs to the library itself."""
        packages = self.catalogue.packages.get(framework, ())
        return bool(packages) and self.manifests.declares(path, packages)

    # ---- runs

    def find(self, module: Module, number: int) -> Iterator[Run]:
        """The runs of a top-level statement."""
        calls = module.index.statements[number].calls
        wanted = self._methods | self._functions | self._alone
        if calls.isdisjoint(wanted) and not self._may_be_called(module):
            return
        for function in self.program.functions(module, number):
            for call in function.calls:
                run = self._run(call, function)
                if run is not None:
                    yield run

    def _may_be_called(self, module: Module) -> bool:
        return any(row.module.partition(".")[0] in self._called for row in module.index.imports)

    def _run(self, call: ir.Call, function: Function) -> Run | None:
        name = last_name(call.func)
        if name in self._functions:
            row = self.starts.row(call.func, function)
            if row is not None:
                return self._started(call, function, row)
        if name in self._alone:
            row = self.agents.row(call.func, function)
            if row is not None and row.flags.get("stands-alone"):
                return Run(call, function, None, (Made(row, call, function),), alone=True)
        if isinstance(call.func, ir.Attr) and name in self._methods:
            made = [m for m in self.agents.of(call.func.base, function) if name in m.row.all("runs")]
            if made and all(self._replaces(m, name) for m in made):
                return None
            if made:
                return self._of_agents(call, function, None, made)
            own = self._inherited(call, function, name) or self._namesakes(call.func.base, function, name)
            if own:
                return self._of_agents(call, function, None, own)
        if self._called and isinstance(call.func, (ir.Name, ir.Attr, ir.Subscript)):
            if not any(isinstance(m, FunctionRef) for m in self.program.resolve(call.func, function)):
                made = [m for m in self.agents.of(call.func, function) if CALLED in m.row.all("runs")]
                if made:
                    return self._of_agents(call, function, None, made)
        return None

    def _replaces(self, made: Made, name: str) -> bool:
        """Whether the subclass that is built has a method of that name which does not call the library's own."""
        for top in self.program.mro(made.cls) if made.cls is not None else ():
            for binding in self.program.members(top).get(name, ()) if isinstance(top, Class) else ():
                if isinstance(binding.node, ir.FuncDef) and isinstance(top, Class):
                    calls = top.module.function(binding.node, top.scope, top).calls
                    return not any(_is_super(c.func) for c in calls)
        return False

    def _inherited(self, call: ir.Call, function: Function, name: str) -> list[Made]:
        """``self.run()`` in a class of the project that derives from an agent."""
        base = call.func.base if isinstance(call.func, ir.Attr) else None
        cls = function.cls
        if cls is None or not isinstance(base, ir.Name) or base.id != function.self_name:
            return []
        if any(name in self.program.members(top) for top in self.program.mro(cls) if isinstance(top, Class)):
            return []
        return [Made(row, None, function, cls) for row in self.agents.bases(cls) if name in row.all("runs")]

    def _namesakes(self, base: ir.Expr, function: Function, method: str) -> list[Made]:
        """What the module makes under the name of a parameter that nobody in the project passes anything for."""
        if not isinstance(base, ir.Name) or base.id == function.self_name:
            return []
        bindings = self.program.lookup(base.id, function)
        if not bindings or any(b.kind != "parameter" or b.annotation is not None for b in bindings):
            return []
        owner = bindings[0].scope
        if self.program.callers(owner):
            return []
        module = owner.module
        found: list[Made] = []
        for number in range(len(module.index.statements)):
            for scope in self.program.functions(module, number):
                for binding in self.program.locals(scope).get(base.id, ()) if scope is not owner else ():
                    if binding.kind == "assign" and isinstance(binding.value, ir.Call):
                        found.extend(m for m in self.agents.of(binding.value, scope) if method in m.row.all("runs"))
        return found if len({m.row.one("id") for m in found}) == 1 else []

    def _started(self, call: ir.Call, function: Function, row: Row) -> Run | None:
        holders = [self._argument(call, where) for where in row.all("agent")]
        held = [h for h in holders if h is not None]
        if not row.all("agent"):
            if row.all("loops-with") and not self._has_any(call, function, row):
                return None
            return Run(call, function, row, ())
        made: list[Made] = []
        for holder in held[:1]:
            made.extend(self.agents.of(holder, function))
            for value in self.agents.elements(holder, function):
                made.extend(self.agents.of(value.expr, value.function))
        return self._of_agents(call, function, row, made)

    def _of_agents(self, call: ir.Call, function: Function, row: Row | None, made: list[Made]) -> Run | None:
        looping = [m for m in made if self.loops_of(m)]
        if made and not looping:
            return None
        return Run(call, function, row, tuple(looping))

    def _argument(self, call: ir.Call, where: str) -> ir.Expr | None:
        return call.positional(int(where)) if where.isdigit() else call.keyword(where)

    # ---- what an agent is given

    def given(self, made: Made, param: str, position: str = "") -> Iterator[Spot]:
        """What a constructor, the class that is built, or later statements give for a parameter."""
        call = made.call
        if call is not None:
            value = call.keyword(param)
            if value is None and position.isdigit() and made.cls is None:
                value = call.positional(int(position))
            if value is not None:
                yield Spot(value, made.function)
            else:
                yield from self._splatted(call, param, made.function)
        if made.cls is not None:
            yield from self._of_class(made.cls, param)
        yield from self._set_later(made, param)

    def _splatted(self, call: ir.Call, param: str, function: Function) -> Iterator[Spot]:
        for arg in call.args:
            if arg.star == "**":
                yield from self.under(arg.value, param, function)

    def under(self, expr: ir.Expr, key: str, function: Function) -> Iterator[Spot]:
        """What a dict or an object built by keywords holds under a key, also where it is stored later."""
        for value in self.agents.final(expr, function):
            if isinstance(value.expr, ir.DictE):
                found = value.expr.get(key)
                if found is not None:
                    yield Spot(found, value.function)
                for name, inner in value.expr.items:
                    if name is None:
                        yield from self.under(inner, key, value.function)
            elif isinstance(value.expr, ir.Call):
                found = value.expr.keyword(key)
                if found is not None:
                    yield Spot(found, value.function)
                for arg in value.expr.args:
                    if arg.star == "**":
                        yield from self.under(arg.value, key, value.function)
        whole = dotted(expr)
        if whole:
            yield from self.agents.stored(f"{whole}.{key}", function)

    def _of_class(self, cls: Class, param: str) -> Iterator[Spot]:
        for top in self.program.mro(cls):
            if not isinstance(top, Class):
                continue
            for binding in self.program.members(top).get(param, ()):
                if binding.kind == "assign" and binding.value is not None:
                    yield Spot(binding.value, binding.scope)
            for binding in self.program.members(top).get("__init__", ()):
                if isinstance(binding.node, ir.FuncDef):
                    init = top.module.function(binding.node, top.scope, top)
                    for call in init.calls:
                        func = call.func
                        if isinstance(func, ir.Attr) and func.name == "__init__" and isinstance(func.base, ir.Call):
                            value = call.keyword(param)
                            if value is not None:
                                yield Spot(value, init)

    def _set_later(self, made: Made, param: str) -> Iterator[Spot]:
        """``agent.tools = [...]``, ``agent.tools.append(...)`` behind the constructor."""
        for name in self._bound_names(made):
            yield from self.agents.stored(f"{name}.{param}", made.function)
            yield from self.agents.stored(f"{name}.{param}[]", made.function)

    def _bound_names(self, made: Made) -> list[str]:
        """The names and attributes to which the result of a constructor is assigned in its function."""
        if made.call is None:
            return []
        out: list[str] = []
        for node in made.function.nodes:
            if isinstance(node, ir.Assign) and node.value is not None:
                if any(n is made.call for n in ir.walk(node.value)):
                    out.extend(dotted(t) for t in node.targets if isinstance(t, (ir.Name, ir.Attr)))
        return out

    # ---- can it loop?

    def loops_of(self, made: Made, depth: int = 0) -> bool:
        """Whether an agent can loop: it has tools, members, or whatever its row says."""
        key = (*made.key, made.cls.key if made.cls is not None else "")
        if key not in self._loops:
            self._loops[key] = True  # while it is being found out: agents may hold each other
            self._loops[key] = self._can_loop(made, depth)
        return self._loops[key]

    def _can_loop(self, made: Made, depth: int) -> bool:
        row = made.row
        if row.all("graph"):
            return self._closes_a_ring(made)
        if not (row.all("loops-with") or row.all("loops-by") or row.all("members")):
            return True
        if made.call is None:
            return True
        if any(self.nonempty(v) for param in row.all("loops-with") for v in self._param(made, param)):
            return True
        if any(self._unknown_splat(arg, made.function) for arg in made.call.args):
            return True
        if row.all("loops-by") and self._is_given_by(made):
            return True
        return depth < MAX_MEMBERS and any(self._member_loops(made, param, depth) for param in row.all("members"))

    def _param(self, made: Made, param: str) -> Iterator[Spot]:
        """``tools``, or ``1:tools`` where it may stand at a position."""
        position, _, name = param.rpartition(":")
        yield from self.given(made, name, position)

    def _unknown_splat(self, arg: ir.Arg, function: Function) -> bool:
        if arg.star != "**":
            return False
        found = list(self.agents.final(arg.value, function))
        return not found or not all(isinstance(v.expr, ir.DictE) or _is_dict(v.expr) for v in found)

    def _has_any(self, call: ir.Call, function: Function, row: Row) -> bool:
        for param in row.all("loops-with"):
            head, *path = param.split(".")
            value = call.keyword(head)
            inner = [Spot(value, function)] if value is not None else list(self._splatted(call, head, function))
            for key in path:
                inner = [v for found in inner for v in self.under(found.expr, key, found.function)]
            if any(self.nonempty(v) for v in inner):
                return True
        return False

    def nonempty(self, value: Spot) -> bool:
        """Whether a value may be something: not None, False, zero or an empty collection."""
        found = list(self.agents.final(value.expr, value.function)) or [value]
        for each in found:
            expr = each.expr
            if isinstance(expr, ir.Const):
                if expr.value:
                    return True
            elif isinstance(expr, ir.Seq):
                if any(
                    not isinstance(i, ir.Starred) or self.nonempty(Spot(i.value, each.function)) for i in expr.items
                ):
                    return True
                if isinstance(value.expr, (ir.Name, ir.Attr)) and any(
                    True for _ in self.agents.stored(f"{dotted(value.expr)}[]", value.function)
                ):
                    return True
            elif isinstance(expr, ir.DictE):
                if expr.items:
                    return True
            else:
                return True
        return False

    def _is_given_by(self, made: Made) -> bool:
        """Whether a method that gives it tools is used on it: ``@agent.tool``, ``agent.register(...)``."""
        wanted = frozenset(made.row.all("loops-by"))
        names = {name.rpartition(".")[2] for name in self._bound_names(made)}
        if made.cls is not None:
            return bool(
                wanted
                & {n for top in self.program.mro(made.cls) if isinstance(top, Class) for n in self._decorating(top)}
            )
        module = made.function.module
        places = [(module.path, n) for n, s in enumerate(module.index.statements)]
        for word in sorted(wanted):
            places.extend(self.program.statements_calling(word)[:24])
        for path, number in dict.fromkeys(places):
            other = self.program.module(path)
            if other is None or other.index.statements[number].calls.isdisjoint(wanted | names):
                if other is not module:
                    continue
            for function in self.program.functions(other, number) if other is not None else ():
                for expr in (*function.node.decorators, *(c.func for c in function.calls)):
                    head = expr.func if isinstance(expr, ir.Call) else expr
                    if isinstance(head, ir.Attr) and head.name in wanted:
                        scope = function.parent or function
                        if any(m.key[0] == made.key[0] for m in self.agents.of(head.base, scope)):
                            return True
        return False

    def _decorating(self, cls: Class) -> Iterator[str]:
        for stmt in cls.node.body:
            if isinstance(stmt, ir.FuncDef):
                for decorator in stmt.decorators:
                    yield last_name(decorator.func if isinstance(decorator, ir.Call) else decorator)

    def members(self, made: Made, depth: int = 0) -> Iterator[Made]:
        """The agents that an agent holds."""
        for param in made.row.all("members"):
            for value in self._param(made, param):
                yield from self.agents.of(value.expr, value.function)
                for item in self.agents.elements(value.expr, value.function):
                    yield from self.agents.of(item.expr, item.function)

    def _member_loops(self, made: Made, param: str, depth: int) -> bool:
        given = [v for v in self._param(made, param) if self.nonempty(v)]
        for value in given:
            found = list(self.agents.of(value.expr, value.function))
            items = list(self.agents.elements(value.expr, value.function))
            unknown = not items and not found
            for item in items:
                behind = self.agents.of(item.expr, item.function)
                unknown = unknown or not (behind or self._is_code(item))
                found.extend(behind)
            if unknown or any(self.loops_of(m, depth + 1) for m in found):
                return True
        return False

    def _is_code(self, item: Spot) -> bool:
        """Whether it is a function of the project: whatever that runs is seen there."""
        found = self.program.resolve(item.expr, item.function) if isinstance(item.expr, (ir.Name, ir.Attr)) else []
        return bool(found) and all(isinstance(m, FunctionRef) for m in found)

    # ---- graphs

    def _closes_a_ring(self, made: Made) -> bool:
        """Whether the edges that are added to a graph close a ring that holds a node which asks a model."""
        nodes, edges, branches = (*made.row.all("graph"), "", "", "")[:3]
        found = _Graph()
        for call, function in self.on(made, (nodes, edges, branches)):
            self._note(found, call, function, (nodes, edges, branches))
        if not found.nodes:
            return False
        for name, node in list(found.nodes.items()):
            for end in self._jumped(node.expr, node.function):
                found.edges.add((name, end))
        ring = found.ring()
        return any(self._asks(found.nodes[name]) for name in ring if name in found.nodes)

    def on(self, made: Made, methods: tuple[str, ...]) -> Iterator[tuple[ir.Call, Function]]:
        """The calls of methods on an object, in its module, also chained."""
        module = made.function.module
        for number, statement in enumerate(module.index.statements):
            if statement.calls.isdisjoint(methods):
                continue
            for function in self.program.functions(module, number):
                for call in function.calls:
                    if isinstance(call.func, ir.Attr) and call.func.name in methods:
                        base = call.func.base
                        while isinstance(base, ir.Call) and isinstance(base.func, ir.Attr) and base is not made.call:
                            base = base.func.base
                        if base is made.call or any(m.key[0] == made.key[0] for m in self.agents.of(base, function)):
                            yield call, function

    def _note(self, graph: _Graph, call: ir.Call, function: Function, names: tuple[str, ...]) -> None:
        method = last_name(call.func)
        plain = [a.value for a in call.args if a.name is None and not a.star]
        if method == names[0] and plain:
            named, rest = self._texts(plain[0], function), plain[1:]
            if not named and rest:  # the node first, then its name
                named, rest = self._texts(rest[0], function), plain[:1]
            target = rest[0] if rest else call.keyword("action") or plain[0]
            for name in named or [last_name(plain[0])]:
                graph.nodes[name] = Spot(target, function)
        elif method == names[1] and len(plain) >= 2:
            for start in self._node_names(plain[0], function):
                for end in self._node_names(plain[1], function):
                    graph.edges.add((start, end))
        elif method == names[2] and plain:
            ends = self._ends(call, plain, function)
            for start in self._node_names(plain[0], function):
                for end in ends if ends is not None else ["*"]:
                    graph.edges.add((start, end))

    def _ends(self, call: ir.Call, plain: list[ir.Expr], function: Function) -> list[str] | None:
        """Where a branch may lead: its map, else the strings that its function returns; None where nobody knows."""
        table = plain[2] if len(plain) > 2 else call.keyword("path_map")
        if table is not None:
            items = list(self.agents.elements(table, function))
            if items:
                return [name for item in items for name in self._node_names(item.expr, item.function)]
        chooser = plain[1] if len(plain) > 1 else call.keyword("path")
        out: list[str] = list(self._jumped(chooser, function)) if chooser is not None else []
        for meaning in self.program.resolve(chooser, function):
            if isinstance(meaning, FunctionRef):
                for value in meaning.function.returned:
                    out.extend(self._texts(value, meaning.function))
                returns = meaning.function.node.returns
                if returns is not None:
                    out.extend(str(n.value) for n in ir.walk(returns) if isinstance(n, ir.Const) and n.value)
        return out or None

    def _jumped(self, expr: ir.Expr, function: Function) -> Iterator[str]:
        """The nodes to which a function sends the run by what it makes: ``Command(goto="tools")``; ``*`` for any."""
        if not self._jumps:
            return
        for meaning in self.program.resolve(expr, function):
            if not isinstance(meaning, FunctionRef):
                continue
            inner = meaning.function
            for call in inner.calls:
                row = self._jump(call, inner) if last_name(call.func) in self._jumps else None
                if row is None:
                    continue
                position, _, param = row.one("param").rpartition(":")
                value = call.keyword(param)
                if value is None and position.isdigit():
                    value = call.positional(int(position))
                if value is None:
                    continue
                named = [t for v in self._several(value, inner) for t in self._texts(v.expr, v.function)]
                told = self._literals(inner)
                ended = isinstance(value, (ir.Name, ir.Attr)) and not list(self.agents.step(value, inner))
                yield from named or told or ([] if ended else ["*"])

    def _jump(self, call: ir.Call, function: Function) -> Row | None:
        for name in self.agents.names(call.func, function):
            row = self.catalogue.find("jump", name)
            if row is not None:
                return row
        return None

    def _several(self, expr: ir.Expr, function: Function) -> list[Spot]:
        return list(self.agents.elements(expr, function)) if isinstance(expr, ir.Seq) else [Spot(expr, function)]

    def _literals(self, function: Function) -> list[str]:
        """The texts in what a function is annotated to return."""
        returns = function.node.returns
        if returns is None:
            return []
        texts = [n.value for n in ir.walk(returns) if isinstance(n, ir.Const) and isinstance(n.value, str)]
        return [name for text in texts for name in (_QUOTED.findall(text) if "[" in text else [text])]

    def _node_names(self, expr: ir.Expr, function: Function) -> list[str]:
        if isinstance(expr, ir.Seq):
            return [name for item in expr.items for name in self._node_names(item, function)]
        return self._texts(expr, function) or [last_name(expr)]

    def _texts(self, expr: ir.Expr, function: Function) -> list[str]:
        found = []
        for value in self.agents.final(expr, function):
            if isinstance(value.expr, ir.Const) and isinstance(value.expr.value, str):
                found.append(value.expr.value)
        return found

    def _asks(self, node: Spot) -> bool:
        """Whether a node of a graph asks a model or runs an agent; one that nobody can read may."""
        known = False
        for meaning in self.program.resolve(node.expr, node.function):
            if isinstance(meaning, FunctionRef):
                known = True
                if self._asks_below(meaning.function, set()):
                    return True
        return not known

    def _asks_below(self, function: Function, seen: set[str]) -> bool:
        if function.key in seen or len(seen) > 40:
            return False
        seen.add(function.key)
        if self.tools.roles.turns_in(function):
            return True
        asking = self.catalogue.words("model-call", "method")
        if any(isinstance(c.func, ir.Attr) and c.func.name in asking for c in function.calls):
            return True
        return any(self._asks_below(f, seen) for f in self.loops.callees(function))


def _is_super(func: ir.Expr) -> bool:
    return isinstance(func, ir.Attr) and isinstance(func.base, ir.Call) and last_name(func.base.func) == "super"


def _is_dict(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Name) and expr.func.id == "dict"


class _Graph:
    """Nodes and edges of a builder; ``*`` stands for any node."""

    def __init__(self) -> None:
        self.nodes: dict[str, Spot] = {}
        self.edges: set[tuple[str, str]] = set()

    def ring(self) -> set[str]:
        """The nodes that can be reached from themselves."""
        after: dict[str, set[str]] = {}
        for start, end in self.edges:
            after.setdefault(start, set()).update(self.nodes if end == "*" else {end})
        out = set()
        for name in self.nodes:
            seen: set[str] = set()
            queue = list(after.get(name, ()))
            while queue:
                top = queue.pop()
                if top in seen:
                    continue
                seen.add(top)
                queue.extend(after.get(top, ()))
            if name in seen:
                out.add(name)
        return out
