"""Compressed records."""

from __future__ import annotations

import gzip
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress


@given(st.binary(max_size=3000))
def test_any_gzip_reader_reads_a_record(data: bytes) -> None:
    member = compress(data)
    assert decompress(member) == gzip.decompress(member) == data
    assert compress(data) == member


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
