"""Cards of the ``gates`` command, and why nothing is said at a line."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from report_samples import at, finding, sample, subject, verdict

from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Cell
from toolbind_lint.report import Options, cards
from toolbind_lint.verdicts import Envelope, Evidence, Fault, Verdict


class Rule(NamedTuple):
    code: str
    gate: str
    judges: tuple[str, ...] = ("tool-loop",)


RULES = (
    Rule("TB101", "cap"),
    Rule("TB102", "cap"),
    Rule("TB107", "cap", ("agent-run",)),
    Rule("TB201", "wall"),
    Rule("TB301", "tool-timeout"),
    Rule("TB311", "allowlist"),
    Rule("TB401", "schema"),
)


def test_a_card_shows_each_gate_with_its_evidence_or_what_is_missing() -> None:
    text = cards.render(sample(), Options())
    assert text.split("\n\n")[0] == (
        "agent/core.py:3  Agent._loop · tool loop · openai\n"
        "  cap           missing   TB101 Nothing bounds the turns of the loop: it ends only when the model asks for no"
        " more\n"
        "                          tools.\n"
        "  wall          missing   TB201 Nothing ends the whole run after a time.\n"
        "  allowlist     held      4 names, a table of exact names (tools/table.py:7)\n"
        "  tool timeout  unknown   `self._run_tool` is not known (agent/core.py:8)\n"
        "  one pass      3 -> 4 _ask -> 8 _run_tool -> 3\n"
        "  worst case    turns ∞ · calls ∞ · time ∞ · tokens ?"
    )
    assert text.splitlines()[-1] == "9 tool loops: 1 with all gates held"
    assert "not applicable" not in text
    assert "  cost          not applicable\n" in cards.render(sample(), Options(verbose=True))


def test_cards_can_be_of_a_file_or_a_folder() -> None:
    assert cards.render(sample(), Options(), "good.py").splitlines()[0] == "good.py:4  good · tool loop"
    assert cards.render(sample(), Options(), "flows/").count("worst case") == 6
    assert cards.render(sample(), Options(), "flow") == "Found no tool loops, agent runs or dispatchers\n"
    assert cards.render(sample(), Options(quiet=True), "flow") == ""


def test_what_was_considered_as_a_bound_stands_under_the_witness() -> None:
    fault = Fault("none", at("a.py", 3), related=(Step(at("a.py", 6), "leaves only when the model stops"),))
    loop = subject("a", "a.py", 3, Verdict("cap", "missing", (fault,)))._replace(witness=(Step(at("a.py", 4), "ask"),))
    text = cards.render(sample()._replace(subjects=(loop,), findings=()), Options())
    assert "  cap           missing   none\n" in text
    assert "  one pass      3 -> 4 ask -> 3\n  no bound      a.py:6 leaves only when the model stops\n" in text


def test_a_pass_through_other_files_names_each_where_it_enters() -> None:
    steps = (Step(at("b.py", 9), "ask"), Step(at("b.py", 12), "send"), Step(at("a.py", 7), ""))
    loop = subject("a", "a.py", 3)._replace(witness=steps)
    text = cards.render(sample()._replace(subjects=(loop,)), Options())
    assert "one pass      3 -> b.py:9 ask -> 12 send -> a.py:7 -> 3\n" in text


def test_a_hidden_finding_is_marked_with_its_reason() -> None:
    hidden = finding("TB101", at("a.py", 3), loops=("a",), disposition="suppressed", reason="ends by hand")
    loop = subject("a", "a.py", 3, verdict("cap", "missing", how="none", place=at("a.py", 3)))
    text = cards.render(sample()._replace(subjects=(loop,), findings=(hidden,)), Options())
    assert "missing   TB101 Something is wrong. [suppressed: ends by hand]" in text


@pytest.mark.parametrize(
    ("envelope", "expected"),
    [
        (Envelope("8", "8 × ?", "14400", "∞"), "≤ 8 turns · ≤ 8 × ? calls · ≤ 4 h · tokens ∞"),
        (Envelope("?", "?", "90", "100000"), "turns ? · calls ? · ≤ 90 s · ≤ 100000 tokens"),
        (Envelope("∞", "∞", "0.5", "∞"), "turns ∞ · calls ∞ · ≤ 0.5 s · tokens ∞"),
        (Envelope("1", "1", "300", "?"), "≤ 1 turn · ≤ 1 call · ≤ 5 min · tokens ?"),
        (Envelope("1", "1", "8 × 60", "?"), "≤ 1 turn · ≤ 1 call · ≤ 8 × 60 · tokens ?"),
    ],
)
def test_the_worst_case_in_words(envelope: Envelope, expected: str) -> None:
    assert cards.worst_case(envelope) == expected


def test_a_dispatcher_has_a_worst_case_only_when_something_of_it_is_known() -> None:
    dispatcher = subject("d", "d.py", 3, verdict("cap", "held", value="8"), kind="dispatcher")
    report = sample()._replace(subjects=(dispatcher,))
    assert "worst case" not in cards.render(report, Options())
    known = dispatcher._replace(envelope=Envelope(calls="8"))
    assert "worst case    turns ? · ≤ 8 calls" in cards.render(report._replace(subjects=(known,)), Options())


def test_a_line_shows_which_rules_stay_silent_and_why() -> None:
    text = cards.why_silent(sample(), "agent/core.py", 5, RULES)
    assert text.startswith("agent/core.py:5 belongs to 1 tool loop\n\nagent/core.py:3  Agent._loop")
    rows = [" ".join(row.split()) for row in text.splitlines()]
    assert "silent: TB102; the fault found is not of their kind, or lighter than the one reported" in rows
    assert "silent: TB311; the gate is held" in rows
    assert "silent: TB301; what they look for is not known, and unknown is never reported as missing" in rows
    assert "silent: TB401; the gate does not apply here, or was not looked at" in rows
    assert not any("TB107" in row or row.startswith("silent: TB201") for row in rows)


def test_a_hidden_finding_explains_the_silence() -> None:
    hidden = finding("TB101", at("a.py", 3), loops=("a",), disposition="baselined")
    loop = subject("a", "a.py", 3, verdict("cap", "missing", how="none", place=at("a.py", 3)))
    text = cards.why_silent(sample()._replace(subjects=(loop,), findings=(hidden,)), "a.py", 7, RULES)
    assert "TB101 Something is wrong. [in the baseline]" in text
    assert "silent: TB101, TB102; the finding is hidden as said above" in text
    assert "hidden        1 finding" in text


def test_a_helper_in_another_file_belongs_to_the_loops_that_reach_it() -> None:
    assert cards.why_silent(sample(), "tools/dispatch.py", 12).startswith(
        "tools/dispatch.py:12 belongs to 6 tool loops"
    )
    assert cards.why_silent(sample(), "tools/table.py", 7).startswith("tools/table.py:7 belongs to 1 tool loop")
    reached = subject("a", "a.py", 3)._replace(dispatches=(Step(at("b.py", 30), "run"),))
    assert cards.why_silent(sample()._replace(subjects=(reached,)), "b.py", 30).startswith("b.py:30 belongs to")


def test_a_line_of_nothing_says_what_is_near_or_why_nothing_is_there() -> None:
    text = cards.why_silent(sample(), "agent/core.py", 90)
    assert "was recognised around this line" in text
    assert "near: agent/core.py:3  Agent._loop · tool loop · openai" in text
    assert "nothing was checked there: invalid syntax (broken.py:3)" in cards.why_silent(sample(), "broken.py", 90)
    assert "nothing in this file was recognised as one" in cards.why_silent(sample(), "else.py", 1)


def test_findings_without_a_subject_are_told_at_their_line() -> None:
    loop = subject("a", "old.py", 5)
    text = cards.why_silent(sample()._replace(subjects=(loop,)), "old.py", 9)
    assert text.endswith("\nTB002 It suppresses nothing. [shown]\n")


def test_lines_of_a_notebook_are_those_of_the_file() -> None:
    place = Place("n.ipynb", 2, 1, 4, 1, cell=3)
    loop = subject("a", "n.ipynb", 1)._replace(place=place, header=place._replace(end_line=2))
    report = sample()._replace(
        subjects=(loop,), findings=(), cells=(Cell("n.ipynb", 3, 1, (41, 42, 43, 44)),), unreadable=()
    )
    assert "belongs to" in cards.why_silent(report, "n.ipynb", 44)
    assert "was recognised around this line" in cards.why_silent(report, "n.ipynb", 4)


def test_nothing_hostile_gets_through() -> None:
    bad = "x\x1b[2J\u202e\n::error::y"
    loop = subject("a", f"{bad}.py", 3, Verdict("cap", "held", (), (Evidence(at(bad, 3), bad, bad),)), label=bad)
    report = sample()._replace(subjects=(loop,), findings=(), unreadable=(Unreadable(at(bad, 1), "syntax", bad, True),))
    for text in (
        cards.render(report, Options()),
        cards.why_silent(report, f"{bad}.py", 3),
        cards.why_silent(report, bad, 90),
    ):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())
        assert "\\u202e" in text
