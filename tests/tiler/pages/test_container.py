"""Column containers: what is written is read back, and what is damaged is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages.container import PAGE_MAGIC, SHAPE_MAGIC, decode, encode

INT64 = st.integers(-(2**63), 2**63 - 1)
COLUMN = st.lists(INT64, max_size=40) | st.lists(st.integers(0, 300), max_size=40)


@given(st.dictionaries(st.integers(0, 255), COLUMN, max_size=5), st.integers(0, 27), st.integers(0, 2**32 - 1))
def test_columns_come_back(columns: dict[int, list[int]], level: int, block: int) -> None:
    arrays = {column: np.array(values, np.int64) for column, values in columns.items()}
    found = decode(encode(SHAPE_MAGIC, level, 7, block, arrays))
    assert (found.magic, found.level, found.n_tiles, found.block) == (SHAPE_MAGIC, level, 7, block)
    for column, values in columns.items():
        assert found.ints(column).tolist() == values


def _plain_column(column: int, values: list[int]) -> tuple[bytes, bytes]:
    """Head and body: differences between neighbours where those are smaller, all modulo 2**64."""
    steps = [
        (value - before + 2**63) % 2**64 - 2**63 for before, value in zip([values[0], *values], values, strict=False)
    ]
    falls = min(steps) < 0
    delta = [(2 * step if step >= 0 else -2 * step - 1) if falls else step for step in steps]
    plain = [value - min(values) for value in values]
    raw, flags, base = (delta, 1 | 2 * falls, values[0]) if max(delta) < max(plain) else (plain, 0, min(values))
    planes = (max(raw).bit_length() + 7) // 8
    head = struct.pack("<BBBxIqQ", column, planes, flags, len(values), base, 1)
    return head, bytes(value >> (8 * plane) & 255 for plane in range(planes) for value in raw)


@given(st.dictionaries(st.integers(0, 255), COLUMN, max_size=5), st.integers(0, 27), st.integers(0, 2**32 - 1))
def test_each_column_is_stored_in_the_smaller_way(columns: dict[int, list[int]], level: int, block: int) -> None:
    parts = [_plain_column(column, values) for column, values in columns.items() if values]
    head = struct.pack("<4sBBHII", SHAPE_MAGIC, 1, level, len(parts), 7, block)
    plain = b"".join([head, *(head for head, _ in parts), *(body for _, body in parts)])
    assert encode(SHAPE_MAGIC, level, 7, block, {k: np.array(v, np.int64) for k, v in columns.items()}) == plain


@pytest.mark.parametrize("bits", [1, 8, 9, 16, 24, 33, 56, 64])
def test_long_columns_are_stored_plane_by_plane(bits: int) -> None:
    values = [k * 0x9E3779B97F4A7C15 % 2**64 >> (64 - bits) for k in range(1, 1300)]
    signed = [value - 2**64 if value >= 2**63 else value for value in values]
    head, body = _plain_column(7, signed)
    stored = encode(SHAPE_MAGIC, 0, 0, 0, {7: np.array(signed, np.int64)})
    assert stored[16:] == head + body


@pytest.mark.parametrize("slope", [0, 3, 70_000])
def test_columns_of_32_bits_are_stored_as_those_of_64(slope: int) -> None:
    values = np.array([(k * slope + k * 0x9E3779B1 % 500) % 2**32 for k in range(1, 1300)])
    stored = encode(SHAPE_MAGIC, 0, 0, 0, {7: values.astype(np.uint32)})
    assert stored == encode(SHAPE_MAGIC, 0, 0, 0, {7: values})


def test_columns_of_other_types_are_refused_by_the_encoder() -> None:
    with pytest.raises(ValueError, match="integers"):
        _native.encode_container(SHAPE_MAGIC, 0, 0, 0, [(7, np.zeros(3))])  # type: ignore[list-item]


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
