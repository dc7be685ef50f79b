"""The reference dispatcher's own sources, laid beside a project that imports it instead of vendoring it.

What the project does is then read through its imports as through any other helper's. The sources are read for facts;
nothing in them is reported on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from toolbind_lint.index import Project
from toolbind_lint.snapshot import Overlay, Snapshot

_PACKAGE = "toolbind_lint"
_FOLDER = f"{_PACKAGE}/runtime"
_READ = ("__init__", "core", "loop")
_ASKING = f"{_PACKAGE}.runtime.adapters"
"""Read where it is imported: a project with a model of its own asks no other."""


def with_dispatcher(snapshot: Snapshot, project: Project) -> Snapshot | None:
    """The snapshot with the dispatcher's sources in it; None where the project does not import them, or has a package
    of that name itself. ``OSError`` where the installation is broken.
    """
    imported = {name for path in project.holding(_PACKAGE.encode()) for name in _imports(project, path)}
    if not imported:
        return None
    here = Path(__file__).parent / "runtime"
    wanted = [*_READ]
    if any(f"{name}.".startswith(f"{_ASKING}.") for name in imported):
        wanted.append("adapters")
    files: dict[str, bytes | None] = {f"{_FOLDER}/{name}.py": (here / f"{name}.py").read_bytes() for name in wanted}
    return Overlay(snapshot, {f"{_PACKAGE}/__init__.py": b"", **files})


def _imports(project: Project, path: str) -> Iterator[str]:
    """What a file imports of the dispatcher, dotted."""
    module = project.module(path)
    for each in module.imports if module is not None and project.module_path(path, _PACKAGE, 0) is None else ():
        name = f"{each.module}.{each.name or ''}"
        if each.level == 0 and f"{name}.".startswith(f"{_PACKAGE}.runtime."):
            yield name
