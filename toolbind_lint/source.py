"""One file's bytes as text, lines, comments, notebook cells and, on demand, trees; or why they cannot be read.

Lines count from 1 and columns from 1 in code points. ``text`` has ``\\n`` newlines only and no byte order mark, so its
lines are those of ``ast`` and libcst (a form feed or U+2028 ends no line). In a notebook ``text`` is its code cells one
after the other, with IPython's own syntax taken out.
"""

from __future__ import annotations

import ast
import codecs
import gc
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolbind_lint import notebook
from toolbind_lint.facts import Comment, Place, Unreadable

if TYPE_CHECKING:
    import libcst

DEFAULT_MAX_BYTES = 2 * 1024 * 1024
"""Bytes of Python in one file. What is larger is generated data."""

NOTEBOOK_FACTOR = 16
"""A notebook file may be so many times larger than its Python, because of the pictures in its outputs."""

Relevance = bool | Callable[[bytes], bool]
"""Whether a file holds a word that we look for: known, or a test of its bytes."""

TOO_DEEP = "nested too deeply to read"
_MAX_BRACKETS = 100  # libcst overflows the C stack of a main thread at about 1,500; other stacks are an eighth of that.
_MAX_CHAIN = 1_000  # operators, or branches, in a row: at about 10,000 it overflows, or never ends.


class SyntaxFault(Exception):  # noqa: N818 - a fault of the linted text
    """Text that does not parse. ``line`` is a line of ``Source.text``, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class _Span(NamedTuple):
    """Where a cell stands: its first line in ``Source.text``, the columns taken off it, its lines in the file."""

    first: int
    cell: int
    shift: int
    lines: tuple[int, ...]


class Source:
    """A file that could be decoded. Whether it parses shows when a tree is asked for."""

    __slots__ = ("_comments", "_spans", "_starts", "faults", "lines", "notebook", "path", "text")

    def __init__(
        self, path: str, text: str, spans: tuple[_Span, ...] | None = None, faults: tuple[Unreadable, ...] = ()
    ) -> None:
        self.path = path
        self.text = text
        lines = text.split("\n")
        self.lines: tuple[str, ...] = tuple(lines[:-1] if not lines[-1] else lines)
        self.notebook = spans is not None
        self.faults = faults
        """Cells of a notebook that do not parse; in ``text`` they are blank."""
        self._spans = spans or ()
        self._starts = tuple(span.first for span in self._spans)
        self._comments: tuple[Comment, ...] | None = None

    def place(self, line: int, column: int, end_line: int, end_column: int) -> Place:
        """The place of a span of ``text``; ``end_column`` is exclusive. A span never leaves its cell."""
        span = self._span(line)
        if span is None:
            return Place(self.path, line, column, end_line, end_column)
        last = span.first + len(span.lines) - 1
        if end_line > last:
            end_line, end_column = last, len(self.lines[last - 1]) + 1 if last <= len(self.lines) else 1
        offset = span.first - 1
        return Place(
            self.path, line - offset, column + span.shift, end_line - offset, end_column + span.shift, span.cell
        )

    def text_line(self, place: Place) -> int:
        """The line of ``text`` at which a place begins: the inverse of ``place``."""
        span = next((s for s in self._spans if s.cell == place.cell), None)
        return place.line if span is None else span.first + place.line - 1

    def physical_line(self, place: Place) -> int:
        """The line in the file on disk at which a place begins."""
        span = next((s for s in self._spans if s.cell == place.cell), None)
        if span is None or not span.lines:
            return place.line
        return span.lines[min(max(place.line, 1), len(span.lines)) - 1]

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Every comment token, in order; none in a file that nowhere says ``toolbind``: no comment there is for us."""
        if self._comments is None:
            self._comments = tuple(self._read_comments()) if "toolbind" in self.text.lower() else ()
        return self._comments

    def tree(self, first: int = 1, last: int | None = None, without: Sequence[tuple[int, int]] = ()) -> libcst.Module:
        """libcst's tree of lines ``first`` to ``last`` (inclusive): a run of whole top-level statements.
        ``SyntaxFault``.

        Line 1 of the tree is line ``first`` of ``text``. ``without`` are the lines (inclusive) of blocks in it, each of
        which is read as one ``pass``. Each call parses anew; trees are too large to keep.
        """
        if last is None:
            last = len(self.lines)
        lines = list(self.lines[first - 1 : last])
        for start, end in without:
            indentation = lines[start - first][: len(lines[start - first]) - len(lines[start - first].lstrip())]
            lines[start - first : end - first + 1] = [f"{indentation}pass", *[""] * (end - start)]
        return self._parse(lines, first)

    def block(self, first: int, last: int) -> libcst.Module:
        """libcst's tree of the lines of an indented block: one ``if`` that holds it, on line ``first`` - 1 of ``text``.
        ``SyntaxFault``.
        """
        return self._parse(["if 1:", *self.lines[first - 1 : last]], first - 1)

    def _parse(self, lines: Sequence[str], first: int) -> libcst.Module:
        try:
            return parse_module("".join(f"{line}\n" for line in lines))
        except SyntaxFault as fault:
            raise SyntaxFault(first + fault.line - 1, fault.message) from None

    def _span(self, line: int) -> _Span | None:
        at = bisect_right(self._starts, line) - 1
        return self._spans[max(at, 0)] if self._spans else None

    def _read_comments(self) -> Iterator[Comment]:
        # Before 3.12 ``tokenize`` finds comments inside nested f-strings of the newer syntax; ``ast`` refuses those.
        if syntax_fault(self.text) is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tokens = list(tokenize.generate_tokens(io.StringIO(self.text).readline))
            except (tokenize.TokenError, SyntaxError):
                pass
            else:
                yield from (self._comment(*t.start, t.string) for t in tokens if t.type == tokenize.COMMENT)
                return
        try:
            tree = self.tree()
        except SyntaxFault:
            return
        from libcst import Comment as Token
        from libcst.metadata import MetadataWrapper, PositionProvider

        spans = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(PositionProvider)
        found = sorted((s.start.line, s.start.column, n.value) for n, s in spans.items() if isinstance(n, Token))
        yield from (self._comment(*each) for each in found)

    def _comment(self, line: int, column: int, text: str) -> Comment:
        place = self.place(line, column + 1, line, column + 1 + len(text))
        return Comment(place, text, own_line=not self.lines[line - 1][:column].strip())


