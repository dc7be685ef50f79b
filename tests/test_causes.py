"""One cause, one finding: chains of one gate, and several subjects that one place would mend."""

from __future__ import annotations

import itertools

import pytest

from toolbind_lint.causes import CHAINS, unite
from toolbind_lint.facts import Place, Step
from toolbind_lint.findings import Finding
from toolbind_lint.verdicts import GATES, Kind, Subject


def place(line: int, end_line: int | None = None, path: str = "a.py") -> Place:
    return Place(path, line, 1, end_line or line, 30)


def subject(id: str, first: int, last: int, kind: Kind = "tool-loop", path: str = "a.py") -> Subject:
    span = place(first, last, path)
    header = place(first, path=path)
    return Subject(id, kind, span, header, f"f{id}", f"loop {id}", "", f"shape-{id}", ())


def finding(how: str, at: Place, loops: tuple[str, ...], gate: str = "cap", code: str = "TB101") -> Finding:
    shape = f"shape-{loops[0]}" if loops else ""
    return Finding(
        code, code.lower(), "warning", "medium", how, gate, f"about {how}", "", at, loops, subject_shape=shape
    )


A, B = subject("A", 1, 9), subject("B", 20, 29)


# Chains


def test_the_heaviest_of_a_chain_is_said_and_the_lighter_become_related() -> None:
    heavy = finding("none", place(1), ("A",))
    middle = finding("unpinned", place(3), ("A",), code="TB102")
    light = finding("too-high", place(5), ("A",), code="TB109")
    for order in itertools.permutations((heavy, middle, light)):
        (told,) = unite(order, [A])
        assert (told.code, told.how) == ("TB101", "none")
        assert told.related == (Step(place(3), "TB102: about unpinned"), Step(place(5), "TB109: about too-high"))


def test_independent_faults_of_a_gate_stand_side_by_side() -> None:
    told = unite(
        [finding("none", place(1), ("A",)), finding("counts-success-only", place(4), ("A",), code="TB104")], [A]
    )
    assert [each.code for each in told] == ["TB101", "TB104"]


def test_hows_of_one_rank_stand_side_by_side() -> None:
    told = unite([finding("none", place(1), ("A",)), finding("never-moves", place(4), ("A",))], [A])
    assert [each.how for each in told] == ["none", "never-moves"]


def test_a_chain_holds_within_one_subject() -> None:
    told = unite([finding("none", place(1), ("A",)), finding("unpinned", place(22), ("B",), code="TB102")], [A, B])
    assert [each.code for each in told] == ["TB101", "TB102"]


def test_a_chain_holds_within_one_gate() -> None:
    told = unite([finding("none", place(1), ("A",)), finding("unpinned", place(2), ("A",), "wall", "TB203")], [A])
    assert [each.code for each in told] == ["TB101", "TB203"]


def test_handlers_are_matters_of_their_own() -> None:
    one, two = place(3, 5), place(7, 8)
    told = unite(
        [
            finding("gate-error-as-payload", one, ("A",), "errors", "TB501"),
            finding("broad-hides-gate", one, ("A",), "errors", "TB502"),
            finding("broad-hides-gate", two, ("A",), "errors", "TB502"),
        ],
        [A],
    )
    assert [(each.code, each.place.line) for each in told] == [("TB501", 3), ("TB502", 7)]


def test_a_lighter_fault_on_the_same_line_is_still_told() -> None:
    (told,) = unite([finding("none", place(1), ("A",)), finding("unpinned", place(1), ("A",), code="TB102")], [A])
    assert told.related == (Step(place(1), "TB102: about unpinned"),)


def test_what_falls_silent_while_another_stands() -> None:
    (told,) = unite([finding("none", place(1), ("A",)), finding("dead", place(4), ("A",), code="TB110")], [A])
    assert told.code == "TB101"
    (alone,) = unite([finding("dead", place(4), ("A",), code="TB110")], [A])
    assert alone.code == "TB110"


