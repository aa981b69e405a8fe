"""`make test-deep`: every part is run and timed, and CI's are of fifteen minutes at most."""

from __future__ import annotations

import subprocess
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests import run_deep
from tests.examples import examples


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The parts that are run; `damage` fails."""
    ran: list[str] = []
    names = {tuple(part.command): part.name for part in run_deep.PARTS}

    def run(command: list[str], **options: Any) -> SimpleNamespace:
        name = names[tuple(command)]
        ran.append(name)
        assert (options["env"].get("TILESCOPE_EXAMPLES") == "100") == (name in ("examples", "others"))
        return SimpleNamespace(returncode=int(name == "damage"))

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.delenv("TILESCOPE_EXAMPLES", raising=False)
    return ran


def test_all_parts(ran: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_deep.main([]) == 1
    assert ran == [part.name for part in run_deep.PARTS]
    summary = capsys.readouterr().out.partition("=== deep tests ===\n")[2].splitlines()
    assert [line.split()[0] for line in summary] == ran
    assert [line.split()[0] for line in summary if line.endswith("FAILED")] == ["damage"]


def test_parts_that_are_named(ran: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_deep.main(["ways", "scaling"]) == 0
    assert ran == ["ways", "scaling"]
    assert run_deep.main(["nothing"]) == 2
    assert "there is no part 'nothing': ways, " in capsys.readouterr().out


def test_each_file_of_the_browser_is_in_one_part() -> None:
    files = sorted(f"tests/browser/{path.name}" for path in (run_deep.ROOT / "tests" / "browser").glob("test_*.py"))
    parts = [part for part in run_deep.PARTS if part.name in ("browser", "browser-m-z")]
    assert sorted(word for part in parts for word in part.command if word.startswith("tests/browser/")) == files


def test_each_short_part_has_its_day(ran: list[str]) -> None:
    short = [part.name for part in run_deep.PARTS if part.is_short]
    days = [date(2026, 11, 28) + timedelta(days=k) for k in range(len(short))]
    assert sorted(run_deep.of_day(day).name for day in days) == sorted(short)
    assert not {"torch", "native", "hostile"} & set(short)
    run_deep.main(["--of-today"])
    assert len(ran) == 1
    assert ran[0] in short


def test_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    for share, tried in (("100", 60), ("25", 15), ("1", 2)):
        monkeypatch.setattr("tests.examples.EXAMPLES", int(share))
        assert examples(60) == tried
