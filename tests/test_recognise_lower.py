"""What lowering keeps of a tree: positions, which must be those of Python's own parser, and shape."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recognising import line_of, world

from toolbind_lint.recognise import ir
from toolbind_lint.recognise.lower import lower

# ---- positions against ast

KINDS: dict[type[ast.AST], str] = {
    ast.Name: "Name",
    ast.Attribute: "Attr",
    ast.Call: "Call",
    ast.Subscript: "Subscript",
    ast.Constant: "Const",
    ast.JoinedStr: "FString",
    ast.List: "Seq",
    ast.Set: "Seq",
    ast.Dict: "DictE",
    ast.BinOp: "Bin",
    ast.BoolOp: "Bool",
    ast.Compare: "Compare",
    ast.UnaryOp: "Unary",
    ast.IfExp: "IfExp",
    ast.Await: "Await",
    ast.Yield: "Yield",
    ast.YieldFrom: "Yield",
    ast.NamedExpr: "Walrus",
    ast.ListComp: "Comp",
    ast.SetComp: "Comp",
    ast.DictComp: "Comp",
    ast.Lambda: "Lambda",
    ast.Assign: "Assign",
    ast.AnnAssign: "Assign",
    ast.AugAssign: "Aug",
    ast.Expr: "ExprStmt",
    ast.Return: "Return",
    ast.Raise: "Raise",
    ast.Break: "Jump",
    ast.Continue: "Jump",
    ast.If: "If",
    ast.While: "While",
    ast.For: "For",
    ast.AsyncFor: "For",
    ast.Try: "Try",
    ast.With: "With",
    ast.AsyncWith: "With",
    ast.Match: "Match",
    ast.Delete: "Delete",
    ast.Global: "Scope",
    ast.Nonlocal: "Scope",
    ast.Assert: "Assert",
    ast.Import: "Import",
    ast.ImportFrom: "Import",
    ast.FunctionDef: "FuncDef",
    ast.AsyncFunctionDef: "FuncDef",
    ast.ClassDef: "ClassDef",
    ast.ExceptHandler: "Handler",
    ast.MatchValue: "Pattern",
    ast.MatchMapping: "Pattern",
    ast.MatchClass: "Pattern",
    ast.MatchOr: "Pattern",
}
"""Tuples, generator expressions, stars and slices are left out: their outermost token is not in the small program."""


def theirs(text: str) -> set[tuple[str, ir.Span]]:
    """Kind and span of each node by Python's parser, columns in code points from 1; f-strings only as a whole."""
    lines = text.split("\n")
    tree = ast.parse(text)
    inside = {id(m) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for m in ast.walk(n) if m is not n}
    found: set[tuple[str, ir.Span]] = set()
    for node in ast.walk(tree):
        if type(node) not in KINDS or id(node) in inside:
            continue
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        column = len(lines[first - 1].encode()[: node.col_offset].decode()) + 1  # type: ignore[attr-defined]
        end = len(lines[last - 1].encode()[: node.end_col_offset].decode()) + 1  # type: ignore[attr-defined]
        found.add((KINDS[type(node)], (first, column, last, end)))
    return found


def ours(text: str) -> set[tuple[str, ir.Span]]:
    """Kind and span of each lowered node."""
    found: set[tuple[str, ir.Span]] = set()
    for node in nodes(text):
        kind = type(node).__name__
        found.add(("Unary" if kind in {"Neg", "Not"} else kind, node.span))
    return found


def nodes(text: str) -> list[ir.Node]:
    return list(ir.walk_all(lower(cst.parse_module(text)), into_functions=True))


def only(text: str) -> ir.Node:
    """The first statement of a text."""
    return lower(cst.parse_module(dedent(text)))[0]


def written(text: str, span: ir.Span) -> str:
    """What stands at a span."""
    lines = text.split("\n")[span[0] - 1 : span[2]]
    lines[-1] = lines[-1][: span[3] - 1]
    lines[0] = lines[0][span[1] - 1 :]
    return "\n".join(lines)


