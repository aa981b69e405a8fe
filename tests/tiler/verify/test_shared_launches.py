"""Chunks of launches that several tracks are held against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tiler.json_traces import write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.flows import correlation
from tilescope.tiler.records.flow_bins import FlowTiles
from tilescope.tiler.records.launches import Launches
from tilescope.tiler.verify import flow_bins, shared_launches, verify_store

THREADS, STREAMS, LAUNCHES = 3, 2, 60


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Threads that take turns on each stream; ten launches to a chunk."""
    monkeypatch.setattr(correlation, "LAUNCHES_OF_A_CHUNK", 10)
    events: list[dict[str, Any]] = []
    for k in range(LAUNCHES):
        args = {"correlation": k + 1}
        event = {"ph": "X", "pid": 1, "dur": 1, "name": f"n{k % 3}", "args": args}
        events.append({**event, "tid": k % THREADS, "ts": 2 * k, "cat": "cuda_runtime"})
        events.append({**event, "tid": 10 + k % STREAMS, "ts": 2 * k + 9, "cat": "kernel"})
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    return tmp_path / "store"


@pytest.mark.parametrize(("share", "times"), [(shared_launches._KEPT_SHARE, 1), (1 << 40, THREADS + 1)])
def test_each_is_decoded_once_where_there_is_room(
    store: Path, monkeypatch: pytest.MonkeyPatch, share: int, times: int
) -> None:
    monkeypatch.setattr(shared_launches, "_KEPT_SHARE", share)
    decoded: list[int] = []
    kept: list[int] = []

    def decode(data: bytes, track: int) -> Launches:
        decoded.append(track)
        return Launches.decode(data, track)

    class Watched(shared_launches.SharedLaunches):
        def clear(self) -> bool:
            kept.append(len(self._kept))
            return super().clear()

    monkeypatch.setattr(shared_launches, "Launches", type("Decoding", (), {"decode": staticmethod(decode)}))
    monkeypatch.setattr(flow_bins, "SharedLaunches", Watched)
    verify_store(store)
    assert len(decoded) == times * LAUNCHES // 10
    assert kept == [0]  # each was given back with the last track that had an end of it


def test_what_is_kept_makes_room(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short of memory while chunks are kept, a track is proven again without them, and so are the others."""
    add_launches = flow_bins.FlowTileCheck._add_launches
    refused: list[int] = []

    def add(self: flow_bins.FlowTileCheck, *args: Any) -> None:
        add_launches(self, *args)
        if self._launches._kept:
            refused.append(len(self._launches._kept))
            raise MemoryError

    monkeypatch.setattr(flow_bins.FlowTileCheck, "_add_launches", add)
    verify_store(store)
    assert len(refused) == 1


def test_what_is_kept_is_given_back_when_a_chunk_is_damaged(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[flow_bins.FlowTileCheck] = []

    def decode(data: bytes, track: int) -> FlowTiles:
        raise DamagedStore("as if")

    def add(self: flow_bins.FlowTileCheck, *args: Any) -> None:
        add_launches(self, *args)
        assert self._launches._kept
        checks.append(self)

    add_launches = flow_bins.FlowTileCheck._add_launches
    monkeypatch.setattr(flow_bins.FlowTileCheck, "_add_launches", add)
    monkeypatch.setattr(flow_bins, "FlowTiles", type("Damaged", (), {"decode": staticmethod(decode)}))
    with pytest.raises(DamagedStore, match="as if"):
        verify_store(store)
    (check,) = checks
    assert not check._launches._kept
