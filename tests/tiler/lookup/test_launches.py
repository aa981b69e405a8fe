"""Chunks of launches that are kept."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.tiler.json_traces import write_trace
from tilescope.tiler.caches import CACHES
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.launches import launches_from
from tilescope.tiler.records.launches import Launches
from tilescope.tiler.store.run_store import open_run_store


def kept() -> tuple[int, int]:
    """Bytes and number of the chunks."""
    (cache,) = [cache for cache in CACHES.sizes() if cache.name == "launch_chunks"]
    return cache.size_bytes, cache.entries


def test_chunks_are_kept_by_their_bytes(tmp_path: Path) -> None:
    event = {"ph": "X", "pid": 1, "dur": 1, "name": "n"}
    events = [
        {**event, "tid": tid, "ts": 10 * k + tid, "cat": cat, "args": {"correlation": k + 1}}
        for k in range(100)
        for tid, cat in ((1, "cuda_runtime"), (2, "kernel"))
    ]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    CACHES.clear()
    with closing(open_run_store(tmp_path / "store")) as store:
        first = launches_from(store, 1, 0)
        assert len(first) == 100
        assert launches_from(store, 1, 0) is first
        size, entries = kept()
        assert entries == 1
        assert size >= sum(getattr(first, column).nbytes for column in Launches.__struct_fields__)
        CACHES.evict(1)
        assert kept() == (0, 0)
        again = launches_from(store, 1, 0)
        assert again is not first
        assert again.partner_ordinal.tolist() == first.partner_ordinal.tolist()
