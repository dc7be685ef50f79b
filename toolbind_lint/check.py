"""Verdicts in, findings out: finds the rules in their folders, and lets each speak for the hows that it names.

A rule is one folder, known by the ``rule.toml`` in it; there is no list of rules anywhere. The metadata of all rules is
read at start, the code of a rule only when something is there for it to judge. Rules are loaded by path: in a checkout
their folder stands beside the package, in a wheel inside it, and nothing imports them by name.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast, get_args

import tomli

from toolbind_lint.changes import GATE_WORDS, Change
from toolbind_lint.facts import Place, Step, Unreadable
from toolbind_lint.findings import SEVERITIES, Crash, Finding, Hit, Severity
from toolbind_lint.verdicts import GATES, Confidence, Fault, Kind, Subject

Judged = Literal["gate", "call", "file", "suppression", "change"]
Polarity = Literal["presence", "absence"]
CheckFunction = Callable[..., Iterable[Hit]]

KINDS: tuple[Kind, ...] = get_args(Kind)

BASE = ".base"
"""``bad_x.base.py`` is what ``bad_x.py`` was before the change: examples of rules on changes come in pairs."""

CERTAIN_WORDS: Mapping[Judged, frozenset[str]] = {
    "gate": frozenset({"subject", "function"}),
    "call": frozenset({"subject", "function", "call", "gates", "config"}),
    "file": frozenset({"reason", "message"}),
    "suppression": frozenset({"codes"}),
    "change": frozenset({"subject"}),
}
"""Words that every template may use anywhere, by what the rule judges."""

POSSIBLE_WORDS: Mapping[Judged, frozenset[str]] = {
    "gate": frozenset(
        {"cap", "source", "counter", "ceiling", "call", "param", "value", "error", "handler", "at", "note"}
    ),
    "call": frozenset({"note"}),
    "file": frozenset(),
    "suppression": frozenset({"note"}),
    "change": frozenset(
        {"gate", "before", "after", "at", "missing", "names", "codes", "reason", "setting", "number", "note"}
    ),
}
"""Words that a fault may or may not carry: a template uses them inside ``[[...]]`` only."""

SUBJECT_NAMES: Mapping[Kind, str] = {
    "tool-loop": "the loop",
    "agent-run": "the agent run",
    "dispatcher": "the dispatcher",
    "retry": "the retry",
    "binding": "the tool binding",
}
"""What ``{subject}`` says where a fault does not say it better."""

_WORD = re.compile(r"\{([a-z_]+)\}")
_OPTION = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_CODE = re.compile(r"TB\d{3}")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SERVES = re.compile(r"[AB]\.[a-z0-9]+(-[a-z0-9]+)*")
_SINCE = re.compile(r"\d+\.\d+\.\d+")
_RULE_FOLDER = re.compile(r"tb\d{3}_")
_CAPTION = re.compile(r'\A\s*(?:"""(?P<quoted>[^\n]+?)"""|#\s*(?P<comment>[^\n]+))')


class RuleError(Exception):
    """A rule's folder is wrong: ``path`` is the file (relative to the rules' folder), ``key`` the dotted key in it."""

    def __init__(self, path: str, key: str, message: str) -> None:
        super().__init__(f"{path}: {key}: {message}" if key else f"{path}: {message}")
        self.path = path
        self.key = key


class How(NamedTuple):
    """How a rule speaks of one way to fail. ``message`` and ``help`` are templates, see ``fill``."""

    severity: Severity
    message: str
    help: str


class Example(NamedTuple):
    """A program that the rule reports (``bad``) or must not report. ``fixed`` is the mended text or None; ``base`` is
    the text before the change that the rule judges, None for other rules.
    """

    file: str
    caption: str
    text: str
    bad: bool
    fixed: str | None = None
    base: str | None = None


class Rule(NamedTuple):
    """The metadata of one rule. ``hows`` keeps the file's order; only rules of gates have ``gate`` and ``judges``."""

    code: str
    name: str
    subject: Judged
    gate: str
    polarity: Polarity
    judges: tuple[Kind, ...]
    serves: tuple[str, ...]
    since: str
    preview: bool
    summary: str
    why: str
    instead: str
    hows: Mapping[str, How]
    folder: Path

    @property
    def severity(self) -> Severity:
        """The heaviest severity among its hows: the rule's own in a table of rules and in profiles."""
        return max((how.severity for how in self.hows.values()), key=SEVERITIES.index)

    def function(self) -> CheckFunction:
        """Load ``check`` from the folder's ``check.py``. Raises what its import raises, RuleError when it has none."""
        path = self.folder / "check.py"
        spec = importlib.util.spec_from_file_location(f"toolbind_lint.rules.{self.folder.name}", path)
        if spec is None or spec.loader is None:
            raise RuleError(f"{self.folder.name}/check.py", "", "cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, "check", None)
        if not callable(function):
            raise RuleError(f"{self.folder.name}/check.py", "check", "is no function")
        return cast(CheckFunction, function)

    def examples(self) -> tuple[Example, ...]:
        """The folder's programs in the order of their names, the bad ones first."""
        texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("*.py*"))}
        found = []
        for name, text in texts.items():
            stem = name.removesuffix(".txt").removesuffix(".py")
            if not name.endswith((".py", ".py.txt")) or stem.endswith(".fixed"):
                continue
            if stem.endswith(BASE):
                continue
            if stem.startswith(("bad_", "good_")):
                fixed = texts.get(name.replace(".py", ".fixed.py", 1))
                base = texts.get(name.replace(".py", f"{BASE}.py", 1))
                found.append(Example(name, _caption(text, stem), text, stem.startswith("bad_"), fixed, base))
        return tuple(sorted(found, key=lambda example: (not example.bad, example.file)))


