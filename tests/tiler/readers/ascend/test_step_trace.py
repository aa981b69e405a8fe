"""Rows of step traces and timelines as text that are not drawn are counted, by why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilescope.tiler.readers import open_trace

STEPS = "step_num,start_point,fp_point,bp_point,end_point,stream_0_0_start_point,stream_0_0_end_point\n"


@pytest.mark.parametrize(
    ("row", "slices", "ignored"),
    [
        ("1,10,20,30,40,22,25", 5, {}),
        ("1,10,20,30,40,25,22", 4, {"parts_out_of_order": 1}),
        ("1,10,20,30,40,0,0", 4, {}),  # there was no reduction
        ("1,10,30,20,40,22,25", 4, {"parts_out_of_order": 1}),
        ("1,10,50,60,40,22,25", 2, {"parts_out_of_order": 3}),
        ("1,40,20,30,10,22,25", 0, {"rows_without_times": 1}),
        ("-,10,20,30,40,22,25", 0, {"rows_without_times": 1}),
    ],
)
def test_parts_of_steps_that_are_not_drawn(tmp_path: Path, row: str, slices: int, ignored: dict[str, int]) -> None:
    path = tmp_path / "step_trace_raw_0_detail_time.csv"
    path.write_text(f"{STEPS}{row}\n")
    assert drawn(path) == (slices, ignored)


@pytest.mark.parametrize(
    ("row", "slices", "ignored"),
    [
        ("a,1,1.5,2", 1, {}),
        (",1,1.5,2", 0, {"rows_without_names": 1}),
        ("a,1,x,2", 0, {"rows_without_times": 1}),
        (",1,1.5,x", 0, {"rows_without_times": 1}),
    ],
)
def test_rows_of_a_timeline_that_are_not_drawn(tmp_path: Path, row: str, slices: int, ignored: dict[str, int]) -> None:
    path = tmp_path / "output_timeline_data_0.txt"
    path.write_text(f"op_name,stream_id,start_time(ms),duration(ms)\n{row}\n")
    assert drawn(path) == (slices, ignored)


def drawn(path: Path) -> tuple[int, dict[str, int]]:
    """Slices that a file gives, and what it counts as ignored."""
    reader = open_trace(path)
    try:
        return sum(len(chunk.name) for chunk in reader.chunks()), dict(reader.summary().ignored)
    finally:
        reader.close()
