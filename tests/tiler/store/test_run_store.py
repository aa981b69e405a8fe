"""A published run: its records by their numbers, and stores that are refused."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore, NoStore, StoreError, StoreVersion
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress
from tilescope.tiler.records.arguments import ARGUMENTS
from tilescope.tiler.records.catalogue import record_of
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need

EVENTS = busy_events(4)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    build_store([write_trace(folder / "trace.json", EVENTS)], folder / "store")
    return folder / "store"


@pytest.fixture
def store(path: Path) -> Iterator[RunStore]:
    store = open_run_store(path)
    yield store
    store.close()


def test_records_are_read_by_their_numbers(store: RunStore) -> None:
    chunks = list(store.scan(ARGUMENTS))
    assert len({track for (track, _), _ in chunks}) > 2
    for (track, first), value in chunks:
        assert store.get(ARGUMENTS, track, first) == value
        assert store.at_most(ARGUMENTS, track, first) == store.at_most(ARGUMENTS, track, first + 1) != None  # noqa: E711
    (track, first), value = chunks[-1]
    assert store.at_most(ARGUMENTS, track, 1 << 40) == ((track, first), value)
    assert store.at_most(ARGUMENTS, track + 1, 1 << 40) is None  # of another track
    assert list(store.scan(ARGUMENTS, track)) == [chunk for chunk in chunks if chunk[0][0] == track]
    pages = list(store.scan(PAGE, 0))
    level = pages[-1][0][1]
    assert list(store.scan(PAGE, 0, start=level)) == [page for page in pages if page[0][1] >= level] != pages
    assert {record_of(key) for key, _ in store.records()} > {MANIFEST, TRACKS, NAMES, PAGE, SHAPE, ARGUMENTS}


def test_records_that_there_are_not(store: RunStore) -> None:
    assert [store.get(NAMES, page) for page in (-1, 9, 1 << 40)] == [None] * 3
    assert store.at_most(ARGUMENTS, -1, 0) is None
    assert [list(store.scan(PAGE, block)) for block in (-1, 99, 1 << 40)] == [[]] * 3
    assert list(store.scan(PAGE, 0, start=1 << 40)) == []
    with pytest.raises(DamagedStore, match="the page of names 9 is missing"):
        need(store, NAMES, 9)
    with pytest.raises(struct.error):  # a mistake of whoever calls
        store.get(NAMES, 1, 2)


@pytest.mark.parametrize("record", [FLOW_ENDS, FLOW_TILES, PAGE_NAMES], ids=str)
@pytest.mark.parametrize("is_short", [True, False])
def test_keys_of_another_length_are_damage(path: Path, tmp_path: Path, record: Record, is_short: bool) -> None:
    altered = AlteredStore.copy_of(path, tmp_path / "store")
    numbers = (7, *[0] * len(record.numbers[1:]))
    key = record.key(*numbers)[:-1] if is_short else record.key(*numbers) + b"x"
    altered.put({key: compress(b"")})
    store = open_run_store(altered.path)
    message = re.escape(f"{altered.path}: a record that should not be there: {key!r}")
    with pytest.raises(DamagedStore, match=message):
        store.at_most(record, *numbers[:-1], 1 << 20)
    with pytest.raises(DamagedStore, match=message):
        list(store.scan(record, 7))
    store.close()


def test_a_folder_that_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="this folder is not a store"):
        open_run_store(tmp_path)


@pytest.mark.parametrize(("manifest", "error"), [(b"{", DamagedStore), (b'{"version": 99}', StoreVersion)])
def test_manifests_that_are_refused(path: Path, tmp_path: Path, manifest: bytes, error: type[Exception]) -> None:
    altered = AlteredStore.copy_of(path, tmp_path / "store")
    altered.put({MANIFEST.key(): compress(manifest)})
    for _ in range(2):  # the environment is closed again after each attempt
        with pytest.raises(error, match="index the trace again"):
            open_run_store(altered.path)


@pytest.mark.parametrize("current", [b"gen-" + b"x" * 500, b"gen-\xff", b"gen-a/b", b"", b"gen-1" * 10**6])
def test_a_current_that_names_no_generation_is_refused(tmp_path: Path, current: bytes) -> None:
    (tmp_path / "CURRENT").write_bytes(current)
    with pytest.raises(StoreError, match=re.escape(str(tmp_path))):
        open_run_store(tmp_path)


def test_a_pipe_in_place_of_the_data_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text("gen-1")
    (tmp_path / "gen-1").mkdir()
    os.mkfifo(tmp_path / "gen-1" / "data.mdb")
    with pytest.raises(DamagedStore, match="no plain file"):
        open_run_store(tmp_path)
