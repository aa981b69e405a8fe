"""--threads is for all commands that index, prove or answer, and changes nothing but the time that they take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tilescope.cli import main
from tilescope.tiler.system import processors


@pytest.fixture(autouse=True)
def _threads_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESCOPE_THREADS", "")


def test_stores_do_not_depend_on_it(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    write_trace(trace, busy_events(2000))
    for threads in ("1", "3", "16"):
        assert main(["index", str(trace), "-o", str(tmp_path / threads), "--threads", threads]) == 0
        assert processors() == int(threads)
    for threads in ("3", "16"):
        assert main(["verify", str(tmp_path / "1"), "--same-as", str(tmp_path / threads)]) == 0
    assert main(["verify", str(tmp_path / "16"), "--threads", "2"]) == 0
    assert main(["ask", str(tmp_path / "16"), "stats", "--threads", "5"]) == 0
    assert os.environ["TILESCOPE_THREADS"] == "5"


def test_it_has_no_effect_on_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "http://localhost:9/?token=a", "stats", "--threads", "2"]) == 2
    assert "--threads has no effect: a server has" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0", "-1", "many", "1025", "2.5", "²"])
@pytest.mark.parametrize("command", [["index", "a", "-o", "b"], ["verify", "a"], ["view", "a"], ["serve", "a"]])
def test_other_numbers_are_refused(command: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command, f"--threads={text}"])
    assert "is no number of threads from 1 to 1024" in capsys.readouterr().err
