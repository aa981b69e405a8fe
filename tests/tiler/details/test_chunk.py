"""Chunks of event arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.details.chunk import event_args, split
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress

BLOBS = st.lists(st.binary(max_size=10) | st.integers(0, 300_000).map(bytes), max_size=30)


@given(BLOBS | st.lists(st.binary(max_size=3), max_size=60), st.booleans())
def test_arguments_come_back(blobs: list[bytes], columns: bool) -> None:
    ends = np.cumsum([len(blob) for blob in blobs], dtype=np.int64)
    chunks = list(split(ends, np.frombuffer(b"".join(blobs), np.uint8), columns=columns))
    firsts = [first for first, _ in chunks] + [len(blobs)]
    assert firsts[0] == 0
    numbers = np.diff(firsts)
    found = [event_args(chunk, k) for (_, chunk), n in zip(chunks, numbers, strict=True) for k in range(n)]
    assert found == blobs


def test_many_small_events_make_several_chunks() -> None:
    ends = np.arange(20_000, dtype=np.int64)
    chunks = list(split(ends, np.zeros(20_000, np.uint8)))
    assert len(chunks) == 3


def test_positions_and_chunks_that_make_no_sense() -> None:
    ((_, chunk),) = split(np.array([1, 2]), np.zeros(2, np.uint8))
    for position in (-1, 2):
        with pytest.raises(DamagedStore):
            event_args(chunk, position)
    whole = decompress(chunk)
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
            event_args(compress(data), 0)


def test_columns_of_strings_that_make_no_sense_are_refused() -> None:
    data = np.zeros(4, np.uint8)
    wrong = [([2, 1], 0), ([1, 9], 0), ([1, 2], 2), ([-1, 2], 0), ([1, 2], -1), ([], -1)]
    extreme = [([2**63 - 1], -1), ([1, 2], -(2**63)), ([-(2**63)], 2**63 - 1)]  # their differences are no int64
    for ends, start in wrong + extreme:
        with pytest.raises(ValueError, match="ends"):
            _native.transpose_by_length(np.array(ends, np.int64), start, data)
