from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbind_lint import notebook
from toolbind_lint.facts import Place, Unreadable
from toolbind_lint.source import Source, SyntaxFault, decode, parse_ast, parse_module, read_source


def source(data: bytes | str, path: str = "a.py", **options: Any) -> Source:
    found = read_source(path, data.encode() if isinstance(data, str) else data, **options)
    assert isinstance(found, Source), found
    return found


def unreadable(data: bytes, path: str = "a.py", **options: Any) -> Unreadable:
    found = read_source(path, data, **options)
    assert isinstance(found, Unreadable)
    return found


def cells(*sources: str | list[str], kind: str = "code") -> bytes:
    return book(*({"cell_type": kind, "source": each, "metadata": {}, "outputs": []} for each in sources))


def book(*entries: object, indent: int | None = 1, **more: object) -> bytes:
    return json.dumps({"cells": entries, "nbformat": 4, "metadata": {}, **more}, indent=indent).encode()


# --- Text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1", "x = 1"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"a = 1\r\nb = 2\r\n", "a = 1\nb = 2\n"),
        (b"a = 1\rb = 2\r\n", "a = 1\nb = 2\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n"),
        (b"\n# -*- coding: cp1252 -*-\rx = '\x80'", "\n# -*- coding: cp1252 -*-\nx = '€'"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n", "# coding: utf-8\nx = 'é'\n"),
        ("x = 'é'\n# coding: latin-1\n".encode(), "x = 'é'\n# coding: latin-1\n"),
    ],
)
def test_decoding(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"x = 1\ny = '\xff'\n", 2),
        (b"x = '\xe9'\n", 1),
        (b"# coding: no-such-codec\n", 1),
        (b"# coding: hex\nx = 1\n", 1),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1),
        (b"# coding: ascii\n\nx = '\xe9'\n", 3),
        (b"# coding: undefined\nx = 1\n", 1),
    ],
)
def test_what_cannot_be_decoded(data: bytes, line: int) -> None:
    found = unreadable(data)
    assert (found.reason, found.place.line, found.relevant) == ("encoding", line, True)
    assert found.message


def test_relevance_is_given_or_tested() -> None:
    assert unreadable(b"\xff", relevant=False).relevant is False
    assert unreadable(b"tools \xff", relevant=lambda data: b"tools" in data).relevant is True
    assert unreadable(b"\xff", relevant=lambda data: b"tools" in data).relevant is False


def test_a_deprecated_escape_in_a_codec_warns_nobody() -> None:
    assert decode(rb"# coding: unicode_escape" + b"\n" + rb"x = '\d'") == "# coding: unicode_escape\nx = '\\d'"


def test_lines_end_where_python_ends_them() -> None:
    text = "a = 1\n\x0cb = '\u2028\x0b\x1c'\n\n"
    found = source(text)
    assert found.lines == ("a = 1", "\x0cb = '\u2028\x0b\x1c'", "")
    assert source("a = 1").lines == ("a = 1",)
    assert source("").lines == ()


def test_too_large() -> None:
    assert unreadable(b"x = 1\n", max_bytes=5).reason == "too-large"
    assert source(b"x = 1", max_bytes=5).text == "x = 1"
    assert unreadable(b"#" * (2 * 1024 * 1024 + 1)).reason == "too-large"


def test_place_of_plain_text() -> None:
    found = source("x = 1\n")
    assert found.place(1, 2, 3, 4) == Place("a.py", 1, 2, 3, 4)
    assert found.physical_line(Place("a.py", 7, 1, 7, 1)) == 7
    assert found.text_line(Place("a.py", 7, 1, 7, 1)) == 7


# --- Trees


def test_tree_of_some_lines() -> None:
    found = source("a = 1\n\ndef f():\n    return 2\n\nb = 3")
    tree = found.tree(3, 4)
    assert [type(each) for each in tree.body] == [cst.FunctionDef]
    assert found.tree().code == found.text + "\n"
    assert found.tree(6, 6).code == "b = 3\n"


@pytest.mark.parametrize(
    "text", ["def f():\n\tpass\n\x0c\ndef g(): pass\n", "if x:\n\t  y = 1\n\n\x0c\nz = 2", "# only a comment", ""]
)
def test_tree_of_odd_layout(text: str) -> None:
    assert source(text).tree().code.rstrip("\n") == text.rstrip("\n")


def test_fault_has_the_line_of_the_text() -> None:
    found = source("a = 1\n\ndef f():\n    return )\n")
    with pytest.raises(SyntaxFault) as caught:
        found.tree(3, 4)
    assert caught.value.line == 4
    with pytest.raises(SyntaxFault) as caught:
        parse_ast(found.text)
    assert caught.value.line == 4


