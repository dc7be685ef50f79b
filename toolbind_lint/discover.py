"""Which files are linted, and which are read for their facts only.

Linted are ``.py`` and ``.ipynb`` files under the given paths. Read besides are all Python files of the project, so
that a hook that passes one file sees its importers and helpers. Paths are relative to the project root, with ``/``;
a name that is no UTF-8 has its bytes as lone surrogates, as ``os.fsdecode`` gives them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from toolbind_lint.datafiles import is_data_file
from toolbind_lint.versions import is_manifest

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LINTED = (".py", ".ipynb")
READ = (".py", ".ipynb", ".pyi")

FOLDER_LIMIT = 2000
"""Outside a project at most so many folders are read for facts (a project's own tree has no limit)."""

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
"""Files that make a working directory outside any repository a project whose whole tree is read."""


class DiscoveryError(Exception):
    """A given path does not exist, or cannot be read: usage, not a finding."""


class Root(NamedTuple):
    """The project root (absolute), and whether its whole tree belongs to one project."""

    path: str
    project: bool


class Found(NamedTuple):
    """What discovery found: paths relative to the root, sorted. ``read`` includes the targets.

    ``notes`` are for standard error; ``failed`` are folders under the given paths that could not be listed, each
    with its error: files in them were not checked.
    """

    targets: tuple[str, ...]
    read: tuple[str, ...]
    notes: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


class Excluded(Protocol):
    """Whether the settings leave out a file or folder; ``whole`` also asks about the folders that hold it."""

    def __call__(self, path: str, *, folder: bool, whole: bool = False) -> bool:
        """Answer for a path relative to the root."""


def absolute(path: str, cwd: str) -> str:
    """A given path without ``.``, ``..`` and doubled separators. Links are resolved only where ``..`` needs it."""
    joined = Path(cwd, path)
    if ".." not in joined.parts:
        return str(joined)
    if joined.name == "..":
        return os.path.realpath(joined)
    return str(Path(os.path.realpath(joined.parent)) / joined.name)


def find_root(paths: Sequence[str], cwd: str, *, configured: Callable[[str], str | None]) -> Root:
    """The root for absolute ``paths``: the repository's top, else the nearest configuration's folder, else the
    working directory.

    ``configured`` gives the nearest folder upwards with a configuration. The home directory, its parents, and the
    folders for temporary files are never read as one project, even if one of them is a repository.
    """
    common = _common([path if Path(path).is_dir() else str(Path(path).parent) for path in paths] or [cwd])
    marked = repository_top(common) or configured(common)
    if marked is not None:
        return Root(marked, not _broad(marked))
    if not _within(common, cwd):
        return Root(common, False)
    return Root(cwd, not _broad(cwd) and any(Path(cwd, name).is_file() for name in PROJECT_FILES))


def repository_top(folder: str) -> str | None:
    """The nearest folder upwards that has a ``.git`` (a folder, or a file in worktrees and submodules)."""
    here = Path(folder)
    return next((str(parent) for parent in (here, *here.parents) if (parent / ".git").exists()), None)


def discover(
    paths: Sequence[str],
    root: Root,
    *,
    excluded: Excluded,
    excluded_outside: Excluded | None = None,
    respect_gitignore: bool = True,
    force_exclude: bool = False,
) -> Found:
    """Find the targets under absolute ``paths`` and the files to read besides. Raises DiscoveryError for a path that
    is not there.

    A file that is given by name is linted even where it is excluded or ignored, unless ``force_exclude``; so is what
    lies under a folder given by name. ``excluded_outside`` serves the files that are only read.
    """
    ignores = _Ignores(root.path) if respect_gitignore else None
    walk = _Walk(root.path, excluded, ignores)
    targets: set[str] = set()
    notes: list[str] = []
    starts: list[str] = []
    for path in paths:
        relative = relative_to(path, root.path)
        if not os.path.lexists(path):
            raise DiscoveryError(f"{path}: no such file or folder")
        folder = Path(path).is_dir()
        if force_exclude and relative and excluded(relative, folder=folder, whole=True):
            continue
        if folder:
            starts.append(relative)
        elif not Path(path).is_file():
            raise DiscoveryError(f"{path}: is no regular file")
        elif _given_file_counts(path):
            targets.add(relative)
        elif not path.endswith(READ):
            notes.append(f"{path}: is no Python file, skipped")
    for start in starts:
        targets.update(file for file in walk.tree(start) if file.endswith(LINTED))
    failed = tuple(walk.failed)
    if any(not start for start in starts):
        read = set(walk.found)
    else:
        outside = _Walk(root.path, excluded_outside or excluded, ignores)
        for around in _context(root, targets):
            notes.extend(outside.part(around.folder, around.mode))
        notes.extend(
            f"{path}: cannot be listed, nothing in it was read for facts: {why}" for path, why in outside.failed
        )
        read = outside.found | walk.found
    return Found(tuple(sorted(targets)), tuple(sorted(read | targets)), tuple(notes), failed)


def _is_read(path: str) -> bool:
    """Whether a file is read for its facts: Python, what says which versions of packages the project admits, or data
    that may hold a number.
    """
    return path.endswith(READ) or is_manifest(path) or is_data_file(path)


def _given_file_counts(path: str) -> bool:
    """Whether a file given by name is linted: by its suffix, or by the first line of a script without one."""
    if path.endswith((*LINTED, ".pyw")):
        return True
    if path.endswith(READ) or Path(path).suffix:
        return False
    try:
        with Path(path).open("rb") as file:
            first = file.readline(200)
    except OSError:
        return True  # the reader says what is wrong with it
    return first.startswith(b"#!") and b"python" in first


class _Start(NamedTuple):
    folder: str
    mode: str  # "all", "near" (no other repositories, limited), "packages" (only packages below)


def _context(root: Root, targets: Iterable[str]) -> list[_Start]:
    """Where to read for facts: the project; outside one, the root if it is narrow enough, else the targets' own
    folders.
    """
    if root.project:
        return [_Start("", "all")]
    if not _broad(root.path) and repository_top(root.path) is None:
        return [_Start("", "near")]
    folders = sorted({target.rpartition("/")[0] for target in targets})
    return [_Start(f, "packages" if _broad(str(Path(root.path, f))) else "near") for f in folders]


def _broad(path: str) -> bool:
    """Whether a folder holds a person's whole world: a file system's top, the home directory or above, temporary
    files.
    """
    here = os.path.realpath(path)
    try:
        home = os.path.realpath(Path.home())
    except RuntimeError:  # a user without a home, as in some containers
        home = ""
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    temporary = {os.path.realpath(folder) for folder in ("/tmp", "/var/tmp", *named) if folder}
    return str(Path(here).parent) == here or _within(home, here) or here in temporary


def _common(folders: Sequence[str]) -> str:
    try:
        return os.path.commonpath(folders)
    except ValueError as error:  # different drives
        raise DiscoveryError("the given paths have no folder in common") from error


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def relative_to(path: str, root: str) -> str:
    """An absolute path under ``root`` as a root-relative one with ``/``; empty for the root itself."""
    if path == root:
        return ""
    return path[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


class _Walk:
    """Lists trees of one root: every file once, in a stable order, never out of the root, never round in a circle."""

    def __init__(self, root: str, excluded: Excluded, ignores: _Ignores | None) -> None:
        self.root = root
        self.excluded = excluded
        self.ignores = ignores
        self.found: set[str] = set()
        self.failed: list[tuple[str, str]] = []
        self.real_root = os.path.realpath(root)

    def tree(self, start: str) -> list[str]:
        """All Python files under a folder given by name."""
        files, links = [], []
        exempt = start if self.ignores is not None and start and self.ignores.covers(start) else ""
        queue = [start]
        while queue:
            folder = queue.pop()
            for entry, path in self._entries(folder):
                if entry.is_symlink():
                    links.append(path)
                elif entry.is_dir(follow_symlinks=False):
                    if not self._left_out(path, True, exempt):
                        queue.append(path)
                elif _is_read(path) and entry.is_file() and not self._left_out(path, False, exempt):
                    files.append(path)
        files.extend(self._linked(sorted(links), files, exempt))
        self.found.update(files)
        return files

    def part(self, start: str, mode: str) -> list[str]:
        """Find files to read for facts under a folder, nearest first; returns notes."""
        if mode == "all":
            self.tree(start)
            return []
        queue = deque([start])
        seen = 0
        while queue:
            seen += 1
            if seen > FOLDER_LIMIT:
                return [f"only {FOLDER_LIMIT} folders around the given paths were read for facts: start in a project"]
            for entry, path in self._entries(queue.popleft()):
                if entry.is_symlink() or self._left_out(path, entry.is_dir(), ""):
                    continue
                if entry.is_dir():
                    if self._near(path, mode):
                        queue.append(path)
                elif _is_read(path) and entry.is_file():
                    self.found.add(path)
        return []

    def _near(self, folder: str, mode: str) -> bool:
        here = Path(self.root, folder)
        return (here / "__init__.py").is_file() if mode == "packages" else not (here / ".git").exists()

    def _entries(self, folder: str) -> list[tuple[os.DirEntry[str], str]]:
        try:
            with os.scandir(Path(self.root, folder)) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.failed.append((folder or ".", error.strerror or str(error)))
            return []
        return [(entry, f"{folder}/{entry.name}" if folder else entry.name) for entry in listed]

    def _left_out(self, path: str, folder: bool, exempt: str) -> bool:
        if self.excluded(path, folder=folder):
            return True
        return self.ignores is not None and self.ignores.hits(path, folder=folder, below=exempt)

    def _linked(self, links: Sequence[str], files: Sequence[str], exempt: str) -> Iterator[str]:
        """Files behind links that stay in the root and are not among the found ones under their own name."""
        if not links:
            return
        known = {os.path.realpath(Path(self.root, file)) for file in files}
        folders: set[str] = set()
        queue = list(reversed(links))
        while queue:
            path = queue.pop()
            real = os.path.realpath(Path(self.root, path))
            folder = Path(real).is_dir()
            if not _within(real, self.real_root) or self._left_out(path, folder, exempt):
                continue
            if folder and real not in folders and not _within(self.real_root, real):
                folders.add(real)
                queue.extend(inner for _, inner in reversed(self._entries(path)))
            elif not folder and path.endswith(READ) and Path(real).is_file() and real not in known:
                known.add(real)
                yield path


class _Ignores:
    """What git ignores below the root: nested ``.gitignore`` files and ``.git/info/exclude``, read where they apply."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.specs: dict[str, tuple[GitIgnoreSpec, ...]] = {}

    def hits(self, path: str, *, folder: bool, below: str = "") -> bool:
        """Whether this very path is ignored, by the patterns of folders from ``below`` down; the nearest word wins."""
        holder = path
        while holder:
            holder = holder.rpartition("/")[0]
            for spec in self._specs(holder):
                inner = path[len(holder) + 1 :] if holder else path
                verdict = spec.check_file(f"{inner}/" if folder else inner).include
                if verdict is not None:
                    return verdict
            if holder == below:
                break
        return False

    def covers(self, path: str) -> bool:
        """Whether this folder or one that holds it is ignored."""
        parts = path.split("/")
        return any(self.hits("/".join(parts[:n]), folder=True) for n in range(1, len(parts) + 1))

    def _specs(self, folder: str) -> tuple[GitIgnoreSpec, ...]:
        known = self.specs.get(folder)
        if known is None:
            files = [Path(self.root, folder, ".gitignore")]
            if not folder:
                files.append(_info_exclude(self.root))
            known = self.specs[folder] = tuple(spec for file in files if (spec := _ignore_file(file)) is not None)
        return known


def _ignore_file(path: Path) -> GitIgnoreSpec | None:
    """The patterns of one file; None, without importing anything, when there are none."""
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


def _info_exclude(root: str) -> Path:
    """``info/exclude`` of the repository, also of a worktree's main one."""
    git = Path(root, ".git")
    try:
        if git.is_file():
            git = Path(root, git.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
            common = git / "commondir"
            git = git / common.read_text(encoding="utf-8").strip() if common.is_file() else git
    except (OSError, UnicodeDecodeError):
        pass
    return git / "info" / "exclude"
