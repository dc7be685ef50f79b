"""Where bytes come from: the working tree, memory, and an overlay over any of them.

Paths are relative to the project root, separated by ``/``, in code point order; bytes of a file name that are no UTF-8
stand in them as lone surrogates, as ``os.fsdecode`` writes them. Nothing else in the product opens a linted file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

LARGEST_READ = 256 * 1024 * 1024
"""Bytes. A file above it is refused before it is read, so that no linted tree can fill the memory."""


class Snapshot(Protocol):
    """A fixed set of files."""

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when it is not there or cannot be read."""


class WorkingTree:
    """Files below a folder on disk, as many as discovery found. They are read when asked for, not before."""

    def __init__(self, root: str, paths: Sequence[str]) -> None:
        self.root = root
        self._paths = tuple(sorted(set(paths)))
        self._known = frozenset(self._paths)

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when it is not of the tree, is gone, is no regular file, or is vast."""
        if path not in self._known:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        # Without O_NONBLOCK the open of a named pipe that took a file's place would wait for ever.
        handle = os.open(Path(self.root, path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file", path)
            if status.st_size > LARGEST_READ:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            return file.read()


class Memory:
    """Files that exist as bytes only: tests, standard input, examples."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self._paths = tuple(sorted(self._files))

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``FileNotFoundError`` when it is not there."""
        try:
            return self._files[path]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None


class Overlay:
    """Another snapshot with some files replaced, added, or (``None``) taken away."""

    def __init__(self, base: Snapshot, changes: Mapping[str, bytes | None]) -> None:
        self._base = base
        self._changes = dict(changes)
        gone = {path for path, data in self._changes.items() if data is None}
        self._paths = tuple(sorted((set(base.paths()) | set(self._changes)) - gone))

    def paths(self) -> Sequence[str]:
        """Every path, sorted, each once."""
        return self._paths

    def read(self, path: str) -> bytes:
        """The bytes of one file. ``OSError`` when it is not there or was taken away."""
        if path not in self._changes:
            return self._base.read(path)
        data = self._changes[path]
        if data is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return data
