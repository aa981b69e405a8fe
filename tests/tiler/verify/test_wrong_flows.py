"""Flow ends that are not what they should be are noticed, whichever column is wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.flow_bins import FLOW_TILES, FlowTiles
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.verify import verify_store


def chunk(store: AlteredStore) -> tuple[bytes, int, FlowEnds]:
    key, value = next(iter(store.records(b"F").items()))
    track = int.from_bytes(key[1:5], "big")
    return key, track, FlowEnds.decode(decompress(value), track)


@pytest.mark.parametrize("column", FlowEnds.__struct_fields__)
@pytest.mark.parametrize("value", [-7, 1, 1 << 40])
def test_a_wrong_value(altered: AlteredStore, column: str, value: int) -> None:
    key, track, ends = chunk(altered)
    values = getattr(ends, column).copy()
    values[len(values) // 2] += value
    wrong = structs.replace(ends, **{column: values})
    with (
        altered.replaced({key: compress(wrong.encode(track))}),
        pytest.raises(DamagedStore, match=r"track \d+ \('.*'\)"),
    ):
        verify_store(altered.path)


def test_ends_that_are_missing_or_there_twice(altered: AlteredStore) -> None:
    key, track, ends = chunk(altered)
    twice = np.arange(len(ends)).repeat([2] + [1] * (len(ends) - 1))
    for which in (slice(1, None), slice(0, -1), twice):
        cut = ends.take(which)
        with altered.replaced({key: compress(cut.encode(track))}), pytest.raises(DamagedStore):
            verify_store(altered.path)
    with altered.replaced({key: None}), pytest.raises(DamagedStore, match="at ingest"):
        verify_store(altered.path)
    verify_store(altered.path)


def test_a_track_without_flows_or_without_slices(altered: AlteredStore) -> None:
    key, _, ends = chunk(altered)
    for track in (altered.tracks_of_kind("rollup")[0], 200):  # 200: none
        other = key[:1] + track.to_bytes(4, "big") + key[5:]
        with (
            altered.replaced({other: compress(ends.encode(track))}),
            pytest.raises(DamagedStore, match=re.escape("should not be there")),
        ):
            verify_store(altered.path)


@pytest.mark.parametrize("column", [name for name in FlowTiles.__struct_fields__ if name != "level"])
@pytest.mark.parametrize("value", [-1, 1, 300])
def test_a_wrong_value_of_a_tile(altered: AlteredStore, column: str, value: int) -> None:
    for key, record in altered.records(b"G").items():
        track, *_ = FLOW_TILES.numbers_in(key)
        tiles = FlowTiles.decode(decompress(record), track)
        values = getattr(tiles, column).copy()
        values[len(values) // 2] += value
        wrong = structs.replace(tiles, **{column: values})
        with (
            altered.replaced({key: compress(wrong.encode(track))}),
            pytest.raises(DamagedStore, match=r"track \d+ \('.*'\), level \d+, tile -?\d+"),
        ):
            verify_store(altered.path)


def test_tiles_that_are_missing_or_too_many(altered: AlteredStore) -> None:
    records = altered.records(b"G")
    for key, record in records.items():
        with altered.replaced({key: None}), pytest.raises(DamagedStore, match="missing"):
            verify_store(altered.path)
        track, _, index = FLOW_TILES.numbers_in(key)
        tiles = structs.replace(FlowTiles.decode(decompress(record), track), level=0)
        more = {FLOW_TILES.key(track, 0, index): compress(tiles.encode(track))}
        with altered.replaced(more), pytest.raises(DamagedStore, match=rf"track {track} \('.*'\), level 0"):
            verify_store(altered.path)
    assert len(records) == 3
    verify_store(altered.path)
