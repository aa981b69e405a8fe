"""What `make release` refuses, before it installs anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from release import check
from release.interpreters import Interpreter
from tilescope import __version__

PYTHON = Interpreter(Path("python3.12"), (3, 12), can_build=True)


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(check, "DIST", tmp_path)
    monkeypatch.setattr(check, "checkout_commit", lambda root: "1a2b3c4d")
    return tmp_path


def install_nothing(monkeypatch: pytest.MonkeyPatch, version: str) -> list[tuple[str, ...]]:
    """Has every command succeed, and `tilescope --version` say so; returns the commands."""
    commands: list[tuple[str, ...]] = []

    def run(python: Path, *arguments: str | Path) -> str:
        commands.append(tuple(map(str, arguments)))
        return version

    monkeypatch.setattr(check, "run", run)
    monkeypatch.setattr(check, "empty_environment", lambda python, name: Path(name))
    return commands


def test_changes_that_are_in_no_commit(dist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "checkout_commit", lambda root: "1a2b3c4d-dirty")
    with pytest.raises(SystemExit, match="commit them"):
        check.main()


@pytest.mark.parametrize("names", [[], ["tilescope-0.0.1.tar.gz"], ["tilescope-0.0.1.tar.gz", "tilescope-{}.tar.gz"]])
def test_an_sdist_of_another_version(dist: Path, names: list[str]) -> None:
    for name in names:
        (dist / name.format(__version__)).touch()
    with pytest.raises(SystemExit, match=f"no sdist of version {__version__} alone"):
        check.main()


def test_a_wheel_that_says_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    version = f"tilescope {__version__} (commit 1a2b3c4d)"
    commands = install_nothing(monkeypatch, f"{version}\n")
    assert check.check_wheel(PYTHON, Path("a.whl"), "1a2b3c4d") == version
    assert [command[1:3] for command in commands] == [("pip", "install"), ("pip", "check"), ("tilescope", "--version")]


def test_a_wheel_of_another_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    install_nothing(monkeypatch, f"tilescope {__version__} (commit 0000)\n")
    with pytest.raises(SystemExit, match=r"says tilescope [^ ]+ .commit 0000., and not"):
        check.check_wheel(PYTHON, Path("a.whl"), "1a2b3c4d")
