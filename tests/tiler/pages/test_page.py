"""Decoding of pages."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Col, TileFlag, decode_columns, decode_page
from tilescope.tiler.pages import container as containers
from tilescope.tiler.pages.page import decode_slice_times


def page() -> bytes:
    block = _native.Block(2)
    start, duration, row = np.array([1, 5, 1000]), np.array([10, 2, 0]), np.array([0, 1, 0], np.uint32)
    names, flags = np.array([4, -1, 4], np.int32), np.zeros(3, np.uint8)
    block.add(3, _native.slice_tiles(start, duration, row, names, flags, 1))
    block.add(7, _native.counter_tiles(np.array([2, 900]), np.array([0.5, -1.5]), 1))
    block.seal()
    encoded, residual = block.encode(0, 2)
    assert residual == b""  # leaves have no bins
    return encoded


def test_tiles_with_their_columns() -> None:
    slices, counter = decode_page(page())
    assert (slices.level, slices.index, slices.slot, slices.flags) == (1, 0, 3, TileFlag.LEAF)
    assert slices.slices.start.tolist() == [1, 5, 1000]
    assert slices.slices.name.tolist() == [4, -1, 4]
    assert (slices.start, slices.stop) == (0, 1024)
    assert counter.slot == 7
    assert counter.samples.value.tolist() == [0.5, -1.5]
    assert np.isnan(counter.carry)
    assert len(slices.samples) == len(counter.slices) == len(counter.bins) == len(counter.counter_bins) == 0


def test_all_tiles_at_once() -> None:
    found = decode_columns(page())
    assert (found.block, found.level, len(found)) == (2, 1, 2)
    assert found.slice_ends.tolist() == [0, 3, 3]
    assert found.sample_ends.tolist() == [0, 0, 2]


def _header(data: bytes, column: Col) -> tuple[int, int, int, int, int]:
    """Planes, flags, number of values, base and scale of a column."""
    (columns,) = struct.unpack_from("<H", data, 6)
    for at in range(16, 16 + 24 * columns, 24):
        number, *rest = struct.unpack_from("<BBBxIqQ", data, at)
        if number == column:
            planes, flags, n, base, scale = rest
            return planes, flags, n, base, scale
    raise AssertionError(f"the page has no column {column.name}")


@pytest.mark.parametrize(("tracks", "alone"), [(1, False), (2, False), (3, True)])
def test_columns_take_no_more_planes_than_they_need(tracks: int, *, alone: bool) -> None:
    """Of 700 slices in nanoseconds on each track, or of one."""
    n = 1 if alone else 700
    block = _native.Block(0)
    start, duration = 9_000 + 5_000 * np.arange(n), 1_000 * (np.arange(n) * 7 % 256) + 3_000
    for track in range(tracks):
        rest = np.zeros(n, np.uint32), np.full(n, 70_000 + 3 * track, np.int32), np.full(n, 2, np.uint8)
        block.add(track, _native.slice_tiles(start, duration, *rest, 9))
    block.seal()
    data, _ = block.encode(0, tracks)
    columns = decode_columns(data).slices
    for name, values in {"start": start, "duration": duration, "ordinal": np.arange(n)}.items():
        assert getattr(columns, name).tolist() == values.tolist() * tracks
    assert columns.name.tolist() == [70_000 + 3 * track for track in range(tracks) for _ in range(n)]
    assert columns.flags.tolist() == [2] * (tracks * n)
    falls = tracks > 1 and not alone
    steps = 1 | 2 * falls
    # Back to the first of 700: -2 * 699 of the step and one take two bytes.
    planes = 0 if alone else 1 + falls
    assert _header(data, Col.START) == (planes, steps, tracks * n, 9_000, 1 if alone else 5_000)
    assert _header(data, Col.ORDINAL) == (planes, steps, tracks * n, 0, 1)
    assert _header(data, Col.DURATION) == (0 if alone else 1, 0, tracks * n, 3_000, 1 if alone else 1_000)
    names = min(1, tracks - 1)
    assert _header(data, Col.NAME) == (names, 0, tracks * n, 70_000, 3 if names else 1)
    assert _header(data, Col.SLICE_FLAGS) == (0, 0, tracks * n, 2, 1)


def test_times_alone_are_those_of_the_page() -> None:
    found, whole = decode_slice_times(page()), decode_columns(page())
    assert found.ends.tolist() == whole.slice_ends.tolist()
    for name in ("start", "duration", "ordinal"):
        assert getattr(found, name).tolist() == getattr(whole.slices, name).tolist()


def test_a_page_cut_anywhere_is_refused() -> None:
    data = page()
    for length in range(len(data)):
        with pytest.raises(DamagedStore):
            decode_columns(data[:length])
        with pytest.raises(DamagedStore):
            decode_slice_times(data[:length])


@pytest.mark.parametrize("column", [Col.INDEX, Col.N_SLICES, Col.START, Col.DURATION, Col.VALUE, Col.CARRY])
def test_columns_that_differ_in_length_are_refused(column: Col) -> None:
    whole = containers.decode(page())
    columns = {k: values.view(np.int64) for k, values in whole.columns.items() if k != column}
    with pytest.raises(DamagedStore, match=column.name.lower()):
        decode_columns(containers.encode(containers.PAGE_MAGIC, 1, 2, 2, columns))


def test_a_shape_record_is_no_page() -> None:
    for decoded in (decode_columns, decode_slice_times):
        with pytest.raises(DamagedStore):
            decoded(containers.encode(containers.SHAPE_MAGIC, 0, 0, 0, {}))
