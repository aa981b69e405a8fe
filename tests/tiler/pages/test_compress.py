"""Compressed records."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, compress_container, decompress
from tilescope.tiler.pages.container import MAX_ROWS, PAGE_MAGIC, encode

_HEADERS = 16 + 24


@given(st.binary(max_size=3000))
def test_any_gzip_reader_reads_a_record(data: bytes) -> None:
    member = compress(data)
    assert decompress(member) == gzip.decompress(member) == data
    assert compress(data) == member


def _column(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bytes:
    """A container of one column whose values stay as they are: from 0 on, and in no order."""
    values[:2] = 1 << 40, 0
    return encode(PAGE_MAGIC, 3, 1, 7, {16: values})


@given(
    st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 62)), max_size=4),
    st.integers(0, 2**32),
)
def test_any_gzip_reader_reads_a_container(columns: list[tuple[int, int]], seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = {16 + k: draw.integers(0, 1 << bits, n, endpoint=True) for k, (n, bits) in enumerate(columns)}
    data = encode(PAGE_MAGIC, 3, 1, 7, values)
    member = compress_container(data)
    assert decompress(member) == gzip.decompress(member) == data
    assert compress_container(data) == member
    assert len(member) <= len(compress(data)) * 1.2 + 100
    ends = [0]
    for first, last, blocks in _native.blocks_without_matches(data, MAX_ROWS):
        assert ends[-1] <= first < last <= len(data)
        assert zlib.decompress(blocks + b"\x03\x00", -zlib.MAX_WBITS) == data[first:last]
        ends.append(last)


def test_bytes_that_are_as_good_as_random_stay_as_they_are() -> None:
    exact = _column(np.random.default_rng(5).integers(0, 1 << 20, 70_000))  # more than a stored block holds
    [(first, last, blocks)] = _native.blocks_without_matches(exact, MAX_ROWS)
    assert (first, last) == (0, _HEADERS + 3 * 70_000)  # the bytes above them have few bits, in no order
    assert len(blocks) < 2.55 * 70_000
    member = compress_container(exact)
    assert exact[_HEADERS : _HEADERS + 65_535] in member
    assert decompress(member) == exact


def _few_and_many(n_few: int, n_many: int) -> bytes:
    """Columns of bytes that come again, and between them others that are as good as random."""
    draw = np.random.default_rng(n_many)
    few, many = np.resize(draw.integers(0, 1 << 8, 60), n_few), draw.integers(0, 1 << 24, n_many)
    return encode(PAGE_MAGIC, 3, 1, 7, {16: few, 17: many, 18: few, 19: many[::-1].copy(), 20: few})


@pytest.mark.parametrize("n", [1200, 3000, 60_000])
def test_what_comes_again_behind_bytes_that_stay_as_they_are_is_read_again(n: int) -> None:
    """Repetitions are told by how far back they are, with all that stands between."""
    data = _few_and_many(n, n)
    assert len(_native.blocks_without_matches(data, MAX_ROWS)) == 2
    assert gzip.decompress(compress_container(data)) == data


def test_short_stretches_between_blocks_of_our_own_are_written_with_them() -> None:
    data = _few_and_many(800, 5000)
    [(first, last, _)] = _native.blocks_without_matches(data, MAX_ROWS)
    assert (first, last) == (0, len(data))
    member = compress_container(data)
    assert decompress(member) == gzip.decompress(member) == data


def test_a_short_container_is_written_by_ourselves() -> None:
    data = encode(PAGE_MAGIC, 3, 1, 7, {16: np.arange(900) % 5})
    [(first, last, _)] = _native.blocks_without_matches(data, MAX_ROWS)
    assert (first, last) == (0, len(data))
    assert gzip.decompress(compress_container(data)) == data


def test_bytes_that_come_again_and_again_do_not() -> None:
    once = np.random.default_rng(5).integers(0, 1 << 16, 900)
    for column in (np.tile(once, 30), np.arange(30_000) % 256 << 8, np.full(30_000, 9)):
        data = _column(column.copy())
        assert _native.blocks_without_matches(data, MAX_ROWS) == []
        assert compress_container(data) == compress(data)


def test_bytes_of_many_values_that_stand_in_runs_do_not_stay_as_they_are() -> None:
    """Each value is as frequent as the others, but the next one is mostly the same."""
    data = _column(np.repeat(np.random.default_rng(5).integers(0, 1 << 8, 10_000), 3))
    assert _native.blocks_without_matches(data, MAX_ROWS) == []
    assert len(compress(data)) < 0.6 * len(data)


@pytest.mark.parametrize("part", [0.1, 0.3, 0.6, 0.85])
def test_bytes_of_few_bits_in_no_order_have_codes_of_their_own(part: float) -> None:
    """References to the few bytes that come again by chance would take more room than they do."""
    data = _column(np.minimum(np.random.default_rng(7).geometric(part, 20_000), 255))
    [(first, last, _)] = _native.blocks_without_matches(data, MAX_ROWS)
    assert (first, last) == (0, _HEADERS + 20_000)
    assert len(compress_container(data)) < 0.97 * len(compress(data))


@pytest.mark.parametrize("values", [2, 40, 200])
@pytest.mark.parametrize("period", [7, 900, 5000])
@pytest.mark.parametrize("seed", range(5))
def test_what_comes_again_has_no_codes_of_its_own(values: int, period: int, seed: int) -> None:
    data = _column(np.resize(np.random.default_rng(seed).integers(0, values, period), 20_000))
    assert _native.blocks_without_matches(data, MAX_ROWS) == []


def test_a_container_that_is_none_has_no_planes() -> None:
    data = _column(np.arange(5000))
    for damaged in (b"", data[:20], data + b"x"):
        with pytest.raises(_native.DamagedContainer):
            _native.blocks_without_matches(damaged, MAX_ROWS)


def test_a_record_of_which_a_byte_is_missing_or_altered_is_refused() -> None:
    data = bytes(range(200)) * 3
    member = compress(data)
    for length in range(len(member)):
        with pytest.raises(DamagedStore):
            decompress(member[:length])
    for at in range(len(member)):
        try:
            altered = decompress(member[:at] + bytes([member[at] ^ 0x10]) + member[at + 1 :])
        except DamagedStore:
            continue
        assert altered == data  # a bit that fills the last byte


def test_what_follows_a_member_is_noticed() -> None:
    for data in (b"", b"some bytes" * 9):
        for behind in (b"x", compress(b"others")):
            with pytest.raises(DamagedStore):
                decompress(compress(data) + behind)


def test_a_record_that_would_fill_the_memory_is_refused_before_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["tilescope.tiler.pages.compress"], "MAX_DECODED_BYTES", 100_000)
    assert len(decompress(compress(bytes(100_000)))) == 100_000
    bomb = compress(bytes(50_000_000))
    tracemalloc.start()
    with pytest.raises(DamagedStore, match="more than 100,000 bytes"):
        decompress(bomb)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_long_records_are_checked_as_strictly_as_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["tilescope.tiler.pages.compress"], "MAX_DECODED_BYTES", 1000)
    data = bytes(range(250)) * 2
    member = compress(data)
    assert decompress(member) == data
    wrong = [member[:length] for length in range(len(member))]
    for damaged in [*wrong, member + b"x", member + member, member[:-6] + b"\0" + member[-5:]]:
        with pytest.raises(DamagedStore):
            decompress(damaged)


@given(st.integers(0, 300_000), st.integers(0, 255))
def test_no_record_is_longer_than_the_best_ratio_allows(length: int, value: int) -> None:
    # On this rests that short records need not be watched while they are read.
    assert length <= 1032 * len(compress(bytes([value]) * length))
