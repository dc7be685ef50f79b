"""Every rule, from its folder alone: metadata, texts, and what its examples say."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

import pytest
import tomli

from toolbind_lint.check import CERTAIN_WORDS, POSSIBLE_WORDS, Example, Rule, fill, load_rules
from toolbind_lint.config import Settings
from toolbind_lint.findings import Report
from toolbind_lint.lint import lint
from toolbind_lint.pull import check_change
from toolbind_lint.revision import Compared
from toolbind_lint.snapshot import Memory

RULES = load_rules()
SETTING = re.compile(r"^# settings: (.+)$", re.MULTILINE)
"""A line of an example that stands in the configuration of its project."""

EXPECTATION = re.compile(r"# expect: (TB\d{3}(?:, TB\d{3})*)\s*$")
LONGEST = 50
"""Lines of an example: what can be read at a glance beside the rule's text."""


class Case(NamedTuple):
    rule: Rule
    example: Example


CASES = [Case(rule, example) for rule in RULES for example in rule.examples()]


def folder(rule: Rule) -> str:
    return rule.folder.name


def name(case: Case) -> str:
    return f"{case.rule.folder.name}/{case.example.file}"


every_rule = pytest.mark.parametrize("rule", RULES, ids=folder)
every_example = pytest.mark.parametrize("case", CASES, ids=name)


def expected_lines(case: Case) -> list[int]:
    """The lines on which the rule is expected, from the comments that stand there."""
    found = []
    for number, line in enumerate(case.example.text.split("\n"), 1):
        match = EXPECTATION.search(line)
        if match and case.rule.code in match[1].split(", "):
            found.append(number)
    return found


def report(case: Case) -> Report:
    """What the product says about one example, as the only file of a project, with every rule switched on."""
    path = f"src/{case.example.file.removesuffix('.txt')}"
    options: dict[str, object] = {"profile": "strict", "preview": True}
    for line in SETTING.findall(case.example.text):
        options.update(tomli.loads(line))
    settings = Settings(options)
    now = Memory({path: (case.rule.folder / case.example.file).read_bytes()})
    if case.example.base is None:
        return lint(now, [path], settings)
    before = Memory({path: case.example.base.encode("utf-8")})
    return check_change(now, [path], settings, Compared(before, frozenset({path})))


# Metadata and texts


@every_rule
def test_texts_are_written_alike(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert rule.why != rule.instead
    for how in rule.hows.values():
        assert not how.message.rstrip("]").endswith("."), "a message is a clause, to which a note may be added"
        assert how.help.endswith((".", "`", ".]]")), "help is whole sentences"
        assert "\n" not in how.message + how.help


@every_rule
def test_messages_stay_whole_whatever_is_known(rule: Rule) -> None:
    certain = {word: f"<{word}>" for word in CERTAIN_WORDS[rule.subject]}
    possible = {word: f"<{word}>" for word in POSSIBLE_WORDS[rule.subject]}
    for how in rule.hows.values():
        for template in (how.message, how.help):
            for words in (certain, {**certain, **possible}):
                text = fill(template, words)
                assert "[[" not in text
                assert not re.search(r"\{[a-z_]+\}", text)
                assert not re.search(r"  | ,|,,|,$|``", text)


@every_rule
def test_the_check_says_what_it_does(rule: Rule) -> None:
    assert rule.function().__doc__


def test_each_how_of_each_kind_of_subject_has_one_rule() -> None:
    claims = [(rule.gate, how, kind) for rule in RULES for how in rule.hows for kind in rule.judges]
    assert len(claims) == len(set(claims))


# Examples


@every_rule
def test_examples_show_both_sides(rule: Rule) -> None:
    sides = {example.bad for example in rule.examples()}
    assert sides == {True, False}
    captions = [example.caption for example in rule.examples()]
    assert len(captions) == len(set(captions)), "two examples with one caption"


@every_rule
def test_examples_of_changes_are_pairs(rule: Rule) -> None:
    pairs = {example.base is not None for example in rule.examples()}
    assert pairs == {rule.subject == "change"}
    assert all(example.base != example.text for example in rule.examples())


@every_example
def test_examples_are_readable(case: Case) -> None:
    text = case.example.text
    assert text.count("\n") <= LONGEST
    assert case.example.caption.endswith(".")
    if not case.example.file.endswith(".txt"):
        ast.parse(text, feature_version=(3, 10))


@every_example
def test_examples_expect_their_own_rule(case: Case) -> None:
    named = {code for line in case.example.text.split("\n") for code in _codes(line)}
    assert named == ({case.rule.code} if case.example.bad else set())


def _codes(line: str) -> list[str]:
    match = EXPECTATION.search(line)
    assert match or "expect:" not in line, "an expectation that is not read"
    return match[1].split(", ") if match else []


@every_example
def test_the_rule_fires_where_the_example_says(case: Case) -> None:
    result = report(case)
    assert result.crashes == ()
    assert [finding.place.line for finding in result.shown if finding.code == case.rule.code] == expected_lines(case)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.subject == "gate"], ids=folder)
def test_each_how_has_an_example(rule: Rule) -> None:
    shown = {
        finding.how
        for example in rule.examples()
        if example.bad
        for finding in report(Case(rule, example)).shown
        if finding.code == rule.code
    }
    assert shown == set(rule.hows)
