"""Rows of metadata that are stored say what the metadata says: the same as without them, and less is read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import msgpack
import numpy as np
import pytest
from msgspec import structs

from tests.tiler.details import packed_metadata
from tests.tiler.facts.test_metadata_codes import KINDS, NAMES, stat
from tilescope.tiler.details.instruction_stats import LONG_NAME, STATS
from tilescope.tiler.details.xstat_tables import BytesColumn, EventMetadata, PlaneNames, XStatTables
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.metadata_codes import MetadataCodes
from tilescope.tiler.facts.operations.xla_instructions import metadata_of_row
from tilescope.tiler.indexing.device import metadata_rows as making
from tilescope.tiler.indexing.device.metadata_rows import RowMaker
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.device import metadata_rows as record
from tilescope.tiler.records.device.metadata_rows import StoredRows

PLANES = [
    PlaneNames("/host:CPU", {1: "else"}),
    PlaneNames("/device:TPU:0", {**{at + 1: name for at, name in enumerate(STATS)}, 30: "flops", 40: "named"}),
    PlaneNames("/device:TPU:1", {**{at + 101: name for at, name in enumerate(STATS)}, 40: "other", 41: "named"}),
]


def file_of(rng: random.Random, size: int) -> XStatTables:
    entries, names = [], []
    for at in range(size):
        plane = rng.choice([0, 1, 1, 2, 2])
        said = b"".join(
            stat(rng.choice([*range(1, len(STATS) + 1), 30]) + 100 * (plane == 2), form, rng.choice(KINDS[form]))
            for form in rng.choices(list(KINDS), k=rng.randrange(6))
        )
        damage = b"\x2a\x7f\x08" if at % 50 == 7 else b""
        name = rng.randrange(-1, 9)
        unused = rng.choice(["unused", "text"]) if name < 0 else ""
        entries.append(
            EventMetadata(
                plane, at, rng.choice(["", "text", "long a", "long b", "a debug_print"]), unused, said + damage
            )
        )
        names.append(name)
    return packed_metadata.tables_of(PLANES, entries, names)


def stored(files: Sequence[XStatTables]) -> StoredRows:
    maker = RowMaker()
    for number, tables in enumerate(files):
        maker.add(number, tables)
    return maker.finish()


def reader_of(files: Sequence[XStatTables], chunks: Sequence[bytes]) -> QueryReader:
    store = SimpleNamespace(get=lambda _record, number: chunks[number] if number < len(chunks) else None)
    return cast(QueryReader, SimpleNamespace(names=NAMES, store=store, event_metadata=lambda file: files[file]))


@pytest.mark.parametrize("seed", range(4))
def test_the_same_with_rows_and_without(seed: int) -> None:
    rng = random.Random(seed)
    files = [file_of(rng, size) for size in (700, 1500, 1)]
    chunks = list(stored(files).chunks())
    with_rows, without = (MetadataCodes(reader_of(files, of)) for of in (chunks, []))
    if seed % 2:  # a stat of its own is looked up first, and an event that says something itself
        for file, tables in enumerate(files):
            some = np.arange(0, len(tables), 3, dtype=np.int32)
            one, other = (finish(codes.column(file, tables, some, "tf_op")) for codes in (with_rows, without))
            assert list(map(str, with_rows.values.of(one))) == list(map(str, without.values.of(other)))
        rows = [codes.row(0, files[0], 5, {"flops": 3, "tf_op": "of the event"}) for codes in (with_rows, without)]
        assert metadata_of_row(with_rows, rows[0]) == metadata_of_row(without, rows[1])
    of_all: list[list[int]] = [[], []]
    of_devices: list[bool] = []  # the others are not stored
    for file, tables in enumerate(files):
        numbers = np.arange(len(tables), dtype=np.int32)
        for codes, found in zip((with_rows, without), of_all, strict=True):
            list(codes.rows_of(file, tables, numbers))
            found += codes.of(file, numbers).tolist()
        of_devices += (tables.plane > 0).tolist()
    for one_row, other_row in set(zip(*of_all, strict=True)):
        assert metadata_of_row(with_rows, one_row) == metadata_of_row(without, other_row)
    pairs = {(one, other) for one, other, is_device in zip(*of_all, of_devices, strict=True) if is_device}
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs) > 100
    for word in ("debug_print", "barrier-cores", "long", "a", "text", "not there"):
        said = (
            codes.values.saying(codes.matrix[rows, LONG_NAME], word).tolist()
            for codes, rows in zip((with_rows, without), of_all, strict=True)
        )
        assert next(said) == next(said)


def test_long_names_are_read_when_they_are_looked_at() -> None:
    tables = file_of(random.Random(1), 3000)
    chunks = list(stored([tables]).chunks())
    numbers = np.flatnonzero(tables.plane > 0).astype(np.int32)
    expected = tables.entry(int(numbers[-1])).long_name
    pages: list[int] = []
    texts_page = tables.texts_page

    def counted(page: int) -> tuple[BytesColumn, BytesColumn]:
        pages.append(page)
        return texts_page(page)

    tables.texts_page = counted  # type: ignore[method-assign]
    codes = MetadataCodes(reader_of([tables], chunks))
    list(codes.rows_of(0, tables, numbers))
    assert not pages
    row = codes.of(0, numbers[-1:])[0]
    assert metadata_of_row(codes, row).expression == expected or not expected
    assert len(set(pages)) <= 1


def test_more_names_than_values() -> None:
    entries = [EventMetadata(1, at, "", "", stat(1, 3, 7)) for at in range(9)]
    tables = packed_metadata.tables_of(PLANES, entries, list(range(9)))
    rows = stored([tables])
    assert rows.rows[:, 0].tolist() == list(range(9))
    assert not len(rows.forms)
    codes = MetadataCodes(reader_of([tables], list(rows.chunks())))
    numbers = np.arange(9, dtype=np.int32)
    list(codes.rows_of(0, tables, numbers))
    said = [metadata_of_row(codes, row) for row in codes.of(0, numbers).tolist()]
    assert [(of.name, of.program) for of in said] == [(f"op.{at}", "7") for at in range(9)]


def test_too_many_rows_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [file_of(random.Random(2), 1200)]
    size = sum(map(len, (one.data for one in [stored(files)])))
    for name, limit in (("MAX_ROWS", 100), ("MAX_BYTES", size // 2)):
        with monkeypatch.context() as patched:
            patched.setattr(making, name, limit)
            found = stored(files)
        assert not len(found.rows)
        assert not found.files
        assert [len(decompress(chunk)) < record.CHUNK_BYTES for chunk in found.chunks()] == [True]
        codes = MetadataCodes(reader_of(files, list(found.chunks())))
        list(codes.rows_of(0, files[0], np.arange(1200, dtype=np.int32)))
        assert len(codes.matrix) > 100


def test_chunks_end_with_a_shorter_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = stored([file_of(random.Random(3), 50)])
    whole = b"".join(map(decompress, rows.chunks()))
    for size in (len(whole), len(whole) // 2, 1000):
        monkeypatch.setattr(record, "CHUNK_BYTES", size)
        chunks = list(map(decompress, rows.chunks()))
        assert b"".join(chunks) == whole
        assert len(chunks) == len(whole) // size + 1
        assert (StoredRows.of_chunks(chunks).rows == rows.rows).all()
        for wrong in (chunks[:-1], [], [*chunks, b""], chunks[1:], [whole, whole]):
            with pytest.raises((ValueError, TypeError)):
                StoredRows.of_chunks(wrong)


@pytest.mark.parametrize(
    "what", ["rows", "name", "value", "text_file", "text_entry", "text_words", "files", "forms", "twice"]
)
def test_damage_is_refused(what: str) -> None:
    tables = file_of(random.Random(4), 300)
    rows = stored([tables])
    if what == "rows":
        rows.files[0][0] = len(rows.rows)
    elif what == "name":
        rows.rows[0, 0] = -3 - len(rows.forms)
    elif what == "value":
        rows.rows[0, 5] = rows.first_text + len(rows.text_file)
    elif what == "text_file":
        rows.text_file[0] = 1
    elif what == "text_entry":
        rows.text_entry[0] = len(tables.first)
    elif what == "text_words":
        rows = structs.replace(rows, text_words=rows.text_words[:-1])
    elif what == "files":
        cast(dict[int, object], rows.files)[0] = rows.files[0][:-1]
    elif what == "forms":
        rows.forms.setflags(write=True)
        rows.forms[0] = 9
    else:
        rows.ends[:] = 0
    codes = MetadataCodes(reader_of([tables], list(rows.chunks())))
    with pytest.raises(DamagedStore, match="metadata"):
        list(codes.rows_of(0, tables, np.arange(300, dtype=np.int32)))


@pytest.mark.parametrize("files", [None, [], 1, "files", b""])
def test_files_that_are_no_map_are_refused(files: object) -> None:
    (chunk,) = (decompress(chunk) for chunk in StoredRows.nothing().chunks())
    packed = msgpack.unpackb(chunk, strict_map_key=False)
    assert not StoredRows.of_chunks([msgpack.packb(packed)]).files
    with pytest.raises(TypeError, match="map of files"):
        StoredRows.of_chunks([msgpack.packb(packed | {"files": files})])