SNIPPETS = {
    "displays": "x = [1, [2, (3)], {4}, {**a, 'b': (c)}]\n",
    "attributes and keys": "(a.b).c[d]['e'][0].f = a[b].c\n",
    "calls": "f(a, *b, c=d(e), **g)(h).i()\n",
    "operators": "a @ b ** (c + d) // e << f % g & ~h\n",
    "conditions": "a and b and (c or not d) if e < f else g is not h\n",
    "chained comparison": "1 < (a) <= b != c not in d\n",
    "strings": "'a' \"b\" '''c\nd''' + ('e'\n    'f')\n",
    "f-strings": "f'{a}' + f'{b!r:>{w}} {c}' 'd'\n",
    "lambda": "lambda a, *b, c=d, **e: (a, c)\n",
    "comprehensions": "[a for b in c if d for e in f], {g: h for g, h in i}, {j for j in k}\n",
    "walrus": "while (n := len(a)) > b[(m := 3)]:\n    pass\n",
    "assignments": "a = b = c\n(d, e), *f = g\nh: int = 1\ni: 'int'\nj.k: int = 2\nl += 1\nm[n] //= o\n",
    "small statements": "import a.b as c, d\nfrom . import e\nfrom ..f import (\n    g,\n    h as i,\n)\ndel j, k[l]\n"
    "assert m, 'n'\nglobal o\n",
    "one line": "a = 1; b = 2;  c(d)\nif e: f; g = 3\n",
    "elif": "if a:\n    b\nelif c:\n    d\nelif e:  # why\n    f\nelse:\n    g\n",
    "loops": "while a and \\\n    b:\n    break\nelse:\n    c\nfor d, (e, *f) in g:\n    continue\nelse:\n    h\n",
    "try": "try:\n    a\nexcept b.C as d:\n    raise e from f\nexcept:\n    raise\nelse:\n    g\nfinally:\n    h\n",
    "with": "with (a as b, c() as d):\n    e\nwith f, g as h.i: j\n",
    "functions": "def f(a, /, b: c = 1, *d, e: g = 2, **h) -> i:\n    '''j'''\n    return k  # l\n\n# m\n\n\nx = 1\n",
    "coroutines": "async def f():\n    async with a as b:\n        async for c in d:\n"
    "            await e\n    return [g async for g in h]\n",
    "generators": "def f():\n    nonlocal_ = yield\n    a = yield b\n    yield from c\n    return\n",
    "nonlocal": "def f():\n    a = 1\n    def g():\n        nonlocal a\n        a = 2\n",
    "decorated": "@a\n@b.c(\n    d,\n)\nasync def f(): pass\n\n@e\nclass G(H, metaclass=I):\n"
    "    x: int = 1\n\n    @property\n"
    "    def y(self): return self.x\n",
    "match": "match a:\n    case 1 | 'b':\n        c\n    case {'d': e, **f} if g:\n"
    "        h\n    case I(j, k=l.m): n\n    case _:\n        o\n",
    "brackets over lines": "a = (\n    b\n    + c(  # d\n        e,\n        f=g,\n    )\n)\nh = [\n    i\n"
    "    for i in j\n]\n",
    "tabs": "if a:\n\tb = c\n\tif d:\n\t\te(f,\tg)\n",
    "not ascii": "é = 'ü€' + ñ.ß('日本', key=é)  # ✓\nif é:\n    x = '🎉'; y = ñ(f'🎉{é}')\n    z = '🎉', y\n",
    "blank lines": "\n\n# a\nb = 1\n\n\n\nc = 2\n\n",
    "no newline at the end": "a = b",
    "form feed": "a = 1\n\x0c\nb = c\n",
}


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_spans_are_those_of_the_interpreter(text: str) -> None:
    folded = {span for kind, span in theirs(text) if kind == "Unary"}
    missing = {(k, s) for k, s in theirs(text) - ours(text) if not (k == "Const" and _within(s, folded))}
    missing = {(k, s) for k, s in missing if not (k == "Unary" and ("Const", s) in ours(text))}
    assert missing == set()


def _within(span: ir.Span, spans: set[ir.Span]) -> bool:
    return any(s[:2] <= span[:2] and span[2:] <= s[2:] for s in spans)


names = st.sampled_from(["a", "bc", "é", "日本", "x_1"])
atoms = st.one_of(names, st.sampled_from(["0", "1.5", "None", "'s'", "'🎉é'", "b'x'", "...", "f'{é}🎉'"]))


