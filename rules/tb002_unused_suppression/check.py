"""Suppressions that hide nothing."""

from __future__ import annotations

from collections.abc import Iterator

from toolbind_lint.check import Suppressing
from toolbind_lint.findings import Hit


def check(suppression: Suppressing) -> Iterator[Hit]:
    """Report the comment, and which of its codes hide nothing."""
    unused = suppression.unused
    if unused:
        partly = len(unused) < len(suppression.codes)
        yield Hit(suppression.place, "partly-unused" if partly else "unused", (("codes", ", ".join(unused)),))
