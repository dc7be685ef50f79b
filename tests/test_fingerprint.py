"""Identity of a finding, and the matching of two sets, on findings made by hand. Real edits: ``test_edits.py``."""

from __future__ import annotations

import random
import re

import pytest

from toolbind_lint.facts import Place
from toolbind_lint.findings import Finding, Fingerprint
from toolbind_lint.fingerprint import Entry, assign, entry, match, normalised, parse


def finding(
    line: int = 1,
    *,
    code: str = "TB101",
    how: str = "none",
    path: str = "a.py",
    function: str = "run",
    kind: str = "tool-loop",
    shape: str = "while True|turns:ask|exits:return",
    cell: int | None = None,
) -> Finding:
    place = Place(path, line, 1, line, 20, cell)
    return Finding(
        code, "name", "error", "high", how, "cap", "m", "h", place, subject_shape=shape, function=function, kind=kind
    )


def printed(*findings: Finding) -> list[Fingerprint]:
    return [each.fingerprint for each in assign(findings) if each.fingerprint is not None]


def one(single: Finding) -> Fingerprint:
    return printed(single)[0]


# Hashes


def test_text_form_round_trips() -> None:
    print_ = one(finding())
    assert str(print_) == f"v1:{print_.place}:{print_.shape}"
    assert parse(str(print_)) == print_


@pytest.mark.parametrize("text", ["", "v1:abc:def", "v2:0123456789abcdef:0123456789abcdef", "v1:0123456789abcdef"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="fingerprint"):
        parse(text)


def test_entry_needs_a_fingerprint() -> None:
    with pytest.raises(ValueError, match=r"TB101 at a\.py:1"):
        entry(finding())
    done = assign([finding()])[0]
    assert entry(done) == Entry("TB101", "a.py", one(finding()))


@pytest.mark.parametrize(
    "change",
    [{"line": 9}, {"message": "other"}, {"help": "other"}, {"severity": "warning"}, {"name": "other"}, {"cell": 3}],
    ids=lambda change: next(iter(change)),
)
def test_what_is_no_part_of_a_fingerprint(change: dict[str, object]) -> None:
    base = finding()
    place = base.place._replace(**{key: value for key, value in change.items() if key in Place._fields})  # type: ignore[arg-type]
    rest = {key: value for key, value in change.items() if key in Finding._fields}
    assert one(base._replace(place=place, **rest)) == one(base)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "same_place", "same_shape"),
    [
        (finding(code="TB102"), False, False),
        (finding(how="infinite"), True, False),
        (finding(path="b.py"), False, True),
        (finding(function="other"), False, True),
        (finding(kind="retry"), False, True),
        (finding(shape="while reply|turns:ask"), True, False),
    ],
    ids=["code", "how", "path", "function", "kind", "shape"],
)
def test_what_each_hash_sees(other: Finding, same_place: bool, same_shape: bool) -> None:
    base, changed = one(finding()), one(other)
    assert (base.place == changed.place) is same_place
    assert (base.shape == changed.shape) is same_shape


def test_twins_differ_by_ordinal_in_source_order() -> None:
    upper, lower = printed(finding(3), finding(8))
    assert upper.place != lower.place
    assert upper.shape == lower.shape
    assert printed(finding(8), finding(3)) == [lower, upper]
    assert upper == one(finding(50)), "the first is as if it were alone"


def test_cells_order_twins() -> None:
    assert printed(finding(9, cell=1), finding(2, cell=4)) == printed(finding(3), finding(8))


def test_other_functions_kinds_and_codes_do_not_count() -> None:
    alone = one(finding(9))
    crowd = printed(finding(1, function="f"), finding(2, kind="retry"), finding(3, code="TB102"), finding(9))
    assert crowd[-1] == alone


def test_a_finding_outside_its_subjects_is_known_by_its_own_text() -> None:
    outside = finding(shape="")
    (a,) = assign([outside], lambda place: "tools[name](**args)")
    (b,) = assign([outside._replace(function="other", kind="dispatcher")], lambda place: "table[which](**given)")
    (c,) = assign([outside], lambda place: "globals()[name](**args)")
    assert a.fingerprint == b.fingerprint
    assert a.fingerprint is not None and c.fingerprint is not None
    assert a.fingerprint.shape != c.fingerprint.shape


def test_paths_may_hold_bytes_that_are_no_text() -> None:
    assert one(finding(path="caf\udce9.py")) != one(finding(path="cafe.py"))


def test_parts_do_not_run_together() -> None:
    assert one(finding(how="ab", shape="c")).shape != one(finding(how="a", shape="bc")).shape


