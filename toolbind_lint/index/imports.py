"""Which file of the project an import means.

Python asks ``sys.path``, which no linter knows. So the roots are those that a project can have put there: the folders
above the importer, the top, ``src`` folders, folders that hold a package, what the configuration names; and, for
scripts, the importer's own folder. A name is never looked for elsewhere: that some deep folder has a ``json.py`` means
nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence

_SUFFIXES = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")  # Python's own order, then stubs
_SOURCE_FOLDERS = ("src",)


class Resolver:
    """Finds project files by module name. Built from the paths alone; reads nothing.

    ``roots`` are further folders to look in. ``foreign`` are top-level names of libraries: inside a package a sibling
    file of that name is not what an import of it means.
    """

    def __init__(self, paths: Sequence[str], roots: Sequence[str] = (), foreign: Collection[str] = ()) -> None:
        self._files = frozenset(path for path in paths if path.endswith((".py", ".pyi")))
        self._folders = frozenset(folder for path in self._files for folder in _above(path))
        self._packages = frozenset(
            _folder(path) for path in self._files if path.rpartition("/")[2] in ("__init__.py", "__init__.pyi")
        )
        self._scripted = frozenset(map(_folder, self._files)) - {""}
        self._foreign = frozenset(foreign)
        self._roots = self._find_roots(roots)
        self._near: dict[str, tuple[str, ...]] = {}
        self._known: dict[tuple[str, str, int], str | None] = {}

    def find(self, importer: str, module: str, level: int) -> str | None:
        """The file that ``importer`` means by ``module`` behind ``level`` dots; None for a library or a bare folder."""
        folder = _folder(importer)
        key = (folder, module, level)
        if key not in self._known:
            self._known[key] = self._relative(folder, module, level) if level else self._absolute(folder, module)
        return self._known[key]

    def _relative(self, folder: str, module: str, level: int) -> str | None:
        for _ in range(level - 1):
            if not folder:
                return None
            folder = _folder(folder)
        return self._at(folder, module)

    def _absolute(self, folder: str, module: str) -> str | None:
        top = module.split(".", 1)[0]
        is_script = folder not in self._packages
        if top in sys.stdlib_module_names:
            # The standard library wins over everything but the folder of the script that runs.
            return self._at(folder, module) if is_script else None
        for root in self._roots_for(folder):
            found = self._at(root, module)
            if found is not None:
                return found
        if is_script or top not in self._foreign:
            return self._at(folder, module) or (None if top in self._foreign else self._beside_a_script(folder, module))
        return None

    def _beside_a_script(self, folder: str, module: str) -> str | None:
        """A module in a folder above that is no package, though it lies in one, and holds scripts: they run there."""
        for above in _above(folder):
            if above in self._scripted and above not in self._packages and self._in_package(above):
                found = self._at(above, module)
                if found is not None:
                    return found
        return None

    def _at(self, root: str, module: str) -> str | None:
        stem = "/".join(part for part in (root, module.replace(".", "/")) if part)
        if not stem:
            return next((name for name in ("__init__.py", "__init__.pyi") if name in self._files), None)
        return next((stem + suffix for suffix in _SUFFIXES if stem + suffix in self._files), None)

    def _roots_for(self, folder: str) -> tuple[str, ...]:
        """All roots, nearest to ``folder`` first: by the path they share, then the shallower, then by name."""
        if folder not in self._near:
            own = set(_above(f"{folder}/x" if folder else "x")) - {folder}
            plausible = {root for root in own if not self._in_package(root)} | self._roots
            self._near[folder] = tuple(
                sorted(plausible, key=lambda root: (-_shared(root, folder), root.count("/") if root else -1, root))
            )
        return self._near[folder]

    def _in_package(self, folder: str) -> bool:
        return any(above in self._packages for above in _above(f"{folder}/x")) if folder else False

    def _find_roots(self, extra: Sequence[str]) -> frozenset[str]:
        roots = {"", *(root.strip("/") for root in extra if root != ".")}
        for package in self._packages:
            # The outermost folder counts: a package may hold folders without __init__.py that hold packages.
            above = [folder for folder in _above(f"{package}/x") if folder and folder in self._packages]
            roots.add(_folder(above[-1]) if above else "")
        for folder in self._folders:
            if folder.rpartition("/")[2] in _SOURCE_FOLDERS and not self._in_package(folder):
                roots.add(folder)
        return frozenset(roots)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _above(path: str) -> list[str]:
    """The folders that a path is in, innermost first, down to the empty one."""
    found = []
    while path:
        path = _folder(path)
        found.append(path)
    return found


def _shared(root: str, folder: str) -> int:
    """How many leading folders two paths share."""
    return next(_differences(root, folder))


def _differences(one: str, other: str) -> Iterator[int]:
    left, right = one.split("/") if one else [], other.split("/") if other else []
    for count, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            yield count
    yield min(len(left), len(right))