def test_a_rule_that_is_switched_off_hides_nothing() -> None:
    told = unite(
        [finding("none", place(1), ("A",)), finding("unpinned", place(3), ("A",), code="TB102")],
        [A],
        selected=lambda each: each.code != "TB101",
    )
    assert [each.code for each in told] == ["TB101", "TB102"]


def test_a_lighter_fault_stays_for_the_loop_that_has_nothing_heavier() -> None:
    shared = place(40)
    told = unite(
        [
            finding("post-hoc", place(5), ("A",), "tool-timeout", "TB302"),
            finding("none", shared, ("A",), "tool-timeout", "TB301"),
            finding("none", shared, ("B",), "tool-timeout", "TB301"),
        ],
        [A, B],
    )
    assert [(each.code, each.loops) for each in told] == [("TB302", ("A",)), ("TB301", ("B",))]


@pytest.mark.parametrize("gate", sorted(CHAINS))
def test_chains_are_of_known_gates_and_have_ranks(gate: str) -> None:
    assert gate in GATES
    for chain in CHAINS[gate]:
        assert len(chain.ranks) > 1
        assert all(chain.ranks)
        hows = [how for rank in chain.ranks for how in rank]
        assert len(hows) == len(set(hows))


# Several subjects, one place


def test_a_shared_place_is_one_finding_that_lists_its_loops() -> None:
    shared = place(40)
    findings = [finding("none", shared, (id,), "tool-timeout", "TB301") for id in "BA"]
    (told,) = unite(findings, [A, B])
    assert told.loops == ("A", "B")
    assert [step.place for step in told.related] == [A.header, B.header]
    assert told.subject_shape == "", "identity comes from the shared place, not from one of its loops"


def test_the_subject_around_the_place_leads() -> None:
    dispatcher = subject("D", 40, 49, "dispatcher")
    shared = place(45)
    findings = [finding("none", shared, (id,), "tool-timeout", "TB301") for id in "AD"]
    (told,) = unite(findings, [A, dispatcher])
    assert told.subject_shape == "shape-D"
    assert told.loops == ("A", "D")


def test_of_nested_subjects_the_inner_leads() -> None:
    outer, inner = subject("A", 1, 30), subject("B", 5, 15)
    (told,) = unite([finding("none", place(7), (id,)) for id in "AB"], [outer, inner])
    assert told.subject_shape == "shape-B"


def test_other_hows_and_places_stay_apart() -> None:
    told = unite(
        [
            finding("whole-server", place(40), ("A",), "allowlist", "TB311"),
            finding("code-by-name", place(40), ("B",), "allowlist", "TB311"),
            finding("code-by-name", place(41), ("B",), "allowlist", "TB311"),
        ],
        [A, B],
    )
    assert len(told) == 3


def test_the_heaviest_severity_and_the_surest_confidence_win() -> None:
    one = finding("none", place(40), ("A",))
    two = finding("none", place(40), ("B",))._replace(severity="error", confidence="high")
    for order in ([one, two], [two, one]):
        (told,) = unite(order, [A, B])
        assert (told.severity, told.confidence) == ("error", "high")


def test_a_header_that_is_shown_already_is_not_shown_twice() -> None:
    first = finding("none", place(40), ("A",))._replace(related=(Step(A.header, "the loop"),))
    (told,) = unite([first], [A])
    assert told.related == (Step(A.header, "the loop"),)
    (own,) = unite([finding("none", A.header, ("A",))], [A])
    assert own.related == ()


def test_findings_without_subjects_pass_through() -> None:
    broken = finding("syntax", place(1), (), "", "TB001")
    assert unite([broken], []) == (broken,)


def test_the_result_does_not_depend_on_the_order_of_findings() -> None:
    findings = [
        finding("none", place(40), ("A",), "tool-timeout", "TB301"),
        finding("none", place(40), ("B",), "tool-timeout", "TB301"),
        finding("post-hoc", place(6), ("A",), "tool-timeout", "TB302"),
        finding("post-hoc", place(8), ("A",), "tool-timeout", "TB302"),
        finding("none", place(1), ("A",)),
    ]
    results = {unite(order, [A, B]) for order in itertools.permutations(findings)}
    assert len(results) == 1
