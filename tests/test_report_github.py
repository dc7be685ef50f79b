"""Workflow commands: escapes, the limit of ten, and lines of notebooks."""

from __future__ import annotations

from report_samples import at, crashed, finding, sample

from toolbind_lint.facts import Place
from toolbind_lint.findings import Cell, Finding, Report
from toolbind_lint.report import Options, render


def lines_of(*findings: Finding, **fields: object) -> list[str]:
    report = Report(root="..", findings=findings, subjects=(), files_checked=1, files_screened=0)
    return render(report._replace(**fields), "github").splitlines()  # type: ignore[arg-type]


def test_a_finding_is_a_command_with_place_title_and_help() -> None:
    place = at("agent/core.py", 3, 9, 20)
    first, last = lines_of(finding("TB101", place, name="no-step-cap", message="No cap.", help="Add one."))
    assert first == (
        "::error title=TB101 no-step-cap,file=agent/core.py,line=3,endLine=3,col=9,endColumn=20::No cap.%0AAdd one."
    )
    assert last == "toolbind-lint: 1 finding: 1 error"


def test_every_field_is_escaped() -> None:
    bad = finding("TB101", at("a,b:c%0A\r\n.py", 3), name="n", message="50%: a, b\r\nc", help="")
    first = lines_of(bad)[0]
    assert first.startswith("::error title=TB101 n,file=a%2Cb%3Ac%250A\\r\\n.py,line=3,")
    assert first.endswith("::50%25: a, b c")


def test_columns_are_left_out_over_several_lines() -> None:
    first = lines_of(finding("TB101", at("a.py", 3, 5, 2, end_line=7), name="n", message="m", help=""))[0]
    assert first == "::error title=TB101 n,file=a.py,line=3,endLine=7::m"


def test_the_heaviest_come_first_ten_of_a_kind_and_the_rest_is_named() -> None:
    light = [finding("TB110", at(f"a{n:02}.py", 3), severity="advice", name="light") for n in range(8)]
    review = [finding("TB901", at(f"r{n:02}.py", 3), severity="review", name="raised") for n in range(4)]
    middle = [finding("TB201", at(f"b{n:02}.py", 3), severity="warning", name="middle") for n in range(12)]
    heavy = [finding("TB101", at(f"c{n:02}.py", 3), name="heavy") for n in range(3)]
    lines = lines_of(*light, *review, *middle, *heavy)
    levels = [line.split()[0] for line in lines[:-1]]
    assert levels == ["::error"] * 3 + ["::warning"] * 10 + ["::notice"] * 10
    assert "TB901" in lines[13]  # of what GitHub calls a notice, what a person should review goes first
    assert lines[-1] == (
        "toolbind-lint: 27 findings: 3 errors, 12 warnings, 4 to review, 8 advice. Without an annotation: 4 findings: "
        "TB110 light at a06.py:3, a07.py:3; TB201 middle at b10.py:3, b11.py:3"
    )


def test_a_long_rest_is_counted() -> None:
    lines = lines_of(*(finding("TB101", at(f"a{n:02}.py", 3), name="n") for n in range(40)))
    assert len(lines) == 11
    assert lines[-1].endswith("a29.py:3 and 10 more")


def test_crashes_come_first() -> None:
    lines = render(crashed(), "github").splitlines()
    assert lines[0] == "::error title=toolbind-lint crashed::agent/core.py: TB104 crashed: KeyError: 'x'"
    assert lines[1].startswith("::error title=TB101 ")


def test_notebooks_use_the_line_of_the_file() -> None:
    place = Place("n.ipynb", 2, 1, 2, 6, cell=3)
    bad = finding("TB101", place, name="n", message="m", help="")
    assert lines_of(bad, cells=(Cell("n.ipynb", 3, 10, (41, 42)),))[0] == (
        "::error title=TB101 n,file=n.ipynb,line=42::m"
    )
    assert lines_of(bad)[0] == "::error title=TB101 n,file=n.ipynb::m"


def test_quiet_leaves_the_counts_out_unless_something_has_no_annotation() -> None:
    assert all(line.startswith("::") for line in render(sample(), "github", Options(quiet=True)).splitlines())
    many = tuple(finding("TB101", at("a.py", n)) for n in range(1, 13))
    text = render(sample()._replace(findings=many), "github", Options(quiet=True))
    assert "Without an annotation: 2 findings" in text
