"""Reads a git repository through its objects and its index: no checkout, no hook, no filter, no network, no write.

The repository may be hostile: its configuration could name programs for git to run, and its references could be
replaced. So git runs with an environment of our own, is asked only for what its object store holds, and never fetches.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import subprocess

REGULAR = frozenset({"100644", "100755", "100664"})
SYMLINK = "120000"
SUBMODULE = "160000"

LARGEST_OBJECT = 256 * 1024 * 1024
"""Bytes; an object above it is refused, as a file of the working tree is."""

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "core.askPass=",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "pager.ls-tree=false",
)
"""What no repository may decide for us. On the command line they win over every file."""


class GitError(Exception):
    """Git is missing, or cannot answer; the text says what to do."""


class Blob(NamedTuple):
    """One entry of a tree or of the index: ``mode`` as git writes it (``100644``), ``id`` the object's name."""

    mode: str
    id: str


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment in which git runs: the caller's, without what steers git, and with what holds it still."""
    kept = {name: value for name, value in given.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_PAGER": "cat",
    }


class Repository:
    """The repository whose top is ``root`` (absolute). Raises GitError where git cannot be run or refuses it."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._command = ["git", "--no-pager", "--no-replace-objects"]
        for setting in _SETTINGS:
            self._command += ["-c", setting]
        self._batch: subprocess.Popen[bytes] | None = None
        status, _, said = self._run("rev-parse", "--git-dir")
        if status:
            raise GitError(f"{_first(said) or 'this is no git repository'}: --base needs one")

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process that reads objects, if there is one."""
        batch, self._batch = self._batch, None
        if batch is not None:
            for stream in (batch.stdin, batch.stdout):
                if stream is not None:
                    stream.close()
            batch.wait()

    def folder(self) -> str:
        """The folder in which git keeps what all its working trees share."""
        _, said, _ = self._run("rev-parse", "--git-common-dir")
        return os.path.join(self.root, os.fsdecode(said.rstrip(b"\n")))  # noqa: PTH118 - the second may be absolute

    # Revisions

    def commit(self, revision: str) -> str:
        """The full name of the commit that a revision means. Raises GitError."""
        if not revision or revision.startswith("-") or any(ord(c) < 32 or ord(c) == 127 for c in revision):
            raise GitError(f"{revision!r} is no revision")
        status, said, _ = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if status or not said.strip():
            raise GitError(f"there is no commit `{revision}` here{self._what_to_fetch(revision)}")
        return said.decode("ascii", "replace").strip()

    def merge_base(self, revision: str) -> str:
        """The commit from which HEAD and a revision have both grown. Raises GitError where there is none."""
        other = self.commit(revision)
        head = self.commit("HEAD")
        status, said, errors = self._run("merge-base", other, head)
        if status == 0 and said.strip():
            return said.decode("ascii", "replace").split()[0]
        if status == 1:
            raise GitError(f"HEAD and `{revision}` have no common history{self._what_to_fetch(revision)}")
        raise GitError(f"git merge-base: {_first(errors)}{self._what_to_fetch(revision)}")

    def ask(self, *args: str) -> str:
        """What git answers, without the blanks around it; empty where it fails. For questions about revisions only."""
        status, said, _ = self._run(*args)
        return "" if status else os.fsdecode(said).strip()

    def shallow(self) -> bool:
        """Whether the history is cut."""
        status, said, _ = self._run("rev-parse", "--is-shallow-repository")
        return status == 0 and said.strip() == b"true"

    def _what_to_fetch(self, revision: str) -> str:
        if not self.shallow():
            return "" if revision == "HEAD" else ": fetch it first"
        return (
            ". The clone is shallow: its history is cut before it. Fetch the rest with `git fetch --unshallow`, or give"
            " the checkout step `fetch-depth: 0` (for a pull request's merge commit `fetch-depth: 2` and `HEAD^1` do)"
        )

    # Trees and the index

    def tree(self, commit: str) -> dict[str, Blob]:
        """Every file, link and submodule of a commit by path. Raises GitError."""
        rows = self._rows("ls-tree", "-r", "-z", "--full-tree", commit)
        return {os.fsdecode(path): Blob(*_words(head, 0, 2)) for head, path in rows}

    def index(self) -> dict[str, Blob]:
        """The same of the index. Of a path in conflict our side counts; what is only announced (`add -N`) does not."""
        found: dict[str, Blob] = {}
        for head, name in self._rows("ls-files", "-z", "--stage"):
            mode, id, stage = _words(head, 0, 1, 2)
            path = os.fsdecode(name)
            if stage in {"0", "2"} or path not in found:
                found[path] = Blob(mode, id)
        return found

    def skipped(self) -> frozenset[str]:
        """Paths that a sparse checkout leaves out of the working tree."""
        _, said, _ = self._run("ls-files", "-z", "-t")
        rows = (row.partition(b" ") for row in said.split(b"\0") if row)
        return frozenset(os.fsdecode(path) for tag, _, path in rows if tag == b"S")

    def _rows(self, *args: str) -> Iterator[tuple[str, bytes]]:
        status, said, errors = self._run(*args)
        if status:
            raise GitError(f"git {args[0]}: {_first(errors)}{self._why_missing()}")
        for row in said.split(b"\0"):
            head, tab, path = row.partition(b"\t")
            if tab:
                yield head.decode("ascii", "replace"), path

    def _why_missing(self) -> str:
        status, said, _ = self._run("config", "--get-regexp", r"^remote\..*\.promisor$")
        partial = status == 0 and b"true" in said
        return (
            ". The clone is partial, and nothing is fetched here: `git fetch --refetch --no-filter`" if partial else ""
        )

    # Objects

    def read(self, blob: Blob, path: str = "") -> bytes:
        """The bytes of a file's object. Raises OSError (``path`` names the file in it) where they are not here."""
        batch = self._reader()
        if not blob.id.isalnum():
            raise OSError(errno.EINVAL, "no object name", path)
        try:
            _stream(batch.stdin).write(blob.id.encode("ascii") + b"\n")
            _stream(batch.stdin).flush()
            head = _stream(batch.stdout).readline().split()
            if len(head) != 3:
                raise FileNotFoundError(errno.ENOENT, f"object {blob.id[:12]} is not here{self._why_missing()}", path)
            kind, size = head[1], int(head[2])
            if size > LARGEST_OBJECT:
                self.close()  # rather than to read it all to get behind it
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
            data = _stream(batch.stdout).read(size + 1)[:-1]
        except (BrokenPipeError, ValueError) as error:
            self.close()
            raise OSError(errno.EIO, f"git cat-file ended: {error}", path) from error
        if len(data) != size or kind != b"blob":
            raise OSError(errno.EIO, f"object {blob.id[:12]} is no whole file", path)
        return data

    def _reader(self) -> subprocess.Popen[bytes]:
        import subprocess

        if self._batch is None:
            self._batch = subprocess.Popen(
                [*self._command, "cat-file", "--batch"],
                cwd=self.root,
                env=environment(os.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._batch

    def _run(self, *args: str) -> tuple[int, bytes, bytes]:
        import subprocess

        try:
            done = subprocess.run(
                [*self._command, *args],
                cwd=self.root,
                env=environment(os.environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            raise GitError(f"--base needs git, which cannot be run: {error.strerror or error}") from error
        return done.returncode, done.stdout, done.stderr


def name_of(data: bytes, like: str) -> str:
    """The name that git gives to a file of these bytes, in the hash of the object name ``like``."""
    digest = hashlib.sha256() if len(like) == 64 else hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def same(data: bytes, blob: Blob) -> bool:
    """Whether a file of the working tree holds what an object holds, newlines aside: a checkout may convert them."""
    if name_of(data, blob.id) == blob.id:
        return True
    return b"\r\n" in data and name_of(data.replace(b"\r\n", b"\n"), blob.id) == blob.id


def _first(said: bytes) -> str:
    """The first line of what git said, without its label."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else ""


def _words(head: str, *numbers: int) -> Sequence[str]:
    words = head.split()
    return [words[number] for number in numbers]


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
