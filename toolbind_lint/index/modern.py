"""The index of one module from libcst's tree: for syntax that is newer than the interpreter. Slow, and seldom needed.

It says the same as ``reader`` says of the same text, except that names which are only bound count as used, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from toolbind_lint.index.draft import ModuleDraft, UnitDraft
from toolbind_lint.index.reader import MAX_DEPTH, TooDeep
from toolbind_lint.index.records import Import, ModuleIndex, StatementKind
from toolbind_lint.source import Source

if TYPE_CHECKING:
    import libcst as cst

_CONSTANTS = frozenset({"None", "True", "False"})  # names to libcst


def read_modern(source: Source, seeds: frozenset[str]) -> ModuleIndex:
    """The index of a file that only libcst reads. ``SyntaxFault`` when it does not either."""
    return _Reader(source, seeds).read()


class _Reader:
    def __init__(self, source: Source, seeds: frozenset[str]) -> None:
        import libcst as cst
        from libcst.metadata import MetadataWrapper, PositionProvider

        self._tree = source.tree()
        self._positions = MetadataWrapper(self._tree, unsafe_skip_copy=True).resolve(PositionProvider)
        self._draft = ModuleDraft(source.path, seeds)
        self._seeds = seeds
        self._fields: dict[type, tuple[str, ...]] = {}
        self._inner = (
            *(cst.BaseStatement, cst.BaseSmallStatement, cst.BaseSuite, cst.Else, cst.Finally),
            *(cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase),
        )
        self._loops = (cst.For, cst.While)

    def read(self) -> ModuleIndex:
        for statement in self._tree.body:
            span = self._positions[statement]
            draft = self._draft.open_statement(self._first_line(statement), span.end.line, _kind(statement))
            try:
                self._statement(statement)
            except TooDeep:
                draft.deep = True
        return self._draft.finish()

    def _line(self, node: cst.CSTNode) -> int:
        return self._positions[node].start.line

    def _first_line(self, statement: cst.CSTNode) -> int:
        decorators = getattr(statement, "decorators", ())
        return min([self._line(statement), *(self._line(each) for each in decorators)])

    def _statement(self, statement: cst.CSTNode) -> None:
        import libcst as cst

        rest = self._draft.open_unit("statement")
        pending: list[tuple[cst.CSTNode, str, UnitDraft, int]] = [(statement, "", rest, 0)]
        while pending:
            node, prefix, unit, depth = pending.pop()
            if depth > MAX_DEPTH:
                raise TooDeep
            if isinstance(node, cst.FunctionDef):
                name = prefix + node.name.value
                inner = self._draft.open_unit("function", name, prefix[:-1])
                inner.line = self._line(node.name)
                self._draft.define(name, "function", inner.line)
                self._walk(inner, [node], name)
            elif isinstance(node, cst.ClassDef):
                name = prefix + node.name.value
                self._draft.define(name, "class", self._line(node.name))
                inner = self._draft.open_unit("class", name, prefix[:-1])
                inner.bases += [_head(base.value) for base in node.bases]
                self._class(inner, node)
                self._walk(inner, [node.name, *node.bases, *node.keywords, *node.decorators], name)
                pending += [(child, name + ".", inner, depth + 1) for child in reversed(node.body.body)]
            else:
                self._block(node, prefix, unit, depth, pending)

    def _block(
        self,
        node: cst.CSTNode,
        prefix: str,
        unit: UnitDraft,
        depth: int,
        pending: list[tuple[cst.CSTNode, str, UnitDraft, int]],
    ) -> None:
        unit.loops = unit.loops or isinstance(node, self._loops)
        for name, at in _assigned(node):
            self._draft.define(prefix + name, "assignment", self._line(at))
        children = list(self._children(node))
        inner = [child for child in children if isinstance(child, self._inner)]
        if not inner:
            self._walk(unit, [node], prefix[:-1])
            return
        pending += [(child, prefix, unit, depth + 1) for child in reversed(inner)]
        self._walk(unit, [child for child in children if not isinstance(child, self._inner)], prefix[:-1])

    def _children(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        import libcst as cst

        names = self._fields.get(type(node))
        if names is None:
            names = self._fields[type(node)] = tuple(field.name for field in fields(node))
        for name in names:
            value = getattr(node, name)
            if isinstance(value, cst.CSTNode):
                if not isinstance(value, (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace)):
                    yield value
            elif isinstance(value, (list, tuple)):
                yield from (item for item in value if isinstance(item, cst.CSTNode))

    def _walk(self, unit: UnitDraft, level: list[cst.CSTNode], scope: str) -> None:
        depth = 0
        while level:
            depth += 1
            if depth > 2 * MAX_DEPTH:  # blocks, elements and arguments are levels of their own here
                raise TooDeep
            below: list[cst.CSTNode] = []
            for node in level:
                self._node(unit, node, scope, below)
            level = below

    def _node(self, unit: UnitDraft, node: cst.CSTNode, scope: str, below: list[cst.CSTNode]) -> None:
        import libcst as cst

        if isinstance(node, cst.Name):
            if node.value not in _CONSTANTS:
                unit.names.add(node.value)
                unit.loads.add(node.value)
            return
        if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
            value = node.evaluated_value
            if isinstance(value, str) and value in self._seeds:
                unit.words.add(value)
        elif isinstance(node, cst.Call):
            self._call(unit, node, below)
            return
        elif isinstance(node, cst.Attribute):
            unit.loads.add(_dotted(node))
            self._chain(unit, node, below)
            return
        elif isinstance(node, (cst.Import, cst.ImportFrom)):
            self._import(unit, node, scope)
            return
        elif isinstance(node, cst.Annotation):
            self._annotation(unit, node)
            return
        self._special(unit, node)
        below.extend(self._children(node))

    def _special(self, unit: UnitDraft, node: cst.CSTNode) -> None:
        import libcst as cst

        if isinstance(node, self._loops):
            unit.loops = True
        elif isinstance(node, cst.FunctionDef):
            if node.name.value != unit.name.rpartition(".")[2]:
                unit.defined.add(node.name.value)
            unit.args.update(_head(each.decorator) for each in node.decorators)
        elif isinstance(node, cst.ClassDef):
            unit.defined.add(node.name.value)
            self._class(unit, node)
        elif isinstance(node, cst.Param) and node.annotation is not None:
            unit.made.update((node.name.value, each) for each in self._annotation(unit, node.annotation))
        elif isinstance(node, cst.AnnAssign):
            target = _dotted(node.target).rpartition(".")[2]
            unit.made.update((target, each) for each in self._annotation(unit, node.annotation))
        elif isinstance(node, cst.Assign) and isinstance(node.value, cst.Call):
            made = _dotted(node.value.func)
            unit.made.update((_dotted(each.target).rpartition(".")[2], made) for each in node.targets)

    def _class(self, unit: UnitDraft, node: cst.ClassDef) -> None:
        unit.args.update(_head(base.value) for base in (*node.bases, *node.keywords))
        unit.args.update(_head(each.decorator) for each in node.decorators)

    def _call(self, unit: UnitDraft, node: cst.Call, below: list[cst.CSTNode]) -> None:
        import libcst as cst

        callee = ""
        if isinstance(node.func, (cst.Name, cst.Attribute)):
            callee = _dotted(node.func)
            unit.calls.add(callee)
            self._chain(unit, node.func, below)
        else:
            below.append(node.func)
        for argument in node.args:
            if argument.keyword is not None:
                unit.names.add(argument.keyword.value)
            name = _dotted(argument.value)
            plain = isinstance(argument.value, (cst.Name, cst.Attribute)) and not argument.star
            if plain and name not in _CONSTANTS:
                unit.args.add(name)
                if callee:
                    unit.passes.add((callee, name))
                self._chain(unit, argument.value, below)
            else:
                below.append(argument.value)

    def _chain(self, unit: UnitDraft, node: cst.BaseExpression, below: list[cst.CSTNode]) -> None:
        import libcst as cst

        length = 0
        while isinstance(node, cst.Attribute):
            length += 1
            if length > MAX_DEPTH:
                raise TooDeep
            unit.names.add(node.attr.value)
            node = node.value
        if isinstance(node, cst.Name):
            unit.names.add(node.value)
        else:
            below.append(node)

    def _annotation(self, unit: UnitDraft, node: cst.Annotation) -> list[str]:
        import libcst as cst

        found: list[str] = []
        todo: list[cst.CSTNode] = [node.annotation]
        for each in todo:  # grows while it is read
            if isinstance(each, (cst.Name, cst.Attribute)):
                found.append(_dotted(each))
            elif isinstance(each, cst.SimpleString):
                value = each.evaluated_value
                if isinstance(value, str):
                    unit.words.update({value} & self._seeds)
                    found += [value] if value.isidentifier() else []
            else:
                todo.extend(self._children(each))
        for dotted in found:
            unit.names.update(dotted.split("."))
        return found

    def _import(self, unit: UnitDraft, node: cst.Import | cst.ImportFrom, scope: str) -> None:
        import libcst as cst

        line = self._line(node)
        level, module = 0, ""
        if isinstance(node, cst.ImportFrom):
            level = len(node.relative)
            module = _dotted(node.module) if node.module is not None else ""
            unit.names.update(module.split("."))
        if isinstance(node.names, cst.ImportStar):
            self._draft.imports.append(Import(module, level, "*", "*", line, scope))
            return
        for alias in node.names:
            name = _dotted(alias.name)
            bound = _dotted(alias.asname.name) if alias.asname is not None else name.split(".", 1)[0]
            if isinstance(node, cst.ImportFrom):
                self._draft.imports.append(Import(module, level, name, bound, line, scope))
            else:
                unit.names.update(name.split("."))
                self._draft.imports.append(Import(name, 0, None, bound, line, scope))


def _kind(statement: cst.CSTNode) -> StatementKind:
    import libcst as cst

    if isinstance(statement, cst.FunctionDef):
        return "function"
    if isinstance(statement, cst.ClassDef):
        return "class"
    if not isinstance(statement, cst.SimpleStatementLine):
        return "compound"
    kinds = {_simple_kind(each) for each in statement.body}
    return kinds.pop() if len(kinds) == 1 else "compound"


def _simple_kind(statement: cst.CSTNode) -> StatementKind:
    import libcst as cst

    if isinstance(statement, (cst.Import, cst.ImportFrom)):
        return "import"
    if isinstance(statement, (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.TypeAlias)):
        return "assignment"
    return "expression" if isinstance(statement, cst.Expr) else "compound"


def _assigned(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    import libcst as cst

    targets: list[cst.CSTNode] = []
    if isinstance(node, cst.Assign):
        targets = [each.target for each in node.targets]
    elif isinstance(node, (cst.AnnAssign, cst.AugAssign, cst.For)):
        targets = [node.target]
    elif isinstance(node, cst.With):
        targets = [item.asname.name for item in node.items if item.asname is not None]
    elif isinstance(node, cst.TypeAlias):
        targets = [node.name]
    while targets:
        target = targets.pop(0)
        if isinstance(target, cst.Name):
            yield target.value, target
        elif isinstance(target, (cst.Tuple, cst.List)):
            targets[:0] = [element.value for element in target.elements]


def _dotted(node: cst.CSTNode) -> str:
    """An expression as dotted text, ``?`` for what is no name."""
    import libcst as cst

    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    parts.append(node.value if isinstance(node, cst.Name) else "super" if _is_super(node) else "?")
    return ".".join(reversed(parts))


def _head(node: cst.CSTNode) -> str:
    """A base or decorator as dotted text, without what it is called or subscripted with."""
    import libcst as cst

    if isinstance(node, cst.Call):
        node = node.func
    elif isinstance(node, cst.Subscript):
        node = node.value
    return _dotted(node)


def _is_super(node: cst.CSTNode) -> bool:
    import libcst as cst

    return isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "super"