def _expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "*", "and", "or", "<", "not in", "is", "@"])
    return st.one_of(
        st.builds("({0}) {1} ({2})".format, inner, operators, inner),
        st.builds("{0}.{1}".format, names, names),
        st.builds("{0}({1}, k={2})".format, names, inner, inner),
        st.builds("{0}(*{1}, **{2})".format, names, names, names),
        st.builds("{0}[{1}]".format, names, inner),
        st.builds("[{0}, {1}]".format, inner, inner),
        st.builds("{{{0}: {1}, **{2}}}".format, inner, inner, names),
        st.builds("({0}) if ({1}) else ({2})".format, inner, inner, inner),
        st.builds("not ({0})".format, inner),
        st.builds("lambda {0}, é=1: ({1})".format, st.just("p"), inner),
        st.builds("[({0}) for {1} in ({2}) if ({0})]".format, inner, names, inner),
        st.builds("(\n  {0}  # é\n\t+ ({1})\n)".format, names, inner),
        st.builds("({0} :=  ({1}))".format, names, inner),
    )


expressions = st.recursive(atoms, _expressions, max_leaves=6)


def _block(parts: list[str], unit: str) -> str:
    return indent("\n".join(parts), unit, lambda line: True)


def _compounds(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.builds(_block, st.lists(inner, min_size=1, max_size=3), st.sampled_from(["  ", "    ", "\t", "\t "]))
    heads = [
        "if ({0}):\n{1}\nelif ({0}):\n{1}\nelse:\n{1}",
        "while ({0}):\n{1}\n\n# é\nelse:\n{1}",
        "for é, b in ({0}):\n{1}",
        "try:\n{1}\nexcept ({0}) as é:\n{1}\nfinally:\n{1}",
        "with ({0}) as é, b:\n{1}",
        "@é({0})\ndef f(é, *, b=({0})):\n{1}",
        "class É(({0}), metaclass=M):\n{1}",
        "async def f():\n{1}",
    ]
    return st.one_of([st.builds(head.format, expressions, body) for head in heads])


simple = st.one_of(
    st.builds("{0} = ({1})".format, names, expressions),
    st.builds("{0} += ({1}); pass".format, names, expressions),
    st.builds("({0})".format, expressions),
    st.builds("assert ({0}), ({1})  # 🎉".format, expressions, expressions),
    st.builds("del {0}, {1}.b".format, names, names),
    st.just("import a.b as c"),
    st.just("'''é\n🎉'''; x = 1"),
)
programs = st.lists(st.recursive(simple, _compounds, max_leaves=5), min_size=1, max_size=3).map("\n".join)


@settings(max_examples=40, deadline=None)
@given(programs)
def test_spans_are_those_of_the_interpreter_whatever_is_written(text: str) -> None:
    assert theirs(text) - ours(text) == set()
    last = len(text.split("\n"))
    for node in nodes(text):
        line, column, end_line, end_column = node.span
        assert 1 <= line <= end_line <= last
        assert column >= 1
        assert (line, column) < (end_line, end_column)


# ---- syntax that this interpreter may not read

NEWER = {
    "except*": "try:\n    a(b)\nexcept* c.D as e:\n    f(e)\nexcept* G:\n    h()\n",
    "handlers without brackets": "try:\n    a()\nexcept B, C:\n    d(e)\n",
    "type parameters": "def f[T: int, *Ts, **P](x: T) -> T:\n    return g(x)\nclass A[T](B[T]):\n    y = h(T)\n",
    "type alias": "type X[T] = list[T]\na = b(c)\n",
    "quotes in f-strings": 'x = f"{a[\'k\']} {f"{b(c)}"} {d.e!r:>{w}} {g=}"\ny = h(i)\n',
    "f-string over lines": "x = f'{\n    a(b)\n    .c  # why\n}' + d\n",
    "template": "x = t'{a} b {c.d(e)}' + f\n",
    "star in a subscript": "x = a[*b, c(d)]\ndef f(*e: *G): pass\n",
}


@pytest.mark.parametrize("text", NEWER.values(), ids=NEWER.keys())
def test_what_stands_at_a_span_is_the_node(text: str) -> None:
    found = 0
    for node in nodes(text):
        source = written(text, node.span)
        if isinstance(node, ir.Name):
            assert source == node.id
        elif isinstance(node, ir.Attr):
            assert source.endswith(node.name)
        elif isinstance(node, ir.Call):
            assert source.endswith(")")
            assert source.startswith(written(text, node.func.span))
        elif isinstance(node, ir.Const):
            assert ast.literal_eval(source) == node.value
        else:
            continue
        found += 1
    assert found >= 3


def test_all_parts_of_nested_f_strings_are_there() -> None:
    text = 'x = f"{a[\'k\']} {f"{b(c)}"} {d.e!r}"\n'
    assert {n.id for n in nodes(text) if isinstance(n, ir.Name)} == {"x", "a", "b", "c", "d"}


def test_handlers_of_exception_groups_are_handlers() -> None:
    stmt = only("try:\n    a\nexcept* B as c:\n    d\n")
    assert isinstance(stmt, ir.Try)
    assert [(shape(h.type), h.name) for h in stmt.handlers] == [("B", "c")]


# ---- where definitions and headers stand


def test_a_decorated_function_starts_at_its_def() -> None:
    stmt = only("@a\n@b(\n    c)\nasync def f(x):\n    return x\n")
    assert isinstance(stmt, ir.FuncDef)
    assert stmt.span == (4, 1, 5, 13)
    assert stmt.header == (4, 1, 4, 12)


def test_a_decorated_method_starts_at_its_indentation() -> None:
    stmt = only("class A:\n\t@property\n\tdef f(self):\n\t\treturn 1\n")
    assert isinstance(stmt, ir.ClassDef)
    method = stmt.body[0]
    assert isinstance(method, ir.FuncDef)
    assert (method.span[:2], method.header) == ((3, 2), (3, 2, 3, 7))


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("while a < b:\n    c\n", "while a < b"),
        ("for a, b in c(d):\n    e\n", "for a, b in c(d)"),
        ("while True:  # é\n    a\n", "while True"),
    ],
)
def test_a_header_is_the_first_line_of_a_loop(text: str, header: str) -> None:
    stmt = only(text)
    assert isinstance(stmt, (ir.While, ir.For))
    assert written(text, stmt.header) == header


