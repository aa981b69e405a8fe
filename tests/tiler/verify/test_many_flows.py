"""More flow ends of one slice than are looked at at a time, and of one track than there is memory for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.flow_bins import FLOW_TILES, FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.verify import flows, memory, verify_store

pytestmark = pytest.mark.slow

FLOWS = 20_000


def one_to_many() -> Iterator[dict[str, Any]]:
    """A slice that many flows leave, a few of them at one time, for slices on four tracks."""
    yield {"ph": "X", "ts": 0, "dur": FLOWS, "name": "source", "pid": 1, "tid": 0}
    for k in range(FLOWS):
        yield {"ph": "s", "ts": k // 3, "name": "f", "cat": "c", "id": k, "pid": 1, "tid": 0}
        thread, start = 1 + k % 4, 10 * k + FLOWS
        yield {"ph": "X", "ts": start, "dur": 5, "name": f"n{k % 7}", "pid": 1, "tid": thread}
        yield {"ph": "f", "bp": "e", "ts": start + 1, "name": "f", "cat": "c", "id": k, "pid": 1, "tid": thread}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("one_to_many")
    build_store([write_trace(folder / "trace.json", list(one_to_many()))], folder / "store")
    return AlteredStore(folder / "store")


def longest_chunk(store: AlteredStore) -> tuple[bytes, int, FlowEnds]:
    chunks = {key: FlowEnds.decode(decompress(value), track_of(key)) for key, value in store.records(b"F").items()}
    key = max(chunks, key=lambda key: len(chunks[key]))
    return key, track_of(key), chunks[key]


def track_of(key: bytes) -> int:
    return int.from_bytes(key[1:5], "big")


def test_all_of_them_are_proven(store: AlteredStore) -> None:
    assert len(longest_chunk(store)[2]) == FLOWS
    report = verify_store(store.path)
    assert report.flow_edges == FLOWS
    assert report.flow_tiles > 20


def test_a_wrong_order_is_noticed_between_pieces(store: AlteredStore) -> None:
    key, track, ends = longest_chunk(store)
    first = flows._PIECE // 3 * 3 + 3  # the first of its tick, beyond the first piece
    for at in (first, flows._PIECE, len(ends) - 1):
        order = np.arange(len(ends))
        order[[at - 1, at]] = order[[at, at - 1]]
        tick = ends.tick.copy()
        tick[at - 1 : at + 1] = tick[at] + 1, tick[at]
        wrong = structs.replace(ends, tick=tick)
        with (
            altered(store, key, wrong.encode(track)),
            pytest.raises(DamagedStore, match=rf"track {track} .* out of order"),
        ):
            verify_store(store.path)


@pytest.mark.parametrize("column", FlowEnds.__struct_fields__)
def test_a_wrong_value_is_noticed_in_every_piece(store: AlteredStore, column: str) -> None:
    key, track, ends = longest_chunk(store)
    for at in (0, flows._PIECE - 1, flows._PIECE, len(ends) - 1):
        values = getattr(ends, column).copy()
        values[at] += 1
        wrong = structs.replace(ends, **{column: values})
        with altered(store, key, wrong.encode(track)), pytest.raises(DamagedStore, match=r"track \d+ \('.*'\)"):
            verify_store(store.path)


@pytest.mark.parametrize("change", ["missing", "twice", "swapped"])
def test_every_tile_is_there_once(store: AlteredStore, change: str) -> None:
    looked_at = 0
    for key, record in store.records(b"G").items():
        track, level, _ = FLOW_TILES.numbers_in(key)
        tiles = FlowTiles.decode(decompress(record), track)
        if len(tiles) < 3:
            continue
        looked_at += 1
        order = {"missing": [0, *range(2, len(tiles))], "twice": [0, 1, *range(1, len(tiles))]}.get(
            change, [0, 2, 1, *range(3, len(tiles))]
        )
        wrong = picked(tiles, order)
        at = rf"track {track} \('.*'\), level {level}, tile (?:{tiles.index[1]}|{tiles.index[2]}): "
        what = "there twice" if change == "twice" else "missing"
        with altered(store, key, wrong.encode(track)), pytest.raises(DamagedStore, match=at + f".*{what}"):
            verify_store(store.path)
    assert looked_at > 3


def test_more_than_there_is_memory_for_is_refused(store: AlteredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    take: Callable[..., Any] = memory.ProofMemory.taken
    with monkeypatch.context() as patch:
        patch.setattr(memory, "_UNCOUNTED", 1)
        patch.setattr(memory, "_LEAST_BYTES", 310_000)
        # As if records took nothing but what the native proof counts.
        patch.setattr(memory.ProofMemory, "taken", lambda self, size: take(self, 0))
        with pytest.raises(UsageError, match=r"track \d+ \(.*\), 20,000 flow ends: to prove it takes"):
            verify_store(store.path)
    verify_store(store.path)


def altered(store: AlteredStore, key: bytes, record: bytes) -> Any:
    return store.replaced({key: compress(record)})


def picked(tiles: FlowTiles, order: list[int]) -> FlowTiles:
    """Some tiles, in some order."""
    columns: dict[str, list[np.ndarray[Any, Any]]] = {
        name: [] for name in FlowTiles.__struct_fields__ if name != "level"
    }
    bins, edges = np.cumsum([0, *tiles.n_bins]), np.cumsum([0, *tiles.n_edges])
    for k in order:
        for name, parts in columns.items():
            group = slice(k, k + 1)
            if name.startswith("edge"):
                group = slice(int(edges[k]), int(edges[k + 1]))
            elif name in ("bin", "out", "into"):
                group = slice(int(bins[k]), int(bins[k + 1]))
            parts.append(getattr(tiles, name)[group])
    return FlowTiles(tiles.level, **{name: np.concatenate(parts) for name, parts in columns.items()})