# --- Parsing ----------------------------------------------------------------------------------------------------------


def parse_ast(text: str) -> ast.Module:
    """The interpreter's own tree. ``SyntaxFault`` for what it cannot read; its warnings never reach a user."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise SyntaxFault(max(error.lineno or 1, 1), error.msg or "invalid syntax") from None
    except (RecursionError, MemoryError):  # MemoryError is what the parser's own stack limit raises
        raise SyntaxFault(1, TOO_DEEP) from None
    except ValueError as error:
        raise SyntaxFault(_odd_line(text), f"{error}".replace("source code string", "source")) from None


def _odd_line(text: str) -> int:
    """The line of the first character that the parser refuses as such: NUL or a lone surrogate."""
    odd = re.search("[\0\ud800-\udfff]", text)
    return text.count("\n", 0, odd.start()) + 1 if odd else 1


def parse_module(text: str) -> libcst.Module:
    """libcst's tree of a text with ``\\n`` newlines. ``SyntaxFault``, also where the parser itself breaks down."""
    if "\0" in text:
        raise SyntaxFault(_odd_line(text), "source cannot contain null bytes")
    if _nests_too_deeply(text):
        raise SyntaxFault(1, TOO_DEEP)
    import libcst

    # Every node is an object that lives on, so each pass of the collector is in vain: it doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return libcst.parse_module(text)
    except libcst.ParserSyntaxError as error:
        raise _libcst_fault(text, error) from None
    except (RecursionError, MemoryError):
        raise SyntaxFault(1, TOO_DEEP) from None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the native parser is no Exception
        raise SyntaxFault(1, f"the parser gave up: {_first_line(str(error))}") from None
    finally:
        if collecting:
            gc.enable()


def _libcst_fault(text: str, error: libcst.ParserSyntaxError) -> SyntaxFault:
    """libcst's complaint with its line, which for a fault of the tokens is always the first: then the interpreter's."""
    kind, _, rest = _first_line(error.message).partition(": ")
    at = re.match(r"error at (\d+):\d+: ", rest)
    if at is None:
        return syntax_fault(text) or SyntaxFault(1, rest or kind)
    expected = rest[at.end() :]
    return SyntaxFault(max(int(at[1]), 1), expected if len(expected) <= 60 else "invalid syntax")


def _first_line(message: str) -> str:
    return message.strip().split("\n", 1)[0]


_NESTING = re.compile(
    r"""(?:\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\#[^\n]*"""
    r"""|(?P<mark>[(\[{]|[)\]}]|[,;\n]|\*\*|[-+*/%@&|^~.<>=]|\b(?:elif|and|or|not|if|else|lambda|await|in|is)\b)""",
    re.DOTALL,
)


def _nests_too_deeply(text: str) -> bool:
    """Whether libcst, which recurses without a limit, might die of a text. A guess from its marks, strings left out."""
    depth = chain = branches = 0
    for match in _NESTING.finditer(text):
        mark = match["mark"]
        if mark is None or mark == "elif":  # adjoining strings nest, too
            branches += mark == "elif"
            chain += 1
        elif mark in "([{":
            depth += 1
            chain += 1
        elif mark in ")]}":
            depth = max(depth - 1, 0)
        elif mark in ",;" or (mark == "\n" and depth == 0):
            chain = 0
        elif mark != "\n":
            chain += 1
        if depth > _MAX_BRACKETS or chain > _MAX_CHAIN or branches > _MAX_CHAIN:
            return True
    return False