def test_the_header_of_an_asynchronous_loop_starts_at_async() -> None:
    text = "async def f():\n    async for a in b:\n        c\n"
    function = only(text)
    assert isinstance(function, ir.FuncDef)
    inner = function.body[0]
    assert isinstance(inner, ir.For)
    assert inner.is_async
    assert written(text, inner.header) == "async for a in b"


@pytest.mark.parametrize(
    ("handler", "header"), [("except A as e", "except A"), ("except", "except"), ("except a.B", "except a.B")]
)
def test_the_header_of_a_handler_is_its_first_line(handler: str, header: str) -> None:
    text = f"try:\n    a\n{handler}:\n    b\n"
    stmt = only(text)
    assert isinstance(stmt, ir.Try)
    assert written(text, stmt.handlers[0].header) == header


def test_statements_parsed_alone_stand_where_they_are_in_the_file() -> None:
    text = """\
    # é
    import a; import b

    X = 1; Y = X

    @decorator
    def f(tool):
        return g(
            "日本", tool)
    """
    here = world(text)
    call, function = here.call("g")
    assert call.span[0] == line_of("return g(", text)
    assert here.program.at(function, call) == ("agent.py", 8, 12, 9, 20, None)
    assert written(dedent(text), call.span).startswith("g(")


# ---- shape


