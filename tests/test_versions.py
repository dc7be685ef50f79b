"""Which versions of a package a project admits, by its committed files."""

from __future__ import annotations

import pytest

from toolbind_lint.snapshot import Memory
from toolbind_lint.versions import Constraint, Manifests, admitted, interval, is_manifest


def found(files: dict[str, str], path: str = "app/agent.py", package: str = "acme-sdk") -> Constraint | None:
    return Manifests(Memory({name: text.encode() for name, text in files.items()})).constraint(path, [package])


# ---- specifier sets


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (">=1.0", "<1.0", False),
        (">=1.0", "<=1.0", True),
        (">1.0", "<=1.0", False),
        ("==1.0.5", ">=1.0.6", False),
        ("==1.0.6", ">=1.0.6", True),
        ("==1.*", ">=2", False),
        ("==1.*", ">=1.9", True),
        ("~=1.4", ">=2", False),
        ("~=1.4", ">=1.9", True),
        ("~=1.4.2", ">=1.5", False),
        ("^1.2", ">=2", False),
        ("^1.2", ">=1.9", True),
        ("^0.2.1", ">=0.3", False),
        ("~1.2", ">=1.3", False),
        (">=1.0,<2", ">=2", False),
        (">=1.0,<2", ">=1.5,<1.6", True),
        ("", "<0.1", True),
        ("!=1.5", "==1.5", True),
        ("==1.0", "==1", True),
        (">=2.0.0a1", ">=2.0", True),
        ("1.0.5", "<1.0.6", True),
        ("1.0.6", "<1.0.6", False),
    ],
)
def test_two_sets_meet_where_a_version_is_in_both(one: str, other: str, meet: bool) -> None:
    assert interval(one).meets(interval(other)) is meet
    assert interval(other).meets(interval(one)) is meet


def test_without_a_constraint_the_newest_counts() -> None:
    assert admitted(None, "")
    assert admitted(None, ">=1.0.6")
    assert not admitted(None, "<1.0.6")


# ---- files


@pytest.mark.parametrize(
    ("name", "text", "spec"),
    [
        ("requirements.txt", "other==1\nacme-sdk==1.4  # pinned\n", "==1.4"),
        ("requirements.txt", "Acme_SDK[all]>=1,<2; python_version > '3'\n", ">=1,<2"),
        ("requirements.txt", "acme-sdk\n", ""),
        ("requirements-dev.txt", "acme.sdk~=1.4\n", "~=1.4"),
        ("pyproject.toml", '[project]\ndependencies = ["acme-sdk>=1.2"]\n', ">=1.2"),
        ("pyproject.toml", "[project]\ndependencies = [\n  'acme-sdk[x] >= 1.2, < 2 ; extra',\n]\n", ">=1.2,<2"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nacme-sdk = "^1.2"\n', "^1.2"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nacme-sdk = {version = "^1.2", extras = ["x"]}\n', "^1.2"),
        ("setup.cfg", "[options]\ninstall_requires =\n    acme-sdk>=1.2\n", ">=1.2"),
        ("setup.py", "setup(install_requires=['acme-sdk>=1.2'])\n", ">=1.2"),
        ("uv.lock", '[[package]]\nname = "acme-sdk"\nversion = "1.4.2"\nsource = {}\n', "==1.4.2"),
        ("poetry.lock", '[[package]]\nname = "acme-sdk"\nversion = "1.4.2"\n', "==1.4.2"),
        ("pdm.lock", '[[package]]\nname = "acme-sdk"\nversion = "1.4.2"\n', "==1.4.2"),
        ("Pipfile.lock", '{"default": {"acme-sdk": {"hashes": [], "version": "==1.4.2"}}}', "==1.4.2"),
    ],
)
def test_a_file_that_names_the_package_speaks(name: str, text: str, spec: str) -> None:
    constraint = found({name: text})
    assert constraint is not None
    assert constraint.text == spec
    assert constraint.place.path == name
    assert is_manifest(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "acme-sdk-extras==1\nnot-acme-sdk==2\n# acme-sdk==3\n"),
        ("pyproject.toml", '[project]\nname = "acme-sdk"\n'),
        ("pyproject.toml", '[tool.x]\n"acme-sdk" = 1\n'),
        ("notes.txt", "acme-sdk==1\n"),
        ("uv.lock", '[[package]]\nname = "acme-sdk-extras"\nversion = "1.4.2"\n'),
    ],
)
def test_a_file_that_speaks_of_something_else_does_not(name: str, text: str) -> None:
    assert found({name: text}) is None


def test_a_lock_file_comes_before_requirements_and_these_before_metadata() -> None:
    files = {
        "pyproject.toml": '[project]\ndependencies = ["acme-sdk>=1"]\n',
        "requirements.txt": "acme-sdk>=1.1\n",
        "uv.lock": '[[package]]\nname = "acme-sdk"\nversion = "1.4.2"\n',
    }
    spoken = []
    while files:
        constraint = found(files)
        assert constraint is not None
        spoken.append(constraint.place.path)
        del files[constraint.place.path]
    assert spoken == ["uv.lock", "requirements.txt", "pyproject.toml"]


def test_the_nearest_folder_speaks() -> None:
    files = {
        "requirements.txt": "acme-sdk==1\n",
        "app/requirements.txt": "acme-sdk==2\n",
        "web/requirements.txt": "acme-sdk==3\n",
    }
    near = found(files)
    assert near is not None
    assert near.text == "==2"
    far = found(files, "lib/deep/agent.py")
    assert far is not None
    assert far.text == "==1"


def test_a_lock_with_several_versions_admits_each() -> None:
    lock = '[[package]]\nname = "acme-sdk"\nversion = "1.0"\n\n[[package]]\nname = "acme-sdk"\nversion = "2.0"\n'
    constraint = found({"uv.lock": lock})
    assert constraint is not None
    assert constraint.admits("<1.5")
    assert constraint.admits(">=1.5")
    assert not constraint.admits(">=3")


def test_a_script_names_its_own_dependencies() -> None:
    script = (
        '# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "acme-sdk<1.5",\n# ]\n# ///\nimport acme\n'
    )
    constraint = found({"app/agent.py": script, "app/requirements.txt": "acme-sdk==2\n"})
    assert constraint is not None
    assert constraint.text == "<1.5"
    assert constraint.place.line == 4


def test_the_project_that_makes_a_package_is_known() -> None:
    own = Manifests(Memory({"lib/pyproject.toml": b'[project]\nname = "acme-sdk"\n'}))
    assert own.declares("lib/src/acme/agent.py", ["acme_sdk"])
    assert not own.declares("app/agent.py", ["acme-sdk"])
    assert not own.declares("lib/src/acme/agent.py", ["acme"])


def test_a_sibling_belongs_to_the_project_and_names_no_versions() -> None:
    files = {"pyproject.toml": '[project]\nname = "acme-prebuilt"\ndependencies = ["acme-prebuilt==9"]\n'}
    here = Manifests(Memory({name: text.encode() for name, text in files.items()}))
    assert here.declares("agent.py", ["acme-sdk", "+acme-prebuilt"])
    assert here.constraint("agent.py", ["acme-sdk", "+acme-prebuilt"]) is None
