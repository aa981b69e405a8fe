"""Decoders of arguments, while a run is indexed and afterwards."""

from __future__ import annotations

import gc
from weakref import proxy

import numpy as np
import pytest

from tests.server.fakes import FakeGrowingStore, FakeStore
from tests.tiler.details.packed_metadata import tables_of
from tilescope.tiler.caches import CACHES
from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.xstat_tables import EventMetadata, PlaneNames
from tilescope.tiler.errors import StoredLast
from tilescope.tiler.lookup.arguments import argument_chunk, argument_decoder, argument_values, event_metadata
from tilescope.tiler.records.arguments import ARGUMENT_TABLES
from tilescope.tiler.records.record import Record


class StoreWithoutFiles(FakeGrowingStore):
    """A build whose manifest does not have its files yet."""

    def internals(self) -> dict[str, object]:
        return {**super().internals(), "files": []}


@pytest.fixture
def store() -> StoreWithoutFiles:
    store = StoreWithoutFiles()
    store.is_done = True
    return store


@pytest.fixture
def chunk(store: StoreWithoutFiles) -> Chunk:
    chunk = argument_chunk(store, 0, 3)
    assert chunk is not None
    return chunk


def test_the_gate_is_asked_before_the_manifest(store: StoreWithoutFiles, chunk: Chunk) -> None:
    for read in (
        lambda: argument_decoder(store, 0),
        lambda: argument_values(store, 0, chunk, np.arange(1), ["flops"]),
        lambda: event_metadata(store, 0),
    ):
        with pytest.raises(StoredLast):
            read()


class CountingStore(FakeStore):
    """Counts how often tables of arguments are read."""

    reads = 0

    def get(self, record: Record, *numbers: int) -> bytes | None:
        self.reads += record is ARGUMENT_TABLES
        return super().get(record, *numbers)


def cached_tables() -> int:
    return next(cache.entries for cache in CACHES.sizes() if cache.name == "argument_tables")


def test_tables_are_read_once_and_are_among_the_counted_caches() -> None:
    CACHES.clear()
    store = CountingStore("b1")
    for owner in (store, proxy(store), store):
        argument_decoder(owner, 0)
    assert (store.reads, cached_tables()) == (1, 1)
    CACHES.clear()
    argument_decoder(store, 0)
    assert (store.reads, cached_tables()) == (2, 1)
    del store, owner
    gc.collect()
    assert cached_tables() == 0


def test_the_size_of_tables_has_the_pages_that_they_keep() -> None:
    entries = [EventMetadata(0, number, "long" * 50, "name", bytes(3000)) for number in range(3)]
    tables = tables_of([PlaneNames("/device:TPU:0", {1: "flops"})], entries, [-1] * 3)
    size_bytes = tables.size_bytes
    assert size_bytes >= sum(column.nbytes for column in (tables.plane, tables.id, tables.alike, tables.name))
    tables.stats_page(0)
    assert tables.size_bytes >= size_bytes + 3 * 3000
