"""Which Pythons are found, and that one that does not run is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from release import interpreters, wheels

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any Python."""
    for name in ("PATH", "HOME", "PYENV_ROOT", "UV_PYTHON_INSTALL_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    interpreters.find.cache_clear()
    return tmp_path


def test_a_python_says_what_it_is() -> None:
    found = interpreters.probe(sys.executable)
    assert found is not None
    assert (found.name, found.version) == (HERE, sys.version_info[:2])


def test_what_does_not_run_is_none(bare: Path) -> None:
    assert interpreters.probe(bare / "absent") is None
    assert interpreters.probe(script(bare / "shim", "exit 127")) is None
    assert interpreters.find(HERE) is None


@pytest.mark.parametrize(
    "place", [f"PATH/python{HERE}", f"PYENV_ROOT/versions/{HERE}.9/bin/python{HERE}",
              f"UV_PYTHON_INSTALL_DIR/cpython-{HERE}.9-linux/bin/python{HERE}"],
)  # fmt: skip
def test_pythons_are_found_behind_a_shim_that_does_not_run(bare: Path, place: str) -> None:
    script(bare / "PATH" / f"python{HERE}", "exit 127")
    script(bare / place, f'exec {sys.executable} "$@"')
    found = interpreters.find(HERE)
    assert found is not None
    assert found.name == HERE
    assert interpreters.find("3.99") is None


def test_a_python_that_cannot_build_is_one_line(bare: Path) -> None:
    with pytest.raises(SystemExit, match="cannot build wheels"):
        wheels.chosen(str(bare / "absent"))


def test_without_any_python_nothing_is_built(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        wheels.chosen(None)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all("found: no wheel for" in line for line in said)
