"""Declared scopes: which files they cover, and which gates are then not asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from recognising import loop, recognised, shipped

from toolbind_lint.cli import main
from toolbind_lint.config import load_settings
from toolbind_lint.recognise import Limits
from toolbind_lint.verdicts import Subject

CONFIG = """
[[tool.toolbind-lint.scope]]
paths = ["jobs/**"]
kind = "workflow"
reason = "steps with timeouts"
"""


def judged(scope: str) -> Subject:
    (found,) = recognised(loop("while True:"), shipped(), Limits(scope=scope))
    return found


def test_bounds_of_a_request_are_not_asked_for() -> None:
    found = judged("workflow: steps with timeouts")
    for gate in ("cap", "wall", "cost"):
        verdict = found.verdict(gate)
        assert (verdict.state, verdict.faults) == ("not-applicable", ())
        assert [e.message for e in verdict.evidence] == ["declared as workflow: steps with timeouts"]
    assert found.witness == ()


def test_what_may_run_is_asked_in_any_scope() -> None:
    assert judged("workflow").verdict("allowlist") == judged("").verdict("allowlist")


def test_without_a_scope_all_is_asked() -> None:
    assert judged("").verdict("cap").state == "missing"


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("jobs/a.py", "workflow: steps with timeouts"),
        ("jobs/deep/a.py", "workflow: steps with timeouts"),
        ("app/a.py", ""),
        ("app/jobs.py", ""),
    ],
)
def test_a_scope_covers_its_paths(tmp_path: Path, path: str, scope: str) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    settings = load_settings({}, root=str(tmp_path), cwd=str(tmp_path))
    assert settings.for_file(path).scope == scope


def test_paths_start_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text(CONFIG)
    settings = load_settings({}, root=str(tmp_path), cwd=str(tmp_path))
    assert settings.for_file("sub/jobs/a.py").scope
    assert not settings.for_file("jobs/a.py").scope


def test_a_declared_scope_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "a.py").write_text(loop("while True:"))
    monkeypatch.chdir(tmp_path)
    assert main(["gates", "jobs"]) == 0
    assert "declared as workflow: steps with timeouts" in capsys.readouterr().out
    main(["check", "--output-format", "concise"])
    assert "TB101" not in capsys.readouterr().out


@pytest.mark.parametrize(("ceiling", "state"), [(None, "held"), (60_000, "held"), (50_000, "missing")])
def test_a_token_budget_above_the_ceiling_is_none(ceiling: int | None, state: str) -> None:
    text = loop(
        "for _ in range(8):",
        before="spent = 0",
        foot="spent += reply.usage.total_tokens\nif spent > 60_000:\n    raise RuntimeError",
    )
    (found,) = recognised(text, shipped(), Limits(token_ceiling=ceiling))
    assert found.verdict("cost").state == state
