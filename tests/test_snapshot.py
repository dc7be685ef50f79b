from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolbind_lint.snapshot import Memory, Overlay, Snapshot, WorkingTree


def test_working_tree_reads_below_its_root(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_bytes(b"x = 1\r\n")
    tree = WorkingTree(str(tmp_path), ["pkg/b.py", "pkg/a.py", "pkg/a.py"])
    assert tree.paths() == ("pkg/a.py", "pkg/b.py")
    assert tree.read("pkg/a.py") == b"x = 1\r\n"


def test_working_tree_says_what_is_gone(tmp_path: Path) -> None:
    tree = WorkingTree(str(tmp_path), ["gone.py"])
    with pytest.raises(FileNotFoundError):
        tree.read("gone.py")


def test_working_tree_reads_only_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_bytes(b"")
    with pytest.raises(FileNotFoundError):
        WorkingTree(str(tmp_path), []).read("secret.py")


def test_working_tree_refuses_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    tree = WorkingTree(str(tmp_path), ["folder.py", "pipe.py"])
    for path in tree.paths():
        with pytest.raises(OSError):
            tree.read(path)


def test_working_tree_refuses_a_vast_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolbind_lint.snapshot.LARGEST_READ", 3)
    (tmp_path / "a.py").write_bytes(b"1234")
    (tmp_path / "b.py").write_bytes(b"123")
    tree = WorkingTree(str(tmp_path), ["a.py", "b.py"])
    with pytest.raises(OSError, match="too large"):
        tree.read("a.py")
    assert tree.read("b.py") == b"123"


def test_working_tree_reads_names_that_are_no_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_bytes(b"pass")
    assert WorkingTree(str(tmp_path), [name]).read(name) == b"pass"


def test_memory_is_sorted_and_a_copy() -> None:
    files = {"b.py": b"2", "a.py": b"1"}
    memory = Memory(files)
    files.clear()
    assert memory.paths() == ("a.py", "b.py")
    assert memory.read("b.py") == b"2"
    with pytest.raises(FileNotFoundError):
        memory.read("c.py")


def test_overlay_replaces_adds_and_removes() -> None:
    base = Memory({"a.py": b"1", "b.py": b"2", "c.py": b"3"})
    overlay: Snapshot = Overlay(base, {"b.py": b"two", "d.py": b"4", "c.py": None})
    assert overlay.paths() == ("a.py", "b.py", "d.py")
    assert [overlay.read(path) for path in overlay.paths()] == [b"1", b"two", b"4"]
    with pytest.raises(FileNotFoundError):
        overlay.read("c.py")
    assert base.read("c.py") == b"3"


def test_overlay_over_an_overlay() -> None:
    overlay = Overlay(Overlay(Memory({"a.py": b"1"}), {"a.py": None}), {"a.py": b"again"})
    assert overlay.paths() == ("a.py",)
    assert overlay.read("a.py") == b"again"