class Suppressing(Protocol):
    """What a rule sees of a suppression: where it stands, which codes it names, and which of them hid nothing."""

    @property
    def place(self) -> Place:
        """The comment."""

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes, prefixes and names as written; empty for a blanket ignore."""

    @property
    def reason(self) -> str:
        """The words after the brackets, stripped."""

    @property
    def unused(self) -> tuple[str, ...]:
        """The codes that suppressed no finding."""

    @property
    def note(self) -> str:
        """A sentence more about it, or an empty string."""


# Loading


def rules_folder() -> Path:
    """The folder with the rules: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "rules"
    return inside if inside.is_dir() else package.parent / "rules"


def load_rules(folder: Path | None = None) -> tuple[Rule, ...]:
    """Read the metadata of all rules, ordered by code. Raises RuleError for the first fault in any of them."""
    root = folder if folder is not None else rules_folder()
    rules = []
    for path in sorted(root.iterdir()) if root.is_dir() else ():
        if (path / "rule.toml").is_file():
            rules.append(_read_rule(path))
        elif _RULE_FOLDER.match(path.name):
            raise RuleError(path.name, "", "has no rule.toml")
    if not rules:
        raise RuleError(root.name, "", "holds no rules")
    _refuse_twins(rules)
    return tuple(sorted(rules, key=lambda rule: rule.code))


def _refuse_twins(rules: Sequence[Rule]) -> None:
    """Codes and names are unique, and of each how of each kind of subject one rule speaks."""
    owners: dict[tuple[str, ...], Rule] = {}
    for rule in rules:
        claims: list[tuple[str, ...]] = [("code", rule.code), ("name", rule.name)]
        if rule.subject == "gate":
            claims += [(rule.gate, how, kind) for how in rule.hows for kind in rule.judges]
        if rule.subject == "change":
            claims += [("change", how) for how in rule.hows]
        for claim in claims:
            other = owners.setdefault(claim, rule)
            if other is not rule:
                raise RuleError(f"{rule.folder.name}/rule.toml", ".".join(claim), f"{other.code} has it already")