def test_null_bytes() -> None:
    for parse in (parse_ast, parse_module):
        with pytest.raises(SyntaxFault, match="null bytes"):
            parse("a = 1\nb = '\0'\n")
    with pytest.raises(SyntaxFault) as caught:
        parse_module("a = 1\nb = '\0'\n")
    assert caught.value.line == 2


def test_lone_surrogates() -> None:
    with pytest.raises(SyntaxFault):
        parse_ast("a = 1\nb = '\ud800'\n")
    with pytest.raises(SyntaxFault):
        parse_module("a = 1\nb = '\ud800'\n")


DEEP = {
    "brackets": "x = " + "(" * 5_000 + ")" * 5_000,
    "lists": "x = " + "[" * 50_000,
    "elif": "if a:\n  pass\n" + "elif a:\n  pass\n" * 20_000,
    "and": "x = " + " and ".join(["a"] * 20_000),
    "minus": "x = " + "-" * 50_000 + "1",
    "not": "x = (" + "\n not" * 50_000 + " 1)",
    "sum": "x = (" + "\n+".join(["a"] * 50_000) + ")",
    "attributes": "x = a" + ".a" * 50_000,
    "lambda": "x = " + "lambda: " * 20_000 + "1",
    "strings": "x = " + "'a' " * 50_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_depth_never_reaches_the_native_parser(text: str) -> None:
    with pytest.raises(SyntaxFault, match="too deeply"):
        parse_module(text + "\n")


@pytest.mark.parametrize(
    "text", ["x = " + "-" * 100_000 + "1", "x = a" + ".a" * 100_000, "x = " + "+".join("a" * 9_999)]
)
def test_depth_is_a_fault_of_the_text(text: str) -> None:
    try:
        tree = parse_ast(text)
    except SyntaxFault as fault:
        assert fault.message == "nested too deeply to read"
    else:  # 3.10 builds some trees of any depth
        assert len(tree.body) == 1


def test_warnings_of_linted_code_stay_inside() -> None:
    text = "x = '\\d'\nif x is 'a': pass\nassert (x, 'always')\ny = 1if x else 2\n# toolbind: ignore[TB1] why\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_ast(text)
        parse_module(text)
        assert len(source(text).comments) == 1
        assert source(cells(text), "a.ipynb").faults == ()


# --- Comments


def test_comments_are_tokens_only() -> None:
    text = "x = '# toolbind: no'  # toolbind: ignore[TB101] räson\n    # alone\ny = '''\n# toolbind: no\n'''\n"
    found = source(text).comments
    assert [each.text for each in found] == ["# toolbind: ignore[TB101] räson", "# alone"]
    assert [each.own_line for each in found] == [False, True]
    assert found[0].place == Place("a.py", 1, 23, 1, 54)
    assert found[1].place == Place("a.py", 2, 5, 2, 12)


def test_comments_are_read_only_where_one_may_be_ours() -> None:
    assert source("x = 1  # plain\n").comments == ()
    assert len(source("x = 1  # plain\n# ToolBind\n").comments) == 2


def test_comments_of_syntax_that_is_newer_or_older() -> None:
    nested = 'x = f"{y["# toolbind: no"]}"  # toolbind: yes\n'
    assert [each.text for each in source(nested).comments] == ["# toolbind: yes"]
    assert [each.place.column for each in source(nested).comments] == [31]


def test_comments_of_text_that_does_not_parse() -> None:
    assert source("x = (  # toolbind: ignore[TB1] why\n").comments == ()


# --- Notebooks: the file


def test_code_cells_are_joined() -> None:
    data = book(
        {"cell_type": "markdown", "source": ["# title\n", "tools"]},
        {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
        {"cell_type": "raw", "source": "x"},
        {"cell_type": "code", "source": "c = 3\nd = 4\n"},
        {"cell_type": "code", "source": []},
        {"cell_type": "code", "source": ["e = 5"]},
    )
    found = source(data, "a.ipynb")
    assert found.notebook
    assert found.lines == ("a = 1", "b = 2", "c = 3", "d = 4", "", "", "e = 5")
    assert [found.place(line, 1, line, 2).cell for line in range(1, 8)] == [1, 1, 3, 3, 3, 4, 5]
    assert [found.place(line, 1, line, 2).line for line in range(1, 8)] == [1, 2, 1, 2, 3, 1, 1]
    for line in range(1, 8):
        assert found.text_line(found.place(line, 1, line, 2)) == line


@pytest.mark.parametrize("indent", [None, 0, 1, 4])
def test_physical_lines(indent: int | None) -> None:
    entries = [
        {
            "outputs": [{"source": ["no"], "data": {"cells": [{"source": "no"}]}}],
            "cell_type": "code",
            "source": ["a\n", "b"],
        },
        {"cell_type": "markdown", "source": ["m\n"] * 5},
        {"cell_type": "code", "source": "c\nd", "metadata": {"source": "no", "brackets": ']}"\\'}},
    ]
    data = book(*entries, indent=indent, extra=["source", {"source": "no"}])
    found = source(data, "a.ipynb")
    raw = data.decode().split("\n")
    for line, text in enumerate(["a", "b", "c", "d"], 1):
        place = found.place(line, 1, line, 2)
        physical = raw[found.physical_line(place) - 1]
        assert f'"{text}' in physical or f"\\n{text}" in physical


def test_a_string_of_several_lines_and_a_line_of_several_strings() -> None:
    data = b'{"cells": [{"cell_type": "code", "source": [\n"a = 1\\nb",\n" = 2\\r\\n",\n"c = 3"\n]}]}'
    found = source(data, "a.ipynb")
    assert found.lines == ("a = 1", "b = 2", "c = 3")
    assert [found.physical_line(found.place(line, 1, line, 2)) for line in (1, 2, 3)] == [2, 2, 4]


def test_of_a_key_given_twice_the_last_counts() -> None:
    data = b'{"cells": [{"cell_type": "code",\n"source": "a = 1",\n"source": "b = 2"}]}'
    found = source(data, "a.ipynb")
    assert found.lines == ("b = 2",)
    assert found.physical_line(found.place(1, 1, 1, 2)) == 3


def test_format_3() -> None:
    sheet = [
        {"cell_type": "heading", "source": "x"},
        {"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"]},
        {"cell_type": "code", "language": "ruby", "input": "nil"},
    ]
    document = {"nbformat": 3, "worksheets": [{"cells": sheet}, {}, {"cells": [{}, sheet[1]]}]}
    data = json.dumps(document, indent=1).encode()
    found = source(data, "a.ipynb")
    assert found.lines == ("a = 1", "b = 2", "a = 1", "b = 2")
    places = [found.place(line, 1, line, 2) for line in (2, 4)]
    assert [place.cell for place in places] == [1, 4]
    raw = data.decode().split("\n")
    physical = [found.physical_line(place) for place in places]
    assert [raw[line - 1].strip() for line in physical] == ['"b = 2"', '"b = 2"']
    assert physical[0] < physical[1]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{\n"cells": [\n', 3),
        (b"<<<<<<< HEAD\n", 1),
        (b"version https://git-lfs.github.com/spec/v1\n", 1),
        (b"[]", 1),
        (b'{"cells": 3}', 1),
        (b'"\xff"', 1),
        (b"[" * 100_000, 1),
        (b'{"cells": [' + b"9" * 5_000 + b"]}", 1),
    ],
)
def test_what_is_no_notebook(data: bytes, line: int) -> None:
    if data.endswith(b"9]}") and not hasattr(sys, "set_int_max_str_digits"):
        data = b"[]"
    found = read_source("a.ipynb", data)
    if isinstance(found, Source):  # an interpreter without a limit of digits
        assert found.lines == ()
        return
    assert (found.reason, found.place.line) == ("notebook", line)


def test_an_empty_file_is_an_empty_notebook() -> None:
    assert source(b" \n", "a.ipynb").lines == ()
    empty = source(book(), "a.ipynb")
    assert (empty.lines, empty.comments, empty.tree().body) == ((), (), ())
    assert empty.place(1, 1, 1, 1) == Place("a.ipynb", 1, 1, 1, 1)


def test_notebooks_of_other_languages_hold_no_python() -> None:
    entry = {"cell_type": "code", "source": "x <- 1"}
    for metadata in ({"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia"}}):
        assert source(book(entry, metadata=metadata), "a.ipynb").lines == ()
    python = book({"cell_type": "code", "source": "x = 1"}, metadata={"kernelspec": {"language": "python"}})
    assert source(python, "a.ipynb").lines == ("x = 1",)


