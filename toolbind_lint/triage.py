"""Each finding's disposition: shown, suppressed with a reason, or not selected; and its severity in this project.

A suppression is a comment that accepts findings: ``# toolbind: ignore[TB101, no-wall-budget] reason in words``. It
holds for

* findings on its own line; at the first or last line of a statement that spans several, for the whole statement;
* alone on a line, for the statement that follows without a blank line (decorators belong to what they decorate; inside
  brackets, for the next line alone);
* on or above the header of a loop, run, retry or dispatcher, for all findings of it that stand in the same file.

``# toolbind: ignore-file[TB7] reason`` holds for its file when it stands in the file's head: above the first statement
that is neither a docstring nor an import. Spacing and case do not matter. A suppression without a reason, or
without codes, hides nothing and is reported; so is what hides nothing. Those reports cannot be suppressed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from toolbind_lint.facts import Comment, Place
from toolbind_lint.findings import SEVERITIES, Crash, Finding, Severity
from toolbind_lint.fingerprint import TOKEN
from toolbind_lint.selection import RuleName, nearest, rank, valid_selector
from toolbind_lint.verdicts import Subject

Problem = Literal["", "no-reason", "blanket", "unknown-code", "unused"]
Line = tuple["int | None", int]
"""A line of a file: cell (None outside notebooks) and number."""

UNSUPPRESSIBLE = frozenset({"TB002", "TB003"})
"""Reports on suppressions: no suppression hides them."""


class Suppression(NamedTuple):
    """One comment that accepts findings.

    ``place`` spans the directive inside its comment. ``codes`` are codes, prefixes and names in canonical spelling.
    ``lines`` are the first and the last line that it speaks for, None for a whole file (``scope``). ``problem`` says
    what is wrong with it and makes it a fact for the rules on suppressions; ``unused`` are the codes that hid nothing,
    ``note`` is a sentence more about them, or empty.
    """

    place: Place
    codes: tuple[str, ...]
    reason: str
    scope: Literal["line", "file"] = "line"
    lines: tuple[int, int] | None = None
    problem: Problem = ""
    unused: tuple[str, ...] = ()
    note: str = ""


class Text(Protocol):
    """What is read of a source: its lines, its real comments, and where a line of text stands in the file."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, notebook cells one after the other."""

    @property
    def comments(self) -> tuple[Comment, ...]:
        """Every comment token."""

    def place(self, line: int, column: int, end_line: int, end_column: int) -> Place:
        """Map lines of the text to a place."""


# Reading comments

_DIRECTIVE = re.compile(r"(?:^|(?<=\s)|(?<=#))#\s*toolbind\s*:\s*ignore(?P<file>[-_ ]?file)?(?![\w-])", re.IGNORECASE)
_CODES = re.compile(r"\s*\[(?P<codes>[^\[\]]*)\]")
_NEXT_COMMENT = re.compile(r"(?:^|\s)#+\s*[^\W\d]")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"TB\d+", re.IGNORECASE)
_ALL = frozenset({"all", "*", "tb"})
_HEAD_STATEMENT = re.compile(r"""(?:import|from|pass)\b|[rRuUbB]{0,2}["']""")


def read_suppressions(source: Text) -> tuple[Suppression, ...]:
    """The suppressions of one file in source order. Those that can hide nothing have their ``problem`` already."""
    directives = [
        (comment, match)
        for comment in source.comments
        if "toolbind" in comment.text.lower()
        for match in _DIRECTIVE.finditer(comment.text)
    ]
    if not directives:
        return ()
    layout = _Layout(source)
    return tuple(_suppression(comment, match, layout) for comment, match in directives)


def _suppression(comment: Comment, match: re.Match[str], layout: _Layout) -> Suppression:
    codes, reason, length = _read(comment.text[match.end() :])
    start = comment.place.column + match.start()
    end = comment.place.column + match.end() + length
    place = comment.place._replace(column=start, end_column=end)
    of_file = bool(match["file"])
    lines = None if of_file else layout.spoken_for(comment)
    problem: Problem = ""
    note = ""
    if not codes or any(code.lower() in _ALL for code in codes):
        problem, codes = "blanket", ()
    elif not _WORDS.search(reason):
        problem, reason = "no-reason", ""
    elif of_file and not layout.in_head(comment):
        problem = "unused"
        note = "A suppression for the whole file belongs above its first statement that is no import."
    unused = codes if problem == "unused" else ()
    return Suppression(place, codes, reason, "file" if of_file else "line", lines, problem, unused, note)


