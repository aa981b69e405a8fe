"""Column containers: what is written is read back, and what is damaged is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.container import PAGE_MAGIC, SHAPE_MAGIC, decode, encode

INT64 = st.integers(-(2**63), 2**63 - 1)
COLUMN = st.lists(INT64, max_size=20) | st.lists(st.integers(0, 300), max_size=20)


@given(st.dictionaries(st.integers(0, 255), COLUMN, max_size=5), st.integers(0, 27), st.integers(0, 2**32 - 1))
def test_columns_come_back(columns: dict[int, list[int]], level: int, block: int) -> None:
    arrays = {column: np.array(values, np.int64) for column, values in columns.items()}
    found = decode(encode(SHAPE_MAGIC, level, 7, block, arrays))
    assert (found.magic, found.level, found.n_tiles, found.block) == (SHAPE_MAGIC, level, 7, block)
    for column, values in columns.items():
        assert found.ints(column).tolist() == values


def test_a_column_that_was_left_out_is_empty() -> None:
    found = decode(encode(PAGE_MAGIC, 0, 0, 0, {}))
    assert len(found.ints(3)) == len(found.floats(3)) == 0


def test_the_bytes_of_the_specification() -> None:
    # One column, id 20, one plane, delta and zigzag, base 100, scale 10: 100, 110, 90.
    head = b"TSPG" + bytes([1, 4]) + (1).to_bytes(2, "little") + (3).to_bytes(4, "little") + (9).to_bytes(4, "little")
    column = bytes([20, 1, 3, 0]) + (3).to_bytes(4, "little") + (100).to_bytes(8, "little") + (10).to_bytes(8, "little")
    found = decode(head + column + bytes([0, 2, 3]))
    assert (found.level, found.n_tiles, found.block) == (4, 3, 9)
    assert found.ints(20).tolist() == [100, 110, 90]


def test_a_container_that_is_cut_or_longer_is_refused() -> None:
    data = encode(PAGE_MAGIC, 1, 3, 0, {1: np.array([1, 500, 3]), 2: np.array([7, 7, 7])})
    for length in range(len(data)):
        with pytest.raises(DamagedStore):
            decode(data[:length])
    with pytest.raises(DamagedStore, match="1 bytes follow"):
        decode(data + b"\x00")


@pytest.mark.parametrize(("at", "byte"), [(0, 0x55), (4, 2), (17, 9)])
def test_heads_that_make_no_sense_are_refused(at: int, byte: int) -> None:
    data = bytearray(encode(PAGE_MAGIC, 1, 3, 0, {1: np.array([1, 500, 3])}))
    data[at] = byte
    with pytest.raises(DamagedStore):
        decode(bytes(data))
