"""Reading a store that another process builds: what is seen when, and the moment of publication."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tiler.store.replayed_build import Builder, builder, tracks_of
from tilescope.tiler.errors import DamagedStore, NoStore, NotBuilt, StoredLast
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.sources import sources
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.lookup.tracks import built_tracks
from tilescope.tiler.pages import Shape, decompress
from tilescope.tiler.records.arguments import ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import TreeMembers
from tilescope.tiler.store import GrowingRunStore, RunStore, open_growing, open_run_store
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.store import need
from tilescope.tiler.store.sweep import sweep
from tilescope.tiler.synth import write_synthetic_trace

BUILD = "00ff00ff00ff00ff00ff00ff"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a trace with more than one block."""
    folder = tmp_path_factory.mktemp("run")
    write_synthetic_trace(folder / "trace.pb", format="xspace", events=20_000, tracks=60, seed=3)
    build_store([folder / "trace.pb"], folder / "store")
    return folder / "store"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def building(finished: Path, target: Path) -> Iterator[Builder]:
    with builder(finished, target, BUILD) as process:
        yield process


@pytest.fixture
def growing(building: Builder, target: Path) -> Iterator[GrowingRunStore]:
    building.step("show 1")
    store = open_growing(target, BUILD)
    yield store
    store.close()


@pytest.fixture
def complete(finished: Path) -> Iterator[RunStore]:
    store = open_run_store(finished)
    yield store
    store.close()


def test_there_is_nothing_before_the_manifest(building: Builder, target: Path) -> None:
    with pytest.raises(NoStore):
        open_growing(target, "another")
    building.step("nothing")
    with pytest.raises(NoStore):
        open_growing(target, BUILD)
    building.step("show 1")
    store = open_growing(target, BUILD)
    assert store.manifest()["revision"] == 1
    store.close()


def test_a_new_revision_is_seen_at_once(building: Builder, growing: GrowingRunStore, complete: RunStore) -> None:
    assert (growing.build, growing.is_growing) == (BUILD, True)
    building.step("show 2")
    assert growing.manifest()["revision"] == 2
    assert sources(growing) == sources(complete)
    assert need(growing, TRACKS) == need(complete, TRACKS)
    assert growing.get(NAMES, 0) == complete.get(NAMES, 0)


def test_a_block_is_there_once_it_is_done_and_not_before(
    building: Builder, growing: GrowingRunStore, complete: RunStore
) -> None:
    assert growing.get(SHAPE, 1) is None
    with pytest.raises(NotBuilt):
        event_details(growing, 33, 0)
    building.step("block 1")
    assert growing.get(SHAPE, 1) == complete.get(SHAPE, 1)
    shape = Shape.decode(decompress(growing.get(SHAPE, 1) or b""))
    for tile in range(len(shape.level)):
        key = shape.page_of(tile)
        assert stored_page(growing, key) == stored_page(complete, key)
    assert growing.get(SHAPE, 0) is None
    tree = TreeMembers.decode(decompress(need(complete, TRACKS)))
    for track in tracks_of(complete):
        number = int(str(track["id"]))
        if track["kind"] == "rollup" or track["events"] == "0":
            continue
        if number // 32 == 1:
            assert event_details(growing, number, 0) == {**(event_details(complete, number, 0) or {}), "flows": None}
            assert built_tracks(growing, 1)[number] == tree.tracks[number]
            with pytest.raises(StoredLast):  # flows are stored when all of their ends are there
                growing.at_most(FLOW_TILES, number, 3, 7)
            assert event_details(growing, number, int(str(track["events"]))) is None
        else:
            for ask in (
                lambda n=number: event_details(growing, n, 0),
                lambda n=number: growing.at_most(FLOW_TILES, n, 0, 0),
            ):
                with pytest.raises(NotBuilt):
                    ask()


