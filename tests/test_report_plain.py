"""Safe text, widths and frames, for any text at all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Report
from toolbind_lint.report import Options
from toolbind_lint.report.frame import frame
from toolbind_lint.report.paint import Paint
from toolbind_lint.report.places import Reader
from toolbind_lint.report.plain import cells, clip, clip_start, one_line, pad, shorten, visible, wrap

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
SPECIAL = st.text(st.sampled_from("a \t日é\u0301\x1b\u202e\udcff#[:🙂"), max_size=200)
TEXTS = ANY | SPECIAL


@given(TEXTS)
def test_visible_text_is_printable_one_line_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert "##[" not in shown
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown


def test_what_is_escaped_and_what_is_not() -> None:
    assert visible("naïve 日本 🙂 f(x)") == "naïve 日本 🙂 f(x)"
    assert visible("a\tb\x00\x7f\x85\u00a0\u2028\u200d\ufeff\u3164\ue000\U000e0041\udc80\ud800") == (
        "a\\tb\\x00\\x7f\\x85 \\u2028\\u200d\\ufeff\\u3164\\ue000\\U000e0041\\x80\\ud800"
    )
    assert one_line("  a\r\n\t b ") == "a b"
    assert visible("##[error]") == "#\\x23[error]"


@given(TEXTS.map(visible), st.integers(1, 40))
def test_cut_text_fits(text: str, width: int) -> None:
    for cut in (clip(text, width), clip_start(text, width), shorten(text, width)):
        assert cells(cut) <= width
        assert cut == text or cells(text) > width
    assert cells(pad(clip(text, width), width)) == width


def test_a_cut_keeps_what_matters() -> None:
    assert clip("abcdef", 4) == "abc…"
    assert clip_start("agent/core.py:98", 11) == "…core.py:98"
    assert shorten("The count moves late: behind the call.", 25) == "The count moves late"
    assert shorten("No: the rest is what matters here.", 25) == "No: the rest is what mat…"
    assert clip("日本語", 4) == "日…"


@given(TEXTS.map(one_line), st.integers(10, 40))
def test_wrapped_text_loses_nothing(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(cells(row) <= width or " " not in row or row.startswith("\\x3a:") for row in rows)
    assert " ".join(rows).replace("\\x3a:", "::") == text.replace("\\x3a:", "::")
    assert not any(row.startswith("::") for row in rows)


def places() -> st.SearchStrategy[Place]:
    column = st.integers(1, 250)
    spans = st.tuples(st.integers(1, 6), column, st.integers(0, 6), column)
    return spans.map(lambda span: Place("a.py", span[0], span[1], span[0] + span[2], span[3]))


@settings(max_examples=300)
@given(st.lists(SPECIAL, min_size=1, max_size=6), places(), places(), st.integers(60, 140))
def test_a_frame_of_any_source_fits_and_says_where(lines: list[str], primary: Place, other: Place, width: int) -> None:
    report = Report(".", (), (), 1, 0, sources=(("a.py", tuple(lines)),))
    reader, steps = Reader(report, Options()), [Step(other, "label " * 9)]
    rows = frame(reader, primary, steps, width=width, paint=Paint(False), style=None)
    assert bool(rows) == (primary.line <= len(lines))
    assert all(cells(row) <= width and row == row.rstrip() for row in rows)
    assert all(character.isprintable() for row in rows for character in row)
    assert not rows or any("^" in row for row in rows)
