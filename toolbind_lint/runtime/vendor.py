"""Copies the dispatcher into a project: ``core`` and its ``workers`` as one file, on the standard library alone."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

_HEAD = "# toolbind-lint's reference dispatcher, as `toolbind-lint dispatcher --write` writes it.\n# sha256 {}\n"
_CORE = "toolbind_lint.runtime.core"
_HERE = Path(__file__).parent


class _Module:
    """A module's text in parts: docstring, imports of the standard library, and all that follows."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        self.docstring = "".join(lines[: tree.body[0].end_lineno])
        self.body = "".join(lines[imports[-1].end_lineno :]).strip("\n")
        self.plain = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
        self.names: dict[str, set[str]] = {}
        for node in imports:
            if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("toolbind_lint"):
                self.names.setdefault(node.module, set()).update(alias.name for alias in node.names)


def dispatcher() -> str:
    """The text of the vendored file, without its two lines of head."""
    core, workers = _Module(_HERE / "core.py"), _Module(_HERE / "workers.py")
    plain = sorted(core.plain | workers.plain)
    names = {
        module: sorted(core.names.get(module, set()) | workers.names.get(module, set()), key=_by_kind)
        for module in sorted({*core.names, *workers.names} - {"__future__"})
    }
    imports = [f"import {name}\n" for name in plain]
    imports += [f"from {module} import {', '.join(used)}\n" for module, used in names.items()]
    head = f"{core.docstring}\nfrom __future__ import annotations\n\n{''.join(imports)}\n"
    return f"{head}{workers.body}\n\n\n{core.body}\n"


def _by_kind(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def write(path: str | Path, tests: bool = False) -> list[Path]:
    """Write the dispatcher to ``path`` (in a folder: ``dispatcher.py``), with ``tests`` the six tests beside it.

    Returns what was written. FileExistsError for a file that is not ours or was changed by hand, and nothing is written
    then; OSError.
    """
    target = Path(path)
    if target.is_dir():
        target /= "dispatcher.py"
    files = {target: dispatcher()}
    if tests:
        text = (
            (_HERE / "acceptance.py")
            .read_text("utf-8")
            .replace(f"from {_CORE} import", f"from {_dotted(target)} import")
        )
        files[target.with_name(f"test_{target.stem}.py")] = text
    for file in files:
        if file.exists() and not _ours(file.read_text("utf-8", "replace")):
            raise FileExistsError(f"{file} exists, and is not as it was written")
    for file, text in files.items():
        file.write_text(_HEAD.format(_digest(text)) + text, "utf-8")
    return list(files)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _ours(text: str) -> bool:
    head, _, body = text.partition("\n# sha256 ")
    digest, _, body = body.partition("\n")
    return head == _HEAD.partition("\n")[0] and digest == _digest(body)


def _dotted(file: Path) -> str:
    """The name under which a test beside ``file`` imports it: packages count as far up as they go."""
    parts, folder = [file.stem], file.resolve().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)
