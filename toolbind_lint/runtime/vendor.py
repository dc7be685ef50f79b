"""Copies the dispatcher into a project: ``core`` as it stands, and on demand what stands beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

BESIDE = ("adapters", "loop", "sinks")
"""What may be written beside the dispatcher."""
_HEAD = "# toolbind-lint's reference dispatcher, as `toolbind-lint dispatcher --write` writes it.\n# sha256 {}\n"
_PACKAGE = "toolbind_lint.runtime"
_HERE = Path(__file__).parent


def dispatcher() -> str:
    """The text of the vendored file, without its two lines of head."""
    return (_HERE / "core.py").read_text("utf-8")


def write(path: str | Path, tests: bool = False, beside: Sequence[str] = ()) -> list[Path]:
    """Write the dispatcher to ``path`` (in a folder: ``dispatcher.py``), with ``tests`` the six tests beside it.

    ``beside`` names further modules of BESIDE, each written as ``<dispatcher>_<name>.py``; ``adapters`` bring ``loop``.
    Returns what was written. FileExistsError for a file that is not ours or was changed by hand, and nothing is written
    then; OSError.
    """
    target = Path(path)
    if target.is_dir():
        target /= "dispatcher.py"
    wanted = sorted({*beside, *(("loop",) if "adapters" in beside else ())})
    places = {"core": target} | {name: target.with_name(f"{target.stem}_{name}.py") for name in wanted}
    if tests:
        places["acceptance"] = target.with_name(f"test_{target.stem}.py")
    files = {place: _moved((_HERE / f"{name}.py").read_text("utf-8"), places) for name, place in places.items()}
    for file in files:
        if file.exists() and not _ours(file.read_text("utf-8", "replace")):
            raise FileExistsError(f"{file} exists, and is not as it was written")
    for file, text in files.items():
        file.write_text(_HEAD.format(_digest(text)) + text, "utf-8")
    return list(files)


def _moved(text: str, places: Mapping[str, Path]) -> str:
    """A module's text, importing its neighbours from where they are written."""
    for name, place in places.items():
        text = text.replace(f"from {_PACKAGE}.{name} import", f"from {_dotted(place)} import")
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _ours(text: str) -> bool:
    head, _, body = text.partition("\n# sha256 ")
    digest, _, body = body.partition("\n")
    return head == _HEAD.partition("\n")[0] and digest == _digest(body)


def _dotted(file: Path) -> str:
    """The name under which a file beside it is imported: packages count as far up as they go."""
    parts, folder = [file.stem], file.resolve().parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)
