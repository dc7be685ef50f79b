"""Reading a repository: what is found, what is refused, and that nothing of it is run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from repositories import Repo

from toolbind_lint.git import Blob, GitError, Repository, environment, name_of, same


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def test_trees_hold_files_links_and_strange_names(repo: Repo) -> None:
    (repo.root / "link.py").symlink_to("a.py")
    strange = {"a.py": "x = 1\n", "pkg/b b.py": "", 'pkg/"q".py': "y", "new\nline.py": "z", "ümlaut.py": "u"}
    commit = repo.commit(strange)
    with Repository(str(repo.root)) as git:
        tree = git.tree(commit)
        assert set(tree) == {*strange, "link.py"}
        assert tree["link.py"].mode == "120000"
        assert {path: git.read(tree[path]).decode() for path in strange} == strange
        assert git.index() == tree


def test_a_name_that_is_no_utf8_is_kept(repo: Repo) -> None:
    (repo.root / os.fsdecode(b"caf\xe9.py")).write_bytes(b"x")
    commit = repo.commit()
    with Repository(str(repo.root)) as git:
        assert list(git.tree(commit)) == ["caf\udce9.py"]


def test_objects_of_any_content_come_back_whole(repo: Repo) -> None:
    files: dict[str, str | bytes | None] = {f"{n}.py": bytes([n % 256]) * n for n in (0, 1, 10, 255, 5000, 100_000)}
    commit = repo.commit({**files, "crlf.py": b"a\r\nb\n\n\0"})
    with Repository(str(repo.root)) as git:
        tree = git.tree(commit)
        for path, data in files.items():
            assert git.read(tree[path]) == data
        assert git.read(tree["crlf.py"]) == b"a\r\nb\n\n\0"


def test_an_object_that_is_not_there_is_told_and_the_next_is_read(repo: Repo) -> None:
    commit = repo.commit({"a.py": "x"})
    with Repository(str(repo.root)) as git:
        with pytest.raises(FileNotFoundError, match="is not here"):
            git.read(Blob("100644", "0" * 40), "gone.py")
        with pytest.raises(OSError, match="no object name"):
            git.read(Blob("100644", "x\nHEAD"), "a.py")
        with pytest.raises(OSError, match="no whole file"):
            git.read(Blob("100644", commit), "a.py")
        assert git.read(git.tree(commit)["a.py"]) == b"x"


def test_names_are_those_that_git_gives(repo: Repo) -> None:
    commit = repo.commit({"a.py": "x = 1\n"})
    with Repository(str(repo.root)) as git:
        blob = git.tree(commit)["a.py"]
    assert name_of(b"x = 1\n", blob.id) == blob.id
    assert same(b"x = 1\r\n", blob)
    assert not same(b"x = 2\n", blob)
    assert len(name_of(b"", "0" * 64)) == 64


@pytest.mark.parametrize(
    "revision", ["", "-x", "--upload-pack=touch x", "a\nb", "nothing", "HEAD:a.py", "HEAD~5", ":/no"]
)
def test_what_is_no_commit_is_refused(repo: Repo, revision: str) -> None:
    repo.commit({"a.py": "x"})
    with Repository(str(repo.root)) as git, pytest.raises(GitError):
        git.merge_base(revision)


def test_the_merge_base_is_where_both_grew_from(repo: Repo) -> None:
    start = repo.commit({"a.py": "1"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"b.py": "1"})
    repo.git("checkout", "-q", "main")
    repo.commit({"c.py": "1"})
    repo.git("checkout", "-q", "topic")
    with Repository(str(repo.root)) as git:
        assert git.merge_base("main") == start


def test_no_common_history_is_told(repo: Repo) -> None:
    repo.commit({"a.py": "1"})
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit({"b.py": "1"})
    with Repository(str(repo.root)) as git, pytest.raises(GitError, match="no common history"):
        git.merge_base("main")


def test_a_shallow_clone_is_told_what_to_fetch(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1"})
    repo.commit({"a.py": "2"})
    repo.git("clone", "-q", "--depth", "1", repo.root.as_uri(), str(tmp_path / "clone"))
    with Repository(str(tmp_path / "clone")) as git:
        assert git.shallow()
        with pytest.raises(GitError, match="fetch-depth"):
            git.merge_base("HEAD~1")


def test_a_merge_commit_of_depth_two_has_its_first_parent(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1"})
    base = repo.commit({"a.py": "2"})
    repo.git("checkout", "-q", "-b", "topic", "HEAD~1")
    repo.commit({"b.py": "2"})
    repo.git("checkout", "-q", "--detach", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "m", "topic")
    repo.git("branch", "merged")
    repo.git("clone", "-q", "--depth", "2", "-b", "merged", repo.root.as_uri(), str(tmp_path / "clone"))
    with Repository(str(tmp_path / "clone")) as git:
        assert git.merge_base("HEAD^1") == base


def test_the_index_takes_our_side_of_a_conflict_and_nothing_that_is_only_announced(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"a.py": "theirs\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a.py": "ours\n"})
    with pytest.raises(Exception, match="merge"):
        repo.git("merge", "topic")
    repo.write({"new.py": "x"})
    repo.git("add", "-N", "new.py")
    with Repository(str(repo.root)) as git:
        index = git.index()
        assert name_of(b"ours\n", index["a.py"].id) == index["a.py"].id


def test_what_a_sparse_checkout_leaves_out_is_known(repo: Repo) -> None:
    repo.commit({"a.py": "1", "b/c.py": "2"})
    repo.git("update-index", "--skip-worktree", "b/c.py")
    with Repository(str(repo.root)) as git:
        assert git.skipped() == {"b/c.py"}


def test_no_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="--base needs one"):
        Repository(str(tmp_path))


def test_git_that_cannot_be_run_is_an_error(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="needs git"):
        Repository(str(repo.root))


def test_nothing_that_a_repository_names_is_run(repo: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    repo.commit({"a.py": "1\n", ".gitattributes": "*.py filter=evil diff=evil\n"})
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.evil.clean"):
        repo.git("config", key, str(script))
    for key in ("filter.evil.smudge", "diff.evil.textconv", "core.alternateRefsCommand", "core.askPass", "core.editor"):
        repo.git("config", key, str(script))
    for name in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        hook = repo.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(script.read_bytes())
        hook.chmod(0o755)
    with Repository(str(repo.root)) as git:
        commit = git.merge_base("main")
        assert git.read(git.tree(commit)["a.py"]) == b"1\n"
        git.index()
        git.skipped()
    assert not mark.exists()


def test_replaced_objects_do_not_stand_for_the_base(repo: Repo) -> None:
    old = repo.commit({"a.py": "1\n"})
    new = repo.commit({"a.py": "2\n"})
    repo.git("replace", old, new)
    with Repository(str(repo.root)) as git:
        assert git.read(git.tree(old)["a.py"]) == b"1\n"


def test_a_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a.py": "1\n"})
    second = repo.commit({"a.py": "2\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--filter=blob:none", repo.root.as_uri(), str(clone))
    with Repository(str(clone)) as git:
        tree = git.tree(f"{second}~1")
        with pytest.raises(FileNotFoundError, match="partial"):
            git.read(tree["a.py"], "a.py")


def test_the_environment_keeps_nothing_that_steers_git() -> None:
    made = environment({"GIT_DIR": "x", "GIT_INDEX_FILE": "y", "GIT_CONFIG_COUNT": "1", "PATH": "p"})
    assert made["PATH"] == "p"
    assert not re.search(r"GIT_(DIR|INDEX_FILE|CONFIG_COUNT)", " ".join(made))
    assert made["GIT_ALLOW_PROTOCOL"] == "none"
