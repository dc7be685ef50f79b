"""Bring the pinned packages and lay out their sources: ``python -m benchmarks.fetch CACHE [--only NAME ...]``.

Downloads go through pip as it is set up on this machine. Nothing is installed and no code of a package runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
KEEP = (".py", ".pyi", ".ipynb", ".toml", ".cfg", ".yaml", ".yml", ".json")
TOO_LARGE = 4_000_000
"""Bytes above which a file is left out: no such file is code."""


class Package(NamedTuple):
    """One pinned package."""

    name: str
    version: str

    @property
    def folder(self) -> str:
        """Name of its folder in the cache."""
        return f"{self.name}-{self.version}"


def read_settings(path: Path = HERE / "packages.toml") -> tuple[tuple[Package, ...], dict[str, dict[str, float]]]:
    """The packages and the floors per rule."""
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    packages = tuple(Package(str(row["name"]), str(row["version"])) for row in data["package"])
    return packages, {code: dict(row) for code, row in data.get("floors", {}).items()}


def unpack(wheel: Path, into: Path) -> int:
    """Write the sources of a wheel under ``into``; returns how many files. A member that leaves it is an error."""
    written = 0
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            inner = PurePosixPath(member.filename)
            if inner.suffix not in KEEP or member.file_size > TOO_LARGE or member.is_dir():
                continue
            if inner.is_absolute() or ".." in inner.parts:
                raise ValueError(f"{wheel.name}: {member.filename} leaves the folder")
            target = into / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
            written += 1
    return written


def bring(package: Package, cache: Path) -> Path:
    """The folder with a package's sources, downloaded and unpacked unless it is there already."""
    folder = cache / package.folder
    done = folder / ".unpacked"
    if done.exists():
        return folder
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    stem = f"{package.name.replace('-', '_').lower()}-{package.version}-"
    wheel = next((w for w in sorted(wheels.glob("*.whl")) if w.name.lower().startswith(stem)), None)
    if wheel is None:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--ignore-requires-python", "--dest", str(wheels), f"{package.name}=={package.version}"]
        subprocess.run(command, check=True)
        wheel = next(w for w in sorted(wheels.glob("*.whl")) if w.name.lower().startswith(stem))
    unpack(wheel, folder)
    done.touch()
    return folder


def main() -> int:
    """Bring every package, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    options = parser.parse_args()
    packages, _ = read_settings()
    for package in packages:
        if not options.only or package.name in options.only:
            print(bring(package, options.cache))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
