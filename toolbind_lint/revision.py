"""A commit beside the working tree: which files differ, and a snapshot of how they were.

Files that do not differ are read once, from the working tree. Submodules and files kept by Git LFS are read where their
content is on this machine; where it is not, that is said.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from toolbind_lint.datafiles import is_data_file
from toolbind_lint.git import REGULAR, SUBMODULE, SYMLINK, Blob, Repository, name_of, same
from toolbind_lint.snapshot import Snapshot, WorkingTree
from toolbind_lint.versions import is_manifest

LINTED = (".py", ".ipynb")
SUFFIXES = (*LINTED, ".pyi")

_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:[^\n]+\n)*?oid sha256:([0-9a-f]{64})\n")
_LARGEST_POINTER = 1024

DATA_SUFFIXES = (".cfg", ".conf", ".env", ".ini", ".json", ".lock", ".toml", ".txt", ".yaml", ".yml")
"""Files beside Python ones whose numbers, versions and settings a run may depend on."""

LARGEST_DATA = 8 * 1024 * 1024
ALIKE = 0.5
"""Of a file that is gone and one that came: the part of their lines that both share, above which it was renamed."""
_MOST_PAIRS = 10_000


class Commit:
    """The files of one commit as a snapshot: ``paths`` are those that are read for their facts, ``read`` gives any."""

    def __init__(self, repository: Repository, commit: str) -> None:
        self.commit = commit
        self.entries = dict(repository.tree(commit))
        self._repository = repository
        self._paths = tuple(sorted(path for path in self.entries if _is_read(path) and self.holds(path)))

    def holds(self, path: str) -> bool:
        """Whether the commit has a file of this path (a link and a submodule are none)."""
        entry = self.entries.get(path)
        return entry is not None and entry.mode in REGULAR

    def blob(self, path: str) -> Blob | None:
        """What the commit has at a path, if that is a file."""
        return self.entries[path] if self.holds(path) else None

    def paths(self) -> Sequence[str]:
        """Every Python file and manifest, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when the commit has none of this path, or its content is not here."""
        blob = self.blob(path)
        if blob is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        data = self._repository.read(blob, path)
        oid = pointer(data)
        return data if oid is None else self._large(oid, path)

    def _large(self, oid: str, path: str) -> bytes:
        """The content behind an LFS pointer, from the store of this clone."""
        try:
            data = Path(self._repository.folder(), "lfs", "objects", oid[:2], oid[2:4], oid).read_bytes()
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != oid:
            raise FileNotFoundError(errno.ENOENT, "kept by Git LFS and not here (`git lfs fetch` gets it)", path)
        return data


def pointer(data: bytes) -> str | None:
    """The SHA-256 of the content for which an LFS pointer stands, None for any other file."""
    match = _POINTER.match(data) if len(data) <= _LARGEST_POINTER else None
    return match[1].decode("ascii") if match is not None else None


class Checkout:
    """The working tree with all that is tracked, also where it is ignored, and with what a sparse checkout left out.

    ``found`` are the files that discovery found; ``left_out`` says which files the settings exclude.
    """

    def __init__(
        self, repository: Repository, found: Iterable[str], left_out: Callable[[str], bool] = lambda path: False
    ) -> None:
        self._repository = repository
        index, skipped = repository.index(), repository.skipped()
        tracked = {path for path, blob in index.items() if blob.mode in REGULAR}
        self._absent = {path: index[path] for path in tracked & skipped}
        python = {path for path in tracked if _is_read(path) and not left_out(path)}
        python = {path for path in python if path in skipped or _is_regular(Path(repository.root, path))}
        self._tree = WorkingTree(repository.root, [*found, *tracked])
        self._tracked = tuple(sorted(python - skipped))
        self._paths = tuple(sorted({*found, *python}))

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when it is not there or cannot be read."""
        blob = self._absent.get(path)
        return self._tree.read(path) if blob is None else self._repository.read(blob, path)

    def data(self, path: str) -> bytes | None:
        """The bytes of any tracked file, None when it is not there or is too large to look at."""
        try:
            if path not in self._absent and Path(self._repository.root, path).lstat().st_size > LARGEST_DATA:
                return None
            return self.read(path)
        except OSError:
            return None

    def tracked_under(self, starts: Sequence[str]) -> Sequence[str]:
        """The tracked files of the checkout that can be linted at or below these paths; an empty one is the root."""
        return [
            path
            for path in self._tracked
            if path.endswith(LINTED) and any(not s or path == s or path.startswith(f"{s}/") for s in starts)
        ]


