"""Cutting a block into pages."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from tests.tiler.indexing.tracks.test_track_data import data
from tilescope.tiler import _native
from tilescope.tiler.indexing.tracks.block_pages import BlockPages
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.pages import PAGE_BYTES_AT_MOST, Part, TileFlag, decode_columns, decompress, part_of, with_residual


def random_data(seed: int, n: int, span: int) -> TrackData:
    rng = np.random.default_rng(seed)
    start = np.sort(rng.integers(0, span, n))
    zeros = np.zeros(n, np.int64)
    names = rng.integers(0, 2**31 - 1, n, dtype=np.int32)
    rows = np.zeros(n, np.uint32)
    return TrackData(start, zeros, rows, names, np.zeros(n, np.uint8), None, zeros, np.zeros(0, np.uint8), 1, 0)


def check(number: int, root_level: int, tracks: dict[int, TrackData], in_parts: bool = False) -> list[bytes]:
    """The pages of a block, which the shape record describes; in parts, of which the last is made first."""
    tiles = {
        track: _native.slice_tiles(of.start, of.duration, of.row, of.name, of.flags, root_level)
        for track, of in tracks.items()
    }
    block = BlockPages(number, tiles)
    if in_parts:
        parts = block.parts()
        assert len(parts) > 1
        assert [len(part) for part in parts] == pytest.approx([len(parts[0])] * len(parts), rel=0.5)
        made = [list(block.pages(part)) for part in reversed(parts)]
        pages = [page for part in reversed(made) for page in part]
    else:
        pages = list(block.pages(range(len(block.shape().level))))
    shape = block.shape()
    keys = list(zip(shape.level, shape.index, shape.slot, strict=True))
    assert keys == sorted(keys)
    assert [key for key, _ in shape.pages()] == [key for key, _ in pages]
    for (key, within), (_, stored) in zip(shape.pages(), pages, strict=True):
        page, residual = part_of(stored, Part.PAGE) or b"", part_of(stored, Part.RESIDUAL)
        decoded = decode_columns(decompress(page))
        if residual is not None:
            decoded = with_residual(decoded, decompress(residual))
        assert decoded.level == key.level
        assert decoded.index.tolist() == shape.index[within].tolist()
        assert decoded.slot.tolist() == shape.slot[within].tolist()
        assert decoded.flags.tolist() == (shape.flags[within] & 3).tolist()
        assert shape.page_crc[within.start] == zlib.crc32(page)
        assert shape.residual_crc[within.start] == zlib.crc32(residual or b"")
        assert bool(shape.flags[within.start] & TileFlag.HAS_RESIDUAL) == bool(residual) == (len(decoded.bins) > 0)
        assert len(stored) <= PAGE_BYTES_AT_MOST or len(decoded) == 1
    return [page for _, page in pages]


def test_pages_are_full_but_not_too_full() -> None:
    end = 4**14
    tracks = {96 + k: random_data(k, 20_000, end) for k in range(12)}
    sizes = [len(page) for page in check(3, 13, tracks)]
    assert len(sizes) > 20
    assert np.median(sizes) > 0.6 * PAGE_BYTES_AT_MOST
    assert sum(len(page) for page in check(3, 13, tracks, in_parts=True)) < 1.05 * sum(sizes)


def test_a_block_of_few_pages_is_in_one_part() -> None:
    of = random_data(1, 2000, 4**14)
    block = BlockPages(0, {0: _native.slice_tiles(of.start, of.duration, of.row, of.name, of.flags, 13)})
    assert block.parts() == [range(len(block.shape().level))]
    assert BlockPages(0, {}).parts() == [range(0)]


def test_a_tile_too_large_for_a_page_has_one_of_its_own() -> None:
    pages = check(0, 5, {0: random_data(1, 30_000, 200), 1: data(1, 1)})
    assert max(len(page) for page in pages) > PAGE_BYTES_AT_MOST


def test_a_block_without_events() -> None:
    assert check(0, 0, {}) == []
