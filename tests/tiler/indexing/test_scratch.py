"""Arrays beyond the memory budget, and builds that need them."""

from __future__ import annotations

import errno
import gc
import os
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tilescope.tiler.errors import StoreError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.scratch import PassingScratch, Scratch
from tilescope.tiler.indexing.tracks.rollups import Rollups
from tilescope.tiler.store.generation import current
from tilescope.tiler.synth.trace import write_synthetic_trace
from tilescope.tiler.verify import compare_stores


def is_mapped(array: np.ndarray) -> bool:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.base is not None


def test_arrays_are_in_memory_up_to_the_budget_and_in_files_beyond(tmp_path: Path) -> None:
    with closing(Scratch(tmp_path, memory_bytes=1000)) as scratch:
        first = scratch.empty(100, np.int64)
        second = scratch.empty(100, np.int64)
        assert not is_mapped(first)
        assert is_mapped(second)
        second[:] = np.arange(100)
        third = scratch.fill(50, np.dtype(np.int16), lambda part: np.arange(part.start, part.stop, dtype=np.int16))
        assert second.tolist() == list(range(100))
        assert third.tolist() == list(range(50))


def test_the_budget_is_free_again_when_an_array_is_gone(tmp_path: Path) -> None:
    with closing(Scratch(tmp_path, memory_bytes=1000)) as scratch:
        first = scratch.keep(np.zeros(125, np.int64))
        del first
        gc.collect()
        assert not is_mapped(scratch.empty(125, np.int64))


def test_arrays_that_pass_are_in_memory_unless_they_are_large_and_those_that_stay_are_settled(tmp_path: Path) -> None:
    with closing(Scratch(tmp_path, memory_bytes=100_000)) as kept:
        passing = PassingScratch(kept, at_most_bytes=80_000)
        arrays = [
            passing.fill(10_000, np.dtype(np.int64), lambda part: np.arange(part.start, part.stop)) for _ in "abc"
        ]
        large = passing.empty(12_600, np.int64)
        assert [is_mapped(array) for array in [*arrays, large]] == [False, False, False, True]
        # Nothing of what only passes was counted: there is room for one of them, and the others go to a file.
        settled = [passing.settled(array) for array in arrays]
        assert [is_mapped(array) for array in settled] == [False, True, True]
        assert all(array.tolist() == list(range(10_000)) for array in settled)
        assert passing.settled(large) is large


def test_scratch_files_have_no_names(tmp_path: Path) -> None:
    with closing(Scratch(tmp_path, memory_bytes=0)) as scratch:
        array = scratch.empty(10, np.int64)
        array[:] = 7
        assert list(tmp_path.iterdir()) == []
    assert array.tolist() == [7] * 10


def test_a_full_disk_is_an_error_that_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _offset: int, _size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with closing(Scratch(tmp_path, memory_bytes=0)) as scratch, pytest.raises(StoreError, match=str(tmp_path)):
        scratch.empty(10, np.int64)


@pytest.mark.parametrize("trace_format", ["xspace", "chrome"])
def test_a_build_with_little_memory_writes_the_same_store(tmp_path: Path, trace_format: str) -> None:
    trace = write_synthetic_trace(tmp_path / "trace", format=trace_format, events=60_000, tracks=12, seed=5).path
    build_store([trace], tmp_path / "large")
    build_store([trace], tmp_path / "small", memory_bytes=100_000)
    compare_stores(tmp_path / "large", tmp_path / "small")
    assert [entry.name for entry in current(tmp_path / "small").iterdir()] == ["data.mdb"]


@pytest.mark.parametrize(("memory_bytes", "in_file"), [(6_000_000, False), (4_000_000, True)])
def test_slices_of_a_small_run_stay_in_memory_for_its_rollups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory_bytes: int, in_file: bool
) -> None:
    """60,000 slices of 20 bytes: a quarter of 6 MB has room for all of them, a quarter of 4 MB has not."""
    places: list[tuple[int, int] | None] = []
    place = Rollups._place

    def told(rollups: Rollups, size_bytes: int) -> tuple[int, int] | None:
        places.append(place(rollups, size_bytes))
        return places[-1]

    monkeypatch.setattr(Rollups, "_place", told)
    trace = write_synthetic_trace(tmp_path / "trace", format="xspace", events=60_000, tracks=12, seed=5).path
    build_store([trace], tmp_path / "store", memory_bytes=memory_bytes)
    assert places
    assert any(found is not None for found in places) == in_file