def test_odd_cells_are_counted_and_not_read() -> None:
    odd: list[object] = [
        None,
        3,
        "x",
        [],
        {"cell_type": "code", "source": {"a": 1}},
        {"cell_type": "code", "source": [1]},
    ]
    found = source(book(*odd, {"cell_type": "code", "source": "x = 1"}), "a.ipynb")
    assert found.lines == ("x = 1",)
    assert found.place(1, 1, 1, 2).cell == 6


def test_the_limit_counts_the_python_of_a_notebook() -> None:
    output = {"cell_type": "code", "source": "x = 1", "outputs": ["A" * 300]}
    assert source(book(output), "a.ipynb", max_bytes=100).lines == ("x = 1",)
    assert unreadable(cells("x = 1" * 50), "a.ipynb", max_bytes=100).reason == "too-large"
    assert unreadable(book(output), "a.ipynb", max_bytes=10).reason == "too-large"


# --- Notebooks: the cells


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if a:\n    !ls -l\n    x = 1", "if a:\n    pass\n    x = 1"),
        ("!pip install \\\n  openai\nx = 1", "pass\n\nx = 1"),
        ("files = !ls\nx = 1", "pass\nx = 1"),
        ("x = %time f(1)", "x =       f(1)"),
        ("%time x = f(1)", "pass; x = f(1)"),
        ("%timeit -n 10 -r 3 f(1)", "pass;" + " " * 14 + "f(1)"),
        ("rows = %sql select 1", "pass"),
        ("self.x[0], b = !ls", "pass"),
        ("f?\nf.g??\n?f\nx = 1", "pass\npass\npass\nx = 1"),
        ("x = 1 # why?\n!ls", "x = 1 # why?\npass"),
        ("x = '''\n%s\n!not\n'''\n!ls", "x = '''\n%s\n!not\n'''\npass"),
        ("f(\n  a\n  % b,\n)\n!ls", "f(\n  a\n  % b,\n)\npass"),
        ("x = a \\\n  % b\n!ls", "x = a \\\n  % b\npass"),
        ("x = 'it\\'s' # '''\n!ls", "x = 'it\\'s' # '''\npass"),
        ("pip install openai\nx = 1", "pass\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%capture out\nx = 1\n!ls", "\nx = 1\npass"),
        ("%%bash\necho $tools\n", "\n\n"),
        ("\n%%writefile agent.py\nx = 1", "\n\nx = 1"),
        ("%%writefile notes.md\nx = 1", "\n"),
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
        ("x = await f()\nasync with a: pass", "x = await f()\nasync with a: pass"),
        ("x = 5 %3\nprint('%d' % x)", "x = 5 %3\nprint('%d' % x)"),
        ("ls = [1]\nls\n", "ls = [1]\nls\n"),
    ],
)
def test_cell_syntax(cell: str, python: str) -> None:
    found = source(cells(cell, "last = 1"), "a.ipynb")
    assert found.faults == ()
    assert found.text == python + "\nlast = 1\n"
    found.tree()


