"""Which rows of the catalogue no longer hold: reads the newest releases, and imports none of them.

``python -m benchmarks.drift [FRAMEWORK ...]`` downloads, for each row, the release that its source names and the
newest one (``pip download --no-deps``), and reads their Python files. A row holds where what it calls is defined there
and what it bounds has the default that it says: on the line that the source names, as long as that stands there, else
in that file, and where it says nothing of it, anywhere. A row with ``gone-in`` is held against its own release alone.
Exit status 1 when a row does not hold, 2 when nothing could be read.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from toolbind_lint.catalogue import Catalogue, Row, load_catalogue
from toolbind_lint.versions import admitted

KINDS = ("agent", "run", "bound", "toolset", "forced-setting", "retry", "client")
"""The kinds whose rows are checked."""

_SOURCE = re.compile(r"(?P<package>[A-Za-z0-9_.\-]+?)(?:-(?P<version>\d[\w.]*))?:(?P<path>[^:]+)(?::(?P<line>\d+))?")


class Release(NamedTuple):
    """The Python files of one release by their paths."""

    package: str
    version: str
    files: Mapping[str, str]


class Drift(NamedTuple):
    """A row that does not hold in a release, and what is not there."""

    framework: str
    kind: str
    release: str
    what: str


Defaults = Mapping[str, frozenset[str]]


class Known(NamedTuple):
    """What a release defines: names, the defaults of parameters and fields as written, and those of each file."""

    names: frozenset[str]
    defaults: Defaults
    files: Mapping[str, Defaults]


def known(release: Release) -> Known:
    """What the files of a release define."""
    names: set[str] = set()
    trees: dict[str, ast.Module] = {}
    constants: dict[str, str] = {}
    for path, text in release.files.items():
        names.update(path.removesuffix(".py").removesuffix("/__init__").split("/"))
        try:
            trees[path] = ast.parse(text)
        except SyntaxError:
            continue
        constants.update(_constants(trees[path]))
    defaults: dict[str, set[str]] = {}
    files: dict[str, Defaults] = {}
    for path, tree in trees.items():
        own: dict[str, set[str]] = {}
        local = {**constants, **_constants(tree)}
        for node in ast.walk(tree):
            for name, value in _defined(node):
                names.add(name)
                if value is not None:
                    own.setdefault(name, set()).add(_plain(local.get(value, value)))
        files[path] = {name: frozenset(values) for name, values in own.items()}
        for name, values in own.items():
            defaults.setdefault(name, set()).update(values)
    return Known(frozenset(names), {name: frozenset(values) for name, values in defaults.items()}, files)


def _constants(tree: ast.Module) -> dict[str, str]:
    return {
        target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _defined(node: ast.AST) -> Iterator[tuple[str, str | None]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name, None
        args = node.args
        plain = [*args.posonlyargs, *args.args]
        given = [*[None] * (len(plain) - len(args.defaults)), *args.defaults]
        for arg, value in [*zip(plain, given, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]:
            yield arg.arg, ast.unparse(value) if value is not None else None
    elif isinstance(node, ast.ClassDef):
        yield node.name, None
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, ast.unparse(node.value) if node.value is not None else None
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, ast.unparse(node.value)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, ast.unparse(value)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, None
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value, None  # keys of typed dicts, and names that a package gives out on demand


def _plain(value: str) -> str:
    """A default as the catalogue writes it: ``Field(default=25, ...)`` and ``10_000`` as their numbers."""
    match = re.match(r"(?:\w+\.)*(?:Field|field)\((?:.*\bdefault=)?([^,)]+)", value)
    text = (match[1] if match else value).replace("_", "")
    return {"float('inf')": "inf", "None": "none"}.get(text, text)


def check(row: Row, release: Release, facts: Known, origin: Release | None = None) -> Iterator[Drift]:
    """What a row says and a release does not; ``origin`` is the release that its source names."""
    told = f"{release.package} {release.version}"
    for call in row.all("call"):
        name = call.removesuffix("()").rpartition(".")[2]
        if "{" not in call and name not in facts.names:
            yield Drift(row.framework, row.kind, told, f"{call} is not defined")
    if row.kind == "bound" and not (origin is not None and _stands(row, release, origin)):
        yield from _bound(row, told, facts)
    for key in ("filter", "loops-with", "members", "stop"):
        for param in row.all(key):
            name = param.rpartition(":")[2].partition(".")[0]
            if key in {"filter", "stop"} and name not in facts.names:
                yield Drift(row.framework, row.kind, told, f"the parameter {name} is gone")


def _stands(row: Row, release: Release, origin: Release) -> bool:
    """Whether the line of the source speaks of the parameter or its default, and stands in a release as it did."""
    match = _SOURCE.fullmatch(row.one("source"))
    if match is None or match["line"] is None:
        return False
    number = int(match["line"])
    lines = origin.files.get(match["path"], "").splitlines()[number - 1 : number + 2]
    said = "\n".join(line.strip() for line in lines)
    names = [name.rpartition(".")[2] for name in (row.one("param"), *row.all("path"))]
    default = row.one("default").replace("_", "")
    spoken = any(name in said for name in names) or (default.isdigit() and default in said.replace("_", ""))
    text = "\n".join(line.strip() for line in release.files.get(match["path"], "").splitlines())
    return bool(said) and spoken and said in text


def _bound(row: Row, told: str, facts: Known) -> Iterator[Drift]:
    names = [name.rpartition(".")[2] for name in row.all("path") if not name.isdigit()] or [row.one("param")]
    for name in names:
        if name not in facts.names:
            yield Drift(row.framework, row.kind, told, f"the parameter {name} is gone")
            continue
        wanted = row.one("default").replace("_", "")
        numbers = _numbers(row, name, facts)
        if wanted.isdigit() and numbers and not any(_same(wanted, value) for value in numbers):
            # None often stands for a default that is set elsewhere: only other numbers tell against the row.
            if numbers - {"none"}:
                yield Drift(row.framework, row.kind, told, f"{name} is {', '.join(sorted(numbers))}, not {wanted}")
        elif wanted == "none" and numbers and "none" not in numbers:
            yield Drift(row.framework, row.kind, told, f"{name} is {', '.join(sorted(numbers))} by default")


def _numbers(row: Row, name: str, facts: Known) -> frozenset[str]:
    """The defaults of a parameter: those of the file that the source names, else of all.

    A constant that bears the parameter's name (``DEFAULT_MAX_STEPS``) counts beside them.
    """
    match = _SOURCE.fullmatch(row.one("source"))
    for defaults in (facts.files.get(match["path"], {}) if match else {}, facts.defaults):
        found = set(defaults.get(name, frozenset()))
        for constant, values in defaults.items():
            if constant.isupper() and name.lower() in constant.lower():
                found |= values
        numbers = frozenset(value for value in found if re.fullmatch(r"-?\d+(\.\d+)?|none|inf", value))
        if numbers:
            return numbers
    return frozenset()


def _same(one: str, other: str) -> bool:
    return other not in {"none", "inf"} and float(one) == float(other)


# ---- releases


def releases(row: Row, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """The releases to look at, by package and version: the source's, and the newest where the row speaks of it."""
    match = _SOURCE.fullmatch(row.one("source"))
    package = match["package"] if match else next(iter(catalogue.packages.get(row.framework, ())), "")
    if match and match["version"]:
        yield package, match["version"]
    if package and not row.one("gone-in") and admitted(None, row.one("versions")):
        yield package, ""


