"""Reads of an archive are those of the records that were written, and few requests make them."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.store.archive.dict_store import LIMITS, DictStore, page_value, random_records
from tilescope.tiler.blobs import BlobRange, BlobState
from tilescope.tiler.errors import BlobChanged, DamagedStore, NotAvailable, StoredLast, StoreError, UsageError
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.record import KEY_NUMBERS, Record
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.store.archive import open_archive
from tilescope.tiler.store.archive.joined_reader import JoinedReader
from tilescope.tiler.store.archive.pieces import residual_key
from tilescope.tiler.store.archive.ranges import BATCH_BYTES, GAP_BYTES, merge_neighbours
from tilescope.tiler.store.archive.reader import ArchiveReader
from tilescope.tiler.store.archive.writer import write_archive
from tilescope.tiler.store.store import Entry, Store


class BytesBlob:
    """An object in memory that counts what is read of it."""

    address = "memory://run.tsarc"

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads: list[BlobRange] = []
        self.is_changed = False
        self.is_closed = False

    def state(self) -> BlobState:
        return BlobState(len(self.data), "1")

    def read(self, start: int, stop: int) -> bytes:
        if self.is_changed:
            raise BlobChanged(self.address)
        self.reads.append(BlobRange(start, stop))
        return self.data[start:stop]

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        return [self.read(*place) for place in ranges]

    def stream(self, start: int = 0):  # type: ignore[no-untyped-def]  # nobody streams archives
        raise NotImplementedError

    def close(self) -> None:
        self.is_closed = True


def written(store: Store, **options: object) -> BytesBlob:
    file = io.BytesIO()
    write_archive(store, file, **options)  # type: ignore[arg-type]
    return BytesBlob(file.getvalue())


@cache
def crowded() -> tuple[DictStore, bytes]:
    """A store of two leaves, and its archive."""
    store = DictStore(random_records(1, 13_000))
    return store, written(store).data


@cache
def few() -> tuple[DictStore, bytes]:
    """A store that is all boot section, and its archive."""
    store = DictStore(random_records(2, 200))
    return store, written(store).data


def numbers_of(record: Record) -> st.SearchStrategy[tuple[int, ...]]:
    """Numbers of keys: some that there are, most likely, and any."""
    return st.tuples(
        *(st.integers(0, 12) | st.integers(0, LIMITS[KEY_NUMBERS[number]] - 1) for number in record.numbers)
    )


@pytest.mark.parametrize("make", [crowded, few])
@given(data=st.data())
def test_reads_are_those_of_a_dictionary(make, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    store, archive_bytes = make()
    archive = open_archive(BytesBlob(archive_bytes))
    record = data.draw(st.sampled_from([record for record in RECORDS if record.numbers]))
    numbers = data.draw(numbers_of(record))
    stored_keys = [key for key in store.entries if key[:1] == record.letter]
    if stored_keys:
        key = record.key(*numbers)
        numbers = record.numbers_in(data.draw(st.sampled_from([key, *stored_keys])))
    assert archive.get(record, *numbers) == store.get(record, *numbers)
    assert archive.at_most(record, *numbers) == store.at_most(record, *numbers)
    count = data.draw(st.integers(0, len(numbers) - 1))
    start = numbers[count]
    assert list(archive.scan(record, *numbers[:count])) == list(store.scan(record, *numbers[:count]))
    assert list(archive.scan(record, *numbers[:count], start=start)) == list(
        store.scan(record, *numbers[:count], start=start)
    )


@pytest.mark.parametrize("make", [crowded, few])
@pytest.mark.parametrize("keeps_values", [True, False])
def test_all_records_are_read(make, keeps_values: bool) -> None:  # type: ignore[no-untyped-def]
    store, archive_bytes = make()
    archive = open_archive(BytesBlob(archive_bytes), keeps_values=keeps_values)
    assert dict(archive.records()) == store.entries
    assert archive.manifest()["store_bytes"] == str(len(archive_bytes))
    assert archive.get(MANIFEST) == store.get(MANIFEST)
    assert archive.ungated() is archive
    assert not archive.is_growing


@given(seed=st.integers(0, 1 << 30), count=st.integers(0, 60))
def test_any_store_comes_back(seed: int, count: int) -> None:
    store = DictStore(random_records(seed, count))
    archive = open_archive(written(store))
    assert dict(archive.records()) == store.entries
    again = written(archive)
    assert dict(open_archive(again).records()) == store.entries


def test_a_first_screen_takes_two_reads() -> None:
    pages = {PAGE.key(block, 7, 0, 0): page_value(bytes([block]) * 20_000) for block in range(20)}
    details = {ARGUMENTS.key(track, 0): bytes(20_000) for track in range(400)}
    blob = written(DictStore(pages | details))
    archive = open_archive(blob)
    assert blob.reads == [(0, 64 << 10)]
    assert [value for _, value in archive.scan(PAGE)] == list(pages.values())
    assert len(blob.reads) == 3  # the leaf, and neighbours in one range
    assert archive.get(PAGE, 0, 7, 0, 0) == pages[PAGE.key(0, 7, 0, 0)]
    assert len(blob.reads) == 3  # within the first 64 kB


def test_pages_and_what_was_rounded_off_them_are_read_in_few_requests() -> None:
    pages = {PAGE.key(0, 3, tile, 0): page_value(bytes(9_000), bytes([tile]) * 9_000) for tile in range(60)}
    blob = written(DictStore(pages))
    archive = open_archive(blob, keeps_values=True)
    assert archive.fetch is not None
    archive.fetch([(PAGE, (0, 3, tile, 0)) for tile in range(20, 60)])
    assert [archive.get(PAGE, 0, 3, tile, 0) for tile in range(20, 60)] == list(pages.values())[20:]
    assert len(blob.reads) <= 4
    before = len(blob.reads)
    assert [value for _, value in open_archive(blob).scan(PAGE, 0, 3, start=20)] == list(pages.values())[20:]
    assert len(blob.reads) <= before + 5


def test_pages_that_are_fetched_one_further_each_time_are_read_in_few_requests() -> None:
    """The first of them has nothing that was rounded off, which is at hand for that."""
    pages = {PAGE.key(0, 3, tile, 0): page_value(bytes(9_000), bytes([tile]) * 9_000) for tile in range(80)}
    pages[PAGE.key(0, 3, 20, 0)] = page_value(bytes(9_000))
    blob = written(DictStore(pages))
    archive = open_archive(blob, keeps_values=True)
    assert archive.fetch is not None
    for first in (20, 20, 20, 21):
        archive.fetch([(PAGE, (0, 3, tile, 0)) for tile in range(first, first + 40)])
    assert len(blob.reads) <= 4


class DictPieces:
    """Pieces of records in a dictionary: what of `ArchiveReader` a scan takes."""

    location = "memory://run.tsarc"

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = sorted(keys)

    def scan(self, first: bytes, prefix: bytes = b"") -> Iterator[Entry]:
        return ((key, b"value") for key in self._keys if key >= first and key.startswith(prefix))


@pytest.mark.parametrize("lost", range(3))
def test_what_was_rounded_off_a_page_that_is_not_there_is_named(lost: int) -> None:
    pages = [PAGE.key(0, 3, tile, 0) for tile in range(3)]
    pieces = [*(page for page in pages if page != pages[lost]), *map(residual_key, pages), b"z\0\0\0\0"]
    reader = JoinedReader(cast(ArchiveReader, DictPieces(pieces)))
    with pytest.raises(DamagedStore, match=f"page of block 0, level 3, tile {lost}, slot 0: there is no such page"):
        list(reader.scan(b""))
    pieces.append(pages[lost])
    entries = list(JoinedReader(cast(ArchiveReader, DictPieces(pieces))).scan(b""))
    assert entries == [*((page, b"valuevalue") for page in pages), (b"z\0\0\0\0", b"value")]


def test_what_was_read_is_kept_where_reading_takes_long() -> None:
    blob = written(DictStore({ARGUMENTS.key(track, 0): bytes(20_000) for track in range(100)}))
    archive = open_archive(blob, keeps_values=True)
    first = archive.get(ARGUMENTS, 90, 0)
    reads = len(blob.reads)
    assert archive.get(ARGUMENTS, 90, 0) == first == bytes(20_000)
    assert len(blob.reads) == reads
    archive.close()
    assert blob.is_closed


def test_small_neighbours_are_read_along() -> None:
    values = {ARGUMENTS.key(track, 0): bytes([track]) * 4_000 for track in range(100)}
    blob = written(DictStore(values))
    archive = open_archive(blob, keeps_values=True)
    assert [archive.get(ARGUMENTS, track, 0) for track in range(100)] == list(values.values())
    assert len(blob.reads) <= 3 + len(blob.data) // GAP_BYTES  # not a hundred


def test_records_are_fetched_in_few_requests() -> None:
    values = {ARGUMENTS.key(track, 0): bytes([track]) * 20_000 for track in range(120)}
    for without in ([], ["operations"]):
        blob = written(DictStore(values), without=without)
        archive = open_archive(blob, keeps_values=True)
        assert archive.fetch is not None
        archive.fetch([(ARGUMENTS, (track, 0)) for track in range(20, 120)])
        before = len(blob.reads)
        assert before <= 3
        archive.fetch([(ARGUMENTS, (1 << 40, 0)), (ARGUMENTS, (1000, 0))])  # of keys that are not there
        assert [archive.get(ARGUMENTS, track, 0) for track in range(20, 120)] == list(values.values())[20:]
        assert len(blob.reads) == before


def test_more_than_is_read_at_once_is_left_for_later() -> None:
    values = {ARGUMENTS.key(track, 0): bytes([track]) * 1_000_000 for track in range(12)}
    blob = written(DictStore(values))
    archive = open_archive(blob, keeps_values=True)
    assert archive.fetch is not None
    archive.fetch([(ARGUMENTS, (track, 0)) for track in range(12)])
    assert sum(place.stop - place.start for place in blob.reads) < BATCH_BYTES + 2_000_000
    assert [archive.get(ARGUMENTS, track, 0) for track in range(12)] == list(values.values())


def test_what_is_at_hand_fetches_nothing() -> None:
    assert open_archive(written(DictStore({}))).fetch is None


def test_a_replaced_file_is_an_error_by_name() -> None:
    blob = written(DictStore({ARGUMENTS.key(track, 0): bytes(20_000) for track in range(100)}))
    archive = open_archive(blob)
    blob.is_changed = True
    with pytest.raises(StoreError, match=r"run\.tsarc: the archive was replaced while it was open"):
        archive.get(ARGUMENTS, 90, 0)


def test_left_out_records_are_not_taken_for_absent() -> None:
    store = DictStore(random_records(9, 500))
    archive = open_archive(written(store, without=["arguments"]))
    for read in (archive.get, archive.at_most):
        with pytest.raises(NotAvailable, match="made --without arguments, and lacks arguments of events"):
            read(ARGUMENTS, 0, 0)
    with pytest.raises(NotAvailable, match="ask the store it was made of"):
        archive.scan(ARGUMENTS)
    with pytest.raises(NotAvailable):
        archive.records()
    pages = list(store.scan(PAGE))
    assert list(archive.scan(PAGE)) == pages
    assert archive.get(PAGE, *pages[0][0]) == pages[0][1]
    assert archive.at_most(PAGE, *pages[0][0]) == pages[0]
    assert archive.ungated() is archive
    assert archive.build == store.build
    with pytest.raises(UsageError, match=r"without 'pages' \(only without arguments, operations\)"):
        written(store, without=["pages"])


def test_a_run_that_grows_is_not_archived() -> None:
    store = DictStore({})
    store.is_growing = True
    with pytest.raises(StoredLast, match="still being indexed"):
        written(store)


def test_progress_rises_and_may_stop_it() -> None:
    store = DictStore(random_records(4, 3000))
    shares: list[float] = []
    written(store, progress=lambda fraction, _what: shares.append(fraction))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

    def stop(_fraction: float, _what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(store, progress=stop)


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 100_000))))
def test_merged_ranges_hold_all_places(starts_and_sizes: list[tuple[int, int]]) -> None:
    places = [BlobRange(start, start + size) for start, size in starts_and_sizes]
    merged = merge_neighbours(places)
    for place in places:
        assert any(span.start <= place.start and place.stop <= span.stop for span in merged)
    longest = max((place.stop - place.start for place in places), default=0)
    for span in merged:
        assert span.stop - span.start <= max(BATCH_BYTES, longest)
    for before, after in pairwise(merged):
        assert after.start - before.stop > GAP_BYTES or after.stop - before.start > BATCH_BYTES
