"""The families that a manifest calls the busiest, against sums in plain Python; and what is one family."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.tiler.json_traces import write_trace
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.tracks.busy_names import BusyNames
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.schema.families import MAX_FAMILIES, busiest_families, family_of
from tilescope.tiler.store.run_store import open_run_store


@pytest.mark.parametrize(
    ("name", "category", "family"),
    [
        ("fusion.123", "", "fusion"),
        ("jit_step(42)", "", "jit_step"),
        ("%add.1 = f32", "", "%add"),
        ("all-gather-start.7", "", "all-gather-start"),
        ("aten::add_", "", "aten::add_"),
        ("42", "", ""),
        ("4.2.1", "", ""),
        ("…", "", "…"),
        ("fusion.123", "convolution", "convolution"),
    ],
)
def test_a_family_is_the_category_or_the_stem_of_the_name(name: str, category: str, family: str) -> None:
    """As `familyOf` of viewer/src/raster/palette.ts has it, which has a test with the same names."""
    assert family_of(name, category) == family


def test_the_busiest_come_first_and_those_that_take_no_time_or_have_endless_names_not_at_all() -> None:
    names = [("b.1", "", 5), ("a.1", "", 5), ("b.2", "", 1), ("c", "", 0), ("x" * 300, "", 100), ("?", "cat", 3)]
    assert busiest_families(names) == ["b", "a", "cat"]
    assert len(busiest_families((f"{chr(97 + k)}x", "", 100 - k) for k in range(26))) == MAX_FAMILIES


def data_of(names: np.ndarray, durations: np.ndarray) -> TrackData:
    none, ints = np.zeros(len(names), np.int64), np.zeros(0, np.int64)
    flags = none.astype(np.uint8)
    return TrackData(none, durations, flags.astype(np.uint32), names, flags, None, ints, flags[:0], 1, 0)


@pytest.mark.parametrize("longest", [10, 2**40, 2**61])
@pytest.mark.parametrize("ids", [3, 50, 100_000])
def test_sums_are_exact_for_few_and_many_names(ids: int, longest: int) -> None:
    rng = np.random.default_rng(ids + longest % 1000)
    names = RunNames()
    names.add([f"{chr(97 + k % 26)}_{'y' * (k % 7)}.{k}" for k in range(ids)], [])
    busy = BusyNames()
    sums: dict[int, int] = defaultdict(int)
    for _ in range(3):
        name = rng.integers(-1, ids, 2000).astype(np.int32)
        duration = rng.integers(0, longest, 2000)
        busy.add(data_of(name, duration))
        for k, ticks in zip(name.tolist(), duration.tolist(), strict=True):
            sums[k] += ticks
    sums.pop(-1, None)
    top = sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))[:4096]
    assert busy.families(names) == busiest_families((names[k], "", ticks) for k, ticks in top)


def test_a_store_says_which_families_are_the_busiest(tmp_path: Path) -> None:
    def event(name: str, start: int, length: int, **more: object) -> dict[str, object]:
        return {"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": start, "dur": length, **more}

    events = [event("half\ud800", 0, 2), event("mul.1", 10, 5), event("mul.2", 20, 5), event("add.1", 30, 9)]
    events += [event("z", 50, 20, cat="io"), {"ph": "C", "pid": 1, "name": "n", "ts": 1, "args": {"v": 1}}]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    try:
        assert store.manifest()["families"] == ["io", "mul", "add", "half"]
    finally:
        store.close()
