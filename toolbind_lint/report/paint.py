"""Colour, as the handful of styles that the reports use.

Reports write the escape sequences themselves: these few need no console object, cost no import, and a report that is
not coloured is the same text without them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Style = Literal["error", "warning", "review", "advice", "good", "strong", "faint"]

_SEQUENCES: dict[Style, str] = {
    "error": "1;31",
    "warning": "1;33",
    "review": "1;35",
    "advice": "1;36",
    "good": "1;32",
    "strong": "1",
    "faint": "2",
}


class Paint(NamedTuple):
    """Styles text when ``colour`` is on; measure before painting, since the sequences have no width."""

    colour: bool

    def __call__(self, text: str, style: Style | None) -> str:
        """``text`` between the sequences of ``style``; blanks and unstyled text stay as they are."""
        if not self.colour or style is None or not text.strip():
            return text
        return f"\x1b[{_SEQUENCES[style]}m{text}\x1b[0m"
