"""Rollups that are built in two parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.json_traces import write_trace
from tilescope.tiler import _native
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import rollups
from tilescope.tiler.verify import compare_stores, verify_store


def verified_store(trace: Path, store: Path, workers: int) -> Path:
    """A new one."""
    build_store([trace], store, workers=workers)
    verify_store(store)
    return store


def test_several_threads_build_the_same_rollups_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [
        {"ph": "X", "name": f"call {k % 7}", "pid": k % 2, "tid": k % 4, "ts": 10 * k, "dur": 4 ** (k % 7)}
        for k in range(4000)
    ]
    trace = write_trace(tmp_path / "trace.json", calls)
    cuts: list[list[int]] = []
    find = _native.rollup_cuts

    def noted(children: list[_native.KeptSlices], root_level: int, parts: int) -> list[int]:
        cuts.append(find(children, root_level, parts))
        return cuts[-1]

    monkeypatch.setattr(_native, "rollup_cuts", noted)
    whole = verified_store(trace, tmp_path / "few", 2)
    monkeypatch.setattr(rollups, "_PART_SLICES", 1)
    compare_stores(whole, verified_store(trace, tmp_path / "alone", 1))
    assert not cuts
    compare_stores(whole, verified_store(trace, tmp_path / "halves", 2))
    assert len(cuts) > 2
    assert {len(times) for times in cuts} == {1}
    compare_stores(whole, verified_store(trace, tmp_path / "parts", 8))
    assert max(len(times) for times in cuts) > 1
