"""The arithmetic behind the figures, the draw, and the files that they read. No network, no linter."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import accuracy, fetch, pairs, run, scoring  # noqa: E402
from benchmarks.draw import frame  # noqa: E402
from benchmarks.scoring import Label, Seen, Tally  # noqa: E402

LOOP = Label(
    package="p",
    version="1",
    path="a/loop.py",
    line=40,
    end_line=80,
    function="run",
    kind="tool-loop",
    fires={"TB101": [40], "TB102": [52]},
    silent=["TB601", "TB602", "TB105"],
    alt={"TB102": [12, "a/settings.py:7"]},
    maybe=["TB105"],
)


def seen(code: str, line: int, path: str = "a/loop.py", loops: tuple[tuple[str, int], ...] = ()) -> Seen:
    return Seen(code, path, line, loops, "p", "m")


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 10, 0.490, 0.943), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0), (27, 30, 0.744, 0.965), (1, 1, 0.207, 1.0)],
)
def test_wilson_matches_published_values(successes: int, trials: int, low: float, high: float) -> None:
    assert scoring.wilson(successes, trials) == pytest.approx((low, high), abs=0.001)


def test_wilson_of_nothing_says_nothing() -> None:
    assert scoring.wilson(0, 0) == (0.0, 1.0)


def test_wilson_narrows_with_the_number_of_trials() -> None:
    widths = [high - low for low, high in (scoring.wilson(n // 2, n) for n in (4, 20, 100, 1000))]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    ("finding", "right"),
    [
        (seen("TB101", 40), True),
        (seen("TB101", 43), True),
        (seen("TB101", 44), False),
        (seen("TB101", 40, "b/loop.py"), False),
        (seen("TB102", 55), True),
        (seen("TB102", 12), True),
        (seen("TB102", 7, "a/settings.py"), True),
        (seen("TB102", 7), False),
        (seen("TB102", 300, "c.py", (("a/loop.py", 40),)), True),
        (seen("TB102", 300, "c.py", (("a/loop.py", 90),)), False),
    ],
)
def test_a_hit_stands_at_a_marked_place_or_names_the_loop(finding: Seen, right: bool) -> None:
    assert scoring.is_hit(LOOP, finding) is right


@pytest.mark.parametrize(
    ("finding", "broken"),
    [
        (seen("TB601", 60), True),
        (seen("TB601", 81), False),
        (seen("TB601", 60, loops=(("a/loop.py", 60),)), False),
        (seen("TB601", 5, "b.py", (("a/loop.py", 41),)), True),
        (seen("TB601", 60, "b.py"), False),
    ],
)
def test_a_silence_is_broken_by_what_speaks_about_the_construct(finding: Seen, broken: bool) -> None:
    assert scoring.is_intrusion(LOOP, finding) is broken


def test_a_handler_is_judged_by_its_place_whatever_loop_it_serves() -> None:
    handler = LOOP._replace(kind="handler", fires={}, line=60, end_line=62)
    assert scoring.is_intrusion(handler, seen("TB501", 61, loops=(("b.py", 5),)))
    assert not scoring.is_intrusion(handler, seen("TB501", 63, loops=(("b.py", 5),)))


def test_score_counts_hits_misses_and_broken_silences() -> None:
    tallies, wrong = scoring.score(LOOP, [seen("TB101", 41), seen("TB602", 70), seen("TB105", 50)])
    assert tallies == {
        "TB101": Tally(hit=1),
        "TB102": Tally(miss=1),
        "TB601": Tally(quiet=1),
        "TB602": Tally(broken=1),
    }
    assert [(o.what, o.code, o.finding and o.finding.line) for o in wrong] == [
        ("miss", "TB102", None),
        ("false", "TB602", 70),
    ]


def test_a_rule_that_is_expected_is_never_silent_too() -> None:
    label = LOOP._replace(silent=["TB101"])
    assert scoring.score(label, [])[0]["TB101"] == Tally(miss=1)


def test_tallies_sum_field_by_field() -> None:
    sums = scoring.total([{"TB2": Tally(1, 2, 3, 4)}, {"TB1": Tally(1), "TB2": Tally(10, 20, 30, 40)}])
    assert list(sums.items()) == [("TB1", Tally(1)), ("TB2", Tally(11, 22, 33, 44))]


def test_figures_of_a_tally() -> None:
    tally = Tally(hit=6, miss=2, quiet=18, broken=2)
    assert (tally.recall, tally.precision, tally.silence) == (0.75, 0.75, 0.9)
    assert (Tally().recall, Tally().precision, Tally().silence) == (None, None, None)


def test_floors_name_each_figure_that_is_under_them() -> None:
    tallies = {"TB101": Tally(hit=8, miss=2, quiet=99, broken=1)}
    assert scoring.below(tallies, {"TB101": {"recall": 0.8, "silence": 0.99}}) == []
    assert scoring.below(tallies, {"TB101": {"recall": 0.81}}) == ["TB101: recall 0.80, floor 0.81"]


def test_a_table_shows_counts_and_the_whole_interval() -> None:
    (_, line) = accuracy.table({"TB101": Tally(hit=8, miss=2, quiet=61)}).splitlines()
    assert "8/10 0.80 [0.49, 0.94]" in line
    assert "61/61 1.00 [0.94, 1.00]" in line


def test_a_floor_without_figures_is_not_met() -> None:
    assert scoring.below({}, {"TB999": {"recall": 0.1}}) == ["TB999: recall not measured, floor 0.10"]
    with pytest.raises(ValueError, match="recal"):
        scoring.below({}, {"TB101": {"recal": 0.1}})


def many() -> list[Seen]:
    common = [Seen("TB201", f"f{n}.py", n, (), f"p{n % 3}", "m") for n in range(90)]
    rare = [Seen("TB101", "f.py", n, (), "p0", "m") for n in range(2)]
    return common + rare + [Seen("TB601", "f.py", 1, (), "p2", "m")]


def test_a_draw_is_balanced_over_rules_and_packages() -> None:
    drawn = scoring.draw(many(), 12, seed=7)
    assert scoring.counts(drawn) == {"TB201": 9, "TB101": 2, "TB601": 1}
    packages = [finding.package for finding in drawn if finding.code == "TB201"]
    assert {name: packages.count(name) for name in packages} == {"p0": 3, "p1": 3, "p2": 3}


def test_a_draw_depends_on_the_seed_and_not_on_the_order() -> None:
    assert scoring.draw(many(), 12, 7) == scoring.draw(reversed(many()), 12, 7)
    assert scoring.draw(many(), 12, 7) != scoring.draw(many(), 12, 8)
    assert len(scoring.draw(many(), 500, 7)) == len(many())


def test_a_frame_shows_ten_lines_and_marks_one() -> None:
    text = "\n".join(f"line {n}" for n in range(1, 31))
    lines = frame(text, 15).splitlines()
    assert len(lines) == 10
    assert [line for line in lines if line.startswith(">")] == [">    15 line 15"]
    assert len(frame(text, 30).splitlines()) == 10
    assert frame("only", 1) == ">     1 only"


def test_a_report_is_read_relative_to_the_linted_folder() -> None:
    report = {
        "root": "..",
        "loops": [{"id": "L1", "path": "pkg/loop.py", "line": 3, "kind": "tool-loop"}],
        "findings": [{"code": "TB101", "path": "pkg/loop.py", "line": 3, "loops": ["L1", "gone"], "message": "m"}],
    }
    assert run.read(report, "p") == (Seen("TB101", "../pkg/loop.py", 3, (("../pkg/loop.py", 3),), "p", "m"),)


def test_unpacking_keeps_sources_only_and_refuses_to_leave(tmp_path: Path) -> None:
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("a/x.py", "pass\n")
        archive.writestr("a/x.so", "binary")
    assert fetch.unpack(wheel, tmp_path / "out") == 1
    assert [path.name for path in (tmp_path / "out").rglob("*.*")] == ["x.py"]
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("../x.py", "pass\n")
    with pytest.raises(ValueError, match="leaves the folder"):
        fetch.unpack(wheel, tmp_path / "out")


def test_the_labels_fit_the_packages_and_are_enough() -> None:
    packages, floors = fetch.read_settings()
    versions = {package.name: package.version for package in packages}
    labels = accuracy.read_labels()
    assert {label.package: label.version for label in labels}.items() <= versions.items()
    kinds = [label.kind for label in labels]
    assert kinds.count("tool-loop") >= 15
    assert kinds.count("not-a-tool-loop") >= 30
    assert sum("TB101" in label.fires or "TB102" in label.fires for label in labels) >= 10
    assert floors
    for label in labels:
        assert label.line <= label.end_line, label
        assert not set(label.fires) & set(label.silent), label
        assert set(label.alt) <= set(label.fires), label
        assert label.kind == "tool-loop" or not label.fires, label
    keys = [(label.package, label.path, label.line) for label in labels]
    assert len(keys) == len(set(keys))


def test_a_label_holds_facts_and_no_code() -> None:
    for line in (ROOT / "benchmarks" / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert set(row) <= set(Label._fields), row
        assert "\n" not in row["note"], row


FIX = {
    "id": "p-1",
    "repo": "some/thing",
    "path": "src/pkg/loop.py",
    "rule": "TB101",
    "before_line": 5,
    "before_end": 14,
    "after_clean": True,
}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("src/pkg/loop.py", True),
        ("src/pkg/sub/data.json", True),
        ("src/other/loop.py", False),
        ("src/pkg/logo.png", False),
        ("pyproject.toml", True),
        ("src/pyproject.toml", True),
        ("src/other/pyproject.toml", False),
    ],
)
def test_of_a_commit_the_package_and_its_manifests_are_kept(path: str, kept: bool) -> None:
    files = {"src/pkg/__init__.py": b"", "src/pkg/loop.py": b"", "src/other/__init__.py": b""}
    folder = pairs.package(str(FIX["path"]), files)
    assert (folder, pairs.kept(path, folder)) == ("src/pkg", kept)


def test_a_fix_is_judged_both_ways(tmp_path: Path) -> None:
    loop = (
        "import json\n\n\ndef run(client, messages, tools, handlers):\n    {}:\n"
        "        reply = client.chat.completions.create(model='m', messages=messages, tools=tools).choices[0].message\n"
        "        messages.append(reply)\n        if not reply.tool_calls:\n            return reply.content\n"
        "        for call in reply.tool_calls:\n"
        "            done = handlers[call.function.name](**json.loads(call.function.arguments))\n"
        "            messages.append({{'role': 'tool', 'tool_call_id': call.id, 'content': done}})\n"
        "    raise RuntimeError('out of steps')\n"
    )
    top = tmp_path / "some+thing" / "repo"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    package = {"src/pkg/__init__.py": b"", "pyproject.toml": b""}
    commits = [
        pairs.committed(top, {**package, "src/pkg/loop.py": loop.format(head).encode()})
        for head in ("while True", "for _ in range(8)")
    ]
    pair = {**FIX, "before": commits[0], "after": commits[1]}
    outcome = pairs.judge(pair, tmp_path)
    assert (outcome.broken, outcome.fixed, outcome.undone) == ("", (), ("src/pkg/loop.py:5",))
    assert pairs.told(pair, outcome) == []
    turned = {**pair, "before": commits[1], "after": commits[0]}
    assert len(pairs.told(turned, pairs.judge(turned, tmp_path))) == 2