def _read_rule(folder: Path) -> Rule:
    file = f"{folder.name}/rule.toml"
    try:
        table = tomli.loads((folder / "rule.toml").read_text(encoding="utf-8"))
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RuleError(file, "", str(error)) from error
    reader = _Reader(file, table)
    subject = cast(Judged, reader.choice("subject", get_args(Judged)))
    of_gate = subject == "gate"
    rule = Rule(
        code=reader.text("code", _CODE),
        name=reader.text("name", _NAME),
        subject=subject,
        gate=reader.choice("gate", GATES) if of_gate else "",
        polarity=cast(Polarity, reader.choice("polarity", get_args(Polarity))),
        judges=cast("tuple[Kind, ...]", reader.texts("judges", KINDS)) if of_gate else (),
        serves=reader.texts("serves", _SERVES),
        since=reader.text("since", _SINCE),
        preview=reader.flag("preview"),
        summary=reader.text("summary"),
        why=reader.text("why"),
        instead=reader.text("instead"),
        hows={how: _read_how(sub, subject) for how, sub in reader.tables("hows")},
        folder=folder,
    )
    reader.refuse_rest()
    expected = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    if folder.name != expected:
        raise RuleError(file, "code", f"code and name belong into a folder {expected}")
    return rule


def _read_how(reader: _Reader, subject: Judged) -> How:
    how = How(
        cast(Severity, reader.choice("severity", SEVERITIES)),
        reader.template("message", subject),
        reader.template("help", subject),
    )
    reader.refuse_rest()
    return how


class _Reader:
    """Takes typed values out of one TOML table; what is left at the end is an unknown key."""

    def __init__(self, file: str, table: Mapping[str, object], prefix: str = "") -> None:
        self.file = file
        self.rest = dict(table)
        self.prefix = prefix

    def fail(self, key: str, message: str) -> RuleError:
        return RuleError(self.file, self.prefix + key, message)

    def take(self, key: str, kind: type) -> Any:
        if key not in self.rest:
            raise self.fail(key, "is missing")
        value = self.rest.pop(key)
        if type(value) is not kind:
            raise self.fail(key, f"is {type(value).__name__}, not {kind.__name__}")
        return value

    def text(self, key: str, pattern: re.Pattern[str] | None = None) -> str:
        value = str(self.take(key, str)).strip()
        if not value:
            raise self.fail(key, "is empty")
        if pattern is not None and not pattern.fullmatch(value):
            raise self.fail(key, f"{value!r} does not look like {pattern.pattern}")
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        value = self.text(key)
        if value not in allowed:
            raise self.fail(key, f"{value!r} is none of {', '.join(allowed)}")
        return value

    def texts(self, key: str, allowed: Collection[str] | re.Pattern[str]) -> tuple[str, ...]:
        values = self.take(key, list)
        if not values:
            raise self.fail(key, "is empty")
        for value in values:
            fits = allowed.fullmatch(str(value)) if isinstance(allowed, re.Pattern) else value in allowed
            if not isinstance(value, str) or not fits:
                raise self.fail(key, f"{value!r} is not allowed here")
        if len(set(values)) < len(values):
            raise self.fail(key, "names something twice")
        return tuple(values)

    def flag(self, key: str) -> bool:
        return bool(self.take(key, bool))

    def tables(self, key: str) -> Iterator[tuple[str, _Reader]]:
        tables = self.take(key, dict)
        if not tables:
            raise self.fail(key, "is empty")
        for name, table in tables.items():
            if not isinstance(table, dict) or not _NAME.fullmatch(name):
                raise self.fail(f"{key}.{name}", "is no how")
            yield name, _Reader(self.file, table, f"{self.prefix}{key}.{name}.")

    def template(self, key: str, subject: Judged) -> str:
        """A text whose words are known, and whose possible words stand in sections that may fall away."""
        text = self.text(key)
        certain, possible = CERTAIN_WORDS[subject], POSSIBLE_WORDS[subject]
        for word in _WORD.findall(text):
            if word not in certain and word not in possible:
                raise self.fail(key, f"no fault carries the word {{{word}}}")
        if any(not _WORD.search(section) for section in _OPTION.findall(text)):
            raise self.fail(key, "a section [[...]] without a word in it never falls away")
        for word in _WORD.findall(_OPTION.sub("", text)):
            if word not in certain:
                raise self.fail(key, f"{{{word}}} may be missing: put it and what goes with it into [[...]]")
        return text

    def refuse_rest(self) -> None:
        if self.rest:
            raise self.fail(next(iter(self.rest)), "is an unknown key")


