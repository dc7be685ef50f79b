"""A commit beside the working tree: what differs, what was renamed, and what cannot be read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pytest
from repositories import Repo

from toolbind_lint.git import Repository
from toolbind_lint.revision import Checkout, Commit, Compared, compare, pointer
from toolbind_lint.snapshot import Snapshot

TEXT = "def run():\n    return 1\n\n\ndef other():\n    return 2\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def compared(repo: Repo, found: Iterable[str] = (), base: str = "HEAD") -> tuple[Compared, dict[str, bytes], Snapshot]:
    """The comparison, what the base held, read while the repository is open, and the snapshot of now."""
    with Repository(str(repo.root)) as git:
        here = Checkout(git, found)
        result = compare(Commit(git, git.merge_base(base)), git, here, read_data=here.data)
        held = {}
        for path in result.before.paths():
            try:
                held[path] = result.before.read(path)
            except OSError as error:
                held[path] = str(error).encode()
        return result, held, here


def test_what_is_edited_added_and_deleted_differs(repo: Repo) -> None:
    repo.commit({"same.py": TEXT, "old.py": "a", "gone.py": "b", "notes.md": "n"})
    repo.write({"old.py": "A", "gone.py": None, "new.py": "c"})
    result, held, _ = compared(repo, ["same.py", "old.py", "new.py"])
    assert result.changed == {"old.py", "gone.py", "new.py"}
    assert held == {"same.py": TEXT.encode(), "old.py": b"a", "gone.py": b"b"}
    assert result.renamed == {}


def test_newlines_that_a_checkout_converts_are_no_change(repo: Repo) -> None:
    repo.commit({"a.py": TEXT, "b.py": TEXT.replace("\n", "\r\n")})
    repo.write({"a.py": TEXT.replace("\n", "\r\n"), "b.py": TEXT})
    assert compared(repo)[0].changed == frozenset()


def test_the_index_alone_changes_nothing(repo: Repo) -> None:
    """What counts is the working tree: pre-commit brings it to the state of the index before it runs a hook."""
    repo.commit({"a.py": "1"})
    repo.write({"a.py": "2"})
    repo.git("add", "a.py")
    repo.write({"a.py": "1"})
    assert compared(repo)[0].changed == frozenset()


def test_tracked_files_count_even_where_ignored(repo: Repo) -> None:
    repo.commit({"a.py": "1", ".gitignore": "*.py\n"})
    repo.write({"a.py": "2"})
    result, _, here = compared(repo)
    assert result.changed == {"a.py"}
    assert here.paths() == ("a.py",)


def test_what_a_sparse_checkout_left_out_is_there(repo: Repo) -> None:
    repo.commit({"a.py": "1", "b.py": "2"})
    repo.git("update-index", "--skip-worktree", "b.py")
    (repo.root / "b.py").unlink()
    result, held, here = compared(repo)
    assert result.changed == frozenset()
    assert held["b.py"] == b"2"
    assert list(here.paths()) == ["a.py", "b.py"]
    with Repository(str(repo.root)) as git:
        assert Checkout(git, ()).read("b.py") == b"2"


def test_excluded_files_are_on_neither_side(repo: Repo) -> None:
    repo.commit({"a.py": "1", "vendor/b.py": "2"})
    repo.write({"vendor/b.py": "3"})

    def left_out(path: str) -> bool:
        return path.startswith("vendor/")

    with Repository(str(repo.root)) as git:
        here = Checkout(git, (), left_out)
        result = compare(Commit(git, git.commit("HEAD")), git, here, left_out=left_out)
    assert result.changed == frozenset()
    assert here.paths() == result.before.paths() == ("a.py",)


def test_renamed_files_are_paired(repo: Repo) -> None:
    repo.commit({"a.py": TEXT, "b.py": "x = 1\n" * 9, "c.py": "unlike\n"})
    repo.write({"a.py": None, "b.py": None, "c.py": None})
    repo.write({"pkg/a.py": TEXT, "pkg/core.py": TEXT.replace("2", "3") + "x = 1\n" * 7, "d.py": "q\n"})
    result, _, _ = compared(repo, ["pkg/a.py", "pkg/core.py", "d.py"])
    assert result.renamed == {"pkg/a.py": "a.py", "pkg/core.py": "b.py"}


def test_links_are_not_read(repo: Repo) -> None:
    (repo.root / "link.py").symlink_to("a.py")
    repo.commit({"a.py": "1"})
    result, held, here = compared(repo)
    assert result.changed == frozenset()
    assert list(held) == list(here.paths()) == ["a.py"]


def test_changed_files_of_data_are_known(repo: Repo) -> None:
    repo.commit({"limits.toml": "a = 1", "same.json": "{}", "gone.cfg": "x", "a.py": "1", "logo.png": b"1"})
    repo.write({"limits.toml": "a = 2", "gone.cfg": None, "logo.png": b"2", "new.yaml": "a: 1"})
    repo.git("add", "new.yaml")
    assert compared(repo)[0].data == {"limits.toml", "gone.cfg", "new.yaml"}


def test_files_of_git_lfs_are_read_where_their_content_is(repo: Repo) -> None:
    content = b"x = 1\n"
    oid = hashlib.sha256(content).hexdigest()
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    assert pointer(text.encode()) == oid
    assert pointer(content) is None
    repo.commit({"a.py": text, "b.py": text})
    repo.write({"a.py": content, "b.py": "y = 2\n"})
    result, held, _ = compared(repo)
    assert result.changed == {"a.py", "b.py"}
    assert b"kept by Git LFS" in held["b.py"]
    store = repo.root / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    store.parent.mkdir(parents=True)
    store.write_bytes(content)
    result, held, _ = compared(repo)
    assert result.changed == {"b.py"}
    assert held["b.py"] == content


def test_the_files_of_a_submodule_are_taken_as_they_are(repo: Repo, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit({"inner.py": "1"})
    repo.commit({"a.py": "1"})
    repo.git("submodule", "--quiet", "add", other.root.as_uri(), "lib")
    repo.commit()
    result, held, _ = compared(repo, ["a.py", "lib/inner.py"])
    assert (result.changed, result.notes) == (frozenset(), ())
    assert held["lib/inner.py"] == b"1"
    inner = Repo(repo.root / "lib")
    inner.commit({"inner.py": "2"})
    repo.commit()
    result, held, _ = compared(repo, ["a.py", "lib/inner.py"], "HEAD~1")
    assert result.changed == frozenset()
    assert "only the files of now are known: lib" in result.notes[0]


def test_a_merge_of_the_base_is_no_change_of_ours(repo: Repo) -> None:
    repo.commit({"a.py": "1"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"b.py": "1"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": "2"})
    repo.git("checkout", "-q", "topic")
    assert compared(repo, base="main")[0].changed == {"b.py"}
