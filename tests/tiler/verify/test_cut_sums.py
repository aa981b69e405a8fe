"""Busy times of rollups that no 64-bit number holds: cut, marked, and proven to be so."""

from __future__ import annotations

import json
from pathlib import Path

from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import block_shape, stored_page
from tilescope.tiler.pages import decode_page, decompress
from tilescope.tiler.pages.key import BIN_BUSY_LIMIT
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import verify_store

THREADS = 700
LONG_US = 2_000_000_000_000  # 23 days


def test_hundreds_of_threads_that_are_busy_for_weeks(tmp_path: Path) -> None:
    path, store_path = tmp_path / "weeks.json", tmp_path / "weeks.store"
    events = [
        {"ph": "X", "name": f"step {tid % 3}", "pid": 1, "tid": tid, "ts": 0.000001 * (tid % 7), "dur": LONG_US}
        for tid in range(THREADS)
    ]
    path.write_text(json.dumps(events))
    build_store([path], store_path)
    verify_store(store_path)
    store = open_run_store(store_path)
    try:
        manifest = store.manifest()
        assert manifest["tick_ps"] == 1
        tree = json.loads(decompress(need(store, TRACKS)))
        (rollup,) = [track for track in tree["tracks"] if track["kind"] == "rollup"]
        assert int(rollup["busy"]) == THREADS * LONG_US * 10**6 > 2**63
        shape = block_shape(store, rollup["id"] // 32)
        assert shape is not None
        roots = [key for key, _ in shape.pages() if key.level == manifest["root_level"]]
        bins = [tile.bins for key in roots for tile in decode_page(decompress(stored_page(store, key) or b""))]
        busiest = max(int(bin.busy.max(initial=0)) for bin in bins)
        assert busiest == BIN_BUSY_LIMIT
    finally:
        store.close()


def test_of_names_whose_busy_time_is_cut_the_lowest_dominates(tmp_path: Path) -> None:
    """Both names cover bins of the root more than 256 times: from there on it does not matter how often."""
    path, store_path = tmp_path / "weeks.json", tmp_path / "weeks.store"
    names = ["low"] * 270 + ["high"] * 430
    events = [
        {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": 0.000001 * (tid % 7), "dur": LONG_US}
        for tid, name in enumerate(names)
    ]
    path.write_text(json.dumps(events))
    build_store([path], store_path)
    verify_store(store_path)
