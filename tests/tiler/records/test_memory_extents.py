"""Extents of tables about memory: those of a plain reference that takes the cells one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler.columns.memory_extents import (
    NO_SIZE,
    AllocationExtent,
    FillExtent,
    MemoryExtent,
    MomentExtent,
    Reach,
    SampleExtent,
    Stamp,
)
from tilescope.tiler.records import memory_extents as module
from tilescope.tiler.records.cells import Cells
from tilescope.tiler.records.memory_cells import MOST_BYTES, cell_sizes, rows_by_owner
from tilescope.tiler.records.memory_extents import EVER, MAX_OWNERS, memory_extents, stored_extents

FILLS = ("Component", "Timestamp(us)", "Total Allocated(MB)", "Total Reserved(KB)", "Device Type")
ALLOCATIONS = ("Name", "Size(KB)", "Allocation Time(us)", "Release Time(us)", "Duration(us)", "Device Type")
MOST_NS = 1 << 62

Ints = NDArray[np.int64]

TIMES = st.one_of(
    st.sampled_from(["", "N/A", "-5", "7", "7.0001", "7.00019", "1e3", "4611686018427387.904", "9223372036854775807"]),
    st.integers(0, 40).map(lambda number: f"{number // 10}.{number % 10}"),
)
SIZES = st.one_of(
    st.sampled_from(["", "N/A", "nan", "-2.5", "1e2", "0.0000004", "2305843009213693952", "9000000000000.5", "inf"]),
    st.integers(0, 9).map(str),
)
OWNERS = st.sampled_from(["", "N/A", "0", "1", "PTA", "GE", "1.0", "-0"])
REACHES = st.one_of(st.just(EVER), st.tuples(st.integers(0, 4000), st.integers(0, 8000)))


def number_of(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


def stamp_of(text: str, reach: Reach) -> Stamp | None:
    """A time in µs that is a plain number; None where it is none, or out of reach."""
    value = None if "e" in text else number_of(text)
    if value is None or value < 0 or value * 1000 >= MOST_NS:
        return None
    picoseconds = int(value * 10**6)
    stamp = picoseconds // 1000, picoseconds % 1000
    return stamp if reach[0] <= stamp[0] < reach[1] else None


def size_of(text: str, unit: int) -> int | None:
    value = number_of(text)
    if value is None or abs(value * unit) > MOST_BYTES:
        return None
    return (
        int(np.rint(float(value) * unit)) if abs(value * unit) < 1 << 52 else int((value * unit + Fraction(1, 2)) // 1)
    )


def text_of(cell: str) -> str:
    return "" if cell == "N/A" else cell


def fills(rows: Sequence[Sequence[str]], reach: Reach) -> tuple[MemoryExtent, ...]:
    owned: dict[tuple[str, str], list[tuple[Stamp, Sequence[str]]]] = {}
    for row in rows:
        stamp = stamp_of(row[1], reach)
        if stamp is not None:
            owned.setdefault((text_of(row[4]), text_of(row[0])), []).append((stamp, row))
    extents = []
    for owner, own in owned.items():
        stamps = [stamp for stamp, _ in own]
        figures = []
        for place, unit in ((2, 1 << 20), (3, 1 << 10)):
            sizes = [(size_of(row[place], unit), stamp) for stamp, row in own]
            samples = [(size, stamp) for size, stamp in sizes if size is not None and size >= 0]
            times = [stamp for _, stamp in samples] or stamps
            plain = [row for _, row in own if number_of(row[place]) is not None and "e" not in row[place]]
            most = max((size for size, _ in samples), default=NO_SIZE)
            figures.append(SampleExtent(min(times), max(times), most, len(plain)))
        extents.append(FillExtent(owner, min(stamps), max(stamps), stamps == sorted(stamps), *figures))
    return tuple(extents)


def allocations(rows: Sequence[Sequence[str]], reach: Reach) -> tuple[MemoryExtent, ...]:
    owned: dict[str, list[tuple[Stamp | None, Stamp | None, int]]] = {}
    for row in rows:
        begin, end = stamp_of(row[2], EVER), stamp_of(row[3], EVER)
        if begin is not None and end is not None:
            end = max(begin, end)
        begin, end = (None if side is None or not reach[0] <= side[0] < reach[1] else side for side in (begin, end))
        if begin is not None or end is not None:
            size = size_of(row[1], 1 << 10)
            owned.setdefault(text_of(row[5]), []).append((begin, end, 0 if size is None else abs(size)))
    extents = []
    for owner, own in owned.items():
        made = moment([(begin, size) for begin, _, size in own])
        freed = moment([(end, size) for _, end, size in own])
        ends = [end for begin, end, _ in own if begin is not None]
        certain = [end for end in ends if end is not None]
        last_end = max(certain) if ends and len(certain) == len(ends) else None
        extents.append(AllocationExtent(owner, made, freed, last_end))
    return tuple(extents)


def moment(events: Sequence[tuple[Stamp | None, int]]) -> MomentExtent | None:
    stamps = [stamp for stamp, _ in events if stamp is not None]
    size_bytes = sum(size for stamp, size in events if stamp is not None)
    return MomentExtent(min(stamps), max(stamps), len(stamps), size_bytes) if stamps else None


def extents_of(
    family: str, columns: Sequence[str], rows: Sequence[Sequence[str]], reach: Reach
) -> tuple[MemoryExtent, ...]:
    cells = [Cells.from_texts([row[place] for row in rows]) for place in range(len(columns))]
    return tuple(memory_extents(family, columns, cells.__getitem__, reach))


@given(st.lists(st.tuples(OWNERS, TIMES, SIZES, SIZES, OWNERS), max_size=20), REACHES)
def test_samples_are_those_of_a_plain_reference(rows: list[tuple[str, ...]], reach: Reach) -> None:
    assert extents_of("memory_record", FILLS, rows, reach) == fills(rows, reach)


@given(st.lists(st.tuples(OWNERS, SIZES, TIMES, TIMES, TIMES, OWNERS), max_size=20), REACHES)
def test_allocations_are_those_of_a_plain_reference(rows: list[tuple[str, ...]], reach: Reach) -> None:
    assert extents_of("operator_memory", ALLOCATIONS, rows, reach) == allocations(rows, reach)


def test_durations_alone_say_when_allocations_end() -> None:
    columns = ("Size(KB)", "Allocation Time(us)", "Duration(us)")
    rows = [("1", "5.0006", "2.0005"), ("2", "4", "N/A"), ("3", "4000000000000000", "4000000000000000")]
    (extent,) = extents_of("operator_memory", columns, rows[:1], EVER)
    made, freed = (MomentExtent(stamp, stamp, 1, 1024) for stamp in ((5000, 600), (7001, 100)))
    assert extent == AllocationExtent("", made, freed, (7001, 100))
    (extent,) = extents_of("operator_memory", columns, rows, EVER)
    assert isinstance(extent, AllocationExtent)
    assert [None if side is None else side.events for side in (extent.made, extent.freed)] == [3, 1]
    assert extent.last_end is None


def test_tables_without_times_have_no_extents() -> None:
    assert extents_of("memory_record", ("Component",), [("PTA",)], EVER) == ()
    assert extents_of("operator_memory", ("Name", "Size(KB)"), [("op", "1")], EVER) == ()


def test_what_is_stored_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    def stored(columns: Sequence[str], rows: Sequence[Sequence[str]], family: str) -> tuple[MemoryExtent, ...] | None:
        cells = [Cells.from_texts([row[place] for row in rows]) for place in range(len(columns))]
        return stored_extents(family, columns, cells.__getitem__)

    samples = [(f"component {k}", "1", "1", "1", "NPU:0") for k in range(MAX_OWNERS + 1)]
    most = stored(FILLS, samples[:-1], "memory_record")
    assert most is not None
    assert len(most) == MAX_OWNERS
    assert stored(FILLS, samples, "memory_record") is None
    worked_out = 0

    def counted(ns: Ints, ps: Ints) -> bool:
        nonlocal worked_out
        worked_out += 1
        return True

    with monkeypatch.context() as patch:  # an owner in each row costs no more than those that may be stored
        patch.setattr(module, "_is_ascending", counted)
        assert stored(FILLS, [(f"component {k}", "1", "1", "1", "NPU:0") for k in range(1000)], "memory_record") is None
    assert worked_out == MAX_OWNERS + 1
    large = [("op", str(1 << 51), "1", "2", "1", "NPU:0")] * 4  # of 2^61 bytes each
    assert stored(ALLOCATIONS, large, "operator_memory") is None
    few = stored(ALLOCATIONS, large[:1], "operator_memory")
    assert few is not None
    assert msgspec.json.decode(msgspec.json.encode(few), type=tuple[MemoryExtent, ...]) == few


@given(st.lists(st.tuples(OWNERS, OWNERS), max_size=12), st.data())
def test_rows_are_owned_in_the_order_in_which_owners_come(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    rows = [row for row in range(len(pairs)) if data.draw(st.booleans())]
    expected: dict[tuple[str, ...], list[int]] = {}
    for row in rows:
        expected.setdefault((text_of(pairs[row][0]), text_of(pairs[row][1])), []).append(row)
    columns = [Cells.from_texts([pair[place] for pair in pairs]) for place in (0, 1)]
    owned = rows_by_owner(np.array(rows, np.int64), *columns)
    assert [(owner, own.tolist()) for owner, own in owned] == list(expected.items())
    alone = rows_by_owner(np.array(rows, np.int64), None)
    assert [(owner, own.tolist()) for owner, own in alone] == ([(("",), rows)] if rows else [])


def test_sizes_far_from_doubles_are_exact() -> None:
    texts = ["9007199254740993", "9000000000000.5", "-9000000000000.5", "2305843009213695000", "", "1e3"]
    sizes = cell_sizes(Cells.from_texts(texts), "Size", 1).tolist()
    assert sizes == [9007199254740993, 9000000000000, -9000000000000, NO_SIZE, NO_SIZE, 1000]