def _caption(text: str, stem: str) -> str:
    match = _CAPTION.match(re.sub(r"\A#.*coding[:=].*\n", "", text))
    if match is None:
        return stem.split("_", 1)[1].replace("_", " ")
    return (match["quoted"] or match["comment"]).strip()


# Words


def fill(template: str, words: Mapping[str, str]) -> str:
    """Put ``words`` into a template.

    ``{word}`` is replaced by its value. A section ``[[...]]`` falls away when one of its words is missing or empty, so
    that a sentence stays whole whatever the recogniser could say. The first letter becomes a capital.
    """

    def option(match: re.Match[str]) -> str:
        section = match[1]
        return section if all(words.get(word) for word in _WORD.findall(section)) else ""

    text = _WORD.sub(lambda match: words.get(match[1], ""), _OPTION.sub(option, template))
    return text[:1].upper() + text[1:]


# Checking


def check(
    subjects: Iterable[Subject], unreadable: Iterable[Unreadable], rules: Sequence[Rule]
) -> tuple[list[Finding], list[Crash]]:
    """Ask the rules about every fault of every verdict and about every unreadable file.

    A fault that no rule speaks for is shown in cards only. Returns findings ordered by place and code, and what went
    wrong inside rules, once per file and rule; a crash stops neither the rule elsewhere nor the others.
    """
    panel = _Panel(rules)
    for subject in subjects:
        for verdict in subject.verdicts:
            heard = verdict.faults if verdict.state in {"leaks", "missing"} else ()
            for fault in (*heard, *verdict.beside):
                panel.hear_fault(fault, verdict.gate, subject)
        for call in subject.unknown:
            panel.hear_fault(call, "", subject)
    for fact in unreadable:
        panel.hear_file(fact)
    return panel.result()


def check_suppressions(suppressions: Iterable[Suppressing], rules: Sequence[Rule]) -> tuple[list[Finding], list[Crash]]:
    """Ask the rules about the project's suppressions, after it is known what each of them hid. Returns as ``check``."""
    panel = _Panel(rules)
    for suppression in suppressions:
        panel.hear_suppression(suppression)
    return panel.result()


def check_changes(changes: Iterable[Change], rules: Sequence[Rule]) -> tuple[list[Finding], list[Crash]]:
    """Ask the rules about what a change did. Returns as ``check``."""
    panel = _Panel(rules)
    for change in changes:
        panel.hear_change(change)
    return panel.result()