def syntax_fault(text: str) -> SyntaxFault | None:
    """What this interpreter has against a text, None when it parses."""
    try:
        parse_ast(text)
    except SyntaxFault as fault:
        return fault
    return None


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_source(
    path: str, data: bytes, *, relevant: Relevance = True, max_bytes: int = DEFAULT_MAX_BYTES
) -> Source | Unreadable:
    """A file's bytes as a ``Source``, or why that cannot be: too large (bytes), no known encoding, no notebook.

    A file of Python that does not parse is a ``Source`` here; a notebook's cells are parsed, and those that fail are
    its ``faults``. ``relevant`` goes into what is unreadable; a test of bytes is given the bytes of the file, or of the
    cell.
    """

    def unreadable(line: int, reason: str, message: str) -> Unreadable:
        known = relevant if isinstance(relevant, bool) else relevant(data)
        return Unreadable(Place(path, line, 1, line, 1), reason, message, known)

    is_notebook = path.endswith(".ipynb")
    limit = max_bytes * (NOTEBOOK_FACTOR if is_notebook else 1)
    if len(data) > limit:
        return unreadable(1, "too-large", f"{len(data):,} bytes, the limit is {limit:,}")
    if is_notebook:
        try:
            cells = notebook.code_cells(data)
        except notebook.NotebookFault as fault:
            return unreadable(fault.line, "notebook", fault.message)
        if (size := sum(len(cell.text) for cell in cells)) > max_bytes:
            return unreadable(1, "too-large", f"{size:,} bytes of code, the limit is {max_bytes:,}")
        return _from_cells(path, cells, relevant)
    try:
        text = decode(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return unreadable(line, "encoding", f"byte 0x{data[error.start]:02x} is not {error.encoding}: {error.reason}")
    except (SyntaxError, LookupError) as error:
        return unreadable(1, "encoding", str(getattr(error, "msg", error)))
    return Source(path, text)


def decode(data: bytes) -> str:
    """The text of a Python file by the rules of the language: byte order mark, then coding cookie, then UTF-8.

    ``SyntaxError`` for a cookie that contradicts the mark or names nothing, ``LookupError`` for a codec that is none of
    text, ``UnicodeDecodeError``, whose ``start`` is an offset into ``data``.
    """
    encoding, _ = tokenize.detect_encoding(_cookie_lines(data).readline)
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = data[mark:].decode(codec)
    except UnicodeDecodeError as error:
        error.start = min(error.start + mark, len(data) - 1)
        raise
    except UnicodeError as error:
        raise LookupError(str(error)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cookie_lines(data: bytes) -> io.BytesIO:
    """The first two lines, where a coding cookie may stand. What is not ASCII there must not decide: decoding does."""
    head = b"\n".join(re.split(rb"\r\n|\r|\n", data[:4096], maxsplit=2)[:2])
    mark = codecs.BOM_UTF8 if head.startswith(codecs.BOM_UTF8) else b""
    return io.BytesIO(mark + bytes(byte if byte < 128 else 63 for byte in head[len(mark) :]) + b"\n")


def _from_cells(path: str, cells: list[notebook.Cell], relevant: Relevance) -> Source:
    parts: list[str] = []
    spans: list[_Span] = []
    faults: list[Unreadable] = []
    first = 1
    for cell in cells:
        text, shift, fault = _cell_python(cell.text, relevant)
        if fault is not None:
            line = min(fault.line, len(cell.lines))
            known = relevant if isinstance(relevant, bool) else relevant(cell.text.encode("utf-8", "replace"))
            faults.append(Unreadable(Place(path, line, 1, line, 1, cell.number), "syntax", fault.message, known))
        parts.append(text)
        spans.append(_Span(first, cell.number, shift, cell.lines))
        first += text.count("\n") + 1
    return Source(path, "".join(f"{part}\n" for part in parts), tuple(spans), tuple(faults))


def _cell_python(text: str, relevant: Relevance) -> tuple[str, int, SyntaxFault | None]:
    """A cell's Python with as many lines, the columns taken off it, and the fault of a cell that had to be blanked."""
    body = notebook.cell_magic(text)
    fault = syntax_fault(body)
    if fault is None:
        return body, 0, None
    for candidate in (plain := notebook.without_escapes(body), *_dedented(plain)):
        fault = syntax_fault(candidate)
        if fault is None:
            return candidate, _indent(body) if candidate is not plain else 0, None
    known = relevant if isinstance(relevant, bool) else relevant(text.encode("utf-8", "replace"))
    if known:
        try:  # syntax that is newer than this interpreter
            parse_module(plain + "\n")
        except SyntaxFault:
            pass
        else:
            return plain, 0, None
    return notebook.blank(text), 0, syntax_fault(plain)


def _dedented(text: str) -> tuple[str, ...]:
    """The text without the indentation of its first line, which IPython takes off, too."""
    width = _indent(text)
    if not width:
        return ()
    lines = text.split("\n")
    return ("\n".join(line[width:] if not line[:width].strip() else line for line in lines),)


def _indent(text: str) -> int:
    first = next((line for line in text.split("\n") if line.strip()), "")
    return len(first) - len(first.lstrip())
