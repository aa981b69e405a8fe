"""The benchmark of a click on a run in the list."""

from __future__ import annotations

import re

import pytest

from bench.first_overview import RUN, main


@pytest.mark.skipif(not RUN.exists(), reason="no corpus")
def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--times", "1", "--loaded", "0"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert re.search(
        r"run_1, from the click to the overview .*\| \d+ ms \(indexed after \d+ ms; slowest \d+ ms\)", rows[2]
    )