def shape(node: object) -> str:
    """A node in short: ``Call(f, a, k=1)``."""
    if node is None:
        return "-"
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Const):
        return repr(node.value)
    if isinstance(node, ir.Arg):
        return f"{node.star}{node.name + '=' if node.name else ''}{shape(node.value)}"
    if isinstance(node, tuple):
        return "[" + " ".join(shape(item) for item in node) + "]"
    if isinstance(node, ir.Node):
        slots = [s for s in type(node).__slots__ if s not in {"span", "header"}]
        return f"{type(node).__name__}({', '.join(shape(getattr(node, s)) for s in slots)})"
    return str(node)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a.b", "Attr(a, b)"),
        ("f(a, *b, k=c, **d)", "Call(f, [a *b k=c **d])"),
        ("a[b]", "Subscript(a, b)"),
        ("a[1:]", "Subscript(a, Slice(1, -))"),
        ("a[b, 'c']", "Subscript(a, Seq(tuple, [b 'c']))"),
        ("[a, *b]", "Seq(list, [a Starred(b)])"),
        ("{a: b, **c}", "DictE([[a b] [- c]])"),
        ("a + b", "Bin(+, a, b)"),
        ("a and b or not c", "Bool(or, Bool(and, a, b), Not(c))"),
        ("1 < a <= b", "Bool(and, Compare(<, 1, a), Compare(<=, a, b))"),
        ("a not in b", "Compare(not in, a, b)"),
        ("a is not None", "Compare(is not, a, None)"),
        ("-1", "-1"),
        ("-1.5", "-1.5"),
        ("-a", "Neg(-, a)"),
        ("~1", "Neg(~, 1)"),
        ("a if b else c", "IfExp(b, a, c)"),
        ("'a' 'b'", "'ab'"),
        ("0x10", "16"),
        ("1_000", "1000"),
        ("b'a'", "b'a'"),
        ("...", "Ellipsis"),
        ("f'a{b}c'", "FString([b], ac)"),
        ("'a' f'{b}' 'c'", "FString([b], ac)"),
        ("(a := b)", "Walrus(a, b)"),
        ("[a for b in c if d]", "Comp(list, [a], [Generator(b, c, [d])])"),
        ("{a: b for c in d}", "Comp(dict, [a b], [Generator(c, d, [])])"),
        ("(a for b in c for d in e)", "Comp(generator, [a], [Generator(b, c, []) Generator(d, e, [])])"),
    ],
)
def test_an_expression_keeps_its_shape(text: str, wanted: str) -> None:
    stmt = only(text + "\n")
    assert isinstance(stmt, ir.ExprStmt)
    assert shape(stmt.value) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = b = c", "Assign([a b], c, -)"),
        ("a, b = c", "Assign([Seq(tuple, [a b])], c, -)"),
        ("a: int = 1", "Assign([a], 1, int)"),
        ("a: int", "Assign([a], -, int)"),
        ("a -= 1", "Aug(a, -, 1)"),
        ("a.b //= c", "Aug(Attr(a, b), //, c)"),
        ("raise A from b", "Raise(A, b)"),
        ("raise", "Raise(-, -)"),
        ("del a, b[c]", "Delete([a Subscript(b, c)])"),
        ("assert a, b", "Assert(a, b)"),
        ("global a, b", "Scope(global, [a b])"),
        ("import a.b", "Import([Alias(a, 0, -, a)])"),
        ("import a.b as c", "Import([Alias(a.b, 0, -, c)])"),
        ("from ..a.b import c as d, e", "Import([Alias(a.b, 2, c, d) Alias(a.b, 2, e, e)])"),
        ("from . import *", "Import([Alias(, 1, *, *)])"),
        ("if a: b\nelif c: d\nelse: e", "If(a, [ExprStmt(b)], [If(c, [ExprStmt(d)], [ExprStmt(e)])])"),
        ("while a: break\nelse: b", "While(a, [Jump(break)], [ExprStmt(b)])"),
        ("for a in b: continue", "For(a, b, [Jump(continue)], [], False)"),
        ("with a as b, c: d", "With([[a b] [c -]], [ExprStmt(d)], False)"),
        (
            "try: a\nexcept B as c: d\nelse: e\nfinally: f",
            "Try([ExprStmt(a)], [Handler(B, c, [ExprStmt(d)])], [ExprStmt(e)], [ExprStmt(f)])",
        ),
    ],
)
def test_a_statement_keeps_its_shape(text: str, wanted: str) -> None:
    assert shape(only(text + "\n")) == wanted


def test_pass_is_nothing() -> None:
    assert lower(cst.parse_module("pass\n")) == ()


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("1", "Pattern(value, 1, [], [], )"),
        ("None", "Pattern(value, None, [], [], )"),
        ("a.B", "Pattern(value, Attr(a, B), [], [], )"),
        ("'a' | 'b'", "Pattern(or, -, [Pattern(value, 'a', [], [], ) Pattern(value, 'b', [], [], )], [], )"),
        ("_", "Pattern(wildcard, -, [], [], )"),
        ("x", "Pattern(capture, -, [], [], x)"),
        ("[1, *rest]", "Pattern(sequence, -, [Pattern(value, 1, [], [], ) Pattern(star, -, [], [], rest)], [], )"),
        ("{'k': v, **r}", "Pattern(mapping, -, [Pattern(capture, -, [], [], v)], ['k'], r)"),
        ("C(1, k=2)", "Pattern(class, C, [Pattern(value, 1, [], [], ) Pattern(value, 2, [], [], )], [- k], )"),
        ("C() as x", "Pattern(class, C, [], [], x)"),
        ("'a' | 'b' as x", "Pattern(or, -, [Pattern(value, 'a', [], [], ) Pattern(value, 'b', [], [], )], [], x)"),
    ],
)
def test_a_pattern_keeps_its_shape(pattern: str, wanted: str) -> None:
    stmt = only(f"match a:\n    case {pattern}:\n        pass\n")
    assert isinstance(stmt, ir.Match)
    assert shape(stmt.cases[0].pattern) == wanted