# Text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, b)", "f( a,b )"),
        ("f(a, b)", "f(\n    a,\n    b,  # why\n)"),
        ("f(a)", "f(x)"),
        ("f(a, b, a)", "f(x, y, x)"),
        ("f(limit=10)", "f(limit=250)"),
        ("f(0x1F, 1e-5, 3.5j, 1_000)", "f(2, 3, 4, 5)"),
        ("f('one')", 'f("another one")'),
        ("f(f'{a!r:>{width}} b')", "f('plain')"),
        ('f("a" "b")', 'f(\n  "a"\n  "b"\n)'),
        ("except ValueError as e:", "except ValueError as error:\n    return str(error)"),
        ("def run(name): pass", "def start(which):\n    go()"),
        ("if name in TOOLS: go()", "if which in TOOLS:\n    go()"),
        ("total = f(a)", "n = f(b)"),
        ("MAX_STEPS = 500", "STEP_LIMIT = 900"),
        ("MAX_STEPS: Final = 500", "limit: Final = 900"),
        ("x = a + \\\n    b", "x = a + b"),
        ("# toolbind:  ignore[TB101]", "# Toolbind: ignore[TB101]"),
        ("'''a\nb''' + x", '"a" + y'),
    ],
)
def test_what_an_edit_may_change(before: str, after: str) -> None:
    assert normalised(before) == normalised(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a)", "g(a)"),
        ("a.f(b)", "a.g(b)"),
        ("f(a, b)", "f(a, a)"),
        ("f(limit=1)", "f(cap=1)"),
        ("except ValueError:", "except Exception:"),
        ("TOOLS[name]", "OTHERS[name]"),
        ("self.f(a)", "other.f(a)"),
        ("a == b", "a != b"),
        ("a and b", "a or b"),
        ("f((a,))", "f(a)"),
        ("# toolbind: ignore[TB101]", "# toolbind: ignore[TB102]"),
    ],
)
def test_what_an_edit_may_not_change(before: str, after: str) -> None:
    assert normalised(before) != normalised(after)


@pytest.mark.parametrize("text", ["", "'", '"""', "f(", ")))", "\\", "\x00", "a\udce9b", "f'{x", "é = ñ(17)"])
def test_any_text_has_a_normal_form_without_numbers(text: str) -> None:
    form = normalised(text)
    assert form == normalised(text + " ")
    assert not re.search(r"(?<![a-z])[1-9]", form)


# Matching


def entries(*pairs: str) -> list[Entry]:
    """``path place shape`` each."""
    return [Entry("TB101", path, Fingerprint(place, shape)) for path, place, shape in map(str.split, pairs)]


def test_both_hashes_come_first() -> None:
    old = entries("a.py p0 s", "a.py p1 s")
    new = entries("a.py p1 s", "a.py p0 s")
    assert match(old, new).pairs == ((1, 0), (0, 1))


def test_shape_in_the_same_file_comes_before_shape_anywhere() -> None:
    old = entries("a.py p0 s", "b.py p1 s")
    new = entries("b.py p2 s", "c.py p3 s")
    matching = match(old, new)
    assert matching.pairs == ((1, 0), (0, 1))
    assert (matching.gone, matching.added) == ((), ())


def test_place_alone_is_no_match() -> None:
    matching = match(entries("a.py p s"), entries("a.py p t"))
    assert matching == ((), (0,), (0,))


def test_sets_are_multisets() -> None:
    old = entries("a.py p s")
    new = entries("a.py p s", "a.py p s", "a.py p s")
    assert match(old, new) == (((0, 0),), (), (1, 2))
    assert match(new, old) == (((0, 0),), (1, 2), ())


def test_a_twin_of_another_shape_added_above_moves_only_the_ordinal() -> None:
    old = assign([finding(9, shape="while True|b")])
    new = assign([finding(3, shape="while True|a"), finding(9, shape="while True|b")])
    assert match([entry(each) for each in old], [entry(each) for each in new]) == (((0, 1),), (), (0,))


def test_the_result_is_the_same_whatever_the_order_of_files() -> None:
    rng = random.Random(7)
    old = entries(*(f"{path}.py p{n} s{n % 2}" for path in "abc" for n in range(4)))
    new = entries(*(f"{path}.py p{n} s{n % 2}" for path in "bcd" for n in range(1, 5)))

    def pairs(left: list[Entry], right: list[Entry]) -> set[tuple[Entry, Entry]]:
        return {(left[one], right[two]) for one, two in match(left, right).pairs}

    first = pairs(old, new)
    for _ in range(20):
        assert pairs(rng.sample(old, len(old)), rng.sample(new, len(new))) == first


def test_every_entry_ends_in_exactly_one_place() -> None:
    rng = random.Random(3)

    def some() -> list[Entry]:
        picks = range(rng.randrange(9))
        return entries(*(f"{rng.choice('ab')}.py p{rng.randrange(3)} s{rng.randrange(3)}" for _ in picks))

    for _ in range(50):
        old, new = some(), some()
        matching = match(old, new)
        assert sorted([left for left, _ in matching.pairs] + list(matching.gone)) == list(range(len(old)))
        assert sorted([right for _, right in matching.pairs] + list(matching.added)) == list(range(len(new)))
        unpaired = {old[left].fingerprint.shape for left in matching.gone}
        assert unpaired.isdisjoint(new[right].fingerprint.shape for right in matching.added)


def test_nothing_matches_nothing() -> None:
    assert match([], []) == ((), (), ())
