"""Chunks of event arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.details.chunk import event_args, split
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress

BLOBS = st.lists(st.binary(max_size=10) | st.integers(0, 300_000).map(bytes), max_size=30)


@given(BLOBS)
def test_arguments_come_back(blobs: list[bytes]) -> None:
    ends = np.cumsum([len(blob) for blob in blobs], dtype=np.int64)
    chunks = list(split(ends, np.frombuffer(b"".join(blobs), np.uint8)))
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
    for data in (b"", b"\x05\x00\x00\x00", b"\x01\x00\x00\x00" + (9).to_bytes(8, "little")):
        with pytest.raises(DamagedStore):
            event_args(compress(data), 0)
