"""Codes of metadata: what they stand for is what the stats say, whatever the types; what is alike is read once."""

from __future__ import annotations

import random
import struct
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.tiler.details import packed_metadata
from tests.tiler.details.test_typed_stats import varint
from tilescope.tiler import _native
from tilescope.tiler.details.instruction_stats import STAT, STATS
from tilescope.tiler.details.xstat_tables import EventMetadata, PlaneNames, XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.metadata_codes import MetadataCodes, StatValues
from tilescope.tiler.facts.operations.xla_instructions import metadata_of_row
from tilescope.tiler.query import QueryReader, finish


class Names(list[SimpleNamespace]):
    """As those of a run are looked up."""

    def texts(self, ids: NDArray[np.int64]) -> list[str]:
        return [str(self[one].text) for one in ids.tolist()]


NAMES = Names(SimpleNamespace(text=f"op.{at}") for at in range(9))
READER = cast(QueryReader, SimpleNamespace(names=NAMES, store=SimpleNamespace(get=lambda _record, _chunk: None)))
KINDS: dict[int, list[Any]] = {
    2: [0.5, float("inf")],
    3: [0, 7, 2**30 - 1, 2**30, 2**64 - 1],
    4: [-1, 7, 2**30 - 1, 2**30, -(2**63)],
    5: ["", "text", "a\0b", "ä"],
    6: [b"", b"\xff", b"text"],
    7: [40, 41, 99],
}


def stat(number: int, form: int, value: Any) -> bytes:
    """An XStat message, in a field of the one around it."""
    if form == 2:
        said = bytes([form << 3 | 1]) + struct.pack("<d", value)
    elif form in (5, 6):
        raw = value.encode() if isinstance(value, str) else value
        said = bytes([form << 3 | 2]) + varint(len(raw)) + raw
    else:
        said = bytes([form << 3]) + varint(value)
    message = b"\x08" + varint(number) + said
    return b"\x2a" + varint(len(message)) + message


def tables_of(entries: list[EventMetadata], names: list[int]) -> XStatTables:
    ids = {at + 1: name for at, name in enumerate(STATS)}
    planes = [
        PlaneNames("/device:TPU:0", {**ids, 30: "flops", 40: "named", 41: ""}),
        PlaneNames("/device:TPU:1", {**{at + 100: name for at, name in ids.items()}, 40: "other", 41: "named"}),
    ]
    return packed_metadata.tables_of(planes, entries, names)


def values_of(codes: MetadataCodes, tables: XStatTables, numbers: NDArray[np.int32], name: str) -> list[object]:
    """What a stat says of some numbers."""
    return list(map(str, codes.values.of(finish(codes.column(0, tables, numbers, name)))))


def test_codes_stand_for_what_stats_say() -> None:
    rng = random.Random(3)
    entries, names = [], []
    for at in range(600):
        plane = rng.randrange(2)
        stats = b"".join(
            stat(rng.choice([*range(1, len(STATS) + 1), 30]) + 100 * plane, form, rng.choice(KINDS[form]))
            for form in rng.choices(list(KINDS), k=rng.randrange(6))
        )
        damage = b"\x2a\x7f\x08" if at % 50 == 7 else b""
        entries.append(EventMetadata(plane, at, rng.choice(["", "long"]), "unused", stats + damage))
        names.append(rng.randrange(-1, 9))
    tables, codes = tables_of(entries, names), MetadataCodes(READER)
    numbers = np.arange(600, dtype=np.int32)
    for _ in codes.rows_of(0, tables, numbers):
        pass
    rows = codes.of(0, numbers)
    assert len(np.unique(rows)) == len(codes.matrix) < 600
    for number, row in enumerate(rows.tolist()):
        said: dict[str, Any] = {}
        if number % 50 != 7:
            said = {one.name: one.value for one in tables.stats(number)}
        for name in STATS:
            found = codes.values[codes.matrix[row, STAT[name]]]
            wanted = said.get(name)
            assert found == (wanted or None if isinstance(wanted, str) else wanted), (number, name)
        of = metadata_of_row(codes, row)
        name = f"op.{names[number]}" if names[number] >= 0 else "unused"
        assert (of.name, of.expression) == (name, entries[number].long_name or name)
        flops = said.get("flops")
        assert of.flops == (flops if isinstance(flops, int) and flops >= 0 else None)
    for name in STATS:
        alone = MetadataCodes(READER)
        assert values_of(alone, tables, numbers[::3], name) == values_of(codes, tables, numbers, name)[::3]
        assert values_of(alone, tables, numbers, name) == values_of(codes, tables, numbers, name), "some of them known"
    row = codes.row(0, tables, 3, {"flops": 12, "tf_op": "mine", "else": 1})
    of, before = metadata_of_row(codes, row), metadata_of_row(codes, int(rows[3]))
    assert (of.flops, of.framework, of.category) == (12, "mine", before.category)
    assert metadata_of_row(codes, codes.row(0, tables, -1, {})).name == ""


