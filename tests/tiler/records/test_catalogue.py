"""The kinds of records: each once, in the order of keys, and in the table of docs/page-format.md."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.records.write_records import PAGE, page_text
from tilescope.tiler.records.catalogue import RECORDS, describe, record_of
from tilescope.tiler.records.record import KEY_NUMBERS, Record
from tilescope.tiler.records.tiles import PAGE as TILES
from tilescope.tiler.records.tiles import SHAPE

LIMITS = {"B": 1 << 8, "I": 1 << 32, "Q": 1 << 64}


def test_each_letter_stands_once_in_the_order_of_keys() -> None:
    letters = [record.letter for record in RECORDS]
    assert letters == sorted(set(letters))
    for record in RECORDS:
        key = record.key(*range(len(record.numbers)))
        assert record_of(key) is record
        assert record_of(key[:-1]) is record_of(key + b"x") is None
    assert record_of(b"?") is None
    assert record_of(b"") is None


@pytest.mark.parametrize("record", RECORDS, ids=repr)
@given(data=st.data())
def test_keys_sort_as_their_numbers(record: Record, data: st.DataObject) -> None:
    numbers = st.tuples(*(st.integers(0, LIMITS[KEY_NUMBERS[number]] - 1) for number in record.numbers))
    low, high = sorted((data.draw(numbers), data.draw(numbers)))
    assert (record.key(*low) < record.key(*high)) is (low < high)
    assert record.numbers_in(record.key(*low)) == low
    for count in range(len(low)):
        assert record.key(*low).startswith(record.prefix(*low[:count]))


@pytest.mark.parametrize("record", RECORDS, ids=repr)
def test_a_record_is_described_by_its_numbers(record: Record) -> None:
    key = record.key(*range(3, 3 + len(record.numbers)))
    assert "{" not in describe(key)
    assert describe(key + b"x") == f"a record of an unknown kind, {key + b'x'!r}"
    with pytest.raises(struct.error):
        record.key(*range(len(record.numbers) + 1))


def test_pages_are_described_by_their_track() -> None:
    assert describe(TILES.key(2, 5, 9, 31)) == "track 95, level 5, tile 9: the page that begins with it"
    assert describe(SHAPE.key(4)) == "the shape record of block 4"


def test_the_page_about_the_format_has_all_records() -> None:
    text = PAGE.read_text()
    assert text == page_text(text), "written by hand, or out of date: make types"
