"""Which files are linted, and which are read for their facts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolbind_lint import discover as module
from toolbind_lint.config import Settings
from toolbind_lint.discover import DiscoveryError, Found, Root, absolute, discover, find_root, relative_to

Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Make empty files (and, with a text, full ones) below a fresh folder."""

    def make(*names: str, **texts: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", encoding="utf-8")
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return make


def found(
    root: Path,
    *paths: str,
    project: bool = True,
    settings: Settings | None = None,
    force: bool = False,
    ignore: bool = True,
) -> Found:
    settings = settings or Settings(root=str(root))
    return discover(
        [absolute(path, str(root)) for path in paths or (".",)],
        Root(str(root), project),
        excluded=settings.excluded,
        respect_gitignore=ignore,
        force_exclude=force,
    )


def test_suffixes_and_order(tree: Tree) -> None:
    root = tree("b.py", "a/z.py", "a/b.ipynb", "a/c.pyi", "a-b/x.py", "README.md", "x.pyc")
    result = found(root)
    assert result.targets == ("a-b/x.py", "a/b.ipynb", "a/z.py", "b.py")
    assert result.read == ("a-b/x.py", "a/b.ipynb", "a/c.pyi", "a/z.py", "b.py")


def test_default_excludes_at_any_depth(tree: Tree) -> None:
    root = tree("a.py", "venv/x.py", "pkg/node_modules/x.py", "pkg/build/x.py", ".git/x.py", "pkg/.tox/py/x.py")
    assert found(root).read == ("a.py",)


def test_one_file_sees_the_project(tree: Tree) -> None:
    root = tree("pkg/a.py", "pkg/b.py", "other/c.py", "venv/d.py")
    result = found(root, "pkg/a.py")
    assert result.targets == ("pkg/a.py",)
    assert result.read == ("other/c.py", "pkg/a.py", "pkg/b.py")


def test_named_files_are_linted_even_when_excluded(tree: Tree) -> None:
    root = tree("venv/x.py", "venv/sub/y.py", "gen.py", **{".gitignore": "gen.py\n"})
    assert found(root, "venv/x.py", "gen.py").targets == ("gen.py", "venv/x.py")
    assert found(root, "venv").targets == ("venv/sub/y.py", "venv/x.py")
    assert found(root, "venv/x.py", "venv", force=True).targets == ()


def test_named_files_that_are_no_python(tree: Tree) -> None:
    root = tree("README.md", "types.pyi", "Makefile", run="#!/usr/bin/env python3\n", shell="#!/bin/sh\n")
    result = found(root, "README.md", "types.pyi", "Makefile", "run", "shell")
    assert result.targets == ("run",)
    assert sorted(Path(note.split(":")[0]).name for note in result.notes) == ["Makefile", "README.md", "shell"]


def test_a_path_that_does_not_exist(tree: Tree) -> None:
    root = tree("a.py")
    with pytest.raises(DiscoveryError, match=r"gone\.py: no such file or folder"):
        found(root, "a.py", "gone.py")


def test_no_regular_file(tree: Tree) -> None:
    root = tree("a.py")
    os.mkfifo(root / "pipe.py")
    with pytest.raises(DiscoveryError, match="no regular file"):
        found(root, "pipe.py")
    assert found(root).targets == ("a.py",)


def test_a_folder_that_cannot_be_listed_is_told(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("a.py", "locked/b.py")
    real = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    result = found(root)
    assert result.targets == ("a.py",)
    assert result.failed == (("locked", "Permission denied"),)


def test_names_that_are_no_utf8(tree: Tree) -> None:
    root = tree("a.py")
    (root / os.fsdecode(b"caf\xe9.py")).write_text("")
    assert found(root).targets == ("a.py", "caf\udce9.py")


def test_links(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tree("real/a.py", "src/b.py")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.py").write_text("")
    (root / "out").symlink_to(outside)
    (root / "out.py").symlink_to(outside / "secret.py")
    (root / "src/loop").symlink_to(root)
    (root / "src/pkg").symlink_to(root / "real")
    (root / "src/dead.py").symlink_to(root / "gone.py")
    assert found(root).targets == ("real/a.py", "src/b.py")
    assert found(root, "src").targets == ("src/b.py", "src/pkg/a.py")
    assert found(root, "out.py").targets == ("out.py",)


def test_settings_exclude_and_nested_ones(tree: Tree) -> None:
    root = tree("gen/a.py", "keep/gen.py", "keep/b.py")
    settings = Settings({"extend-exclude": ["gen", "keep/b.py"]}, root=str(root))
    assert found(root, settings=settings).targets == ("keep/gen.py",)


IGNORES = {
    ".gitignore": "*.gen.py\nlogs/\n/top.py\n!keep.gen.py\n# note.py\nsub/*.txt.py\na/**/z.py\ntrail\\ .py\n",
    "pkg/.gitignore": "!x.gen.py\nlocal.py\ninner/\n!inner/kept.py\n",
    "pkg/deep/.gitignore": "*\n!*.py\nhidden.py\n",
}
FILES = (
    *("x.gen.py", "keep.gen.py", "top.py", "pkg/top.py", "note.py", "logs/a.py", "pkg/logs/a.py", "pkg/x.gen.py"),
    *("pkg/local.py", "local.py", "pkg/inner/kept.py", "pkg/deep/seen.py", "pkg/deep/hidden.py", "pkg/deep/sub/a.py"),
    *("sub/a.txt.py", "a/z.py", "a/b/c/z.py", "info.py"),
)


def test_gitignore_as_git_reads_it(tree: Tree) -> None:
    root = tree(*FILES)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name, text in IGNORES.items():
        (root / name).write_text(text)
    (root / ".git/info/exclude").write_text("# comment\ninfo.py\n")
    command = ["git", "-C", str(root), "-c", "core.excludesFile=/dev/null", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    expected = tuple(sorted(name for name in listed if name.endswith(".py")))
    assert found(root).targets == expected
    assert len(expected) < len(FILES)
    assert len(found(root, ignore=False).targets) == len(FILES)


def test_a_named_folder_that_is_ignored(tree: Tree) -> None:
    root = tree("gen/a.py", "gen/sub/b.py", "gen/sub/c.py", **{".gitignore": "gen/\n"})
    (root / "gen/sub/.gitignore").write_text("c.py\n")
    assert found(root).targets == ()
    assert found(root, "gen").targets == ("gen/a.py", "gen/sub/b.py")


def test_info_exclude_of_a_worktree(tree: Tree) -> None:
    root = tree("main/a.py", "main/x.py")
    git = ["git", "-C", str(root / "main"), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "init", "-q", str(root / "main")], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(root / "tree")], check=True)
    (root / "main/.git/info/exclude").write_text("x.py\n")
    assert found(root / "tree").targets == ("a.py",)


# The root


def nothing(folder: str) -> str | None:
    return None


def test_root_is_the_top_of_the_repository(tree: Tree) -> None:
    root = tree("repo/.git/HEAD", "repo/pkg/a.py", "repo/pkg/toolbind-lint.toml")
    pkg = str(root / "repo/pkg")
    assert find_root([f"{pkg}/a.py"], pkg, configured=lambda folder: pkg) == Root(str(root / "repo"), True)


def test_root_is_the_folder_of_the_configuration(tree: Tree) -> None:
    root = tree("work/pkg/a.py")
    work = str(root / "work")
    assert find_root([f"{work}/pkg/a.py"], f"{work}/pkg", configured=lambda folder: work) == Root(work, True)


def test_root_is_the_working_directory(tree: Tree) -> None:
    root = str(tree("pkg/a.py"))
    assert find_root([f"{root}/pkg"], root, configured=nothing) == Root(root, False)
    (Path(root) / "setup.py").write_text("")
    assert find_root([f"{root}/pkg"], root, configured=nothing) == Root(root, True)


def test_root_of_paths_outside_the_working_directory(tree: Tree) -> None:
    root = tree("here/a.py", "there/x/b.py", "there/y/c.py")
    paths = [str(root / "there/x/b.py"), str(root / "there/y/c.py")]
    assert find_root(paths, str(root / "here"), configured=nothing) == Root(str(root / "there"), False)


def test_the_home_directory_is_never_one_project(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(
        "home/.git/HEAD", "home/x.py", "home/notes.py", "home/other/y.py", "home/pkg/__init__.py", "home/pkg/z.py"
    )
    home = root / "home"
    monkeypatch.setenv("HOME", str(home))
    where = find_root([str(home / "x.py")], str(home), configured=nothing)
    assert where == Root(str(home), False)
    settings = Settings(root=str(home))
    result = discover([str(home / "x.py")], where, excluded=settings.excluded)
    assert result.targets == ("x.py",)
    assert result.read == ("notes.py", "pkg/__init__.py", "pkg/z.py", "x.py")


def test_a_user_without_a_home(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(tree("setup.py", "pkg/a.py"))

    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    assert find_root([f"{root}/pkg"], root, configured=nothing) == Root(root, True)


def test_outside_a_project_other_repositories_are_left_alone(tree: Tree) -> None:
    root = tree("x.py", "lib/y.py", "clone/.git/HEAD", "clone/z.py")
    assert found(root, "x.py", project=False).read == ("lib/y.py", "x.py")
    assert found(root, ".", project=False).targets == ("clone/z.py", "lib/y.py", "x.py")


def test_outside_a_project_reading_has_a_limit(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree("x.py", "a/y.py", "b/z.py")
    monkeypatch.setattr(module, "FOLDER_LIMIT", 2)
    result = found(root, "x.py", project=False)
    assert result.read == ("a/y.py", "x.py")
    assert "only 2 folders" in result.notes[0]


# Paths


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a.py", "/w/a.py"),
        ("./a.py", "/w/a.py"),
        (".", "/w"),
        ("x//y/", "/w/x/y"),
        ("/z/a.py", "/z/a.py"),
        ("../a.py", "/a.py"),
    ],
)
def test_absolute(given: str, expected: str) -> None:
    assert absolute(given, "/w") == expected


def test_relative_to() -> None:
    assert relative_to("/w", "/w") == ""
    assert relative_to("/w/a/b.py", "/w") == "a/b.py"
    assert relative_to("/a/b.py", "/") == "a/b.py"


def test_pathspec_is_not_imported_without_patterns(tree: Tree) -> None:
    root = tree("a.py", **{".gitignore": "# nothing\n\n"})
    code = (
        "import sys; from toolbind_lint.discover import *; from toolbind_lint.config import Settings\n"
        f"r = {str(root)!r}; f = discover([r], Root(r, True), excluded=Settings(root=r).excluded)\n"
        "assert f.targets == ('a.py',); print('pathspec' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "False"