def test_what_lies_there_as_before_is_read_as_it_is_called_there() -> None:
    ids = {at + 1: name for at, name in enumerate(STATS)}
    said = stat(STAT["flops"] - 1, 3, 7) + stat(STAT["tf_op"] - 1, 7, 40) + stat(STAT["source"] - 1, 5, "a.py:1")
    entries = [EventMetadata(0, 0, "long", "", said), EventMetadata(0, 1, "other", "", said)]
    swapped = {**ids, STAT["flops"] - 1: "bytes_accessed", STAT["bytes_accessed"] - 1: "flops"}
    called = [{**ids, 40: "named"}, {**ids, 40: "named"}, {**ids, 40: "else"}, {**swapped, 40: "named"}]
    codes, found = MetadataCodes(READER), []
    for file, (names, of_events) in enumerate(zip(called, [[0, 1], [0, 1], [0, 1], [0, 2]], strict=True)):
        tables = packed_metadata.tables_of([PlaneNames("p", names)], entries, of_events)
        for _ in codes.rows_of(file, tables, np.arange(2, dtype=np.int32)):
            pass
        rows = codes.of(file, np.arange(2, dtype=np.int32)).tolist()
        alone = MetadataCodes(READER)
        for _ in alone.rows_of(file, tables, np.arange(2, dtype=np.int32)):
            pass
        assert [metadata_of_row(codes, row) for row in rows] == [metadata_of_row(alone, at) for at in range(2)]
        found += rows
    assert found == [0, 1, 0, 1, 2, 3, 4, 5]


def test_entries_at_other_places_of_their_page_are_known() -> None:
    ids = {at + 1: name for at, name in enumerate(STATS)}
    entries = [EventMetadata(0, at, f"long {at}", "", stat(STAT["flops"] - 1, 3, at)) for at in range(2000)]
    codes, numbers = MetadataCodes(READER), np.arange(2000, dtype=np.int32)
    for file, shift in enumerate((0, 2, 1999)):
        some, names = entries[shift:] + entries[:shift], [at % 9 for at in range(2000)]
        tables = packed_metadata.tables_of([PlaneNames("p", ids)], some, names[shift:] + names[:shift])
        list(codes.rows_of(file, tables, numbers[: 700 if file == 0 else 2000]))
        list(codes.rows_of(file, tables, numbers))
        assert codes.of(file, numbers).tolist() == np.roll(np.arange(2000), -shift).tolist()


def test_words_are_found_in_texts_alone() -> None:
    codes = _native.StatCodes()
    values = [None, "a barrier", b"\xffbarrier", "", 7, -7, 7.5, "bar", 2**64 - 1]
    numbers = np.array([codes.of(value) for value in values], np.int32)
    assert codes.values(numbers) == [None, "a barrier", b"\xffbarrier", None, *values[4:]]
    found = StatValues(codes)
    assert found.saying(numbers, "barrier").tolist() == [False, True, True, *[False] * 6]
    integers, are = found.numbers(numbers)
    assert integers.tolist() == [0, 0, 0, 0, 7, 0, 0, 0, 2**64 - 1]
    assert np.flatnonzero(are).tolist() == [4, 8]
    assert found.numbers(numbers[:5])[0].dtype == np.int64
    for code in (len(codes), -1, 2**30 - 2**31):
        with pytest.raises(IndexError):
            codes.value(code)
    assert codes.value(-(2**31)) == 0, "small numbers have codes of their own"


def test_pages_that_are_none_are_damage() -> None:
    page_of = packed_metadata.page_of
    not_text = page_of([b""], [b"\xff"])
    for page in (b"\x01", b"\x01\x00\x00\x00", page_of([b""]) + b"x", page_of([b"", b""], [b"", b""]), not_text):
        head = packed_metadata.head_of([PlaneNames("p", {})], [EventMetadata(0, 0, "", "", b"")], [0])
        tables = XStatTables(head, lambda _, page=page: page)  # type: ignore[misc]
        with pytest.raises(DamagedStore):
            list(MetadataCodes(READER).rows_of(0, tables, np.zeros(1, np.int32)))