class Before:
    """A snapshot of the commit that takes from the working tree what did not change."""

    def __init__(self, commit: Commit, now: Snapshot, paths: Iterable[str], changed: Collection[str]) -> None:
        self._commit = commit
        self._now = now
        self._changed = frozenset(changed)
        self._paths = tuple(sorted(paths))
        self._known = frozenset(self._paths)

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when it is not there or cannot be read."""
        if path in self._known and path not in self._changed:
            return self._now.read(path)
        return self._commit.read(path)


class Compared(NamedTuple):
    """What a commit and the working tree hold.

    ``changed`` are the files read for their facts that differ or are on one side only, ``data`` other files that do;
    ``renamed`` maps a path of now to that of then. ``tracked`` are all other files of either side.
    """

    before: Snapshot
    changed: frozenset[str]
    data: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = {}
    tracked: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def compare(
    commit: Commit,
    repository: Repository,
    now: Snapshot,
    *,
    left_out: Callable[[str], bool] = lambda path: False,
    read_data: Callable[[str], bytes | None] = lambda path: None,
) -> Compared:
    """Compare the files of ``now`` with a commit.

    ``left_out`` says which files the settings exclude; ``read_data`` gives the bytes of another file of the working
    tree, None where there is none. Raises GitError.
    """
    here = frozenset(now.paths())
    modules = tuple(path for path, entry in commit.entries.items() if entry.mode == SUBMODULE)
    links = tuple(path for path, entry in commit.entries.items() if entry.mode == SYMLINK)
    inside = {path for path in here if path in links or path.startswith(tuple(f"{top}/" for top in (*modules, *links)))}
    there = {path for path in commit.paths() if not left_out(path)}
    there |= {path for path in here if commit.holds(path)}
    changed = set((here ^ there) - inside)
    for path in sorted((here & there) - inside):
        if _differs(path, commit, now):
            changed.add(path)
    notes = _moved_submodules(repository, commit, modules)
    before = Before(commit, now, there | inside, changed)
    gone, came = sorted(changed - here), sorted(changed - there)
    tracked, data = _data(repository, commit, read_data)
    renamed = _renamed(gone, came, commit, now)
    return Compared(before, frozenset(changed), data, renamed, tracked, notes)


def _is_read(path: str) -> bool:
    return path.endswith(SUFFIXES) or is_manifest(path) or is_data_file(path)


def _differs(path: str, commit: Commit, now: Snapshot) -> bool:
    blob = commit.blob(path)
    assert blob is not None
    try:
        data = now.read(path)
        if same(data, blob):
            return False
        old = commit.read(path)
    except OSError:
        return True
    return data.replace(b"\r\n", b"\n") != old.replace(b"\r\n", b"\n")


def _moved_submodules(repository: Repository, commit: Commit, modules: Iterable[str]) -> tuple[str, ...]:
    """What is to be said of submodules whose commit is another one now: their old files are not looked for."""
    index = repository.index() if modules else {}
    moved = [path for path in modules if path in index and index[path] != commit.entries[path]]
    if not moved:
        return ()
    named = ", ".join(sorted(moved))
    return (f"of submodules that moved to another commit only the files of now are known: {named}",)


def _data(
    repository: Repository, commit: Commit, read: Callable[[str], bytes | None]
) -> tuple[frozenset[str], frozenset[str]]:
    """Other tracked files, and those of them that differ."""
    paths = {path for path in (*commit.entries, *repository.index()) if path.endswith(DATA_SUFFIXES)}
    found = set()
    for path in paths:
        blob, data = commit.blob(path), read(path)
        if blob is None or data is None:
            if (blob is None) != (data is None):
                found.add(path)
        elif not same(data, blob):
            found.add(path)
    return frozenset(paths), frozenset(found)


# Renames


def _renamed(gone: Sequence[str], came: Sequence[str], commit: Commit, now: Snapshot) -> dict[str, str]:
    """Pairs of a path that came and the one that it had: the same bytes, else the most alike."""
    if not gone or not came:
        return {}
    pairs: dict[str, str] = {}
    old = {path: _lines(commit, path) for path in gone}
    new = {path: _lines(now, path) for path in came}
    by_name = {path: blob.id for path in gone if (blob := commit.blob(path)) is not None}
    for path in came:
        data = _bytes(now, path)
        same_bytes = [p for p in gone if p in by_name and p not in pairs.values() and _is(data, by_name[p])]
        if same_bytes:
            pairs[path] = min(same_bytes, key=lambda p: (Path(p).name != Path(path).name, p))
    rest = [(o, n) for o in gone if o not in pairs.values() for n in came if n not in pairs]
    if len(rest) > _MOST_PAIRS:
        return pairs
    scored = sorted(((-_alike(old[o], new[n]), o, n) for o, n in rest))
    for score, o, n in scored:
        if -score >= ALIKE and n not in pairs and o not in pairs.values():
            pairs[n] = o
    return pairs


def _is(data: bytes | None, id: str) -> bool:
    return data is not None and bool(data.strip()) and name_of(data, id) == id


def _bytes(snapshot: Snapshot, path: str) -> bytes | None:
    try:
        return snapshot.read(path)
    except OSError:
        return None


def _lines(snapshot: Snapshot, path: str) -> Counter[bytes]:
    data = _bytes(snapshot, path) or b""
    return Counter(line.strip() for line in data.splitlines() if line.strip())


def _alike(old: Counter[bytes], new: Counter[bytes]) -> float:
    most = max(old.total(), new.total())
    return (old & new).total() / most if most else 0.0


def _is_regular(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
