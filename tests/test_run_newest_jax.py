"""`make newest-jax`: which Python it takes, and what it says where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from release.interpreters import Interpreter
from tests import run_newest_jax


def python(version: str, can_build: bool = True) -> Interpreter:
    major, minor = version.split(".")
    return Interpreter(Path(f"/opt/python{version}"), (int(major), int(minor)), can_build)


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ([python("3.11"), python("3.12"), python("3.13")], "3.12"),
        ([python("3.11"), python("3.12", can_build=False), python("3.13")], "3.13"),
        ([python("3.14")], "3.14"),
    ],
)
def test_the_oldest_python_that_will_do(
    present: list[Interpreter], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_newest_jax, "find", {each.name: each for each in present}.get)
    chosen = run_newest_jax.suitable_python()
    assert chosen is not None
    assert chosen.name == expected


@pytest.mark.parametrize("present", [[], [python("3.11")], [python("3.11"), python("3.12", can_build=False)]])
def test_without_one_it_says_what_to_install(
    present: list[Interpreter], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*command: str | Path) -> None:
        raise AssertionError(f"nothing is to be installed, and this runs {command}")

    monkeypatch.setattr(run_newest_jax, "find", {each.name: each for each in present}.get)
    monkeypatch.setattr(run_newest_jax, "run", run)
    assert run_newest_jax.main() == 0
    line = capsys.readouterr().out
    assert line.startswith("skipped: jax>=0.12")
    assert "pyenv install 3.12" in line
