"""The laws of the house that a machine can hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolbind_lint.catalogue import SCHEMAS, Row, load_catalogue

PACKAGE = Path(__file__).resolve().parents[1] / "toolbind_lint"

ORDER = (
    *("__main__", "cli", "pull", "touched", "tainted", "compare", "lint", "imported", "loosened", "config", "discover"),
    *("recognise", "index", "source", "older", "notebook", "revision", "git", "versions", "datafiles", "snapshot"),
    *("check", "causes", "triage", "baseline", "fingerprint", "fix", "report"),
    *("catalogue", "selection", "globs", "findings", "changes", "verdicts", "facts", "room", "__init__"),
)
"""Modules and packages of toolbind_lint; each imports only what stands behind it."""

LATE = ("libcst", "rich", "pathspec", "multiprocessing", "concurrent", "subprocess", "asyncio")
"""Imported in the function that needs them: start-up is felt in every hook."""

FILES = sorted(path for path in PACKAGE.rglob("*.py") if "runtime" not in path.relative_to(PACKAGE).parts)


def identify(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def unit(path: Path) -> str:
    """The name in ORDER of a file: a module, or the package that holds it."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[str, tuple[str, ...], ast.stmt]]:
    """Every import of a tree: the module, the names that it binds, the statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, (alias.asname or alias.name.split(".")[0],), node
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", (alias.asname or alias.name,), node


def own_unit(module: str) -> str | None:
    """The unit of an imported dotted name of this package."""
    parts = module.split(".")
    if parts[0] != "toolbind_lint":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in {unit(path) for path in FILES} else "__init__"


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_imports_run_one_way(path: Path) -> None:
    here = unit(path)
    assert here in ORDER, f"{here} has no place in ORDER"
    for module, _, node in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if module.startswith("toolbind_lint.runtime"):
            assert here == "cli" and node.col_offset, f"line {node.lineno}: only a command may load the runtime, late"
            continue
        there = own_unit(module)
        if there is not None and there != here:
            assert ORDER.index(here) < ORDER.index(there), f"line {node.lineno}: {here} must not import {there}"


def test_the_order_names_no_module_that_is_gone() -> None:
    later = {"fix"}
    assert set(ORDER) - later <= {unit(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_every_import_is_for_its_names(path: Path) -> None:
    """No module is imported for a side effect."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    written = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for module, names, node in imports(tree):
        if module.startswith("__future__"):
            continue
        for name in names:
            quoted = any(re.search(rf"\b{name}\b", text) for text in written)
            assert name in used or quoted, f"line {node.lineno}: {module} is imported and not used"


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_importing_a_module_does_nothing(path: Path) -> None:
    """At the top of a module stand definitions: no bare calls, loops, or handlers."""
    allowed = (
        ast.Import,
        ast.ImportFrom,
        ast.Assign,
        ast.AnnAssign,
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.ClassDef,
    )
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        guard = isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "__name__ == '__main__'"}
        assert isinstance(node, allowed) or text or guard, f"line {node.lineno}: runs when imported"


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_heavy_modules_are_imported_late(path: Path) -> None:
    late = set(LATE) - ({"libcst"} if unit(path) == "recognise" else set())
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module, _, _ in imports(node):
                assert module.split(".")[0] not in late, f"line {node.lineno}: {module} belongs into a function"


# Framework words


def framework_rows() -> list[Row]:
    """Rows of frameworks that are packages; the rest is Python's own library."""
    catalogue = load_catalogue()
    packages = set(catalogue.roots.values())
    return [row for row in catalogue.rows if row.framework in packages]


PARAMETERS = ("tools", "choice", "messages", "stream", "needs", "param", "stop")
"""Keys of the catalogue whose values name parameters."""

ORDINARY = frozenset(
    {
        "agents",
        "body",
        "config",
        "input",
        "is_error",
        "llm",
        "message",
        "model",
        "options",
        "prompt",
        "run_sync",
        "swarm",
        "tags",
        "timeout",
    }
)
"""Words of speech, or of Python's own libraries, that are also a root, a parameter or a method of a framework."""


def framework_words() -> tuple[frozenset[str], frozenset[str]]:
    """Words that no string may equal, and words that no identifier may equal either.

    Strings must equal neither an import root nor a parameter, but for the keys of the catalogue's own schema. An
    identifier may be an ordinary word that some framework also uses (``tools``, ``stream``): alone it carries no
    knowledge. What nobody writes by chance, with an underscore or a capital within, it may not be.
    """
    catalogue = load_catalogue()
    rows = framework_rows()
    parameters = {value for row in rows for key in PARAMETERS for value in row.all(key)}
    words = {
        word
        for row in rows
        for key, values in row.texts.items()
        if key not in {"source", "versions", "kind", "form"}
        for value in values
        for word in re.findall(r"[A-Za-z_]\w*", value)
    }
    distinctive = {word for word in words if "_" in word.strip("_") or re.search(r"[a-z][A-Z]", word)}
    roots = frozenset(catalogue.roots)
    own = frozenset(key for table in SCHEMAS.values() for key in table)
    return (roots | parameters | distinctive) - own - ORDINARY, (roots | distinctive) - ORDINARY


def identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg, node.value.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def test_the_catalogue_yields_words_to_look_for() -> None:
    strings, names = framework_words()
    assert len(names) > 20
    assert names <= strings


@pytest.mark.parametrize("path", FILES, ids=identify)
def test_framework_words_live_with_the_frameworks(path: Path) -> None:
    """Nothing in the linter knows a framework: a new one is a folder of data."""
    strings, names = framework_words()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name, line in identifiers(tree):
        assert name not in names, f"line {line}: the identifier {name!r} is a word of the catalogue"
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in strings, f"line {node.lineno}: {node.value!r} is a word of the catalogue"
