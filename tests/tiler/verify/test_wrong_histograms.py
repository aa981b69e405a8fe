"""Histograms that are whole but wrong, that are missing, or that should not be there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from numpy.typing import NDArray

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore, histogram_tile
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Col, TileFlag, compress, decompress
from tilescope.tiler.pages.container import SPREAD_MAGIC, decode, encode
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS, Histogram
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow


@pytest.fixture
def altered(tmp_path: Path, small_histograms: int) -> AlteredStore:
    events = busy_events(1, threads=2, calls=600)
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    return AlteredStore(tmp_path / "store")


def assert_noticed(store: AlteredStore, records: dict[bytes, bytes | None], message: str) -> None:
    with store.replaced(records), pytest.raises(DamagedStore, match=message):
        verify_store(store.path)


def some_of(store: AlteredStore) -> dict[bytes, bytes]:
    """Histograms of the highest and the lowest levels, and of some between; of tracks and of blocks."""
    found: dict[bytes, bytes] = {}
    for kind in (b"H", b"J", b"U"):
        records = sorted(store.records(kind).items(), key=lambda record: histogram_tile(record[0])[1])
        assert len(records) > 10
        found |= dict([records[0], *records[:: len(records) // 3], records[-1]])
    return found


def spread_of(key: bytes) -> bytes:
    return {b"H": b"Q", b"J": b"R", b"U": b"V"}[key[:1]] + key[1:]


def whose(key: bytes) -> str:
    return {b"H": "its", b"J": "its block's", b"U": "its tracks'"}[key[:1]]


@pytest.mark.parametrize("column", Histogram.__struct_fields__)
@pytest.mark.parametrize("by", [1, -1])
def test_one_value_that_is_one_off(altered: AlteredStore, column: str, by: int) -> None:
    for key, record in some_of(altered).items():
        track, level, index = histogram_tile(key)
        found = Histogram.decode(decompress(record), track, level)
        values = getattr(found, column).copy()
        values[len(values) // 2] += by
        changed = compress(structs.replace(found, **{column: values}).encode(track, level))
        assert_noticed(altered, {key: changed}, rf"level {level}, tile {index}: {whose(key)} histogram, .*{column} is")


@pytest.mark.parametrize("column", [Col.N_BUCKETS, Col.BUCKET_STEP, Col.BUCKET_COUNT])
def test_one_value_of_a_spread_that_is_one_off(altered: AlteredStore, column: Col) -> None:
    for key in some_of(altered):
        track, level, index = histogram_tile(key)
        of_spread = spread_of(key)
        record = decode(decompress(altered.records(of_spread)[of_spread]))
        columns = (Col.N_BUCKETS, Col.BUCKET_STEP, Col.BUCKET_COUNT)
        values: dict[int, NDArray[np.int64]] = {of: record.ints(of).copy() for of in columns}
        if column == Col.N_BUCKETS:  # the first bucket of a row is of the one before it
            row = int(np.flatnonzero(values[column][1:])[0])
            values[column][row : row + 2] += (1, -1)
        else:
            values[column][-1] += -1 if column == Col.BUCKET_STEP and values[column][-1] > 0 else 1
        changed = compress(encode(SPREAD_MAGIC, level, record.n_tiles, track, values))
        message = rf"level {level}, tile {index}: {whose(key)} spread.*(: (n|bucket|count) is|damaged|values of)"
        assert_noticed(altered, {of_spread: changed}, message)


def test_spreads_that_are_missing_or_damaged(altered: AlteredStore) -> None:
    for key in some_of(altered):
        _, level, index = histogram_tile(key)
        of_spread = spread_of(key)
        record = altered.records(of_spread)[of_spread]
        assert_noticed(altered, {of_spread: None}, rf"level {level}, tile {index}: {whose(key)} spread is missing")
        assert_noticed(altered, {of_spread: record[:-5] + b"\x00" + record[-4:]}, "spread is damaged")
        assert_noticed(
            altered, {of_spread[:1] + SPREAD.key(99, level, index)[1:]: record}, "a record that should not be there"
        )


def test_names_that_are_missing(altered: AlteredStore) -> None:
    for key, record in some_of(altered).items():
        track, level, index = histogram_tile(key)
        found = Histogram.decode(decompress(record), track, level)
        changed = compress(found.take(np.arange(len(found) - 1)).encode(track, level))
        assert_noticed(
            altered, {key: changed}, rf"level {level}, tile {index}: .*from the events there are {len(found)}"
        )


def test_records_that_are_missing(altered: AlteredStore) -> None:
    for key in some_of(altered):
        _, level, index = histogram_tile(key)
        assert_noticed(altered, {key: None}, rf"level {level}, tile {index}: {whose(key)} histogram is missing")


def test_records_that_are_damaged(altered: AlteredStore) -> None:
    for key, record in some_of(altered).items():
        assert_noticed(altered, {key: record[:-5] + b"\x00" + record[-4:]}, "histogram is damaged")


def test_records_that_should_not_be_there(altered: AlteredStore) -> None:
    (key, record), *_ = some_of(altered).items()
    track, level, index = histogram_tile(key)
    for other in (
        HISTOGRAM.key(track, level, index + 1_000_000),
        HISTOGRAM.key(altered.tracks_of_kind("rollup")[0], level, index),
        HISTOGRAM.key(99, level, index),
        BLOCK_HISTOGRAM.key(0, level, index + 1_000_000),
        BLOCK_HISTOGRAM.key(9, level, index),
        key + b"x",
        b"H",
    ):
        assert_noticed(altered, {other: record}, "a record that should not be there")


def test_of_another_tile(altered: AlteredStore) -> None:
    (key, _), *_, (_, other) = some_of(altered).items()
    assert_noticed(altered, {key: other}, "its histogram")


@pytest.mark.parametrize("flag", [TileFlag.HAS_HISTOGRAM, TileFlag.HAS_BLOCK_HISTOGRAM, TileFlag.HAS_TRACK_SUMS])
def test_flags_of_shape_records(altered: AlteredStore, flag: TileFlag) -> None:
    shape = altered.shape(0)
    has = (shape.flags & flag) != 0
    few = np.flatnonzero(~has & (shape.events < 40))[0]
    for tile, message in (
        (np.flatnonzero(has)[-1], "gives it no (histogram.*, with|sums of its tracks)"),
        (few, "but it has too few events"),
    ):
        changed = shape.flags.copy()
        changed[tile] ^= flag
        place = int(shape.level[tile]), int(shape.index[tile])
        by_track = flag == TileFlag.HAS_TRACK_SUMS
        told = (
            (TRACK_SUMS if by_track else BLOCK_HISTOGRAM).key(0, *place),
            (TRACK_SUMS_SPREAD if by_track else BLOCK_SPREAD).key(0, *place),
        )
        if flag == TileFlag.HAS_HISTOGRAM:
            told = HISTOGRAM.key(int(shape.slot[tile]), *place), SPREAD.key(int(shape.slot[tile]), *place)
        record = compress(structs.replace(shape, flags=changed).encode())
        assert_noticed(altered, {SHAPE.key(0): record, **dict.fromkeys(told if has[tile] else ())}, message)


def test_with_a_name_for_almost_every_event_there_are_none(tmp_path: Path, small_histograms: int) -> None:
    times = [(tid, ts) for ts in range(300) for tid in (1, 2)]
    events = [{"ph": "X", "name": f"n{ts % 290}", "pid": 1, "tid": tid, "ts": ts * 9, "dur": 5} for tid, ts in times]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    store = AlteredStore(tmp_path / "store")
    # Two events of each name in both tracks together, one in each of them.
    assert not store.records(b"H")
    assert len(store.records(b"J")) == len(store.records(b"U")) == 1
    assert verify_store(store.path).histograms == 2


def test_all_of_them_are_looked_at(altered: AlteredStore) -> None:
    stored = sum(len(altered.records(kind)) for kind in (b"H", b"J", b"U"))
    assert verify_store(altered.path).histograms == stored
