"""The version has one place, and its commit goes with an installation."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from tilescope import __version__, version
from tilescope.version import COMMIT_FILE, checkout_commit, installed_commit, version_text

ROOT = Path(__file__).resolve().parent.parent


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Someone", "-c", "user.email=someone@example.com")
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository of one commit."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one\n")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def test_packages_of_the_viewer_have_the_version() -> None:
    for package in ("viewer/package.json", "viewer/client/package.json"):
        assert json.loads((ROOT / package).read_text())["version"] == __version__, package
    locked = json.loads((ROOT / "viewer/package-lock.json").read_text())
    assert {locked["version"], locked["packages"][""]["version"], locked["packages"]["client"]["version"]} == {
        __version__
    }


def test_the_distribution_reads_the_version_where_it_is() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in pyproject["project"]
    assert pyproject["tool"]["scikit-build"]["metadata"]["version"]["input"] == "tilescope/__init__.py"


def test_the_changelog_has_a_section_for_the_version() -> None:
    assert f"\n## [{__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_commit_of_a_checkout(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "--short", "HEAD")
    git(checkout, "tag", "v1")
    assert checkout_commit(checkout) == commit
    (checkout / "file").write_text("two\n")
    assert checkout_commit(checkout) == f"{commit}-dirty"


def test_a_folder_inside_of_a_checkout_is_none(checkout: Path) -> None:
    (checkout / "site-packages").mkdir()
    assert checkout_commit(checkout / "site-packages") == ""


def test_a_checkout_without_git(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert checkout_commit(checkout) == ""


def test_the_commit_of_an_installation(tmp_path: Path) -> None:
    assert installed_commit(tmp_path) == ""
    (tmp_path / COMMIT_FILE).write_text("1a2b3c4d\n")
    assert installed_commit(tmp_path) == "1a2b3c4d"


@pytest.mark.parametrize(("commit", "text"), [("1a2b", f"{__version__} (commit 1a2b)"), ("", __version__)])
def test_the_text(monkeypatch: pytest.MonkeyPatch, commit: str, text: str) -> None:
    monkeypatch.setattr(version, "checkout_commit", lambda folder: commit)
    assert version_text() == text
