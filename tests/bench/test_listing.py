"""The benchmark of lists of runs."""

from __future__ import annotations

import re

import pytest

from bench.listing import main


def test_a_quick_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--files", "16", "--trainings", "2"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    places = [f"list of 16 files in {place}" for place in ("a folder", "a zip archive")]
    places.append("list of 2 trainings, 320 files")
    assert [row.split("|")[1].strip() for row in rows[2:]] == [
        f"{place}{again}" for place in places for again in ("", ", again")
    ]
    assert len([row for row in rows if re.search(r"\| \d+ ms \(2 runs\)", row)]) == 3
