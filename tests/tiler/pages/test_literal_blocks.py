"""Blocks of deflate without repetitions, against other readers and a plain Huffman code."""

from __future__ import annotations

import heapq
import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from tilescope.tiler import _native

_LAST = b"\x03\x00"  # a block of nothing, which ends what is read
_STORED_HEAD = 5
_MOST_STORED = 65_535
_MOST_HEAD_BITS = 17 + 19 * 3 + 259 * 7


def _checked(*parts: bytes) -> bytes:
    """The blocks for the parts, once others read the same."""
    blocks = _native.literal_blocks(list(parts))
    for inflate in (zlib.decompress, isal_zlib.decompress):
        assert inflate(blocks + _LAST, -15) == b"".join(parts)
        assert inflate(blocks + blocks + _LAST, -15) == b"".join(parts) * 2  # they end with a byte
    stored = sum(len(part) + _STORED_HEAD * -(-len(part) // _MOST_STORED) for part in parts)
    assert len(blocks) <= stored + _STORED_HEAD + 1
    return blocks


def _least_bits(data: bytes) -> int:
    """What a Huffman code takes whose lengths have no limit, with the end of the block."""
    sums = [1, *Counter(data).values()]
    heapq.heapify(sums)
    bits = 0
    while len(sums) > 1:
        two = heapq.heappop(sums) + heapq.heappop(sums)
        bits += two
        heapq.heappush(sums, two)
    return bits


def _skewed(n: int, values: int, skew: float, seed: int) -> bytes:
    """Bytes in no order, some of which are more frequent than others."""
    draw = np.random.default_rng(seed)
    weights = draw.random(values) ** skew + 1e-30
    return draw.choice(draw.permutation(256)[:values], n, p=weights / weights.sum()).astype(np.uint8).tobytes()


_PARTS = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(b"ab"), max_size=40).map(bytes),
    st.builds(
        _skewed, st.integers(0, 5000), st.integers(1, 256), st.sampled_from([0.0, 1.0, 8.0, 40.0]), st.integers(0, 99)
    ),
)


@given(st.lists(_PARTS, max_size=4))
def test_others_read_what_was_written(parts: list[bytes]) -> None:
    _checked(*parts)


@given(st.integers(2000, 20_000), st.integers(2, 256), st.sampled_from([0.0, 1.0, 8.0, 40.0]), st.integers(0, 99))
def test_codes_are_as_short_as_they_can_be(n: int, values: int, skew: float, seed: int) -> None:
    data = _skewed(n, values, skew, seed)
    bits, least = 8 * len(_checked(data)), _least_bits(data)
    assert least <= bits <= min(1.01 * least + _MOST_HEAD_BITS, 8 * n) + 100


def test_codes_that_would_be_too_long_are_shortened() -> None:
    often = [1, 1]
    while len(often) < 24:  # each one more bit than the next
        often.append(often[-1] + often[-2])
    data = np.random.default_rng(3).permutation(np.repeat(np.arange(24, dtype=np.uint8), often)).tobytes()
    assert 8 * len(_checked(data)) <= 1.01 * _least_bits(data) + _MOST_HEAD_BITS


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 63, 1024, 65_534, 65_535, 65_536, 131_070, 131_071])
def test_any_length_is_written(n: int) -> None:
    draw = np.random.default_rng(n)
    random = draw.integers(0, 256, n, dtype=np.uint8).tobytes()
    assert len(_checked(random)) >= n
    assert len(_checked(b"a" * n)) <= n // 8 + 40
    few = draw.integers(0, 2, n, dtype=np.uint8).tobytes()
    assert len(_checked(few)) <= 3 * n // 16 + 40  # a half of two bits, as the end of the block has a code, too
    _checked(few, random, few)  # a block that begins within a byte, and blocks behind it that do not
    _checked(random, b"", few)


def test_nothing_takes_no_blocks() -> None:
    assert _native.literal_blocks([]) == _native.literal_blocks([b"", b""]) == b""
