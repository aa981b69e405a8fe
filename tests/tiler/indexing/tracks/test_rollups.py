"""Rollups that are built in two parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.indexing.stored_contents import contents
from tests.tiler.json_traces import write_trace
from tilescope.tiler import _native
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import rollups
from tilescope.tiler.store.run_store import open_run_store
from tilescope.tiler.verify import verify_store


def records(trace: Path, store: Path, workers: int) -> dict[bytes, bytes]:
    """Of a new store."""
    build_store([trace], store, workers=workers)
    verify_store(store)
    run = open_run_store(store)
    found = contents(run.records())
    run.close()
    return found


def test_two_threads_build_the_same_rollups_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [
        {"ph": "X", "name": f"call {k % 7}", "pid": k % 2, "tid": k % 4, "ts": 10 * k, "dur": 4 ** (k % 7)}
        for k in range(4000)
    ]
    trace = write_trace(tmp_path / "trace.json", calls)
    cuts: list[int] = []
    find = _native.rollup_cut

    def told(children: list[_native.KeptSlices], root_level: int) -> int:
        cuts.append(find(children, root_level))
        return cuts[-1]

    monkeypatch.setattr(_native, "rollup_cut", told)
    whole = records(trace, tmp_path / "few", 2)
    monkeypatch.setattr(rollups, "_CUT_AT", 1)
    assert records(trace, tmp_path / "alone", 1) == whole
    assert not cuts
    assert records(trace, tmp_path / "cut", 2) == whole
    assert len(cuts) > 2
    assert all(cuts)
