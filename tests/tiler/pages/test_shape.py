"""Shape records."""

from __future__ import annotations

import numpy as np
import pytest

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import PageKey, Shape, TileFlag
from tilescope.tiler.pages import container as containers

LEAF, START, RESIDUAL = TileFlag.LEAF, TileFlag.PAGE_START, TileFlag.HAS_RESIDUAL


def shape(*rows: tuple[int, int, int, int, int, int, int]) -> Shape:
    """Rows of (level, index, slot, flags, events, page CRC, residual CRC)."""
    return Shape(5, *(np.array(column, np.int64) for column in zip(*rows, strict=True)))


SMALL = shape(
    (2, 0, 4, LEAF | START, 7, 11, 0),
    (2, 3, 4, LEAF, 1, 0, 0),
    (3, 0, 0, LEAF | START | RESIDUAL, 3, 12, 15),
    (3, 0, 4, 0, 8, 0, 0),
    (3, 1, 4, LEAF | START, 2, 13, 0),
    (4, 0, 0, START | RESIDUAL, 3, 14, 0),
)


def test_a_record_comes_back() -> None:
    found = Shape.decode(SMALL.encode())
    assert found.block == 5
    for column in ("level", "index", "slot", "flags", "events", "page_crc", "residual_crc"):
        assert getattr(found, column).tolist() == getattr(SMALL, column).tolist()


def test_pages_begin_where_the_flags_say() -> None:
    assert SMALL.pages() == [
        (PageKey(5, 2, 0, 4), slice(0, 2)),
        (PageKey(5, 3, 0, 0), slice(2, 4)),
        (PageKey(5, 3, 1, 4), slice(4, 5)),
        (PageKey(5, 4, 0, 0), slice(5, 6)),
    ]
    assert [SMALL.page_of(tile).slot for tile in range(6)] == [4, 4, 0, 0, 4, 0]


def test_pages_with_bins_have_residuals() -> None:
    assert SMALL.pages_with_residual() == {PageKey(5, 3, 0, 0), PageKey(5, 4, 0, 0)}


def test_leaves_of_a_track_are_in_time_order_across_levels() -> None:
    assert SMALL.leaves(4).tolist() == [0, 1, 4]
    assert SMALL.leaves(0).tolist() == [2]
    assert SMALL.leaves(9).tolist() == []


def test_a_page_is_no_shape() -> None:
    with pytest.raises(DamagedStore):
        Shape.decode(containers.encode(containers.PAGE_MAGIC, 0, 0, 0, {}))
