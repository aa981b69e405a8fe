"""Compressed records."""

from __future__ import annotations

import gzip

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
