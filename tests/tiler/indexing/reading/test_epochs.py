"""Files that count from elsewhere stand beside files with dates, and not decades before them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store

DATE_US: Final = 1_600_695_893_269_618  # in 2020
DAY_US: Final = 86_400_000_000


def manifest(folder: Path, **starts_us: int) -> dict[str, Any]:
    """The manifest of a run with a file for each of these starts, with two slices 5 ms apart."""
    paths = []
    for name, start_us in starts_us.items():
        events = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": start_us + us, "dur": 1_000} for us in (0, 5_000)]
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(events))
    build_store(paths, folder / "run.store")
    store = open_run_store(folder / "run.store")
    try:
        return store.manifest()
    finally:
        store.close()


def test_counted_times_begin_where_dates_do(tmp_path: Path) -> None:
    """Files that count keep their distance from each other: they may do so by one clock."""
    run = manifest(tmp_path, counted=3_000, dated=DATE_US, later=4_000)
    assert int(run["end"]) * run["tick_ps"] == 7_000 * 10**6
    assert int(run["origin_ns"]) == DATE_US * 1000
    (warning,) = run["warnings"]
    assert warning.startswith(
        "counted.json: its times (and those of 1 file more) are no dates, and those of dated.json"
    )


@pytest.mark.parametrize(
    "starts", [{"a": 0, "b": 40 * DAY_US}, {"a": DATE_US, "b": DATE_US + 40 * DAY_US}, {"a": DATE_US}]
)
def test_times_of_one_kind_stay_where_they_are(tmp_path: Path, starts: dict[str, int]) -> None:
    run = manifest(tmp_path, **starts)
    length = max(starts.values()) - min(starts.values()) + 6_000
    assert int(run["end"]) * run["tick_ps"] == length * 10**6
    assert not any("are no dates" in warning for warning in run["warnings"])
