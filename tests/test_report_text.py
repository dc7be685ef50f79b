"""The text report and the concise one: order, grouping, alignment, counts, and what hostile code cannot do to them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from report_samples import at, crashed, finding, sample, subject, verdict

from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Cell, Crash, Report
from toolbind_lint.report import Options, render, terminal, working_directory
from toolbind_lint.report.plain import cells

HOSTILE = "a\x1b[31mred\x07\u202egnp\u2066\x9b0m\u200b\r\nb\ud800"


def summary(text: str) -> list[str]:
    return text.split("\n\n")[1].splitlines()


def empty(**fields: object) -> Report:
    return Report(root=".", findings=(), subjects=(), files_checked=3, files_screened=3)._replace(**fields)  # type: ignore[arg-type]


def test_summary_names_what_never_ends_first_and_aligns_its_columns() -> None:
    rows = summary(render(sample(), "text"))
    assert [row.split()[0] for row in rows] == ["UNBOUNDED", "LEAKS", "LACKS", "UNREAD", "IGNORES", "HOLDS"]
    assert "nothing ends it: 3 -> 4 _ask -> 8 _run_tool -> 3" in rows[0]
    assert rows[0].index("Agent._loop") == rows[1].index("chat_turn") == rows[2].index("wall 1")
    assert rows[0].index("TB101") == rows[1].index("TB104") == rows[3].index("TB001")
    assert rows[2].endswith("wall 1 · tool timeout 6    tools/dispatch.py:12 serves 6 of them")
    assert rows[2].split("  ")[3].strip() == "7 loops, 2 places"
    assert rows[5].split() == ["HOLDS", "1", "loop"]


def test_last_line_counts_everything() -> None:
    last = render(crashed(), "text").splitlines()[-1]
    assert last == (
        "6 findings: 3 errors, 3 warnings · 1 suppressed · 1 not selected · 1 relaxed · "
        "1 file unreadable · 180 files screened · 1 crash"
    )


def test_an_empty_run_says_so() -> None:
    assert render(empty(), "text") == (
        "Found no tool loops, agent runs or dispatchers in 3 files\n\nNo findings · 3 files screened\n"
    )


def test_an_error_has_a_frame_and_the_state_of_the_other_gates() -> None:
    text = render(sample(), "text")
    card = text.split("\n\nUNBOUNDED\n\n")[1].split("\n\nLEAKS\n")[0]
    assert card == (
        "agent/core.py:3:9  Agent._loop · tool loop · openai\n"
        "  error TB101 no-step-cap: Nothing bounds the turns of the loop: it ends only when the model asks for no more"
        " tools.\n"
        "\n"
        "    2 |     def _loop(self, messages):\n"
        "    3 |         while True:\n"
        "      |         ^^^^^^^^^^^\n"
        "    4 |             reply = self._ask(messages)\n"
        "      |                     ------------------- asks the model\n"
        "     ...\n"
        "    6 |                 return reply.content\n"
        "      |                 -------------------- leaves only when the model stops asking\n"
        "\n"
        "  pass    3 -> 4 _ask -> 8 _run_tool -> 3\n"
        "  help    Count the turns: `for step in range(MAX_STEPS)`, and raise after it.\n"
        "  gates   cap missing · wall missing · allowlist held · tool timeout unknown\n"
        "  worst   turns ∞ · calls ∞ · time ∞ · tokens ?"
    )


def test_what_lacks_is_grouped_by_the_place_that_mends_it_most_served_first() -> None:
    text = render(sample(), "text")
    lacks = text.split("\n\nLACKS\n\n")[1].split("\n\nUNREAD\n")[0]
    assert lacks.index("tools/dispatch.py:12:5") < lacks.index("agent/core.py:3:9")
    assert "serves  6 loops: flows/f1.py:12 flow_1, flows/f2.py:12 flow_2, flows/f3.py:12 flow_3, 3 more" in lacks
    assert " | " not in lacks
    verbose = render(sample(), "text", Options(verbose=True)).split("\n\nLACKS\n\n")[1]
    assert "flows/f6.py:12 flow_6" in verbose
    assert "3 |         while True:" in verbose


def test_verbose_lists_what_is_not_reported_with_its_reason() -> None:
    assert "old.py:30  TB109 suppressed: a batch job" in render(sample(), "text", Options(verbose=True))
    assert "a batch job" not in render(sample(), "text")


def test_help_is_said_once_except_with_errors() -> None:
    findings = tuple(
        finding("TB201", at("a.py", line), loops=("a",), gate="wall", severity="warning", help="Only once.")
        for line in (3, 9)
    )
    report = empty(findings=findings, subjects=(subject("a", "a.py", 3, verdict("wall", "missing", how="none")),))
    assert render(report, "text").count("Only once.") == 1
    errors = tuple(f._replace(severity="error") for f in findings)
    assert render(report._replace(findings=errors), "text").count("Only once.") == 2


def test_many_rows_of_a_group_are_named_by_code() -> None:
    findings = tuple(
        finding("TB104", at(f"a{n}.py", 3), loops=(f"s{n}",), how="counts-success-only", name="x") for n in range(9)
    )
    rows = summary(render(empty(findings=findings), "text"))
    assert len(rows) == 6
    assert rows[-1].split() == ["LEAKS", "and", "4", "more", "TB104", "4"]
    assert len(summary(render(empty(findings=findings), "text", Options(verbose=True)))) == 9


def test_an_unbounded_loop_in_tests_stays_in_its_group_and_an_ending_one_does_not() -> None:
    relaxed = finding("TB101", at("tests/a.py", 3), loops=("a",), severity="warning", relaxed=True)
    beside_a_deadline = finding("TB101", at("b.py", 3), loops=("b",), severity="warning")
    subjects = tuple(subject(id, f"{id}.py", 3, verdict("cap", "missing", how="none")) for id in "ab")
    rows = summary(render(empty(findings=(beside_a_deadline, relaxed), subjects=subjects), "text"))
    assert [row.split()[0] for row in rows] == ["UNBOUNDED", "LACKS"]
    assert "tests/a.py:3" in rows[0]


def test_a_pass_that_spins_is_unbounded_only_without_a_cap() -> None:
    spins = finding("TB602", at("a.py", 5), loops=("a",), gate="exit", how="spins")
    capped = subject("a", "a.py", 3, verdict("cap", "held", value="8"), verdict("exit", "leaks", how="spins"))
    free = capped._replace(verdicts=(verdict("cap", "missing", how="none"), capped.verdicts[1]))
    assert summary(render(empty(findings=(spins,), subjects=(capped,)), "text"))[0].startswith("LEAKS")
    assert summary(render(empty(findings=(spins,), subjects=(free,)), "text"))[0].startswith("UNBOUNDED")


def test_subjects_without_a_finding_do_not_count_as_held_unless_they_are() -> None:
    subjects = (
        subject("a", "a.py", 3, verdict("cap", "held", value="8"), verdict("wall", "unknown")),
        subject("b", "b.py", 3, verdict("cap", "missing", how="none")),
        subject("c", "c.py", 3, verdict("cap", "held", value="8"), kind="agent-run"),
    )
    rows = summary(render(empty(subjects=subjects), "text"))
    assert [" ".join(row.split()) for row in rows] == [
        "UNKNOWN 1 loop wall 1",
        "SILENT 1 loop gates missing, not reported: see `gates`",
        "HOLDS 1 run",
    ]


def test_a_crash_is_told_even_when_quiet() -> None:
    assert render(sample(), "text", Options(quiet=True)).startswith("UNBOUNDED\n\nagent/core.py:3:9")
    assert render(empty(), "text", Options(quiet=True)) == ""
    quiet = render(crashed(), "text", Options(quiet=True))
    assert quiet.startswith(
        "CRASHED\n\nagent/core.py\n  TB104 crashed; what it would have said is missing: KeyError: 'x'\n"
    )
    assert "agent/core.py: crashed TB104: KeyError: 'x'" in render(crashed(), "concise")


def test_a_crash_of_a_whole_stage_names_no_file() -> None:
    report = empty(crashes=(Crash("", "recognise", "KeyError: 1"),), root="sub")
    assert summary(render(report, "text"))[0] == "CRASHED    the whole run  recognise  KeyError: 1"
    assert "the whole run: crashed recognise: KeyError: 1\n" in render(report, "concise")
    assert "::the whole run: recognise crashed: KeyError: 1\n" in render(report, "github")


def test_statistics_replace_the_cards() -> None:
    text = render(sample(), "text", Options(statistics=True))
    assert "1  error    TB101  no-step-cap\n" in text
    assert "help" not in text


def test_show_gates_adds_the_card_of_the_loop_that_holds() -> None:
    assert "\ngood.py:4  good · tool loop\n  cap           held" in render(sample(), "text", Options(show_gates=True))
    assert "good · tool loop" not in render(sample(), "text")


@pytest.mark.parametrize("width", [60, 70, 89, 100, 120, 140])
@pytest.mark.parametrize("verbose", [False, True])
def test_lines_fit_and_end_without_blanks(width: int, verbose: bool) -> None:
    lines = render(sample(), "text", Options(width=width, verbose=verbose)).splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert all(cells(line) <= width for line in lines[:-1] if "serves" not in line)


def test_colour_adds_sequences_and_nothing_else() -> None:
    plain = render(sample(), "text", Options(verbose=True, show_gates=True))
    coloured = render(sample(), "text", Options(verbose=True, show_gates=True, colour=True))
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert "\x1b" not in plain


def test_the_same_bytes_for_any_order_of_findings_and_subjects() -> None:
    report = sample()
    turned = report._replace(findings=report.findings[::-1], subjects=report.subjects[::-1])
    for format in ("text", "concise", "json", "github"):
        assert render(report, format, Options(verbose=True)) == render(turned, format, Options(verbose=True))


def test_concise_is_in_order_and_one_line_a_finding() -> None:
    lines = render(sample(), "concise").splitlines()
    assert lines[0] == (
        "agent/core.py:3:9: TB101 Nothing bounds the turns of the loop: it ends only when the model asks for no more"
        " tools."
    )
    assert [line.split(":")[0] for line in lines[:-1]] == sorted(line.split(":")[0] for line in lines[:-1])
    assert lines[-1].startswith("6 findings:")
    assert len(render(sample(), "concise", Options(quiet=True)).splitlines()) == 6


@pytest.mark.parametrize("format", ["text", "concise", "json", "github"])
def test_nothing_hostile_gets_through(format: str) -> None:
    step = Step(at(f"{HOSTILE}.py", 4), HOSTILE)
    bad = finding(
        "TB101", at(f"{HOSTILE}.py", 3), loops=("a",), message=HOSTILE, help=HOSTILE, related=(step,), trail=(step,),
        function=HOSTILE, reason=HOSTILE,
    )  # fmt: skip
    owner = subject("a", f"{HOSTILE}.py", 3, verdict("cap", "missing", how="none"), label=HOSTILE)
    owner = owner._replace(witness=(step,), framework=HOSTILE, function=HOSTILE)
    report = crashed()._replace(
        findings=(bad, bad._replace(disposition="suppressed")),
        subjects=(owner,),
        sources=((f"{HOSTILE}.py", ("", "", f"while {HOSTILE}:", HOSTILE)),),
    )
    report = report._replace(crashes=tuple(c._replace(error=HOSTILE, path=HOSTILE) for c in report.crashes))
    text = render(report, format, Options(verbose=True, show_gates=True))
    assert text.encode("utf-8").decode("utf-8") == text
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "\\u202e" in text


@pytest.mark.parametrize("format", ["text", "concise", "github"])
def test_no_line_can_become_a_workflow_command(format: str) -> None:
    words = "x " * 40 + "::error::pwned ##[error]pwned ##[group]"
    bad = finding(
        "TB101", at("::warning::p.py", 3, 1, 30), loops=("::debug::",), message=words, help=words, function="::debug::x"
    )
    quiet = bad._replace(code="TB102", severity="warning", place=at("b.py", 3))
    findings = (bad, *(quiet._replace(place=at("::warning::p.py", n)) for n in range(5, 30)))
    sources = (("::warning::p.py", ("", "", "##[error]x ::error::y", "")),)
    for options in (Options(), Options(verbose=True, width=60)):
        text = render(empty(findings=findings, sources=sources), format, options)
        assert "pwned" in text
        assert "##[" not in text
        commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert len(commands) == (11 if format == "github" else 0)


def test_a_lone_surrogate_of_a_path_shows_its_byte() -> None:
    assert "caf\\xe9.py:3:1: TB101" in render(empty(findings=(finding("TB101", at("caf\udce9.py", 3)),)), "concise")


def frame_of(source: str, place: Place, **options: object) -> list[str]:
    report = empty(findings=(finding("TB101", place, help=""),), sources=((place.path, tuple(source.split("\n"))),))
    text = render(report, "text", Options(quiet=True)._replace(**options))  # type: ignore[arg-type]
    return [line[4:] for line in text.splitlines() if re.match(r" {4}.*\|", line)]


def test_carets_stand_under_tabs_wide_characters_and_escapes() -> None:
    assert frame_of("\tx\t= 1", at("a.py", 1, 2, 3)) == ["1 |     x   = 1", "  |     ^"]
    assert frame_of("日本 = 値()", at("a.py", 1, 6, 7)) == ["1 | 日本 = 値()", "  |        ^^"]
    assert frame_of("é\u0301x = 1", at("a.py", 1, 3, 4)) == ["1 | é\u0301x = 1", "  |  ^"]
    assert frame_of("'\x1b' + x", at("a.py", 1, 7, 8)) == ["1 | '\\x1b' + x", "  |          ^"]


def test_a_long_line_shows_the_part_with_the_carets() -> None:
    source = "x = [" + "1, " * 100 + "target, " + "2, " * 100 + "]"
    column = source.index("target") + 1
    line, carets = frame_of(source, at("a.py", 1, column, column + 6), width=80)
    assert line.startswith("1 | …")
    assert line.endswith("…")
    assert len(line) <= 76
    first = carets.index("^")
    assert line[first : first + 6] == "target"
    assert carets.count("^") == 6


def test_a_short_span_is_marked_on_each_line_and_a_long_one_on_its_first() -> None:
    source = "call(\n    a,\n)\nx\ny\nz"
    assert frame_of(source, at("a.py", 1, 1, 2, end_line=3)) == [
        "1 | call(", "  | ^^^^^", "2 |     a,", "  |     ^^", "3 | )", "  | ^", "4 | x",
    ]  # fmt: skip
    assert frame_of(source, at("a.py", 1, 1, 2, end_line=6)) == ["1 | call(", "  | ^^^^^", "2 |     a,"]


def test_a_place_outside_the_text_draws_no_frame_or_a_short_one() -> None:
    assert frame_of("x", at("a.py", 7)) == []
    assert frame_of("x", at("a.py", 1, 50, 60)) == ["1 | x", "  |  ^"]


def test_notebook_places_count_in_the_cell() -> None:
    place = Place("n.ipynb", 2, 1, 2, 6, cell=3)
    report = empty(
        findings=(finding("TB101", place),),
        sources=(("n.ipynb", ("import x", "a = 1", "while True:")),),
        cells=(Cell("n.ipynb", 3, 2, (41, 42)),),
    )
    text = render(report, "text")
    assert "n.ipynb:cell 3:2:1" in text
    assert "    2 | while True:\n      | ^^^^^" in text
    assert render(report, "concise").startswith("n.ipynb:cell 3:2:1: TB101 ")


def test_a_cell_that_was_indented_as_a_whole_keeps_its_columns() -> None:
    report = empty(
        findings=(finding("TB101", Place("n.ipynb", 1, 5, 1, 10, cell=0)),),
        sources=(("n.ipynb", ("while True:",)),),
        cells=(Cell("n.ipynb", 0, 1, (9,), shift=4),),
    )
    assert "    1 |     while True:\n      |     ^^^^^\n" in render(report, "text")


def test_paths_are_as_seen_from_the_working_directory() -> None:
    report = sample()._replace(root="../..")
    text = render(report, "concise", Options(working_directory="tools/deep"))
    assert "\n../dispatch.py:12:5: TB301" in text
    assert text.startswith("../../agent/core.py:3:9")
    assert render(sample()._replace(root="sub"), "concise").startswith("sub/agent/core.py:3:9")


@pytest.mark.parametrize(
    ("root", "current", "expected"),
    [("..", "/repo/src", "src"), ("../..", "/repo/src/a", "src/a"), (".", "/repo", ""), ("sub", "/repo", "")],
)
def test_the_working_directory_is_found_from_the_root(root: str, current: str, expected: str) -> None:
    assert working_directory(root, current) == expected


class _Stream:
    def __init__(self, tty: bool) -> None:
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.mark.parametrize(
    ("tty", "environ", "no_color", "colour"),
    [
        (True, {}, False, True),
        (False, {}, False, False),
        (True, {"NO_COLOR": "1"}, False, False),
        (True, {"NO_COLOR": ""}, False, True),
        (False, {"FORCE_COLOR": "1"}, False, True),
        (False, {"FORCE_COLOR": "0"}, False, False),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        (True, {"FORCE_COLOR": "1"}, True, False),
        (True, {"TERM": "dumb"}, False, False),
    ],
)
def test_who_decides_about_colour(tty: bool, environ: dict[str, str], no_color: bool, colour: bool) -> None:
    assert terminal(_Stream(tty), environ, no_color=no_color)[0] is colour  # type: ignore[arg-type]


def test_a_pipe_has_a_fixed_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "47")
    assert terminal(_Stream(False), {})[1] == 120  # type: ignore[arg-type]
    assert terminal(_Stream(True), {})[1] == 60  # type: ignore[arg-type]


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(KeyError):
        render(sample(), "yaml")


def test_a_report_imports_no_heavy_module() -> None:
    program = (
        "import sys; from report_samples import sample; from toolbind_lint.report import FORMATS, render\n"
        "for name in FORMATS: render(sample(), name)\n"
        "print([n for n in ('rich', 'libcst', 'multiprocessing', 'subprocess') if n in sys.modules])"
    )
    here = Path(__file__).parent
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=here,
        env={"PYTHONPATH": f"{here}:{here.parent}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"