def test_a_case_keeps_its_guard() -> None:
    stmt = only("match a:\n    case b if c > 1:\n        pass\n")
    assert isinstance(stmt, ir.Match)
    assert shape(stmt.cases[0].guard) == "Compare(>, c, 1)"


def test_parameters_keep_kind_default_and_annotation() -> None:
    stmt = only("def f(a, /, b: int = 1, *c, d=None, **e): pass\n")
    assert isinstance(stmt, ir.FuncDef)
    assert [(p.name, p.kind, shape(p.default), shape(p.annotation)) for p in stmt.params] == [
        ("a", "plain", "-", "-"),
        ("b", "plain", "1", "int"),
        ("c", "*", "-", "-"),
        ("d", "keyword", "None", "-"),
        ("e", "**", "-", "-"),
    ]


def test_parameters_behind_a_bare_star_are_keywords() -> None:
    stmt = only("def f(a, *, b): pass\n")
    assert isinstance(stmt, ir.FuncDef)
    assert [(p.name, p.kind) for p in stmt.params] == [("a", "plain"), ("b", "keyword")]


@pytest.mark.parametrize(
    ("body", "generates"),
    [
        ("yield 1", True),
        ("x = yield", True),
        ("yield from a", True),
        ("return [b for b in a]", False),
        ("def g():\n    yield 1", False),
        ("if a:\n    while b:\n        yield a", True),
    ],
)
def test_a_function_with_a_yield_of_its_own_is_a_generator(body: str, generates: bool) -> None:
    stmt = only("def f(a):\n" + indent(body, "    ") + "\n")
    assert isinstance(stmt, ir.FuncDef)
    assert stmt.is_generator is generates


def test_qualified_names_count_from_the_module() -> None:
    text = """\
    class A:
        class B:
            def m(self):
                def inner(): return lambda: 1
        x = lambda self: 2
    """
    found = [(n.qualname, n.owner) for n in nodes(dedent(text)) if isinstance(n, ir.FuncDef)]
    assert found == [
        ("A.B.m", "A.B"),
        ("A.B.m.inner", ""),
        ("A.B.m.inner.<lambda>", ""),
        ("A.<lambda>", ""),
    ]


def test_decorators_bases_and_keywords_are_kept() -> None:
    stmt = only("@a.b(1)\nclass C(D, E[F], metaclass=M): pass\n")
    assert isinstance(stmt, ir.ClassDef)
    assert shape(stmt.decorators) == "[Call(Attr(a, b), [1])]"
    assert shape(stmt.bases) == "[D Subscript(E, F)]"
    assert shape(stmt.keywords) == "[metaclass=M]"


@pytest.mark.parametrize(
    ("args", "index", "wanted"), [("a, b", 1, "b"), ("*a, b", 1, "-"), ("a", 1, "-"), ("k=a", 0, "-")]
)
def test_a_position_behind_a_star_is_not_known(args: str, index: int, wanted: str) -> None:
    stmt = only(f"f({args})\n")
    assert isinstance(stmt, ir.ExprStmt)
    assert isinstance(stmt.value, ir.Call)
    assert shape(stmt.value.positional(index)) == wanted


def test_of_two_equal_keys_the_last_counts() -> None:
    stmt = only("{'a': 1, **b, 'a': 2}\n")
    assert isinstance(stmt, ir.ExprStmt)
    assert isinstance(stmt.value, ir.DictE)
    assert shape(stmt.value.get("a")) == "2"
    assert stmt.value.get("b") is None


def test_walking_stays_out_of_functions_unless_asked() -> None:
    body = lower(cst.parse_module("def f():\n    a\nb(lambda: c)\n"))
    found = {n.id for n in ir.walk_all(body) if isinstance(n, ir.Name)}
    everything = {n.id for n in ir.walk_all(body, into_functions=True) if isinstance(n, ir.Name)}
    assert found == {"b"}
    assert everything == {"a", "b", "c"}
