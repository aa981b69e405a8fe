"""Comparison with HTA: its tables as figures, our own of a real run, and what counts as a difference."""

from __future__ import annotations

import pytest

from bench.compare_hta import differences, figures_here, figures_there, main
from tests.corpus import corpus_path

ANSWERS = {
    "temporal breakdown": [["0", "338781", "75169", "21636", "435586", "77.78", "17.26", "4.97"]],
    "kernels": [[["COMMUNICATION", "20621", "21.3"], ["COMPUTATION", "71696", "74.1"]], []],
    "idle time": [[["0", "40", "host_wait", "381499", "1"], ["0", "40", "other", "0", "0"]], "None"],
    "launches": {"0": [["19812", "29", "2", "0"], ["19832", "17", "30", "1"]]},
}


def test_tables_of_hta_are_figures() -> None:
    assert figures_there(ANSWERS) == {
        "0/breakdown/idle_time": 338_781,
        "0/breakdown/compute_time": 75_169,
        "0/breakdown/non_compute_time": 21_636,
        "0/breakdown/kernel_time": 435_586,
        "all/kinds/COMMUNICATION": 20_621,
        "all/kinds/COMPUTATION": 71_696,
        "0/idle/stream 40 host_wait": 381_499,
        "0/idle/stream 40 other": 0,
        "0/launches/launches": 2,
        "0/launches/cpu_duration": 46,
        "0/launches/gpu_duration": 32,
        "0/launches/launch_delay": 1,
    }


def test_an_analysis_that_failed_has_no_figures() -> None:
    assert figures_there({**dict.fromkeys(ANSWERS, "AssertionError: "), "kernels": [[["MEMORY", "9", "1"]], []]}) == {
        "all/kinds/MEMORY": 9
    }


def test_what_differs() -> None:
    here = {"0/idle/a": 1, "0/idle/b": 2, "0/idle/e": 5, "0/idle/f": 0, "1/idle/a": 1}
    there = {"0/idle/a": 1, "0/idle/b": 3, "0/idle/c": 4, "0/idle/d": 0}
    assert differences(here, there) == {"0/idle/b": (2, 3), "0/idle/c": (None, 4), "0/idle/e": (5, None)}


def test_figures_of_a_real_run() -> None:
    here = figures_here([corpus_path("kineto/nccl_data.json.gz")])
    kinds = {
        "COMPUTATION": 71_696,
        "COMMUNICATION": 20_621,
        "COMPUTATION overlapping COMMUNICATION": 3_473,
        "MEMORY": 831,
        "COMMUNICATION overlapping MEMORY": 184,
    }
    waits = (("7", "host_wait", 357_247), ("7", "kernel_wait", 2_155), ("7", "other", 0), ("40", "host_wait", 381_499))
    there = figures_there(
        {
            **ANSWERS,
            "kernels": [[[label, str(ticks), "0"] for label, ticks in kinds.items()], []],
            "idle time": [[["0", stream, kind, str(ticks), "0"] for stream, kind, ticks in waits], "None"],
            "launches": "none",
        }
    )
    assert differences(here, there) == {}


def test_nothing_is_compared_without_hta(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["compare_hta", "--hta", "/nowhere/python"])
    assert main() == 0
    assert "nothing is compared" in capsys.readouterr().err
