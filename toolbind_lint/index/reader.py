"""The index of one module from the interpreter's own tree: one pass, with explicit stacks.

The pass is most of what a run over a large project costs, hence its shape: the common nodes are taken apart where they
are met, and the rest goes level by level, which also gives the depth for nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toolbind_lint.index.draft import ModuleDraft, UnitDraft
from toolbind_lint.index.records import Body, Import, ModuleIndex, StatementKind

MAX_DEPTH = 250
"""Levels of the tree. libcst nests about as deeply, and a recursive visitor of it has 1,000 frames at most."""

_SKIPPED = {
    *("ctx", "op", "ops", "type_comment", "type_ignores", "kind", "level", "simple", "conversion", "is_async"),
    *("annotation", "returns"),  # read apart: a name in an annotation is a word, but no use
}
_FIELDS: dict[type, tuple[str, ...]] = {
    cls: tuple(field for field in cls._fields if field not in _SKIPPED)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.AST)
}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_KINDS: dict[type, StatementKind] = {
    ast.FunctionDef: "function",
    ast.AsyncFunctionDef: "function",
    ast.ClassDef: "class",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.Assign: "assignment",
    ast.AnnAssign: "assignment",
    ast.AugAssign: "assignment",
    ast.Expr: "expression",
}
_TYPE_ALIAS: Any = getattr(ast, "TypeAlias", type(None))  # 3.12
_KINDS[_TYPE_ALIAS] = "assignment"


class TooDeep(Exception):  # noqa: N818 - a condition of the source, not of the program
    """A statement that libcst should not be shown."""


def read_module(path: str, tree: ast.Module, seeds: frozenset[str]) -> ModuleIndex:
    """The index of a parsed file."""
    return _Reader(path, seeds).read(tree)


class _Reader:
    def __init__(self, path: str, seeds: frozenset[str]) -> None:
        self._draft = ModuleDraft(path, seeds)
        self._seeds = seeds

    def read(self, tree: ast.Module) -> ModuleIndex:
        for statement in tree.body:
            kind = _KINDS.get(statement.__class__, "compound")
            draft = self._draft.open_statement(_first_line(statement), statement.end_lineno or statement.lineno, kind)
            try:
                self._statement(statement)
            except TooDeep:
                draft.deep = True
        return self._draft.finish()

    def _statement(self, statement: ast.stmt) -> None:
        """A top-level statement: every function and class in it that is not inside a function gets its own unit."""
        rest = self._draft.open_unit("statement")
        # Node, prefix of the names that it defines, unit that takes what is in no function, nesting.
        pending: list[tuple[ast.AST, str, UnitDraft, int]] = [(statement, "", rest, 0)]
        while pending:
            node, prefix, unit, depth = pending.pop()
            if depth > MAX_DEPTH:
                raise TooDeep
            if isinstance(node, _FUNCTIONS):
                name = prefix + node.name
                self._draft.define(name, "function", node.lineno)
                inner = self._draft.open_unit("function", name, prefix[:-1])
                inner.line = node.lineno
                inner.body = _body(node)
                inner.stores = set()
                self._walk(inner, [node], name)
            elif isinstance(node, ast.ClassDef):
                name = prefix + node.name
                self._draft.define(name, "class", node.lineno)
                inner = self._draft.open_unit("class", name, prefix[:-1])
                self._class_head(inner, node)
                pending += [(child, name + ".", inner, depth + 1) for child in reversed(node.body)]
            elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                self._block(node, prefix, unit, depth, pending)

    def _block(
        self,
        node: ast.AST,
        prefix: str,
        unit: UnitDraft,
        depth: int,
        pending: list[tuple[ast.AST, str, UnitDraft, int]],
    ) -> None:
        """A statement outside functions: nested statements wait, expressions are walked."""
        if isinstance(node, _LOOPS):
            unit.loops = True
        for name, line in _assigned(node):
            self._draft.define(prefix + name, "assignment", line)
        inner = [child for child in _children(node) if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case))]
        if not inner:
            self._walk(unit, [node], prefix[:-1])
            return
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            unit.names.add(node.name)
        pending += [(child, prefix, unit, depth + 1) for child in reversed(inner)]
        self._walk(unit, [child for child in _children(node) if child not in inner], prefix[:-1])

    def _class_head(self, unit: UnitDraft, node: ast.ClassDef) -> None:
        unit.names.add(node.name)
        unit.bases += [_head(base) for base in node.bases]
        self._note_head(unit, node)
        self._walk(unit, [*node.bases, *node.keywords, *node.decorator_list], unit.name)

    def _note_head(self, unit: UnitDraft, node: ast.ClassDef) -> None:
        unit.args.update(_head(each) for each in (*node.bases, *node.decorator_list))
        unit.args.update(_head(keyword.value) for keyword in node.keywords)

    def _walk(self, unit: UnitDraft, level: list[Any], scope: str) -> None:
        """Everything below some nodes, into one unit; functions and classes in it are part of it."""
        names, words, seeds = unit.names, unit.words, self._seeds
        depth = 0
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep
            below: list[Any] = []
            for node in level:
                cls = node.__class__
                if cls is ast.Name:
                    names.add(node.id)
                    if node.ctx.__class__ is ast.Load:
                        unit.loads.add(node.id)
                elif cls is ast.Constant:
                    value = node.value
                    if value.__class__ is str and value in seeds:
                        words.add(value)
                elif cls is ast.Call:
                    self._call(unit, node, below)
                elif cls is ast.Attribute:
                    if node.ctx.__class__ is ast.Store and unit.stores is not None:
                        unit.stores.add(node.attr)
                    unit.loads.add(self._chain(unit, node, below))
                elif cls is str:
                    names.add(node)
                else:
                    special = _SPECIAL.get(cls)
                    if special is not None:
                        special(self, unit, node, scope)
                    for field in _FIELDS.get(cls, ()):
                        value = getattr(node, field)
                        if value.__class__ is list:
                            below += value  # of nodes, and, in a few places, of strings or None
                        elif value.__class__ is str:
                            names.add(value)
                        elif value is not None:
                            below.append(value)
            level = below

    def _call(self, unit: UnitDraft, node: ast.Call, below: list[Any]) -> None:
        func: Any = node.func
        callee = ""
        if func.__class__ is ast.Name:
            callee = func.id
            unit.names.add(callee)
            unit.calls.add(callee)
        elif func.__class__ is ast.Attribute:
            callee = self._chain(unit, func, below)
            unit.calls.add(callee)
        else:
            below.append(func)
        for argument in node.args:
            self._argument(unit, callee, argument, below)
        for keyword in node.keywords:
            if keyword.arg is not None:
                unit.names.add(keyword.arg)
            self._argument(unit, callee, keyword.value, below)

    def _argument(self, unit: UnitDraft, callee: str, node: Any, below: list[Any]) -> None:
        cls = node.__class__
        if cls is ast.Name:
            name = node.id
            unit.names.add(name)
        elif cls is ast.Attribute:
            name = self._chain(unit, node, below)
        else:
            below.append(node)
            return
        unit.args.add(name)
        if callee:
            unit.passes.add((callee, name))

    def _chain(self, unit: UnitDraft, node: Any, below: list[Any]) -> str:
        """An attribute as dotted text; what stands below a chain that begins with no name is left to walk."""
        parts: list[str] = [node.attr]
        base: Any = node.value
        while base.__class__ is ast.Attribute:
            parts.append(base.attr)
            base = base.value
        if len(parts) > MAX_DEPTH:
            raise TooDeep
        unit.names.update(parts)
        if base.__class__ is ast.Name:
            root = base.id
            unit.names.add(root)
        else:
            root = "super" if _is_super(base) else "?"
            below.append(base)
        parts.append(root)
        parts.reverse()
        return ".".join(parts)

    # What some nodes mean beyond the names in them.

    def _import(self, unit: UnitDraft, node: ast.Import, scope: str) -> None:
        for alias in node.names:
            unit.names.update(alias.name.split("."))
            bound = alias.asname or alias.name.split(".", 1)[0]
            self._draft.imports.append(Import(alias.name, 0, None, bound, node.lineno, scope))

    def _import_from(self, unit: UnitDraft, node: ast.ImportFrom, scope: str) -> None:
        module = node.module or ""
        unit.names.update(module.split("."))
        for alias in node.names:
            bound = alias.asname or alias.name
            self._draft.imports.append(Import(module, node.level, alias.name, bound, node.lineno, scope))

    def _function(self, unit: UnitDraft, node: ast.FunctionDef, _scope: str) -> None:
        if node.name != unit.name[unit.name.rfind(".") + 1 :]:
            unit.defined.add(node.name)
        unit.args.update(_head(decorator) for decorator in node.decorator_list)
        if node.returns is not None:
            self._annotation(unit, node.returns)

    def _class(self, unit: UnitDraft, node: ast.ClassDef, _scope: str) -> None:
        unit.defined.add(node.name)
        self._note_head(unit, node)

    def _loop(self, unit: UnitDraft, _node: ast.AST, _scope: str) -> None:
        unit.loops = True

    def _arg(self, unit: UnitDraft, node: ast.arg, _scope: str) -> None:
        if node.annotation is not None:
            unit.made.update((node.arg, each) for each in self._annotation(unit, node.annotation))

    def _assign(self, unit: UnitDraft, node: ast.Assign, _scope: str) -> None:
        if isinstance(node.value, ast.Call):
            made = _dotted(node.value.func)
            unit.made.update((_dotted(target).rpartition(".")[2], made) for target in node.targets)
        elif unit.kind == "class" and isinstance(node.value, (ast.Name, ast.Attribute)):
            # `agent_class = Agent`: what a method builds by calling the attribute is one.
            made = _dotted(node.value)
            unit.made.update((target.id, made) for target in node.targets if isinstance(target, ast.Name))

    def _ann_assign(self, unit: UnitDraft, node: ast.AnnAssign, _scope: str) -> None:
        target = _dotted(node.target).rpartition(".")[2]
        unit.made.update((target, each) for each in self._annotation(unit, node.annotation))

    def _annotation(self, unit: UnitDraft, node: ast.expr) -> list[str]:
        """The names in an annotation, dotted, also where it is a string. All of them are words."""
        found: list[str] = []
        todo: list[ast.AST] = [node]
        for each in todo:  # grows while it is read
            if isinstance(each, (ast.Name, ast.Attribute)):
                found.append(_dotted(each))
            elif isinstance(each, ast.Constant):
                if isinstance(each.value, str):
                    if each.value in self._seeds:
                        unit.words.add(each.value)
                    if each.value.isidentifier():
                        found.append(each.value)
            else:
                todo.extend(_children(each))
        for dotted in found:
            unit.names.update(dotted.split("."))
        return found

    def _boolean(self, _unit: UnitDraft, node: ast.BoolOp, _scope: str) -> None:
        if len(node.values) > MAX_DEPTH:  # flat here, nested in libcst
            raise TooDeep


_SPECIAL: dict[type, Callable[[_Reader, UnitDraft, Any, str], None]] = {
    ast.Import: _Reader._import,
    ast.ImportFrom: _Reader._import_from,
    ast.FunctionDef: _Reader._function,
    ast.AsyncFunctionDef: _Reader._function,
    ast.ClassDef: _Reader._class,
    ast.For: _Reader._loop,
    ast.AsyncFor: _Reader._loop,
    ast.While: _Reader._loop,
    ast.arg: _Reader._arg,
    ast.Assign: _Reader._assign,
    ast.AnnAssign: _Reader._ann_assign,
    ast.BoolOp: _Reader._boolean,
}


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Body | None:
    """Where the body of a function stands; it may share its first line with the header."""
    first, last = _first_line(node.body[0]), node.body[-1]
    if first <= node.lineno or last.end_lineno is None or last.end_col_offset is None:
        return None
    return Body(first, last.end_lineno, node.body[0].col_offset, last.end_col_offset)


def _first_line(statement: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for field in _FIELDS[node.__class__]:
        value = getattr(node, field)
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))


def _assigned(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a statement outside functions binds, imports aside."""
    targets: list[ast.AST] = []
    if isinstance(node, ast.Assign):
        targets = list(node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
        targets = [node.target]
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    elif isinstance(node, _TYPE_ALIAS):
        targets = [node.name]
    while targets:
        target = targets.pop(0)
        if isinstance(target, ast.Name):
            yield target.id, target.lineno
        elif isinstance(target, (ast.Tuple, ast.List)):
            targets[:0] = target.elts
        elif isinstance(target, ast.Starred):
            targets.insert(0, target.value)


def _dotted(node: ast.AST) -> str:
    """An expression as dotted text, ``?`` for what is no name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "super" if _is_super(node) else "?")
    return ".".join(reversed(parts))


def _head(node: ast.AST) -> str:
    """A base or decorator as dotted text, without what it is called or subscripted with."""
    if isinstance(node, ast.Call):
        node = node.func
    elif isinstance(node, ast.Subscript):
        node = node.value
    return _dotted(node)


def _is_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
