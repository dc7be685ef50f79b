"""Numbers that code reads from a committed file: which file at which constant path, and which keys lead to them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue
from toolbind_lint.datafiles import Entry, find, is_data_file
from toolbind_lint.recognise import ir
from toolbind_lint.recognise.program import External, Function, Program
from toolbind_lint.snapshot import Snapshot

MAX_DEPTH = 10


class Read(NamedTuple):
    """A value of a file of the project."""

    path: str
    entry: Entry


class Documents:
    """The data files of a snapshot, read when asked for."""

    def __init__(self, program: Program, catalogue: Catalogue, snapshot: Snapshot | None) -> None:
        self.program = program
        self.catalogue = catalogue
        self.snapshot = snapshot
        self._known: frozenset[str] | None = None
        self._data: dict[str, bytes] = {}

    def read(self, expr: ir.Expr, function: Function) -> Read | None:
        """The value of ``CONFIG["agent"]["max_steps"]`` and its like, where CONFIG is a committed file."""
        if self.snapshot is None:
            return None
        keys: list[str] = []
        inner: ir.Expr = expr
        while True:
            step = _key(inner)
            if step is None:
                break
            inner, key = step
            keys.insert(0, key)
        if not keys:
            return None
        for path in self._files(inner, function, 0):
            entry = find(path, self._bytes(path), keys)
            if entry is not None:
                return Read(path, entry)
        return None

    # ---- the file

    def _files(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[str]:
        """The files whose content an expression may be."""
        if depth > MAX_DEPTH:
            return
        if isinstance(expr, ir.Call):
            names = [m.name for m in self.program.resolve(expr.func, function) if isinstance(m, External)]
            if any(self.catalogue.find("loads", n) for n in names) and expr.args:
                yield from self._opened(expr.args[0].value, function, depth + 1)
                return
            for target in self.program.targets(expr, function):
                for value in target.returned:
                    yield from self._files(value, target, depth + 2)
            return
        for value, scope in self.program.values(expr, function):
            if value is not expr:
                yield from self._files(value, scope, depth + 2)

    def _opened(self, expr: ir.Expr, function: Function, depth: int) -> Iterator[str]:
        """The files that an argument of a loader reads: an open file, its text, or a path."""
        if depth > MAX_DEPTH:
            return
        if isinstance(expr, ir.Name):
            for binding in self.program.lookup(expr.id, function):
                if binding.kind in {"assign", "context"} and binding.value is not None:
                    yield from self._opened(binding.value, binding.scope, depth + 1)
            return
        if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr):
            if expr.func.name in {"read", "decode"}:
                yield from self._opened(expr.func.base, function, depth + 1)
                return
            if expr.func.name in {"read_text", "read_bytes", "open"}:
                yield from self._at(self.path(expr.func.base, function), function)
                return
        if isinstance(expr, ir.Call) and expr.args:
            names = [m.name for m in self.program.resolve(expr.func, function) if isinstance(m, External)]
            if "builtins.open" in names or "io.open" in names:
                yield from self._at(self.path(expr.args[0].value, function), function)
                return
        yield from self._at(self.path(expr, function), function)

    def _at(self, path: str | None, function: Function) -> Iterator[str]:
        """The committed file at a path: from the root, or beside the module."""
        if path is None:
            return
        if self._known is None:
            assert self.snapshot is not None
            self._known = frozenset(p for p in self.snapshot.paths() if is_data_file(p))
        folder = posixpath.dirname(function.module.path)
        for base in ("", folder):
            found = posixpath.normpath(posixpath.join(base, path))
            if found in self._known:
                yield found
                return

    def path(self, expr: ir.Expr, function: Function, depth: int = 0) -> str | None:
        """A path made of constants and of the module's own place, relative to the root; None for any other."""
        if depth > MAX_DEPTH:
            return None
        if isinstance(expr, ir.Const):
            return expr.value if isinstance(expr.value, str) else None
        if isinstance(expr, ir.Name):
            if expr.id == "__file__":
                return function.module.path
            values = [(v, s) for v, s in self.program.values(expr, function) if v is not expr]
            return self.path(values[0][0], values[0][1], depth + 1) if len(values) == 1 else None
        if isinstance(expr, ir.Bin) and expr.op == "/":
            return self._joined([expr.left, expr.right], function, depth)
        if isinstance(expr, ir.Attr) and expr.name == "parent":
            inner = self.path(expr.base, function, depth + 1)
            return None if inner is None else posixpath.dirname(inner)
        if isinstance(expr, ir.Subscript) and isinstance(expr.base, ir.Attr) and expr.base.name == "parents":
            inner = self.path(expr.base.base, function, depth + 1)
            number = expr.index.value if isinstance(expr.index, ir.Const) else None
            for _ in range(number + 1 if isinstance(number, int) else 0):
                inner = None if inner is None else posixpath.dirname(inner)
            return inner
        if isinstance(expr, ir.Call):
            return self._called(expr, function, depth)
        return None

    def _called(self, expr: ir.Call, function: Function, depth: int) -> str | None:
        names = {m.name for m in self.program.resolve(expr.func, function) if isinstance(m, External)}
        args = [a.value for a in expr.args if a.name is None and not a.star]
        if names & {"pathlib.Path", "pathlib.PurePath", "os.path.join", "builtins.str"}:
            return self._joined(args, function, depth) if args else None
        if names & {"os.path.dirname"} and args:
            inner = self.path(args[0], function, depth + 1)
            return None if inner is None else posixpath.dirname(inner)
        if names & {"os.path.abspath", "os.path.realpath"} and args:
            return self.path(args[0], function, depth + 1)
        if isinstance(expr.func, ir.Attr):
            base = self.path(expr.func.base, function, depth + 1)
            if base is None:
                return None
            if expr.func.name in {"resolve", "absolute", "expanduser"}:
                return base
            if expr.func.name == "with_name" and args:
                return self._beside(posixpath.dirname(base), args, function, depth)
            if expr.func.name == "joinpath":
                return self._beside(base, args, function, depth)
        return None

    def _beside(self, base: str, args: list[ir.Expr], function: Function, depth: int) -> str | None:
        parts = [self.path(a, function, depth + 1) for a in args]
        return None if any(p is None for p in parts) else posixpath.join(base, *[p for p in parts if p is not None])

    def _joined(self, parts: list[ir.Expr], function: Function, depth: int) -> str | None:
        found = [self.path(p, function, depth + 1) for p in parts]
        return None if any(p is None for p in found) else posixpath.join(*[p for p in found if p is not None])

    def _bytes(self, path: str) -> bytes:
        if path not in self._data:
            assert self.snapshot is not None
            try:
                self._data[path] = self.snapshot.read(path)
            except OSError:
                self._data[path] = b""
        return self._data[path]


def _key(expr: ir.Expr) -> tuple[ir.Expr, str] | None:
    """``(x, "k")`` of ``x["k"]`` and ``x.get("k", …)``."""
    if isinstance(expr, ir.Subscript) and isinstance(expr.index, ir.Const) and isinstance(expr.index.value, str):
        return expr.base, expr.index.value
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name == "get" and expr.args:
        key = expr.args[0].value
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            return expr.func.base, key.value
    return None
