"""Chunks of event arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.details.chunk import Chunk, split
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress

BLOBS = st.lists(st.binary(max_size=10) | st.integers(0, 300_000).map(bytes), max_size=30)


@given(BLOBS | st.lists(st.binary(max_size=3), max_size=60), st.booleans())
def test_arguments_come_back(blobs: list[bytes], columns: bool) -> None:
    ends = np.cumsum([len(blob) for blob in blobs], dtype=np.int64)
    chunks = list(split(ends, np.frombuffer(b"".join(blobs), np.uint8), columns=columns))
    firsts = [first for first, _ in chunks] + [len(blobs)]
    assert firsts[0] == 0
    parsed = [Chunk.parse(decompress(chunk), first) for first, chunk in chunks]
    assert [chunk.stop for chunk in parsed] == firsts[1:]
    found = [chunk.arguments(ordinal) for chunk in parsed for ordinal in range(chunk.first, chunk.stop)]
    assert found == blobs


def test_many_small_events_make_several_chunks() -> None:
    ends = np.arange(20_000, dtype=np.int64)
    chunks = list(split(ends, np.zeros(20_000, np.uint8)))
    assert len(chunks) == 3


def test_positions_and_chunks_that_make_no_sense() -> None:
    ((_, chunk),) = split(np.array([1, 2]), np.zeros(2, np.uint8))
    whole = decompress(chunk)
    for ordinal in (6, 9):
        with pytest.raises(DamagedStore):
            Chunk.parse(whole, first=7).arguments(ordinal)
    for data in (
        b"",
        whole[:5],
        whole[:-1],
        whole + b"x",
        b"\x09" + whole[1:],
        whole[:4] + b"\x02" + whole[5:],
        whole[:5] + b"\x05",
    ):
        with pytest.raises(DamagedStore):
            Chunk.parse(data)


def test_columns_of_strings_that_make_no_sense_are_refused() -> None:
    data = np.zeros(4, np.uint8)
    wrong = [([2, 1], 0), ([1, 9], 0), ([1, 2], 2), ([-1, 2], 0), ([1, 2], -1), ([], -1)]
    extreme = [([2**63 - 1], -1), ([1, 2], -(2**63)), ([-(2**63)], 2**63 - 1)]  # their differences are no int64
    for ends, start in wrong + extreme:
        with pytest.raises(ValueError, match="ends"):
            _native.column_chunk(np.array(ends, np.int64), start, data)
    for ends in ([2, 1], [1, 9], [1, 2], [-1, 4], [2**63 - 1], []):
        with pytest.raises(ValueError, match="ends"):
            _native.restored_by_length(np.array(ends, np.int64), data)
