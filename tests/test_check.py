"""Loading rules from folders, and turning verdicts into findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import toolbind_lint.check as module
from toolbind_lint.check import RuleError, check, check_suppressions, fill, load_rules, rules_folder
from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import Finding
from toolbind_lint.verdicts import Fault, Kind, State, Subject, Verdict

HEADER = Place("app/run.py", 10, 5, 10, 16)
BODY = Place("app/run.py", 14, 9, 14, 30)

TOML = """
code = "TB777"
name = "too-lucky"
subject = "gate"
gate = "cap"
polarity = "presence"
judges = ["tool-loop"]
serves = ["A.item2"]
since = "0.1.0"
preview = false
summary = "A number is too lucky."
why = "Luck runs out."
instead = "Count."

[hows.lucky]
severity = "warning"
message = "{subject} counts on luck[[ with `{value}`]]"
help = "Count instead[[ of `{value}`]]."
"""

CODE = """
from toolbind_lint.findings import Hit


def check(fault, subject):
    yield Hit(fault.place)
"""


class Ignore(NamedTuple):
    place: Place = HEADER
    codes: tuple[str, ...] = ("TB101", "TB2")
    reason: str = "because"
    unused: tuple[str, ...] = ()
    note: str = ""


def rule(root: Path, folder: str = "tb777_too_lucky", toml: str = TOML, code: str = CODE) -> Path:
    (root / folder).mkdir(parents=True)
    (root / folder / "rule.toml").write_text(toml, encoding="utf-8")
    (root / folder / "check.py").write_text(code, encoding="utf-8")
    return root


def subject(*faults: Fault, state: State = "leaks", kind: Kind = "tool-loop", path: str = "app/run.py") -> Subject:
    header = HEADER._replace(path=path)
    verdicts = (Verdict("cap", state, faults),)
    return Subject("L1", kind, header, header, "Agent.run", "the loop in Agent.run", "", "while(True)", verdicts)


def only(root: Path, *subjects: Subject) -> Finding:
    findings, crashes = check(subjects, (), load_rules(root))
    assert not crashes
    (finding,) = findings
    return finding


# Loading


def test_rules_are_found_in_their_folders(tmp_path: Path) -> None:
    rule(tmp_path)
    rule(
        tmp_path,
        "tb111_early_bird",
        TOML.replace("TB777", "TB111").replace("too-lucky", "early-bird").replace("lucky]", "early]"),
    )
    (tmp_path / "frameworks").mkdir()
    (tmp_path / "notes.txt").write_text("no rule")
    assert [(one.code, one.name) for one in load_rules(tmp_path)] == [("TB111", "early-bird"), ("TB777", "too-lucky")]


def test_metadata_is_read(tmp_path: Path) -> None:
    (one,) = load_rules(rule(tmp_path))
    assert (one.gate, one.polarity, one.judges, one.serves) == ("cap", "presence", ("tool-loop",), ("A.item2",))
    assert (one.severity, one.since, one.preview, one.summary) == ("warning", "0.1.0", False, "A number is too lucky.")
    assert list(one.hows) == ["lucky"]


def test_a_rule_is_as_heavy_as_its_heaviest_how(tmp_path: Path) -> None:
    more = TOML + '\n[hows.luckier]\nseverity = "error"\nmessage = "m"\nhelp = "h"\n'
    (one,) = load_rules(
        rule(tmp_path, toml=more + more.split("\n\n")[-1].replace("luckier", "third").replace("error", "advice"))
    )
    assert [how.severity for how in one.hows.values()] == ["warning", "error", "advice"]
    assert one.severity == "error"


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ('since = "0.1.0"', 'since = "0.1.0"\ncolour = "red"', "colour", "unknown key"),
        ('help = "Count', 'hint = "x"\nhelp = "Count', "hows.lucky.hint", "unknown key"),
        ('summary = "A number is too lucky."', "", "summary", "missing"),
        ('why = "Luck runs out."', 'why = " "', "why", "empty"),
        ("preview = false", 'preview = "no"', "preview", "is str, not bool"),
        ("preview = false", "preview = 0", "preview", "is int, not bool"),
        ('"presence"', '"maybe"', "polarity", "none of presence, absence"),
        ('gate = "cap"', 'gate = "caps"', "gate", "none of cap, wall"),
        ('["tool-loop"]', '["tool-loop", "loop"]', "judges", "'loop'"),
        ('["tool-loop"]', '["tool-loop", "tool-loop"]', "judges", "twice"),
        ('["tool-loop"]', "[]", "judges", "empty"),
        ('["A.item2"]', '["item 2"]', "serves", "'item 2'"),
        ('["A.item2"]', "[2]", "serves", "2"),
        ('"TB777"', '"TB77"', "code", "TB"),
        ('"too-lucky"', '"Too Lucky"', "name", "does not look like"),
        ('"too-lucky"', '"lucky"', "code", "tb777_lucky"),
        ('"0.1.0"', '"soon"', "since", "does not look like"),
        ('"warning"', '"fatal"', "hows.lucky.severity", "none of advice, review, warning, error"),
        ("{subject} counts", "{loop} counts", "hows.lucky.message", "no fault carries the word {loop}"),
        ("[[ with `{value}`]]", " with `{value}`", "hows.lucky.message", "{value} may be missing"),
        ("[[ of `{value}`]]", "[[ of it]]", "hows.lucky.help", "without a word"),
        ("[hows.lucky]", "[hows.Lucky]", "hows.Lucky", "is no how"),
        ("[hows.lucky]", "[whys.lucky]", "hows", "missing"),
        ('gate = "cap"', "gate = ", "", "rule.toml"),
    ],
)
def test_a_fault_in_the_metadata_is_named(tmp_path: Path, old: str, new: str, key: str, message: str) -> None:
    assert TOML.count(old) == 1 or old in ('"TB777"', '"too-lucky"')
    with pytest.raises(RuleError) as caught:
        load_rules(rule(tmp_path, toml=TOML.replace(old, new)))
    assert caught.value.key == key
    assert message in str(caught.value)
    assert str(caught.value).startswith("tb777_too_lucky/rule.toml: ")


def test_rules_of_files_have_no_gate(tmp_path: Path) -> None:
    toml = TOML.replace('subject = "gate"', 'subject = "file"')
    with pytest.raises(RuleError, match="gate: is an unknown key"):
        load_rules(rule(tmp_path, toml=toml.replace("{subject}", "x").replace("`{value}`", "{reason}")))


@pytest.mark.parametrize(
    ("folder", "changes", "key"),
    [
        ("tb777_other_name", {"too-lucky": "other-name", "lucky]": "other]"}, "code.TB777"),
        ("tb778_too_lucky", {"TB777": "TB778", "lucky]": "other]"}, "name.too-lucky"),
        ("tb778_other_name", {"TB777": "TB778", "too-lucky": "other-name"}, "cap.lucky.tool-loop"),
    ],
)
def test_no_two_rules_claim_the_same(tmp_path: Path, folder: str, changes: Mapping[str, str], key: str) -> None:
    toml = TOML
    for old, new in changes.items():
        toml = toml.replace(old, new)
    with pytest.raises(RuleError, match="TB777 has it already") as caught:
        load_rules(rule(rule(tmp_path), folder, toml))
    assert caught.value.key == key


def test_two_rules_may_share_a_how_of_different_subjects(tmp_path: Path) -> None:
    toml = TOML.replace("TB777", "TB778").replace("too-lucky", "lucky-run").replace("tool-loop", "agent-run")
    rules = load_rules(rule(rule(tmp_path), "tb778_lucky_run", toml))
    fault = Fault("lucky", BODY)
    findings, _ = check([subject(fault), subject(fault, kind="agent-run")], (), rules)
    assert [(finding.code, finding.kind) for finding in findings] == [("TB777", "tool-loop"), ("TB778", "agent-run")]


def test_a_folder_that_looks_like_a_rule_must_be_one(tmp_path: Path) -> None:
    rule(tmp_path)
    (tmp_path / "tb778_forgotten").mkdir()
    with pytest.raises(RuleError, match=r"tb778_forgotten: has no rule\.toml"):
        load_rules(tmp_path)


def test_an_installation_without_rules_is_broken(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(RuleError, match="holds no rules"):
            load_rules(folder)


def test_rules_stand_in_the_package_or_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__file__", str(tmp_path / "site" / "toolbind_lint" / "check.py"))
    assert rules_folder() == tmp_path / "site" / "rules"
    inside = tmp_path / "site" / "toolbind_lint" / "rules"
    inside.mkdir(parents=True)
    assert rules_folder() == inside


def test_examples_are_read_with_caption_and_mended_text(tmp_path: Path) -> None:
    folder = rule(tmp_path) / "tb777_too_lucky"
    (folder / "bad_b.py").write_text('"""Luck alone."""\nx = 1\n')
    (folder / "bad_b.fixed.py").write_text("x = 2\n")
    (folder / "bad_a.py.txt").write_text("# -*- coding: utf-8 -*-\n# A comment as caption.\nx =\n")
    (folder / "good_one_more.py").write_text("x = 3\n")
    (one,) = load_rules(tmp_path)
    assert [(example.file, example.caption, example.bad, example.fixed) for example in one.examples()] == [
        ("bad_a.py.txt", "A comment as caption.", True, None),
        ("bad_b.py", "Luck alone.", True, "x = 2\n"),
        ("good_one_more.py", "one more", False, None),
    ]


# Words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"subject": "the loop", "value": "7"}, "The loop counts on 7, it does"),
        ({"subject": "the loop", "value": ""}, "The loop counts, it does"),
        ({"subject": "the loop"}, "The loop counts, it does"),
        ({"subject": "`run`", "value": "{subject}"}, "`run` counts on {subject}, it does"),
    ],
)
def test_sections_without_their_words_fall_away(words: Mapping[str, str], expected: str) -> None:
    assert fill("{subject} counts[[ on {value}]], it does", words) == expected


def test_braces_that_are_no_words_stay() -> None:
    assert fill('write `{"type": "any"}` or `{}`', {}) == 'Write `{"type": "any"}` or `{}`'


# Checking


def test_a_fault_becomes_a_finding(tmp_path: Path) -> None:
    trail = (Step(BODY, "calls `_ask`"),)
    fault = Fault("lucky", BODY, (("value", "7"),), trail, (Step(BODY, "also here"),), "medium")
    finding = only(rule(tmp_path), subject(fault))
    assert (finding.code, finding.name, finding.how, finding.gate) == ("TB777", "too-lucky", "lucky", "cap")
    assert (finding.severity, finding.confidence, finding.place) == ("warning", "medium", BODY)
    assert finding.message == "The loop counts on luck with `7`"
    assert finding.help == "Count instead of `7`."
    assert (finding.loops, finding.function, finding.kind) == (("L1",), "Agent.run", "tool-loop")
    assert (finding.subject_shape, finding.trail) == ("while(True)", trail)
    assert finding.related == (Step(HEADER, "the loop in Agent.run"), Step(BODY, "also here"))


def test_a_finding_on_the_header_does_not_repeat_it(tmp_path: Path) -> None:
    assert only(rule(tmp_path), subject(Fault("lucky", HEADER))).related == ()
    shown = (Step(HEADER, "counted here"),)
    assert only(rule(tmp_path / "x"), subject(Fault("lucky", BODY, related=shown))).related == shown


def test_the_recogniser_may_name_the_subject_and_add_a_sentence(tmp_path: Path) -> None:
    fault = Fault("lucky", BODY, (("subject", "the inner loop"), ("note", "It has happened before.")))
    assert only(rule(tmp_path), subject(fault)).message == "The inner loop counts on luck. It has happened before."


def test_empty_words_do_not_replace_the_defaults(tmp_path: Path) -> None:
    assert only(rule(tmp_path), subject(Fault("lucky", BODY, (("subject", ""),)))).message == "The loop counts on luck"


@pytest.mark.parametrize("state", ["held", "unknown", "not-applicable"])
def test_only_leaking_and_missing_gates_are_findings(tmp_path: Path, state: State) -> None:
    assert check([subject(Fault("lucky", BODY), state=state)], (), load_rules(rule(tmp_path))) == ([], [])


def test_a_how_that_nobody_speaks_for_is_no_finding(tmp_path: Path) -> None:
    rules = load_rules(rule(tmp_path))
    assert check([subject(Fault("unlucky", BODY)), subject(Fault("lucky", BODY), kind="retry")], (), rules) == ([], [])


@pytest.mark.parametrize(("case", "expected"), [("advice", "advice"), ("error", "warning"), ("warning", "warning")])
def test_a_case_lowers_the_severity_and_never_raises_it(tmp_path: Path, case: str, expected: str) -> None:
    code = CODE.replace("fault.place", f'fault.place, severity="{case}"')
    assert only(rule(tmp_path, code=code), subject(Fault("lucky", BODY))).severity == expected


def test_findings_are_ordered_by_place(tmp_path: Path) -> None:
    places = [
        Place("a.ipynb", 3, 1, 3, 2, cell=0),
        Place("a.ipynb", 2, 1, 2, 2, cell=4),
        Place("b.py", 9, 1, 9, 2),
        Place("b.py", 10, 4, 10, 6),
        Place("b.py", 10, 5, 10, 6),
    ]
    faults = [Fault("lucky", place) for place in reversed(places)]
    findings, _ = check([subject(*faults)], (), load_rules(rule(tmp_path)))
    assert [finding.place for finding in findings] == places


def test_the_code_of_a_rule_is_loaded_only_for_a_fault_of_it(tmp_path: Path) -> None:
    rules = load_rules(rule(tmp_path, code="raise SystemError('imported')"))
    assert check([subject(Fault("unlucky", BODY))], (), rules) == ([], [])
    findings, crashes = check([subject(Fault("lucky", BODY))], (), rules)
    assert not findings
    assert [(crash.path, crash.stage, crash.error) for crash in crashes] == [
        ("app/run.py", "TB777", "SystemError: imported")
    ]


def test_rules_are_modules_of_the_package(tmp_path: Path) -> None:
    (one,) = load_rules(rule(tmp_path))
    assert one.function().__module__ == "toolbind_lint.rules.tb777_too_lucky"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (CODE.replace("yield Hit(fault.place)", "yield 1 / 0"), "ZeroDivisionError: division by zero"),
        (
            CODE.replace("fault.place", "fault.place, 'bad-luck'"),
            "RuleError: tb777_too_lucky/check.py: speaks of 'bad-luck'",
        ),
        ("verify = 1\n", "RuleError: tb777_too_lucky/check.py: check: is no function"),
        ("def check(\n", "SyntaxError: "),
    ],
)
def test_a_crash_names_file_and_rule_and_stops_nobody_else(tmp_path: Path, code: str, error: str) -> None:
    rule(tmp_path, code=code)
    toml = TOML.replace("TB777", "TB778").replace("too-lucky", "good-rule").replace("lucky]", "good]")
    rules = load_rules(rule(tmp_path, "tb778_good_rule", toml))
    here = [subject(Fault("lucky", BODY), Fault("good", BODY), path=path) for path in ("a.py", "b.py", "b.py")]
    findings, crashes = check(here, (), rules)
    assert [finding.code for finding in findings] == ["TB778"] * 3
    assert [(crash.path, crash.stage) for crash in crashes] == [("a.py", "TB777"), ("b.py", "TB777")]
    assert all(crash.error.startswith(error) for crash in crashes)


def test_unreadable_files_are_judged() -> None:
    place = Place("old.py", 3, 1, 3, 1)
    facts = [
        Unreadable(place, "syntax", "invalid syntax", relevant=True),
        Unreadable(place._replace(path="other.py"), "syntax", "invalid syntax", relevant=False),
        Unreadable(place._replace(path="big.py"), "too-large", "5 MB", relevant=True),
    ]
    findings, crashes = check((), facts, load_rules())
    assert not crashes
    assert [(finding.code, finding.place.path, finding.how, finding.kind) for finding in findings] == [
        ("TB001", "big.py", "too-large", "file"),
        ("TB001", "old.py", "syntax", "file"),
    ]
    assert findings[1].message.endswith("invalid syntax")


def test_suppressions_are_judged() -> None:
    facts = [
        Ignore(),
        Ignore(unused=("TB101", "TB2")),
        Ignore(unused=("TB2",), note="No rule is called `TB2`."),
        Ignore(reason=""),
        Ignore(codes=()),
    ]
    findings, crashes = check_suppressions(facts, load_rules())
    assert not crashes
    assert [(finding.code, finding.how, finding.kind) for finding in findings] == [
        ("TB002", "partly-unused", "suppression"),
        ("TB002", "unused", "suppression"),
        ("TB003", "blanket", "suppression"),
        ("TB003", "no-reason", "suppression"),
    ]
    assert findings[0].message == "This suppression names what it does not hide: TB2. No rule is called `TB2`."
    assert findings[1].message == "This suppression hides nothing: TB101, TB2"
    assert findings[3].message == "This suppression of TB101, TB2 gives no reason"


def test_a_missing_step_cap_is_a_warning_beside_a_budget_that_ends_the_run() -> None:
    rules = load_rules()

    def severity(*others: Verdict) -> str:
        capless = subject(Fault("none", HEADER), state="missing")
        findings, _ = check([capless._replace(verdicts=(*capless.verdicts, *others))], (), rules)
        return next(finding.severity for finding in findings if finding.code == "TB101")

    assert severity() == "error"
    assert severity(Verdict("wall", "held")) == "warning"
    assert severity(Verdict("cost", "held")) == "warning"
    assert severity(Verdict("wall", "unknown")) == "error"
    assert severity(Verdict("wall", "missing", (Fault("none", HEADER),))) == "error"
    assert severity(Verdict("wall", "leaks", (Fault("not-monotonic", HEADER),))) == "warning"
    assert severity(Verdict("wall", "leaks", (Fault("off-by-default", HEADER),))) == "error"
    assert severity(Verdict("wall", "leaks", (Fault("re-armed-each-pass", HEADER),))) == "error"
