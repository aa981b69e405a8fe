"""What the table of `make resolve` says of neighbours that go with us, that do not, and that are not there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from release import resolve
from release.resolve import ABSENT, GOOD, Resolution

BOTH = dict.fromkeys(resolve.SHOWN, "1.0")


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tag in ("cp311-cp311", "cp312-abi3"):
        (tmp_path / f"tilescope-0.2.0-{tag}-manylinux_2_34_x86_64.whl").touch()
    monkeypatch.setattr(resolve, "WHEELS", tmp_path)
    monkeypatch.setattr(resolve, "NEIGHBOURS", (("jax==0.4.*",),))


def answer(monkeypatch: pytest.MonkeyPatch, beside: Resolution, alone: Resolution) -> None:
    monkeypatch.setattr(resolve, "resolve", lambda _, wanted: beside if len(wanted) == 2 else alone)


def test_a_neighbour_that_goes_with_us(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    answer(monkeypatch, Resolution({**BOTH, "jax": "0.4.38"}), Resolution({}))
    assert resolve.main() == 0
    line = capsys.readouterr().out.splitlines()[2]
    assert line == f"| jax 0.4.38 | 3.11 | 1.0 | 1.0 | 1.0 | 1.0 | {GOOD} |"


def test_a_neighbour_that_we_keep_out_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, Resolution({}, "protobuf is too new"), Resolution({"jax": "0.4.38"}))
    assert resolve.main() == 1
    assert "| jax==0.4.* | 3.11 |  |  |  |  | protobuf is too new |" in capsys.readouterr().out


def test_a_neighbour_that_is_not_there_is_none_of_our_doing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, Resolution({}, "no wheels"), Resolution({}, "no wheels"))
    assert resolve.main() == 0
    assert ABSENT in capsys.readouterr().out


def test_each_python_has_its_wheel() -> None:
    assert "cp311-cp311" in resolve.wheel_for("3.11").name
    assert "abi3" in resolve.wheel_for("3.12").name
    assert resolve.wheel_for("3.13") == resolve.wheel_for("3.12")


def test_without_a_wheel_the_way_to_one_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "WHEELS", tmp_path / "none")
    with pytest.raises(SystemExit, match="make dist"):
        resolve.wheel_for("3.11")
