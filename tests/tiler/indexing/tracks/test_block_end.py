"""What is written at the end of a block."""

from __future__ import annotations

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.block_end import BlockEnd
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.tiles import SHAPE

ROOT_LEVEL = 12


def rollup_of(slices: int) -> _native.Tiles:
    rng = np.random.default_rng(1)
    start = np.sort(rng.integers(0, 4 ** (ROOT_LEVEL + 4), slices))
    duration = np.full(slices, 50, np.int64)
    kept = _native.KeptSlices(start, duration, rng.integers(0, 5000, slices, np.int32))
    return _native.rollup_tiles([kept], ROOT_LEVEL, None, 500)  # so few to a tile that there are many


def test_pages_of_rollups_are_in_parts_and_no_names_are_listed_on_them() -> None:
    end = BlockEnd(2, {64: rollup_of(200_000), 65: rollup_of(10)}, {})
    parts = [[key for key, _ in part()] for part in end.parts()]
    assert len(parts) > 1
    assert all(parts)
    *pages, names = [key for part in parts for key in part]
    assert pages == sorted(set(pages))
    assert names == PAGE_NAMES.key(2, 0)
    assert end.shape_entry()[0] == SHAPE.key(2)


def test_names_are_listed_when_the_last_part_is_written_whichever_it_is() -> None:
    end = BlockEnd(2, {64: rollup_of(200_000)}, {})
    *others, last = [[key for key, _ in part()] for part in reversed(end.parts())]
    assert last[-1] == PAGE_NAMES.key(2, 0)
    assert end.has_columns_alone
    assert all(PAGE_NAMES.key(2, 0) not in part for part in others)


def test_a_block_without_tracks_has_a_list_of_names_and_no_pages() -> None:
    (entries,) = (list(part()) for part in BlockEnd(0, {}, {}).parts())
    assert [key for key, _ in entries] == [PAGE_NAMES.key(0, 0)]