def test_the_gate_opens_block_by_block(building: Builder, growing: GrowingRunStore, complete: RunStore) -> None:
    chunks = list(complete.scan(ARGUMENTS))
    blocks = sorted({track // 32 for (track, *_), _ in chunks})
    assert len(blocks) > 1
    for block in blocks:
        number, value = next(chunk for chunk in chunks if chunk[0][0] // 32 == block)
        assert list(growing.scan(PAGE, block)) == []
        for read in (growing.get, growing.at_most, growing.scan):
            with pytest.raises(NotBuilt):
                read(ARGUMENTS, *number)
        building.step(f"block {block}")
        assert growing.get(ARGUMENTS, *number) == value
        assert growing.at_most(ARGUMENTS, *number) == (number, value)
        assert list(growing.scan(PAGE, block)) == list(complete.scan(PAGE, block))
    for read in (growing.get, growing.at_most, growing.scan):
        with pytest.raises(StoredLast):
            read(ARGUMENT_TABLES, 0)
    with pytest.raises(StoredLast):
        growing.records()
    assert growing.ungated().get(ARGUMENT_TABLES, 0) == complete.get(ARGUMENT_TABLES, 0)


def test_it_goes_on_reading_when_it_is_published(
    building: Builder, growing: GrowingRunStore, complete: RunStore, target: Path
) -> None:
    blocks = complete.manifest()["blocks"]
    for block in range(blocks):
        building.step(f"block {block}")
    building.step("publish")
    assert [path.name for path in target.glob("gen-*")] == [f"gen-{BUILD}"]
    assert growing.get(SHAPE, 0) == complete.get(SHAPE, 0)
    growing.published()
    assert not growing.is_growing
    assert growing.manifest() | {"store_bytes": ""} == complete.manifest() | {
        "build": BUILD,
        "state": "ready",
        "revision": 1,
        "store_bytes": "",
    }
    assert growing.get(SHAPE, blocks) is None
    assert event_details(growing, 1, 0) == event_details(complete, 1, 0)


def test_a_published_build_does_not_read_its_manifest_again(
    building: Builder, growing: GrowingRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    building.step("publish")
    growing.published()
    keys: list[bytes] = []
    get = LmdbReader.get

    def noted_get(reader: LmdbReader, key: bytes) -> bytes | None:
        keys.append(key)
        return get(reader, key)

    monkeypatch.setattr(LmdbReader, "get", noted_get)
    growing.internals()
    assert growing.manifest()["state"] == "ready"
    assert growing.get(NAMES, 0) is not None
    assert keys == [NAMES.key(0)]


def test_a_record_that_may_come_is_missing_only_when_the_build_is_published(
    building: Builder, growing: GrowingRunStore
) -> None:
    building.step("block 1")
    for record, numbers in ((SHAPE, (0,)), (PAGE, (0, 9, 0, 0)), (NAMES, (999,))):
        with pytest.raises(NotBuilt, match="is not stored yet"):
            need(growing, record, *numbers)
    with pytest.raises(DamagedStore, match="is missing"):  # its block is done
        need(growing, ARGUMENTS, 33, 10**9)
    building.step("publish")
    growing.published()
    with pytest.raises(DamagedStore, match="the page of names 999 is missing"):
        need(growing, NAMES, 999)


def test_what_is_published_already_is_opened_as_well(building: Builder, target: Path, complete: RunStore) -> None:
    building.step("show 1")
    building.step("publish")
    store = open_growing(target, BUILD)
    store.published()
    assert store.manifest()["state"] == "ready"
    store.close()
    again = open_run_store(target)
    assert again.build == BUILD
    again.close()


def test_what_was_abandoned_can_be_read_until_it_is_closed(building: Builder, growing: GrowingRunStore) -> None:
    building.step("block 0")
    building.step("abandon")
    assert growing.get(SHAPE, 0) is not None
    with pytest.raises(NoStore):  # and no damage
        growing.manifest()


def test_a_reader_keeps_what_is_left_of_a_build_until_it_knows_that_it_was_abandoned(
    building: Builder, growing: GrowingRunStore, target: Path
) -> None:
    building.step("block 0")
    building.kill()
    assert sweep(target) == []
    growing.abandoned()
    assert [left.path.name for left in sweep(target)] == [f"gen-{BUILD}.part"]
    assert growing.get(SHAPE, 0) is not None