class _Panel:
    """The rules of one run: which speaks for what, their functions once loaded, and what they said."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.by_how = {
            (rule.gate, how, kind): rule
            for rule in rules
            if rule.subject == "gate"
            for how in rule.hows
            for kind in rule.judges
        }
        self.of_changes = {how: rule for rule in rules if rule.subject == "change" for how in rule.hows}
        self.of_calls = {how: rule for rule in rules if rule.subject == "call" for how in rule.hows}
        self.of_files = [rule for rule in rules if rule.subject == "file"]
        self.of_suppressions = [rule for rule in rules if rule.subject == "suppression"]
        self.functions: dict[str, CheckFunction | Exception] = {}
        self.findings: list[Finding] = []
        self.crashes: dict[tuple[str, str], Crash] = {}

    def hear_fault(self, fault: Fault, gate: str, subject: Subject) -> None:
        rule = self.by_how.get((gate, fault.how, subject.kind)) if gate else self.of_calls.get(fault.how)
        if rule is None:
            return
        words = {"subject": SUBJECT_NAMES[subject.kind], "function": subject.function}
        words.update((word, value) for word, value in fault.words if value)
        for hit, how in self._hits(rule, subject.header.path, fault.how, fault, subject):
            finding = _finding(rule, how, hit, words, fault.confidence)
            self.findings.append(
                finding._replace(
                    loops=(subject.id,),
                    related=_with_header(fault.related, hit.place, subject),
                    trail=fault.trail,
                    subject_shape=subject.shape,
                    function=subject.function,
                    kind=subject.kind,
                )
            )

    def hear_file(self, fact: Unreadable) -> None:
        words = {"reason": fact.reason, "message": fact.message}
        for rule in self.of_files:
            for hit, how in self._hits(rule, fact.place.path, fact.reason, fact):
                self.findings.append(_finding(rule, how, hit, words, "high")._replace(kind="file"))

    def hear_suppression(self, suppression: Suppressing) -> None:
        for rule in self.of_suppressions:
            for hit, how in self._hits(rule, suppression.place.path, "", suppression):
                words = {"codes": ", ".join(suppression.codes), "note": suppression.note}
                self.findings.append(_finding(rule, how, hit, words, "high")._replace(kind="suppression"))

    def hear_change(self, change: Change) -> None:
        rule = self.of_changes.get(change.did)
        if rule is None:
            return
        words = {"subject": SUBJECT_NAMES.get(cast(Kind, change.kind), "the project")}
        if change.gate:
            words["gate"] = GATE_WORDS[change.gate]
        words.update((word, value) for word, value in change.words if value)
        for hit, how in self._hits(rule, change.place.path, change.did, change):
            finding = _finding(rule, how, hit, words, "high")
            self.findings.append(
                finding._replace(
                    gate=change.gate,
                    loops=change.loops,
                    related=change.related,
                    subject_shape=change.shape,
                    function=change.function,
                    kind="change",
                )
            )

    def result(self) -> tuple[list[Finding], list[Crash]]:
        return sorted(self.findings, key=_order), list(self.crashes.values())

    def _hits(self, rule: Rule, path: str, default: str, *facts: object) -> Iterator[tuple[Hit, str]]:
        """The rule's hits, each with its how. A rule that breaks says nothing more about these facts."""
        try:
            hits = list(self._function(rule)(*facts))
            named = [(hit, hit.how or default) for hit in hits]
            for _, how in named:
                if how not in rule.hows:
                    raise RuleError(f"{rule.folder.name}/check.py", "", f"speaks of {how!r}, which its rule.toml lacks")
        except Exception as error:
            crash = Crash(path, rule.code, f"{type(error).__name__}: {error}")
            self.crashes.setdefault((path, rule.code), crash)
            return
        yield from named

    def _function(self, rule: Rule) -> CheckFunction:
        known = self.functions.get(rule.code)
        if known is None:
            try:
                known = rule.function()
            except Exception as error:
                known = error
            self.functions[rule.code] = known
        if isinstance(known, Exception):
            raise known
        return known


def _finding(rule: Rule, how: str, hit: Hit, words: Mapping[str, str], confidence: Confidence) -> Finding:
    spoken = rule.hows[how]
    filled = {**words, **dict(hit.words)}
    message = fill(spoken.message, filled)
    note = filled.get("note", "")
    if note and "{note}" not in spoken.message:
        message = f"{message.rstrip('.')}. {note}" if message else note
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=_lower(spoken.severity, hit.severity),
        confidence=confidence,
        how=how,
        gate=rule.gate,
        message=message,
        help=fill(spoken.help, filled),
        place=hit.place,
    )


def _lower(own: Severity, case: Severity | None) -> Severity:
    """A case lowers a severity and never raises it."""
    return own if case is None else min(own, case, key=SEVERITIES.index)


def _with_header(related: tuple[Step, ...], place: Place, subject: Subject) -> tuple[Step, ...]:
    """Show the subject's header beside a finding that stands elsewhere."""
    header = subject.header
    shown = {(step.place.path, step.place.cell, step.place.line) for step in related}
    shown.add((place.path, place.cell, place.line))
    if (header.path, header.cell, header.line) in shown:
        return related
    return (Step(header, subject.label or SUBJECT_NAMES[subject.kind]), *related)


def _order(finding: Finding) -> tuple[str, int, int, int, str, str]:
    place = finding.place
    cell = -1 if place.cell is None else place.cell
    return place.path, cell, place.line, place.column, finding.code, finding.how