def test_columns_of_an_indented_cell_are_those_of_the_file() -> None:
    found = source(cells("a = 1", "    x = 1\n    y = 2"), "a.ipynb")
    assert found.place(3, 1, 3, 2) == Place("a.ipynb", 2, 5, 2, 6, 1)


def test_a_broken_cell_hides_only_itself() -> None:
    found = source(cells("a = 1", "b = 1\n{{ template }\n", "c = 3"), "a.ipynb", relevant=lambda data: b"b =" in data)
    assert found.lines == ("a = 1", "", "", "", "c = 3")
    (fault,) = found.faults
    assert (fault.reason, fault.relevant, fault.place) == ("syntax", True, Place("a.ipynb", 2, 1, 2, 1, 1))
    assert found.place(5, 1, 5, 2) == Place("a.ipynb", 1, 1, 1, 2, 2)


def test_a_broken_cell_may_be_beside_the_point() -> None:
    (fault,) = source(cells("b = ("), "a.ipynb", relevant=lambda data: b"tools" in data).faults
    assert fault.relevant is False


def test_a_cell_of_newer_syntax_is_kept() -> None:
    text = 'type Tools = list[str]\ndef f[T](x: T): return f"{x["a"]}"'
    assert source(cells(text), "a.ipynb").lines == tuple(text.split("\n"))


def test_comments_of_a_notebook_stand_in_their_cell() -> None:
    found = source(cells("a = 1", "b = 1\nc = 2  # toolbind: ignore[TB101] why"), "a.ipynb")
    assert [each.place for each in found.comments] == [Place("a.ipynb", 2, 8, 2, 37, 1)]


def test_a_span_ends_with_its_cell() -> None:
    found = source(cells("a = 1", "b = 2"), "a.ipynb")
    assert found.place(1, 1, 2, 3) == Place("a.ipynb", 1, 1, 1, 6, 0)


@given(st.text(alphabet="ab =\n%!?#'\"()[]{}\\ ,;/", max_size=40))
def test_no_cell_loses_a_line(cell: str) -> None:
    assert notebook.without_escapes(cell).count("\n") == cell.count("\n")
    assert notebook.cell_magic(cell).count("\n") == cell.count("\n")
    found = source(cells(cell, "last = 1"), "a.ipynb")
    assert found.lines[-1] == "last = 1"
    assert found.text_line(Place("a.ipynb", 1, 1, 1, 1, 1)) == len(found.lines)
    parse_ast(found.text)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for path in ("a.py", "a.ipynb"):
        found = read_source(path, data)
        assert isinstance(found, (Source, Unreadable))
        if isinstance(found, Source):
            try:
                found.tree()
            except SyntaxFault as fault:
                assert 1 <= fault.line <= len(found.lines) + 1
            assert isinstance(found.comments, tuple)
