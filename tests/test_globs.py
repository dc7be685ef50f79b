"""File patterns."""

from __future__ import annotations

import pytest

from toolbind_lint.globs import Globs


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("tests/", "tests/a.py", True),
        ("tests/", "pkg/tests/deep/a.py", True),
        ("tests/", "tests", False),  # a file of that name is no folder
        ("tests/", "mytests/a.py", False),
        ("*.ipynb", "notes/demo.ipynb", True),
        ("*.ipynb", "demo.ipynb.py", False),
        ("legacy", "legacy/a.py", True),
        ("legacy", "pkg/legacy", True),
        ("pkg/legacy", "pkg/legacy/a.py", True),
        ("pkg/legacy", "other/pkg/legacy/a.py", False),
        ("./pkg/*.py", "pkg/a.py", True),
        ("pkg/*.py", "pkg/sub/a.py", False),
        ("pkg/**", "pkg/sub/a.py", True),
        ("pkg/**/a.py", "pkg/a.py", True),
        ("pkg/**/a.py", "pkg/x/y/a.py", True),
        ("**/gen/*.py", "x/gen/a.py", True),
        ("/gen.py", "gen.py", True),
        ("a?.py", "ab.py", True),
        ("a?.py", "a.py", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("[ab.py", "[ab.py", True),
        ("[z-a].py", "[z-a].py", True),
        ("a.py", "aXpy", False),
    ],
)
def test_pattern(pattern: str, path: str, expected: bool) -> None:
    assert Globs([pattern]).covers(path) is expected


def test_base_inside_the_root() -> None:
    globs = Globs(["gen/*.py"], inside="pkg/a")
    assert globs.covers("pkg/a/gen/x.py")
    assert not globs.covers("gen/x.py")


def test_base_above_the_root() -> None:
    globs = Globs(["repo/gen"], above="repo")
    assert globs.covers("gen/x.py")
    assert not globs.covers("repo/gen/x.py")


def test_base_elsewhere_leaves_names_only() -> None:
    globs = Globs(["gen/*.py", "old.py"], reachable=False)
    assert not globs.covers("gen/x.py")
    assert globs.covers("gen/old.py")


def test_hits_asks_about_the_entry_alone() -> None:
    globs = Globs(["build"])
    assert globs.hits("build", folder=True)
    assert not globs.hits("build/a.py", folder=False)