def _read(rest: str) -> tuple[tuple[str, ...], str, int]:
    """Codes, reason and length of what follows the word ``ignore``. Another comment behind the reason is none of it."""
    bracket = _CODES.match(rest)
    behind = bracket.end() if bracket else 0
    cut = _NEXT_COMMENT.search(rest, behind)
    end = cut.start() if cut else len(rest)
    reason = rest[behind:end].strip().lstrip("-:,;–—").strip()
    codes = [_canonical(item) for item in bracket["codes"].split(",")] if bracket else []
    return tuple(dict.fromkeys(code for code in codes if code)), reason, len(rest[:end].rstrip())


def _canonical(item: str) -> str:
    item = item.strip().strip("'\"")
    return item.upper() if _CODE.fullmatch(item) else item.lower().replace("_", "-")


class _Layout:
    """Where statements of one file begin and end, in lines of cells."""

    def __init__(self, source: Text) -> None:
        self.text = source.lines
        places = [source.place(number, 1, number, 1) for number in range(1, len(source.lines) + 1)]
        self.lines: list[Line] = [(place.cell, place.line) for place in places]
        self.numbers: Mapping[Line, int] = {line: number for number, line in enumerate(self.lines, 1)}
        self.statements = list(_statements("\n".join(source.lines)))
        self.alone = {self._number(comment) for comment in source.comments if comment.own_line}

    def _number(self, comment: Comment) -> int:
        return self.numbers.get((comment.place.cell, comment.place.line), 0)

    def spoken_for(self, comment: Comment) -> tuple[int, int]:
        """The first and the last line, in the comment's cell, of what a comment may speak for."""
        number = self._number(comment)
        if not number:
            return comment.place.line, comment.place.line
        if comment.own_line:
            first, last = self._below(number)
        else:
            first, last = self._around(number)
            if number not in {first, last}:
                first = last = number
        same_cell = [self.lines[at - 1][1] for at in (first, last) if self.lines[at - 1][0] == comment.place.cell]
        return (same_cell[0], same_cell[-1]) if len(same_cell) == 2 else (comment.place.line, comment.place.line)

    def _below(self, number: int) -> tuple[int, int]:
        below = number + 1
        while below in self.alone:
            below += 1
        if below > len(self.text) or not self.text[below - 1].strip():
            return number, number
        first, last = self._around(below)
        if first != below:
            return below, below
        index = self.statements.index((first, last))
        while self.text[self.statements[index][0] - 1].lstrip().startswith("@") and index + 1 < len(self.statements):
            index += 1
        return first, self.statements[index][1]

    def _around(self, number: int) -> tuple[int, int]:
        return next(((first, last) for first, last in self.statements if first <= number <= last), (number, number))

    def in_head(self, comment: Comment) -> bool:
        """Whether a comment stands above the first statement that is neither a docstring nor an import."""
        body = (first for first, _ in self.statements if not _HEAD_STATEMENT.match(self.text[first - 1].lstrip()))
        return self._number(comment) < next(body, len(self.text) + 1)


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each logical line."""
    number, depth = 1, 0
    first: int | None = None
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "newline" and depth == 0 and first is not None:
            yield first, number
            first = None
        if kind not in {"newline", "space", "comment"} and first is None:
            first = number
        if kind == "sign":
            depth = max(0, depth + (token in "([{") - (token in ")]}"))
        number += token.count("\n")
    if first is not None:
        yield first, number


# What a suppression hides


def accepted(suppression: Suppression, finding: Finding, subjects: Mapping[str, Subject]) -> tuple[str, ...] | None:
    """The loops of a finding for which a suppression accepts it; None when it accepts the finding whatever its loops.

    Codes are not looked at, problems neither. ``subjects`` are known by id.
    """
    place = finding.place
    if suppression.place.path != place.path:
        return ()
    if suppression.scope == "file" or _meets(suppression, place, _last_line(finding, subjects)):
        return None
    found = []
    for loop in finding.loops:
        subject = subjects.get(loop)
        if subject is not None and _meets(suppression, subject.header, subject.header.end_line):
            if subject.kind == "dispatcher" and _within(place, subject.place):
                return None
            found.append(loop)
    return tuple(found)


def hides(suppression: Suppression, finding: Finding, subjects: Mapping[str, Subject]) -> bool:
    """Whether a suppression accepts a finding, at least for some of its loops."""
    named = any(_means(code, finding) for code in suppression.codes)
    return named and accepted(suppression, finding, subjects) != ()


def _last_line(finding: Finding, subjects: Mapping[str, Subject]) -> int:
    """The last line of a finding's own place; of one that spans a whole loop, the last of the header.

    Otherwise a comment on an inner loop would speak for the loop around it.
    """
    place = finding.place
    last = place.end_line if place.end_column > 1 or place.end_line == place.line else place.end_line - 1
    headers = (subjects[loop].header for loop in finding.loops if loop in subjects)
    return min([last, *(max(header.end_line, place.line) for header in headers if _same_start(header, place))])


def _same_start(one: Place, other: Place) -> bool:
    return (one.path, one.cell, one.line) == (other.path, other.cell, other.line)


def _meets(suppression: Suppression, place: Place, last: int) -> bool:
    if suppression.lines is None or (suppression.place.path, suppression.place.cell) != (place.path, place.cell):
        return False
    return suppression.lines[0] <= last and place.line <= suppression.lines[1]


def _within(inner: Place, outer: Place) -> bool:
    return (inner.path, inner.cell) == (outer.path, outer.cell) and (
        (outer.line, outer.column) <= (inner.line, inner.column)
        and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
    )


def _means(code: str, finding: Finding) -> bool:
    return finding.code not in UNSUPPRESSIBLE and rank(RuleName(finding.code, finding.name), code) >= 0


# What a project shows, and how heavy it is


class RuleLike(Protocol):
    """What triage needs of a rule; ``severity`` is the heaviest that it gives."""

    @property
    def code(self) -> str:
        """``TB101``."""

    @property
    def name(self) -> str:
        """``no-step-cap``."""

    @property
    def preview(self) -> bool:
        """Off unless asked for."""

    @property
    def subject(self) -> str:
        """``gate``, ``file``, ``suppression`` or ``change``."""

    @property
    def severity(self) -> Severity:
        """The heaviest of its hows."""


class FileRules(Protocol):
    """What the settings say about one file."""

    @property
    def relaxed(self) -> bool:
        """Severities are one step lower here."""

    def override(self, rule: RuleName) -> Severity | None:
        """The severity that the project gives a rule."""

    def objection(self, rule: RuleName, severity: Severity) -> str:
        """Why a finding is not shown, or an empty string."""


class SettingsLike(Protocol):
    """The settings of a run."""

    def for_file(self, path: str) -> FileRules:
        """What holds for one file."""


class Policy:
    """The rules of a run under its settings; remembers what it has asked."""

    def __init__(self, settings: SettingsLike, rules: Iterable[RuleLike]) -> None:
        self.rules: Mapping[str, RuleLike] = {rule.code: rule for rule in rules}
        self.names = tuple(
            RuleName(rule.code, rule.name, rule.preview, rule.subject == "file") for rule in self.rules.values()
        )
        self._name_of = {name.code: name for name in self.names}
        self._settings = settings
        self._files: dict[str, FileRules] = {}

    def file(self, path: str) -> FileRules:
        """What holds for one file."""
        if path not in self._files:
            self._files[path] = self._settings.for_file(path)
        return self._files[path]

    def severity(self, finding: Finding) -> Severity:
        """The severity in this project, before it is relaxed.

        The project's own replaces the rule's; a case that the rule itself holds for lighter stays at least that light.
        """
        name, rule = self._name(finding), self.rules.get(finding.code)
        override = self.file(finding.place.path).override(name)
        if override is None:
            return finding.severity
        if rule is None or finding.severity == rule.severity:
            return override
        return min(override, finding.severity, key=SEVERITIES.index)

    def objection(self, finding: Finding) -> str:
        """Why a finding is not shown; empty when it is."""
        return self.file(finding.place.path).objection(self._name(finding), self.severity(finding))

    def selected(self, finding: Finding) -> bool:
        """Whether a finding is shown, suppressions aside."""
        return not self.objection(finding)

    def speaks(self, path: str, code: str) -> bool:
        """Whether a rule was asked about a file at all: at its heaviest it would be shown there.

        Rules on changes are asked where there is a base only, so what hides them is never called unused.
        """
        rule = self.rules[code]
        if rule.subject == "change":
            return False
        settings = self.file(path)
        heaviest = settings.override(self._name_of[code]) or rule.severity
        return not settings.objection(self._name_of[code], heaviest)

    def _name(self, finding: Finding) -> RuleName:
        return self._name_of.get(finding.code) or RuleName(finding.code, finding.name)


_LOWER: Mapping[Severity, Severity] = {"error": "warning", "warning": "advice"}


def triage(
    findings: Iterable[Finding], suppressions: Iterable[Suppression], subjects: Iterable[Subject], policy: Policy
) -> tuple[Finding, ...]:
    """The findings in their order, each with disposition, reason, and its severity in this project.

    ``unselected`` comes before ``suppressed``: what nobody asked for needs no reason. A finding of several loops of
    which only some accept it stays, for the others.
    """
    known = {subject.id: subject for subject in subjects}
    of_file: dict[str, list[Suppression]] = {}
    for suppression in suppressions:
        if not suppression.problem:
            of_file.setdefault(suppression.place.path, []).append(suppression)
    return tuple(_disposed(finding, of_file.get(finding.place.path, ()), known, policy) for finding in findings)


def _disposed(
    finding: Finding, suppressions: Sequence[Suppression], subjects: Mapping[str, Subject], policy: Policy
) -> Finding:
    objection = policy.objection(finding)
    severity = policy.severity(finding)
    if policy.file(finding.place.path).relaxed and severity in _LOWER:
        finding = finding._replace(severity=_LOWER[severity], relaxed=True)
    else:
        finding = finding._replace(severity=severity)
    if objection:
        return finding._replace(disposition="unselected", reason=objection)
    return _suppressed(finding, suppressions, subjects)


def _suppressed(finding: Finding, suppressions: Sequence[Suppression], subjects: Mapping[str, Subject]) -> Finding:
    reasons: dict[str, str] = {}
    for suppression in suppressions:
        if any(_means(code, finding) for code in suppression.codes):
            loops = accepted(suppression, finding, subjects)
            if loops is None:
                return finding._replace(disposition="suppressed", reason=suppression.reason)
            for loop in loops:
                reasons.setdefault(loop, suppression.reason)
    if not reasons:
        return finding
    if all(loop in reasons for loop in _owners(finding, subjects)):
        return finding._replace(disposition="suppressed", reason="; ".join(dict.fromkeys(reasons.values())))
    accepting = {subjects[loop].header: reason for loop, reason in reasons.items()}
    return finding._replace(
        loops=tuple(loop for loop in finding.loops if loop not in reasons),
        related=tuple(
            step._replace(message=f"{step.message} (accepted here: {accepting[step.place]})")
            if step.place in accepting
            else step
            for step in finding.related
        ),
    )


def _owners(finding: Finding, subjects: Mapping[str, Subject]) -> Sequence[str]:
    """The loops that answer for a finding. A dispatcher answers only where no loop owns its card."""
    owners = [
        loop for loop in finding.loops if loop in subjects and subjects[loop].kind not in {"dispatcher", "binding"}
    ]
    return owners or finding.loops


# What is wrong with suppressions


def complaints(
    suppressions: Iterable[Suppression],
    findings: Iterable[Finding],
    subjects: Iterable[Subject],
    policy: Policy,
    crashes: Iterable[Crash] = (),
) -> tuple[Suppression, ...]:
    """The suppressions with something wrong, as facts for the rules on them.

    ``findings`` are all that the check made of these files, also unselected ones, before triage. A code is unused only
    where every rule that it means was asked about the file, the file could be read, and nothing broke on the way: what
    breaks on a loop of another file may have had something to say here.
    """
    known = {subject.id: subject for subject in subjects}
    of_file: dict[str, list[Finding]] = {}
    for finding in findings:
        of_file.setdefault(finding.place.path, []).append(finding)
    broken = frozenset(crash.stage for crash in crashes)
    facts = []
    for suppression in suppressions:
        fact = suppression
        if not suppression.problem:
            fact = _weighed(suppression, of_file.get(suppression.place.path, ()), known, policy, broken)
        if fact.problem:
            facts.append(fact)
    return tuple(facts)


def _weighed(
    suppression: Suppression,
    findings: Iterable[Finding],
    subjects: Mapping[str, Subject],
    policy: Policy,
    broken: frozenset[str],
) -> Suppression:
    path = suppression.place.path
    told = list(findings)
    checked = broken <= policy.rules.keys() and not any(finding.kind == "file" for finding in told)
    here = [finding for finding in told if accepted(suppression, finding, subjects) != ()]
    unknown = [code for code in suppression.codes if not valid_selector(code, policy.names)]
    unused = []
    for code in suppression.codes:
        meant = [name.code for name in policy.names if rank(name, code) >= 0 and name.code not in UNSUPPRESSIBLE]
        asked = checked and all(policy.speaks(path, rule) and rule not in broken for rule in meant)
        if (asked or not meant) and not any(_means(code, finding) for finding in here):
            unused.append(code)
    if not unused:
        return suppression
    problem: Problem = "unknown-code" if unknown else "unused"
    return suppression._replace(problem=problem, unused=tuple(unused), note=_note(suppression, unknown, policy))


def _note(suppression: Suppression, unknown: Sequence[str], policy: Policy) -> str:
    words = [word for name in policy.names for word in (name.code, name.name)]
    notes = [f"No rule is called `{code}`{nearest(code, words)}." for code in unknown]
    if any(rank(name, code) >= 0 for name in policy.names if name.code in UNSUPPRESSIBLE for code in suppression.codes):
        notes.append("Reports on suppressions cannot be suppressed.")
    return " ".join(notes)
