"""libcst tree -> the small program of ``ir.py``.

The only module that sees a libcst node while facts are made. A hand-written read-only visitor over node fields:
libcst's stock visitor rebuilds every node, and its position provider costs more than the parse, so positions are taken
from the code generator in the same pass (25,000 lines a second here, the provider 5,000).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState

from toolbind_lint.recognise import ir


class _Positions(CodegenState):
    """Counts lines and columns while libcst writes the tree out again; keeps the span of each expression and
    statement.
    """

    __slots__ = ("column", "line", "spans")

    def __init__(self, module: cst.Module, first_line: int) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.line = first_line
        self.column = 1
        self.spans: dict[cst.CSTNode, ir.Span] = {}

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def add_token(self, value: str) -> None:
        if "\n" in value:
            self.line += value.count("\n")
            self.column = len(value) - value.rfind("\n")
        else:
            self.column += len(value)

    def pop_trailing_newline(self) -> None:
        pass

    def record_syntactic_position(  # type: ignore[override]
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> _Recorder:
        return _Recorder(self, node, start_node, end_node)


class _Recorder:
    """Keeps the span of what is written inside it. A class: a generator-based context manager costs half of the whole
    walk.
    """

    __slots__ = ("column", "end_node", "line", "node", "positions", "start_node")

    def __init__(
        self, positions: _Positions, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.positions = positions
        self.node = node
        self.start_node = start_node
        self.end_node = end_node

    def __enter__(self) -> None:
        self.line = self.positions.line
        self.column = self.positions.column

    def __exit__(self, *_: object) -> None:
        spans = self.positions.spans
        line, column = self.line, self.column
        end_line, end_column = self.positions.line, self.positions.column
        if self.start_node is not None and self.start_node in spans:
            line, column = spans[self.start_node][:2]
        if self.end_node is not None and self.end_node in spans:
            end_line, end_column = spans[self.end_node][2:]
        spans[self.node] = (line, column, end_line, end_column)


_BINARY = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.BitOr: "|",
    cst.BitAnd: "&",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.MatrixMultiply: "@",
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.BitOrAssign: "|",
    cst.BitAndAssign: "&",
    cst.BitXorAssign: "^",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
    cst.MatrixMultiplyAssign: "@",
}

_COMPARE = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}

_NAMED = {"True": True, "False": False, "None": None}


class Later(NamedTuple):
    """A body that stands in the tree as one ``pass``: where the function ends (line and column), and how to read it."""

    end: tuple[int, int]
    load: Callable[[str], tuple[tuple[ir.Stmt, ...], bool]]


def lower(module: cst.Module, first_line: int = 1, later: Mapping[int, Later] | None = None) -> tuple[ir.Stmt, ...]:
    """The statements of a parsed run of top-level statements whose text starts at ``first_line`` of the file.

    ``later`` are the bodies that were left out, by the first line of each; their ``load`` gets the qualified name.
    """
    return _Lowering(module, first_line, later or {}).statements(module.body)


def lower_block(module: cst.Module, first_line: int, qualname: str) -> tuple[tuple[ir.Stmt, ...], bool]:
    """The body of a function of that qualified name, and whether it yields; the module is one ``if`` that holds it."""
    lowering = _Lowering(module, first_line, {})
    lowering.where = qualname.split(".")
    block = module.body[0]
    assert isinstance(block, cst.If)
    body = lowering.block(block.body)
    return body, lowering.yields[-1]


class _Lowering:
    """One walk over one tree. Holds the spans and where it stands (for qualified names)."""

    def __init__(self, module: cst.Module, first_line: int, later: Mapping[int, Later]) -> None:
        self.later = later
        positions = _Positions(module, first_line)
        module._codegen(positions)
        self.spans = positions.spans
        self.where: list[str] = []
        self.owners: list[str] = [""]
        self.yields: list[bool] = [False]
        self.last: ir.Span = (first_line, 1, first_line, 1)
        self.expressions: dict[type, Callable[[Any, ir.Span], ir.Expr]] = {
            cst.Name: self._name,
            cst.Attribute: lambda n, s: ir.Attr(s, self.expr(n.value), n.attr.value),
            cst.Call: self._call,
            cst.Subscript: self._subscript,
            cst.Integer: self._literal,
            cst.Float: self._literal,
            cst.Imaginary: self._literal,
            cst.SimpleString: self._literal,
            cst.ConcatenatedString: self._concatenated,
            cst.FormattedString: self._fstring,
            cst.Ellipsis: lambda n, s: ir.Const(s, ...),
            cst.List: lambda n, s: self._seq("list", n.elements, s),
            cst.Tuple: lambda n, s: self._seq("tuple", n.elements, s),
            cst.Set: lambda n, s: self._seq("set", n.elements, s),
            cst.Dict: self._dict,
            cst.BinaryOperation: lambda n, s: ir.Bin(
                s, _BINARY.get(type(n.operator), "?"), self.expr(n.left), self.expr(n.right)
            ),
            cst.BooleanOperation: lambda n, s: ir.Bool(
                s, "and" if isinstance(n.operator, cst.And) else "or", self.expr(n.left), self.expr(n.right)
            ),
            cst.UnaryOperation: self._unary,
            cst.Comparison: self._comparison,
            cst.IfExp: lambda n, s: ir.IfExp(s, self.expr(n.test), self.expr(n.body), self.expr(n.orelse)),
            cst.Await: lambda n, s: ir.Await(s, self.expr(n.expression)),
            cst.Yield: self._yield,
            cst.NamedExpr: lambda n, s: ir.Walrus(s, self.expr(n.target), self.expr(n.value)),
            cst.Lambda: self._lambda,
            cst.GeneratorExp: lambda n, s: self._comp("generator", (n.elt,), n.for_in, s),
            cst.ListComp: lambda n, s: self._comp("list", (n.elt,), n.for_in, s),
            cst.SetComp: lambda n, s: self._comp("set", (n.elt,), n.for_in, s),
            cst.DictComp: lambda n, s: self._comp("dict", (n.key, n.value), n.for_in, s),
            cst.StarredElement: lambda n, s: ir.Starred(s, self.expr(n.value)),
        }
        template = getattr(cst, "TemplatedString", None)
        if template is not None:
            self.expressions[template] = self._fstring
        self.simple: dict[type, Callable[[Any, ir.Span], ir.Stmt | None]] = {
            cst.Assign: lambda n, s: ir.Assign(s, tuple(self.expr(t.target) for t in n.targets), self.expr(n.value)),
            cst.AnnAssign: lambda n, s: ir.Assign(
                s, (self.expr(n.target),), self.maybe(n.value), self.expr(n.annotation.annotation)
            ),
            cst.AugAssign: lambda n, s: ir.Aug(
                s, self.expr(n.target), _BINARY.get(type(n.operator), "?"), self.expr(n.value)
            ),
            cst.Expr: lambda n, s: ir.ExprStmt(s, self.expr(n.value)),
            cst.Return: lambda n, s: ir.Return(s, self.maybe(n.value)),
            cst.Raise: lambda n, s: ir.Raise(s, self.maybe(n.exc), self.maybe(n.cause.item if n.cause else None)),
            cst.Break: lambda n, s: ir.Jump(s, "break"),
            cst.Continue: lambda n, s: ir.Jump(s, "continue"),
            cst.Del: lambda n, s: ir.Delete(s, _tuple_items(self.expr(n.target))),
            cst.Global: lambda n, s: ir.Scope(s, "global", tuple(i.name.value for i in n.names)),
            cst.Nonlocal: lambda n, s: ir.Scope(s, "nonlocal", tuple(i.name.value for i in n.names)),
            cst.Assert: lambda n, s: ir.Assert(s, self.expr(n.test), self.maybe(n.msg)),
            cst.Import: self._import,
            cst.ImportFrom: self._import_from,
            cst.Pass: lambda n, s: None,
        }
        self.compound: dict[type, Callable[[Any, ir.Span], ir.Stmt]] = {
            cst.If: self._if,
            cst.While: lambda n, s: ir.While(
                s, self.expr(n.test), self.block(n.body), self._orelse(n.orelse), self._header(s, n.test)
            ),
            cst.For: self._for,
            cst.Try: self._try,
            cst.TryStar: self._try,
            cst.With: self._with,
            cst.Match: self._match,
            cst.FunctionDef: self._function,
            cst.ClassDef: self._class,
        }

    # ---- helpers

    def span(self, node: cst.CSTNode) -> ir.Span:
        """The span of a node; where libcst records none, that of the last node seen."""
        found = self.spans.get(node)
        if found is None:
            return self.last
        self.last = found
        return found

    def maybe(self, node: cst.BaseExpression | None) -> ir.Expr | None:
        """``expr`` of a node that may be absent."""
        return None if node is None else self.expr(node)

    def expr(self, node: cst.CSTNode) -> ir.Expr:
        """One expression."""
        span = self.span(node)
        make = self.expressions.get(type(node))
        if make is not None:
            return make(node, span)
        return ir.Other(span, tuple(self.expr(c) for c in node.children if isinstance(c, cst.BaseExpression)))

    def statements(self, nodes: Sequence[cst.CSTNode]) -> tuple[ir.Stmt, ...]:
        """A run of statements, in order."""
        out: list[ir.Stmt] = []
        for node in nodes:
            if isinstance(node, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
                for small in node.body:
                    made = self.simple[type(small)](small, self.span(small)) if type(small) in self.simple else None
                    if made is None and type(small) not in self.simple:
                        made = ir.ExprStmt(self.span(small), ir.Other(self.span(small), ()))
                    if made is not None:
                        out.append(made)
            else:
                compound = self.compound[type(node)](node, self.span(node))
                out.append(compound)
                if self.later and not isinstance(compound, ir.FuncDef):
                    _widen(compound)
        return tuple(out)

    def block(self, suite: cst.BaseSuite) -> tuple[ir.Stmt, ...]:
        """The statements of a suite."""
        if isinstance(suite, cst.SimpleStatementSuite):
            return self.statements([suite])
        return self.statements(suite.body)

    def _header(self, span: ir.Span, last: cst.CSTNode) -> ir.Span:
        end = self.spans.get(last, span)
        return (span[0], span[1], end[2], end[3])

    # ---- expressions

    def _name(self, node: cst.Name, span: ir.Span) -> ir.Expr:
        if node.value in _NAMED:
            return ir.Const(span, _NAMED[node.value])
        return ir.Name(span, node.value)

    def _literal(self, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString, span: ir.Span) -> ir.Expr:
        text = node.value
        if text[0] in "\"'" and "\\" not in text:  # what most literals are; the rest is for the interpreter to read
            width = 3 if text[:3] in {'"""', "'''"} else 1
            return ir.Const(span, text[width:-width])
        if text.isdecimal() and (text[0] != "0" or len(text) == 1):
            return ir.Const(span, int(text))
        try:
            return ir.Const(span, node.evaluated_value)
        except (ValueError, SyntaxError):
            return ir.Other(span, ())

    def _concatenated(self, node: cst.ConcatenatedString, span: ir.Span) -> ir.Expr:
        left, right = self.expr(node.left), self.expr(node.right)
        if isinstance(left, ir.Const) and isinstance(right, ir.Const):
            if isinstance(left.value, str) and isinstance(right.value, str):
                return ir.Const(span, left.value + right.value)
            return ir.Other(span, (left, right))
        parts: list[ir.Expr] = []
        text = ""
        for side in (left, right):
            if isinstance(side, ir.FString):
                parts.extend(side.parts)
                text += side.text
            elif isinstance(side, ir.Const):
                text += str(side.value)
        return ir.FString(span, tuple(parts), text)

    def _fstring(self, node: Any, span: ir.Span) -> ir.Expr:
        parts: list[ir.Expr] = []
        text: list[str] = []
        for part in node.parts:
            expression = getattr(part, "expression", None)
            if expression is None:
                text.append(part.value)
            else:
                parts.append(self.expr(expression))
        return ir.FString(span, tuple(parts), "".join(text))

    def _seq(self, kind: str, elements: Sequence[cst.BaseElement], span: ir.Span) -> ir.Expr:
        return ir.Seq(span, kind, tuple(self._element(e) for e in elements))

    def _element(self, element: cst.BaseElement) -> ir.Expr:
        value = self.expr(element.value)
        return ir.Starred(value.span, value) if isinstance(element, cst.StarredElement) else value

    def _dict(self, node: cst.Dict, span: ir.Span) -> ir.Expr:
        items: list[tuple[ir.Expr | None, ir.Expr]] = []
        for element in node.elements:
            key = self.expr(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.expr(element.value)))
        return ir.DictE(span, tuple(items))

    def _call(self, node: cst.Call, span: ir.Span) -> ir.Expr:
        args = []
        for arg in node.args:
            value = self.expr(arg.value)
            args.append(ir.Arg(value.span, arg.keyword.value if arg.keyword else None, arg.star, value))
        return ir.Call(span, self.expr(node.func), tuple(args))

    def _subscript(self, node: cst.Subscript, span: ir.Span) -> ir.Expr:
        parts: list[ir.Expr] = []
        for element in node.slice:
            piece = element.slice
            if isinstance(piece, cst.Slice):
                parts.append(ir.Slice(span, self.maybe(piece.lower), self.maybe(piece.upper)))
            elif isinstance(piece, cst.Index):
                parts.append(self.expr(piece.value))
        index = parts[0] if len(parts) == 1 else ir.Seq(span, "tuple", tuple(parts))
        return ir.Subscript(span, self.expr(node.value), index)

    def _unary(self, node: cst.UnaryOperation, span: ir.Span) -> ir.Expr:
        value = self.expr(node.expression)
        if isinstance(node.operator, cst.Not):
            return ir.Not(span, value)
        op = {"Minus": "-", "Plus": "+"}.get(type(node.operator).__name__, "~")
        if isinstance(value, ir.Const) and isinstance(value.value, (int, float)) and op in "+-":
            return ir.Const(span, -value.value if op == "-" else value.value)
        return ir.Neg(span, op, value)

    def _comparison(self, node: cst.Comparison, span: ir.Span) -> ir.Expr:
        left = self.expr(node.left)
        out: ir.Expr | None = None
        for target in node.comparisons:
            right = self.expr(target.comparator)
            pair = ir.Compare(span, _COMPARE.get(type(target.operator), "?"), left, right)
            out = pair if out is None else ir.Bool(span, "and", out, pair)
            left = right
        return out if out is not None else left

    def _yield(self, node: cst.Yield, span: ir.Span) -> ir.Expr:
        self.yields[-1] = True
        if isinstance(node.value, cst.From):
            return ir.Yield(span, self.expr(node.value.item), True)
        return ir.Yield(span, self.maybe(node.value), False)

    def _lambda(self, node: cst.Lambda, span: ir.Span) -> ir.Expr:
        self.where.append("<lambda>")
        body = self.expr(node.body)
        qualname = ".".join(self.where)
        self.where.pop()
        made = ir.FuncDef(
            span,
            "<lambda>",
            qualname,
            "",
            self._params(node.params),
            (ir.Return(body.span, body),),
            (),
            None,
            False,
            False,
            span,
        )
        return ir.Lambda(span, made)

    def _comp(self, kind: str, elements: tuple[cst.BaseExpression, ...], for_in: cst.CompFor, span: ir.Span) -> ir.Expr:
        generators = []
        step: cst.CompFor | None = for_in
        while step is not None:
            generators.append(
                ir.Generator(
                    span, self.expr(step.target), self.expr(step.iter), tuple(self.expr(i.test) for i in step.ifs)
                )
            )
            step = step.inner_for_in
        return ir.Comp(span, kind, tuple(self.expr(e) for e in elements), tuple(generators))

    # ---- statements

    def _orelse(self, node: cst.If | cst.Else | None) -> tuple[ir.Stmt, ...]:
        if node is None:
            return ()
        if isinstance(node, cst.If):
            return (self._if(node, self.span(node)),)
        return self.block(node.body)

    def _if(self, node: cst.If, span: ir.Span) -> ir.Stmt:
        return ir.If(span, self.expr(node.test), self.block(node.body), self._orelse(node.orelse))

    def _for(self, node: cst.For, span: ir.Span) -> ir.Stmt:
        target, source = self.expr(node.target), self.expr(node.iter)
        header = self._header(span, node.iter)
        body = self.block(node.body)
        return ir.For(span, target, source, body, self._orelse(node.orelse), header, node.asynchronous is not None)

    def _try(self, node: cst.Try | cst.TryStar, span: ir.Span) -> ir.Stmt:
        body = self.block(node.body)
        handlers = []
        for handler in node.handlers:
            at = self.span(handler)
            kind = self.maybe(handler.type)
            name = handler.name.name.value if handler.name and isinstance(handler.name.name, cst.Name) else ""
            end = kind.span if kind is not None else (at[0], at[1], at[0], at[1] + len("except"))
            header = (at[0], at[1], end[2], end[3])
            handlers.append(ir.Handler(at, kind, name, self.block(handler.body), header))
        orelse = self.block(node.orelse.body) if node.orelse else ()
        final = self.block(node.finalbody.body) if node.finalbody else ()
        return ir.Try(span, body, tuple(handlers), orelse, final)

    def _with(self, node: cst.With, span: ir.Span) -> ir.Stmt:
        items = []
        for item in node.items:
            target = self.expr(item.asname.name) if item.asname else None
            items.append((self.expr(item.item), target))
        return ir.With(span, tuple(items), self.block(node.body), node.asynchronous is not None)

    def _match(self, node: cst.Match, span: ir.Span) -> ir.Stmt:
        subject = self.expr(node.subject)
        cases = []
        for case in node.cases:
            at = self.spans.get(case) or self.span(case.body)
            cases.append(ir.Case(at, self._pattern(case.pattern), self.maybe(case.guard), self.block(case.body)))
        return ir.Match(span, subject, tuple(cases))

    def _pattern(self, node: Any) -> ir.Pattern:
        span = self.span(node)
        name = type(node).__name__
        if name == "MatchValue":
            return ir.Pattern(span, "value", self.expr(node.value))
        if name == "MatchSingleton":
            return ir.Pattern(span, "value", self.expr(node.value))
        if name == "MatchOr":
            return ir.Pattern(span, "or", parts=tuple(self._pattern(p.pattern) for p in node.patterns))
        if name == "MatchAs":
            bound = node.name.value if node.name else ""
            if node.pattern is None:
                return ir.Pattern(span, "capture" if bound else "wildcard", name=bound)
            inner = self._pattern(node.pattern)
            return ir.Pattern(span, inner.kind, inner.value, inner.parts, inner.keys, bound)
        if name == "MatchClass":
            parts = [self._pattern(p.value) for p in node.patterns]
            keys: list[ir.Expr | str | None] = [None] * len(parts)
            for keyword in node.kwds:
                parts.append(self._pattern(keyword.pattern))
                keys.append(keyword.key.value)
            return ir.Pattern(span, "class", self.expr(node.cls), tuple(parts), tuple(keys))
        if name == "MatchMapping":
            pairs = [(self.expr(e.key), self._pattern(e.pattern)) for e in node.elements]
            rest = node.rest.value if node.rest else ""
            return ir.Pattern(
                span, "mapping", parts=tuple(p for _, p in pairs), keys=tuple(k for k, _ in pairs), name=rest
            )
        if name in {"MatchList", "MatchTuple"}:
            inner_parts = [
                ir.Pattern(span, "star", name=p.name.value if p.name else "")
                if type(p).__name__ == "MatchStar"
                else self._pattern(p.value)
                for p in node.patterns
            ]
            return ir.Pattern(span, "sequence", parts=tuple(inner_parts))
        return ir.Pattern(span, "wildcard")

    def _params(self, node: cst.Parameters) -> tuple[ir.Param, ...]:
        out: list[ir.Param] = []

        def add(param: cst.Param, kind: str) -> None:
            annotation = param.annotation.annotation if param.annotation else None
            default = self.maybe(param.default)
            span = self.span(param.name)
            out.append(ir.Param(span, param.name.value, kind, default, self.maybe(annotation)))

        for param in (*node.posonly_params, *node.params):
            add(param, "plain")
        if isinstance(node.star_arg, cst.Param):
            add(node.star_arg, "*")
        for param in node.kwonly_params:
            add(param, "keyword")
        if node.star_kwarg is not None:
            add(node.star_kwarg, "**")
        return tuple(out)

    def _function(self, node: cst.FunctionDef, span: ir.Span) -> ir.Stmt:
        decorators = tuple(self.expr(d.decorator) for d in node.decorators)
        params = self._params(node.params)
        returns = self.maybe(node.returns.annotation if node.returns else None)
        owner = self.owners[-1]
        self.where.append(node.name.value)
        qualname = ".".join(self.where)
        self.owners.append("")
        self.yields.append(False)
        body = self.block(node.body)
        generates = self.yields.pop()
        self.owners.pop()
        self.where.pop()
        at = self.spans.get(node.name, span)
        start = self._def_start(node, span)
        made = ir.FuncDef(
            (start[0], start[1], span[2], span[3]),
            node.name.value,
            qualname,
            owner,
            params,
            body,
            decorators,
            returns,
            node.asynchronous is not None,
            generates,
            (start[0], start[1], at[2], at[3]),
        )
        later = self._later(node.body) if self.later else None
        return ir.LazyFuncDef(made, later.end, partial(later.load, qualname)) if later is not None else made

    def _later(self, suite: cst.BaseSuite) -> Later | None:
        """The body that one ``pass`` stands for."""
        first = suite.body[0] if isinstance(suite, cst.IndentedBlock) and suite.body else None
        if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Pass):
            return self.later.get(self.span(first.body[0])[0])
        return None

    def _def_start(self, node: cst.FunctionDef | cst.ClassDef, span: ir.Span) -> tuple[int, int]:
        """Where ``def`` or ``class`` stands (libcst's span of a decorated definition starts there already)."""
        name = self.spans.get(node.name, span)
        return (name[0], span[1]) if span[0] <= name[0] else (span[0], span[1])

    def _class(self, node: cst.ClassDef, span: ir.Span) -> ir.Stmt:
        decorators = tuple(self.expr(d.decorator) for d in node.decorators)
        bases = tuple(self.expr(a.value) for a in node.bases)
        keywords = tuple(
            ir.Arg(self.span(a.value), a.keyword.value if a.keyword else None, a.star, self.expr(a.value))
            for a in node.keywords
        )
        self.where.append(node.name.value)
        qualname = ".".join(self.where)
        self.owners.append(qualname)
        body = self.block(node.body)
        self.owners.pop()
        self.where.pop()
        at = self.spans.get(node.name, span)
        start = self._def_start(node, span)
        return ir.ClassDef(
            (start[0], start[1], span[2], span[3]),
            node.name.value,
            qualname,
            bases,
            keywords,
            body,
            decorators,
            (start[0], start[1], at[2], at[3]),
        )

    def _import(self, node: cst.Import, span: ir.Span) -> ir.Stmt:
        aliases = []
        for alias in node.names:
            module = _dotted(alias.name)
            bound = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else ""
            # `import a.b` binds a; the dotted rest is found by attribute.
            aliases.append(
                ir.Alias(span, module if bound else module.split(".")[0], 0, None, bound or module.split(".")[0])
            )
        return ir.Import(span, tuple(aliases))

    def _import_from(self, node: cst.ImportFrom, span: ir.Span) -> ir.Stmt:
        module = _dotted(node.module) if node.module else ""
        level = len(node.relative)
        if isinstance(node.names, cst.ImportStar):
            return ir.Import(span, (ir.Alias(span, module, level, "*", "*"),))
        aliases = []
        for alias in node.names:
            name = _dotted(alias.name)
            bound = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else name
            aliases.append(ir.Alias(span, module, level, name, bound))
        return ir.Import(span, tuple(aliases))


def _widen(node: ir.Node) -> None:
    """Lets a statement end where the last of what is in it ends: its bodies may have been left out."""
    for child in ir.children(node):
        if isinstance(child, (ir.Handler, ir.Case)):
            _widen(child)
        if child.span[2:] > node.span[2:]:
            node.span = (*node.span[:2], *child.span[2:])


def _tuple_items(value: ir.Expr) -> tuple[ir.Expr, ...]:
    return value.items if isinstance(value, ir.Seq) else (value,)


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
