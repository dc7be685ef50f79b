"""Git repositories for tests, made and changed by the real git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

IDENTITY = (
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b.c",
    "-c",
    "protocol.file.allow=always",
    "-c",
    "commit.gpgsign=false",
)


class Repo:
    """A repository at ``root``; ``commit`` writes files (``None`` deletes one) and returns the new commit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        done = subprocess.run(
            ["git", *IDENTITY, *args], cwd=self.root, env=self.environment, check=True, capture_output=True
        )
        return os.fsdecode(done.stdout).strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    def commit(self, files: Mapping[str, str | bytes | None] | None = None) -> str:
        self.write(files or {})
        self.git("add", "-A", "-f")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")
