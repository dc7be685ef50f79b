"""What a change did: a revision and the working tree, both judged, and what is new of the one against the other.

Only the loops that a change can have touched are judged, on both sides the same ones. What is new is decided by matched
findings alone. The settings are the base's: a change must not choose how it is judged.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolbind_lint.baseline import Baseline, apply, line_of, told
from toolbind_lint.causes import source_order, unite
from toolbind_lint.changes import Change
from toolbind_lint.check import check_changes
from toolbind_lint.compare import Pairing, accepting, changes, explained, pair
from toolbind_lint.config import FILE_NAMES, Settings
from toolbind_lint.discover import LINTED
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Crash, Finding, Report
from toolbind_lint.fingerprint import assign, entry, match
from toolbind_lint.lint import MARK, Examined, Prepared, examine, prepare, report, text_of
from toolbind_lint.loosened import Sources, loosened
from toolbind_lint.revision import Compared
from toolbind_lint.selection import RuleName
from toolbind_lint.snapshot import Snapshot
from toolbind_lint.touched import Part, Spread, changed_parts, parts
from toolbind_lint.triage import triage
from toolbind_lint.versions import Manifests, is_manifest

ADDED = "subject-without-gates"
"""What the rule on added loops says of one that lacks gates."""


CONFIGURATION = ".toml"


class Sides(NamedTuple):
    """The base and the head of a change, judged alike."""

    base: Examined
    head: Examined
    compared: Compared


class Proposed(NamedTuple):
    """The settings that the change would bring, and the files that they come from."""

    settings: Settings
    sources: Sources


def check_change(
    now: Snapshot,
    targets: Collection[str],
    settings: Settings,
    compared: Compared,
    proposed: Proposed | None = None,
    baseline: Baseline | None = None,
) -> Report:
    """Lint ``now`` against the commit that it was compared with. ``targets`` are the files to report on, ``settings``
    those of the base, ``baseline`` that of the head.

    The report holds the findings of what the change can have touched; those that the base has are ``existing``. Raises
    as ``lint`` does.
    """
    sides = _judge(now, targets, settings, compared)
    stale = ""
    if baseline is not None:
        head = sides.head
        found = apply(baseline.entries, head.findings, head.prepared.targets, now.paths())
        sides = sides._replace(head=head._replace(findings=found.findings))
        stale = told(found.stale, baseline.shown)
    findings, broken = _findings(sides, _loosened(sides, proposed), baseline)
    crashes = [
        *sides.head.crashes,
        *broken,
        *(crash._replace(error=f"in the base: {crash.error}") for crash in sides.base.crashes),
    ]
    made = report(sides.head._replace(findings=findings))
    return made._replace(
        crashes=tuple(dict.fromkeys(crashes)), notes=(*compared.notes, *made.notes, *([stale] if stale else ()))
    )


# Judging both sides


def _judge(now: Snapshot, targets: Collection[str], settings: Settings, compared: Compared) -> Sides:
    head = prepare(now, targets, settings)
    base = prepare(compared.before, [p for p in compared.before.paths() if p.endswith(LINTED)], settings)
    changes = {path for path in compared.changed if not _means_the_same(path, base, head)}
    whole = _repinned(head, base, compared)
    touched = _touched(head, base, compared, changes, whole) | _touched(base, head, compared, changes, whole)
    wanted = _reachable(head, touched) | _reachable(base, touched)
    old = examine(_restricted(base, wanted), touched)
    new = examine(_restricted(head, wanted), touched)
    return Sides(_without_bystanders(old, compared), _without_bystanders(new, compared), compared)


def _repinned(head: Prepared, base: Prepared, compared: Compared) -> set[str]:
    """The files for which a manifest admits other versions of a framework than before: defaults may have moved."""
    if not any(is_manifest(path) for path in compared.changed):
        return set()
    now, then = Manifests(head.snapshot), Manifests(base.snapshot)
    return {
        path
        for path in {*head.project.importing, *base.project.importing}
        for packages in head.catalogue.packages.values()
        if packages and _versions(now, path, packages) != _versions(then, path, packages)
    }


def _versions(manifests: Manifests, path: str, packages: Sequence[str]) -> tuple[object, ...]:
    constraint = manifests.constraint(path, packages)
    return () if constraint is None else (constraint.package, *constraint.intervals)


def _touched(
    side: Prepared, other: Prepared, compared: Compared, changes: Collection[str], whole: Collection[str]
) -> frozenset[str]:
    """The files whose loops a change can have touched, as one side has them. ``whole`` are files that may mean
    something else all over; a changed file of data makes one of each file that names it.
    """
    then = compared.renamed if side.snapshot is not compared.before else {b: a for a, b in compared.renamed.items()}
    known = frozenset(side.project.paths)
    changed: dict[str, Collection[Part] | None] = {
        path: _parts(side, path, other, then.get(path, path)) for path in sorted(known.intersection(changes))
    }
    changed.update(dict.fromkeys(sorted(known.intersection({*whole, *_naming(side, compared.data)}))))
    return Spread(side.project, lambda path: side.project.source(path).text).files(changed) if changed else frozenset()


def _parts(side: Prepared, path: str, other: Prepared, counterpart: str) -> Collection[Part] | None:
    """What one side says in a file and the other does not; None for all of it."""
    try:
        texts = [other.project.source(counterpart).text, side.project.source(path).text]
        if any(MARK.decode() in text.lower() for text in texts):
            return None
        return changed_parts(*map(parts, texts))
    except (KeyError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _means_the_same(path: str, base: Prepared, head: Prepared) -> bool:
    """Whether a file was only formatted or commented, and no comment in it is for the linter."""
    import ast

    if not path.endswith((".py", ".pyi")):
        return False
    try:
        before, after = base.snapshot.read(path), head.snapshot.read(path)
        if MARK in before.lower() or MARK in after.lower():
            return False
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _naming(side: Prepared, data: Collection[str]) -> set[str]:
    """The Python files that hold the name of a changed file of data."""
    names = {Path(path).name.encode("utf-8", "surrogateescape") for path in data}
    found = set()
    for path in side.project.seeded if names else ():
        try:
            text = side.snapshot.read(path)
        except OSError:
            continue
        if any(name in text for name in names):
            found.add(path)
    return found


def _reachable(side: Prepared, touched: frozenset[str]) -> frozenset[str]:
    """Where a finding of a loop of these files can stand."""
    from toolbind_lint.recognise import led_to

    return led_to(side.project, touched)


def _restricted(side: Prepared, wanted: Collection[str]) -> Prepared:
    return side._replace(targets=side.targets & frozenset(wanted) & frozenset(side.snapshot.paths()))


def _without_bystanders(side: Examined, compared: Compared) -> Examined:
    """Of files that did not change, what is said of suppressions is left out: not all that they hide was judged."""
    kept = tuple(f for f in side.findings if f.kind != "suppression" or f.place.path in compared.changed)
    return side._replace(findings=kept)


# What is new


def _loosened(sides: Sides, proposed: Proposed | None) -> tuple[Change, ...]:
    """What the settings of the head ask less for than those of the base."""
    if proposed is None or not any(path.endswith(CONFIGURATION) for path in sides.compared.data):
        return ()
    names = {path for path in sides.compared.tracked if path.rpartition("/")[2] in FILE_NAMES}
    folders = {"", *(path.rpartition("/")[0] for path in names)}
    weights = {RuleName(r.code, r.name, r.preview, r.subject == "file"): r.severity for r in sides.head.prepared.rules}
    return loosened(sides.head.prepared.settings, proposed.settings, folders, proposed.sources, weights)


def _findings(
    sides: Sides, settings: Sequence[Change], baseline: Baseline | None
) -> tuple[tuple[Finding, ...], list[Crash]]:
    """The findings of the head with those on the change itself, and what broke in making them."""
    base, head, compared = sides
    pairing = pair(base.subjects, head.subjects, compared.renamed)
    subjects = {subject.id: subject for subject in head.subjects}
    done, broken = check_changes(changes(base, head, pairing, compared.renamed), head.prepared.rules)
    united = [f for f in unite(done, head.subjects, head.policy.selected) if f.place.path in head.prepared.targets]
    own = [_believed(f, False, head) for f in triage(united, head.suppressions, head.subjects, head.policy)]
    found, accepted, baselined = _disposed(sides, pairing)
    found = [explained(f, subjects, pairing) if f.disposition == "new" else f for f in found]
    hidden = [*accepted, *(finding for finding in own if finding.disposition == "suppressed")]
    loosening = [*settings, *accepting(base, head, hidden, compared.renamed), *_grown(baseline, baselined)]
    reviews, crashed = _reviews(loosening, head)
    own = [*assign((*own, *reviews), text_of(head.prepared.project))]
    return _told(found, own, head), [*broken, *crashed]


def _believed(finding: Finding, existing: bool, head: Examined) -> Finding:
    """A finding that only the head hides, as it stands where the base does not honour new suppressions."""
    folder = finding.place.path.rpartition("/")[0]
    if finding.disposition != "suppressed" or _honours(head, folder):
        return finding
    return finding._replace(disposition="existing" if existing else "new", reason="")


def _honours(head: Examined, folder: str) -> bool:
    return head.prepared.settings.value("honour-new-suppressions", folder).value is True


def _grown(baseline: Baseline | None, findings: Sequence[Finding]) -> Iterator[Change]:
    """The baseline, where it hides findings that the base does not have."""
    if baseline is None or not findings:
        return
    lines = [line_of(baseline.text, f.fingerprint) for f in findings if f.fingerprint is not None]
    named = [f"{f.code} in {f.place.path}" for f in findings]
    names = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    number = "a finding" if len(named) == 1 else f"{len(named)} findings"
    at = min(lines, default=1)
    yield Change("baseline", Place(baseline.path, at, 1, at, 2), words=(("number", number), ("names", names)))


def _reviews(done: Iterable[Change], head: Examined) -> tuple[tuple[Finding, ...], list[Crash]]:
    """Findings on what makes the check ask for less. No suppression hides them: they report it."""
    found, broken = check_changes(done, head.prepared.rules)
    return triage(sorted(found, key=source_order), (), head.subjects, head.policy), broken


def _told(found: Sequence[Finding], own: Sequence[Finding], head: Examined) -> tuple[Finding, ...]:
    """All findings; of an added loop it is said once what it lacks, and what each gate says stands beside it."""
    added = frozenset(loop for f in own if f.how == ADDED and f.disposition == "new" for loop in f.loops)
    absent = {rule.code for rule in head.prepared.rules if rule.polarity == "absence"}
    covered = [f for f in found if f.disposition == "new" and f.code in absent and f.loops and added >= set(f.loops)]
    left = [finding for finding in found if finding not in covered]
    for finding in own:
        steps = tuple(Step(f.place, f"{f.code}: {f.message}") for f in covered if set(f.loops) & set(finding.loops))
        left.append(finding._replace(related=(*finding.related, *steps)) if finding.how == ADDED else finding)
    return tuple(sorted(left, key=source_order))


def _disposed(sides: Sides, pairing: Pairing) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """The findings of the head, and those of them that a comment of the head hides and none of the base, and those in
    the baseline that the base does not have.

    What the base has, and hides by nothing that is gone, is ``existing``.
    """
    old = [finding for finding in sides.base.findings if finding.disposition != "unselected"]
    pairs = _pairs(old, sides, pairing)
    found: list[Finding] = []
    accepted: list[Finding] = []
    baselined: list[Finding] = []
    for index, finding in enumerate(sides.head.findings):
        was = old[pairs[index]].disposition if index in pairs else ""
        if finding.disposition == "new" and was not in {"", "suppressed"}:
            found.append(finding._replace(disposition="existing"))
        elif finding.disposition == "suppressed" and was != "suppressed":
            accepted.append(finding)
            found.append(_believed(finding, bool(was), sides.head))
        else:
            found.append(finding)
            if finding.disposition == "baselined" and not was:
                baselined.append(finding)
    return found, accepted, baselined


def _pairs(old: Sequence[Finding], sides: Sides, pairing: Pairing) -> dict[int, int]:
    """Index of a finding of the head -> index of the same finding in the base.

    A renamed file goes by its old path, so that in it, too, twins are told apart. What the fingerprints leave over is
    paired where it is said of the same loop by the same rule for the same reason: the loop was rewritten, and the fault
    was not made. A fault that has a place of its own must be in the same function.
    """
    new = sides.head.findings
    renamed = sides.compared.renamed
    entries = [entry(finding) for finding in new]
    matching = match(
        [entry(f) for f in old], [each._replace(path=renamed.get(each.path, each.path)) for each in entries]
    )
    pairs = {head: base for base, head in matching.pairs}
    absent = {rule.code for rule in sides.head.prepared.rules if rule.polarity == "absence"}
    waiting: dict[Hashable, list[int]] = {}
    for base in reversed(matching.gone):
        for loop in old[base].loops:
            waiting.setdefault(_said(old[base], loop, absent), []).append(base)
    used: set[int] = set()
    for head in matching.added:
        for loop in new[head].loops:
            before = pairing.pairs.get(loop)
            queue = waiting.get(_said(new[head], before.id, absent), []) if before is not None else []
            free = [base for base in queue if base not in used]
            if free and head not in pairs:
                pairs[head] = free[-1]
                used.add(free[-1])
    return pairs


def _said(finding: Finding, loop: str, absent: Collection[str]) -> Hashable:
    return finding.code, finding.how, loop, "" if finding.code in absent else finding.function.rpartition(".")[2]