def _named(row: Row) -> tuple[str, str]:
    """The package and version that the source of a row names."""
    match = _SOURCE.fullmatch(row.one("source"))
    return (match["package"], match["version"] or "") if match else ("", "")


def download(package: str, version: str, folder: Path) -> Release | None:
    """One release, read without unpacking; None where the index has no wheel of it."""
    target = folder / f"{package}-{version or 'newest'}"
    if not target.is_dir():
        wanted = f"{package}=={version}" if version else package
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(target), wanted]
        subprocess.run(command, capture_output=True, check=False)
    wheel = next(iter(sorted(target.glob("*.whl"))), None) if target.is_dir() else None
    if wheel is None:
        return None
    with zipfile.ZipFile(wheel) as archive:
        files = {
            name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist() if name.endswith(".py")
        }
    return Release(package, wheel.name.split("-")[1], files)


def main(argv: list[str] | None = None) -> int:
    """Check the catalogue and print what no longer holds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__)
    parser.add_argument("frameworks", nargs="*", help="names of frameworks; all by default")
    parser.add_argument("--downloads", type=Path, help="where releases are kept between runs")
    args = parser.parse_args(argv)
    catalogue = load_catalogue()
    rows = [r for r in catalogue.rows if r.kind in KINDS and (not args.frameworks or r.framework in args.frameworks)]
    with tempfile.TemporaryDirectory() as made:
        folder = args.downloads or Path(made)
        facts: dict[tuple[str, str], tuple[Release, Known] | None] = {}
        drifts: dict[Drift, None] = {}
        for row in rows:
            for wanted in releases(row, catalogue):
                if wanted not in facts:
                    release = download(*wanted, folder)
                    facts[wanted] = (release, known(release)) if release is not None else None
                    if release is None:
                        print(f"unread: {wanted[0]} {wanted[1] or '(newest)'}", file=sys.stderr)
                found = facts[wanted]
                if found is not None:
                    named = facts.get(_named(row))
                    drifts.update(dict.fromkeys(check(row, *found, named[0] if named is not None else None)))
    for drift in drifts:
        print(f"{drift.framework}: {drift.kind}: {drift.release}: {drift.what}")
    read = sum(found is not None for found in facts.values())
    print(f"{len(rows)} rows, {read} releases read, {len(drifts)} drifts", file=sys.stderr)
    return 2 if rows and not read else 1 if drifts else 0


if __name__ == "__main__":
    raise SystemExit(main())
