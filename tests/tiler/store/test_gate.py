"""The gate of a store that grows: each kind of record can be read when it is declared to be."""

from __future__ import annotations

import pytest

from tilescope.tiler.errors import NotBuilt, StoredLast
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.record import Available, Record
from tilescope.tiler.store.gate import is_readable

LETTERS = {
    Available.AT_ONCE: "BIMNOSTW",
    Available.WITH_BLOCK: "JLPRUVt",
    Available.WITH_TRACK: "DHKQXYZgw",
    Available.AT_END: "ACEFGaflmoxyz",
}


def numbers_of(record: Record, first: int) -> tuple[int, ...]:
    return (first, *[0] * len(record.numbers[1:])) if record.numbers else ()


def test_each_record_is_available_from_one_moment_on() -> None:
    of_each = {
        available: sorted(r.letter.decode() for r in RECORDS if r.available is available) for available in LETTERS
    }
    assert of_each == {available: sorted(letters) for available, letters in LETTERS.items()}


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_the_gate_goes_by_what_is_declared(record: Record) -> None:
    def reads(first: int) -> bool:
        return is_readable(record, numbers_of(record, first), {1}.__contains__)

    if record.available is Available.AT_ONCE:
        assert reads(0)
        assert reads(1)
    elif record.available is Available.WITH_BLOCK:
        assert not reads(0)
        assert reads(1)
    elif record.available is Available.WITH_TRACK:
        with pytest.raises(NotBuilt, match="track 31 is not built yet"):
            reads(31)
        assert reads(32)
    else:
        with pytest.raises(StoredLast, match="stores this last: "):
            reads(1)


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_all_of_a_kind_can_be_read_where_each_can(record: Record) -> None:
    if record.available is Available.AT_ONCE:
        assert is_readable(record, (), lambda _: False)
    else:
        with pytest.raises(StoredLast):
            is_readable(record, (), lambda _: True)
