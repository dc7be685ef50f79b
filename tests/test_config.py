"""Configuration files, their errors, and what they mean for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbind_lint.config import KEYS, ConfigError, Settings, line_of, load_settings
from toolbind_lint.selection import RuleName

CAP = RuleName("TB101", "no-step-cap")
HEAD = "[tool.toolbind-lint]\n"


def settings(root: Path, **values: object) -> Settings:
    given = {key.replace("_", "-"): value for key, value in values.items()}
    return load_settings(given, root=str(root), cwd=str(root))


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def failure(root: Path, text: str, name: str = "pyproject.toml") -> str:
    write(root, name, text)
    with pytest.raises(ConfigError) as caught:
        settings(root)
    return str(caught.value).replace(f"{root}/", "")


def test_defaults_without_any_file(tmp_path: Path) -> None:
    file = settings(tmp_path).for_file("pkg/agent.py")
    assert file.selection.profile == "default"
    assert (file.fail_on, file.step_ceiling, file.relaxed, file.config) == ("warning", 100, False, "")


def test_nearest_file_upwards_counts(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + 'profile = "core"\n')
    write(tmp_path, "pkg/toolbind-lint.toml", 'profile = "strict"\n')
    write(tmp_path, "pkg/sub/pyproject.toml", "[project]\nname = 'x'\n")
    found = settings(tmp_path)
    assert found.for_file("a.py").selection.profile == "core"
    assert found.for_file("pkg/sub/deep/a.py").selection.profile == "strict"


def test_own_file_wins_over_pyproject(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + 'profile = "core"\n')
    write(tmp_path, "toolbind-lint.toml", 'profile = "strict"\n')
    assert settings(tmp_path).for_file("a.py").selection.profile == "strict"


def test_a_pyproject_that_only_mentions_the_tool_is_no_configuration(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + 'profile = "core"\n')
    write(tmp_path, "pkg/pyproject.toml", "[project]\nname = 'x'\ndependencies = ['toolbind-lint']\n")
    assert settings(tmp_path).for_file("pkg/a.py").selection.profile == "core"


def test_command_line_wins(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + 'profile = "core"\nfail-on = "never"\n')
    value = settings(tmp_path, profile="strict").value("profile")
    assert (value.value, value.origin) == ("strict", "command line")


def test_values_know_their_line(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[project]\nname = 'profile'\n\n" + HEAD + "\n# profile\nprofile = 'core'\n")
    assert settings(tmp_path).value("profile").origin.endswith("pyproject.toml:7")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("slect = ['TB1']", "pyproject.toml:2: `slect` is an unknown key (did you mean `select`?)"),
        ("step_ceiling = 5", "pyproject.toml:2: `step_ceiling` is an unknown key (did you mean `step-ceiling`?)"),
        ("select = 'TB1'", "pyproject.toml:2: `select` must be a list of strings, not a string"),
        ("select = [\n 'TB1',\n 3]", "pyproject.toml:4: `select` must be a list of strings, but holds a number"),
        (
            "select = [\n 'TB1',\n 'TB1011']",
            "pyproject.toml:4: `select` names no rule `TB1011` (did you mean `TB101`?)",
        ),
        (
            "ignore = ['no-step-cop']",
            "pyproject.toml:2: `ignore` names no rule `no-step-cop` (did you mean `no-step-cap`?)",
        ),
        ("profile = 'strikt'", "must be one of core, default, strict, not `strikt` (did you mean `strict`?)"),
        ("step-ceiling = 0", "pyproject.toml:2: `step-ceiling` must be a whole number of 1 or more, not 0"),
        ("step-ceiling = true", "`step-ceiling` must be a whole number of 1 or more, not a boolean"),
        ("step-ceiling = 1.5", "`step-ceiling` must be a whole number of 1 or more, not a number"),
        ("preview = 'yes'", "`preview` must be true or false, not a string"),
        ("extend = 3", "`extend` must be a string, not a number"),
        ("fail-on-review = 1", "`fail-on-review` must be true or false, not a number"),
        ("honour-new-suppressions = 'no'", "`honour-new-suppressions` must be true or false"),
        (
            "\n[tool.toolbind-lint.severity]\nTB101 = 'warning'\nTB102 = 'advise'",
            "pyproject.toml:5: `severity.TB102` must be one of error, warning, advice, "
            "not `advise` (did you mean `advice`?)",
        ),
        ("severity = {TB1010 = 'advice'}", "pyproject.toml:2: `severity.TB1010` names no rule `TB1010`"),
        ("severity = {TB101 = 'review'}", "`severity.TB101` must be one of error, warning, advice, not `review`"),
        (
            "per-file-ignores = {\"a/*.py\" = ['TBX']}",
            'pyproject.toml:2: `per-file-ignores."a/*.py"` names no rule `TBX`',
        ),
        ("per-file-ignores = ['TB1']", "`per-file-ignores` must be a table of globs and lists of codes, not a list"),
        ("required-version = '>=99'", "`required-version` asks for `>=99`, but this is toolbind-lint"),
        ("required-version = 'new'", "`required-version` must be a version or comparisons such as"),
        ("extend = 'other.toml'", "`extend` there is no file"),
        ("extend = '../other.toml'", "`extend` must stay inside the project root"),
        ("turn = 'x'", "`turn` must be an array of tables, written [[tool.toolbind-lint.turn]]"),
        ("[[tool.toolbind-lint.turns]]\ncall = 'x'", "pyproject.toml:2: `turns`"),
        (
            "[[tool.toolbind-lint.turn]]\ncall = 'x'\n[[tool.toolbind-lint.turn]]\ncal = 'y'",
            "pyproject.toml:5: `turn[1].cal`",
        ),
        ("profile = ", "pyproject.toml:2: is no TOML:"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in failure(tmp_path, HEAD + text + "\n")


def test_errors_of_the_own_file(tmp_path: Path) -> None:
    assert "toolbind-lint.toml:1: `tool` does not belong here" in failure(tmp_path, HEAD, "toolbind-lint.toml")
    (tmp_path / "toolbind-lint.toml").write_bytes(b"# a\nprofile = 'c\xff'\n")
    with pytest.raises(ConfigError, match=r"toolbind-lint\.toml:2: is not UTF-8"):
        settings(tmp_path)


def test_a_nested_error_is_met_with_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "pkg/toolbind-lint.toml", "nope = 1\n")
    found = settings(tmp_path)
    assert not found.for_file("a.py").relaxed
    with pytest.raises(ConfigError, match="`nope` is an unknown key"):
        found.for_file("pkg/a.py")


def test_extend(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", "profile = 'strict'\nstep-ceiling = 7\n[[gate-error]]\nname = 'acme.Quota'\n")
    write(
        tmp_path,
        "pkg/toolbind-lint.toml",
        "extend = '../base.toml'\nstep-ceiling = 9\n[[gate-error]]\nname = 'acme.Other'\n",
    )
    found = settings(tmp_path)
    file = found.for_file("pkg/a.py")
    assert (file.selection.profile, file.step_ceiling) == ("strict", 9)
    assert [table["gate-error"] for table in found.tables] == [[{"name": "acme.Quota"}], [{"name": "acme.Other"}]]
    assert found.value("profile", "pkg").origin.endswith("base.toml:1")


def test_extend_in_a_circle(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", "extend = 'toolbind-lint.toml'\n")
    assert "`extend` goes round in a circle" in failure(tmp_path, "extend = 'a.toml'\n", "toolbind-lint.toml")


def test_globs_start_from_the_file_that_has_them(tmp_path: Path) -> None:
    write(
        tmp_path, "pkg/toolbind-lint.toml", "extend-exclude = ['gen/*.py']\nper-file-ignores = {'old/*.py' = ['TB1']}\n"
    )
    found = settings(tmp_path)
    assert found.excluded("pkg/gen/a.py", folder=False)
    assert not found.excluded("gen/a.py", folder=False)
    assert "per-file-ignores" in found.for_file("pkg/old/a.py").objection(CAP, "error")
    assert found.for_file("pkg/a.py").objection(CAP, "error") == ""


def test_config_alone_and_its_base(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + "profile = 'core'\n")
    write(tmp_path, "pkg/toolbind-lint.toml", "profile = 'core'\n")
    other = write(tmp_path, "ci/strict.toml", "profile = 'strict'\nexclude = ['pkg/gen']\n")
    found = load_settings({}, root=str(tmp_path), cwd=str(tmp_path), config=str(other))
    assert found.for_file("pkg/a.py").selection.profile == "strict"
    assert found.excluded("pkg/gen", folder=True)
    with pytest.raises(ConfigError, match="no such configuration file"):
        load_settings({}, root=str(tmp_path), cwd=str(tmp_path), config=str(tmp_path / "gone.toml"))


def test_config_alone_must_speak_of_the_tool(tmp_path: Path) -> None:
    other = write(tmp_path, "x/pyproject.toml", "[project]\nname = 'x'\n")
    with pytest.raises(ConfigError, match=r"has no \[tool\.toolbind-lint\] table"):
        load_settings({}, root=str(tmp_path), cwd=str(tmp_path), config=str(other))


def test_isolated_reads_none(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + "nonsense = 1\n")
    found = load_settings({}, root=str(tmp_path), cwd=str(tmp_path), isolated=True)
    assert found.for_file("a.py").selection.profile == "default"


@pytest.mark.parametrize(
    ("path", "relaxed"),
    [
        ("tests/a.py", True),
        ("pkg/tests/unit/a.py", True),
        ("examples/a.py", True),
        ("docs/a.py", True),
        ("pkg/demo.ipynb", True),
        ("pkg/a.py", False),
        ("tests.py", False),
        ("latest/a.py", False),
    ],
)
def test_relaxed_by_default(tmp_path: Path, path: str, relaxed: bool) -> None:
    assert settings(tmp_path).for_file(path).relaxed is relaxed


def test_relaxed_is_settable(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + "relaxed = ['spikes/']\n")
    found = settings(tmp_path)
    assert found.for_file("spikes/a.py").relaxed
    assert not found.for_file("tests/a.py").relaxed


def test_severity_takes_the_most_exact_selector(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + "severity = {TB1 = 'advice', no-step-cap = 'warning', ALL = 'error'}\n")
    file = settings(tmp_path).for_file("a.py")
    assert file.override(CAP) == "warning"
    assert file.override(RuleName("TB102", "unpinned-step-cap")) == "advice"
    assert file.override(RuleName("TB201", "no-wall-budget")) == "error"


def test_exclude_replaces_and_extend_adds(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", HEAD + "exclude = ['mine']\nextend-exclude = ['more']\n")
    found = settings(tmp_path, extend_exclude=["even"])
    excluded = {name for name in ("mine", "more", "even", "venv") if found.excluded(name, folder=True)}
    assert excluded == {"mine", "more", "even"}
    assert settings(tmp_path, exclude=["cli"]).excluded("cli", folder=True)


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ("0.1.0", True),
        (">=0.1,<1", True),
        ("~=0.1", True),
        ("==0.1", True),
        ("!=0.1.0", False),
        ("<0.1", False),
        (">0.1", False),
    ],
)
def test_required_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, fits: bool) -> None:
    monkeypatch.setattr("toolbind_lint.__version__", "0.1.0")
    write(tmp_path, "pyproject.toml", HEAD + f"required-version = '{wanted}'\n")
    if fits:
        assert settings(tmp_path).value("required-version").value == wanted
    else:
        with pytest.raises(ConfigError, match="asks for"):
            settings(tmp_path)


def test_in_memory_settings_check_their_values() -> None:
    assert Settings({"profile": "strict"}).for_file("a.py").selection.profile == "strict"
    with pytest.raises(ConfigError, match="--profile: must be one of"):
        Settings({"profile": "none"})


def test_every_default_passes_its_own_check() -> None:
    for key, spec in KEYS.items():
        if spec.default is not None:
            assert Settings({key: spec.default}).value(key).value == spec.default


def test_line_of_survives_strings_that_look_like_keys() -> None:
    text = 'a = """\nselect = 1\n"""\n[t]\n"select" = [\n  1,\n  "x",\n]\n'
    assert line_of(text, ("t", "select")) == 5
    assert line_of(text, ("t", "select"), "x") == 7
    assert line_of(text, ("t", "gone")) == 4
