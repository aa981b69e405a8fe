"""Histograms that are whole but wrong, that are missing, or that should not be there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import DurationSpread, Histogram, compress, decompress
from tilescope.tiler.store import keys
from tilescope.tiler.verify import verify_store


@pytest.fixture
def altered(tmp_path: Path, small_histograms: int) -> AlteredStore:
    events = busy_events(1, threads=2, calls=600)
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    return AlteredStore(tmp_path / "store")


def assert_noticed(store: AlteredStore, records: dict[bytes, bytes | None], message: str) -> None:
    with store.replaced(records), pytest.raises(DamagedStore, match=message):
        verify_store(store.path)


def some_of(store: AlteredStore) -> dict[bytes, bytes]:
    """Histograms of the highest and the lowest levels, and of some between."""
    records = sorted(store.records(b"H").items(), key=lambda record: keys.histogram_tile(record[0])[1])
    assert len(records) > 10
    return dict([records[0], *records[:: len(records) // 4], records[-1]])


@pytest.mark.parametrize("column", Histogram.__slots__)
@pytest.mark.parametrize("by", [1, -1])
def test_one_value_that_is_one_off(altered: AlteredStore, column: str, by: int) -> None:
    for key, record in some_of(altered).items():
        track, level, index = keys.histogram_tile(key)
        found = Histogram.decode(decompress(record), track, level)
        values = getattr(found, column).copy()
        values[len(values) // 2] += by
        changed = compress(dataclasses.replace(found, **{column: values}).encode(track, level))
        assert_noticed(altered, {key: changed}, rf"track {track} .*level {level}, tile {index}: .*{column} is")


@pytest.mark.parametrize("column", DurationSpread.__slots__)
def test_one_value_of_a_spread_that_is_one_off(altered: AlteredStore, column: str) -> None:
    for key in some_of(altered):
        track, level, index = keys.histogram_tile(key)
        of_spread = keys.spread(track, level, index)
        found = DurationSpread.decode(decompress(altered.records(b"Q")[of_spread]), track, level)
        values = getattr(found, column).copy()
        values[-1] += 1
        wrong = dataclasses.replace(found, **{column: values})
        if column == "n":  # the last bucket of a row is of the one before it
            values[:2] += (1, -1)
            values[-1] -= 1
        changed = compress(wrong.encode(track, level))
        message = rf"track {track} .*level {level}, tile {index}: its spread.*: {column} is"
        assert_noticed(altered, {of_spread: changed}, message)


def test_spreads_that_are_missing_or_damaged(altered: AlteredStore) -> None:
    for key in some_of(altered):
        track, level, index = keys.histogram_tile(key)
        of_spread = keys.spread(track, level, index)
        record = altered.records(b"Q")[of_spread]
        assert_noticed(altered, {of_spread: None}, rf"level {level}, tile {index}: its spread is missing")
        assert_noticed(altered, {of_spread: record[:-5] + b"\x00" + record[-4:]}, "its spread is damaged")
        assert_noticed(altered, {keys.spread(99, level, index): record}, "a record that should not be there")


def test_names_that_are_missing(altered: AlteredStore) -> None:
    for key, record in some_of(altered).items():
        track, level, index = keys.histogram_tile(key)
        found = Histogram.decode(decompress(record), track, level)
        changed = compress(found.take(np.arange(len(found) - 1)).encode(track, level))
        assert_noticed(
            altered, {key: changed}, rf"level {level}, tile {index}: .*from the events there are {len(found)}"
        )


def test_records_that_are_missing(altered: AlteredStore) -> None:
    for key in some_of(altered):
        track, level, index = keys.histogram_tile(key)
        assert_noticed(altered, {key: None}, rf"track {track} .*level {level}, tile {index}: its histogram is missing")


def test_records_that_are_damaged(altered: AlteredStore) -> None:
    for key, record in some_of(altered).items():
        assert_noticed(altered, {key: record[:-5] + b"\x00" + record[-4:]}, "its histogram is damaged")


def test_records_that_should_not_be_there(altered: AlteredStore) -> None:
    (key, record), *_ = some_of(altered).items()
    track, level, index = keys.histogram_tile(key)
    for other in (
        keys.histogram(track, level, index + 1_000_000),
        keys.histogram(altered.tracks_of_kind("rollup")[0], level, index),
        keys.histogram(99, level, index),
        key + b"x",
        b"H",
    ):
        assert_noticed(altered, {other: record}, "a record that should not be there")


def test_of_another_tile(altered: AlteredStore) -> None:
    (key, _), *_, (_, other) = some_of(altered).items()
    assert_noticed(altered, {key: other}, "its histogram")


def test_all_of_them_are_looked_at(altered: AlteredStore) -> None:
    assert verify_store(altered.path).histograms == len(altered.records(b"H"))
